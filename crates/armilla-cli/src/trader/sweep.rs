//! `armilla trader sweep`.

use super::Service;
use super::offers::{all_ids, register};
use armilla::Error;
use armilla_cos_trading::Register;
use armilla_cos_trading::register::DescribeRaises;
use armilla_naming::client::{Liveness, check, each};
use armilla_terminal::{Outcome, one_line, say};
use std::time::Duration;

/// The arguments of `armilla trader sweep`.
#[derive(Debug, clap::Args)]
pub(crate) struct Sweep {
    /// Withdraw the offers of objects that their servers do not know any more
    #[arg(long)]
    withdraw: bool,
    /// With --withdraw, also withdraw offers of objects of which nobody answers
    #[arg(long, requires = "withdraw")]
    unreachable: bool,
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    timeout: u64,
}

/// How many offers are looked at before the first of them is told.
const PORTION: usize = 200;

pub(super) fn run(options: &Sweep, service: &Service) -> Outcome {
    let register = register(service)?;
    let timeout = Duration::from_millis(options.timeout);
    let (mut dead, mut withdrawn) = (Vec::new(), 0);
    for portion in all_ids(service, false)?.chunks(PORTION) {
        let found = each(portion, |id| match register.describe(id) {
            Ok(info) => Some(Ok((info.r#type, check(&info.reference, timeout)))),
            // It was withdrawn meanwhile, or is a proxy offer.
            Err(Error::User(
                DescribeRaises::UnknownOfferId(_) | DescribeRaises::ProxyOfferId(_),
            )) => None,
            Err(error) => Some(Err(error)),
        });
        for (id, found) in portion.iter().zip(found) {
            let Some((service_type, found)) = found.transpose()? else { continue };
            say!("{:<11}\t{id}\t{}", found.as_str(), one_line(&service_type))?;
            let goes = match found {
                Liveness::Gone => true,
                Liveness::Unreachable(_) => options.unreachable,
                Liveness::Alive | Liveness::Unsure(_) => false,
            };
            if goes {
                dead.push(id.clone());
            }
        }
    }
    if options.withdraw {
        for id in &dead {
            register.withdraw(id)?;
            withdrawn += 1;
        }
        eprintln!("{withdrawn} withdrawn");
    }
    Ok(())
}
