//! `armilla naming orphans`.

use super::root;
use armilla::Orb;
use armilla_cos_naming::administration::{Administration, AdministrationRef};
use armilla_terminal::{Failure, Outcome, say};

/// The arguments of `armilla naming orphans`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It needs Armilla's naming service: CosNaming does not tell of such contexts. The \
                  reference that it prints\ncan be listed, bound again (`bind --context`) and \
                  unbound from like any context."
)]
pub(crate) struct Orphans {
    /// Destroy those that are old enough, and what is bound in them
    #[arg(long)]
    remove: bool,
    /// With --remove: how old a context must be, in seconds. A client may be about to bind a new one
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, requires = "remove")]
    age: u32,
}

/// How many are asked for at once.
const BATCH: u32 = 500;

pub(super) fn run(orb: &Orb, options: &Orphans) -> Outcome {
    let administration = administration(orb)?;
    let (mut count, mut bindings) = (0_u32, 0_u64);
    loop {
        let orphans = administration.list_orphans(count, BATCH)?;
        for orphan in &orphans {
            count += 1;
            bindings += u64::from(orphan.bindings);
            if !options.remove {
                let reference = orb.object_to_string(orphan.cxt.object())?;
                say!("{} names\t{} s old\t{reference}", orphan.bindings, orphan.age)?;
            }
        }
        if orphans.len() < BATCH as usize {
            break;
        }
    }
    if !options.remove {
        eprintln!("{count} contexts with {bindings} names, to which no name leads");
        return Ok(());
    }
    let (gone, bindings) = administration.collect(options.age)?;
    let left = count.saturating_sub(gone);
    eprintln!("{gone} contexts with {bindings} names removed");
    if left > 0 {
        eprintln!("{left} contexts are younger than {} s and stay; see --age", options.age);
    }
    Ok(())
}

/// What the service offers to operators, at the place of its root context.
pub(super) fn administration(orb: &Orb) -> Outcome<AdministrationRef> {
    let root = root(orb)?;
    let profile = root.object().ior().iiop_profiles().next().and_then(Result::ok);
    let profile = profile.ok_or_else(none)?;
    let is_v6 = profile.host.contains(':');
    let host = if is_v6 { format!("[{}]", profile.host) } else { profile.host };
    let url = format!("corbaloc:iiop:1.2@{host}:{}/ArmillaNaming", profile.port);
    let found = orb.string_to_object(&url)?;
    match found.non_existent() {
        Ok(false) => Ok(found.assume()),
        Ok(true) => Err(none()),
        Err(error) => Err(error.into()),
    }
}

fn none() -> Failure {
    Failure::because("this needs Armilla's naming service, and the service is another one")
}
