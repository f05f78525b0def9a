//! `armilla trader recover`.

use armilla::Orb;
use armilla_terminal::{Failure, Outcome, one_line, say};
use armilla_trader::Store;
use std::path::PathBuf;

/// The arguments of `armilla trader recover`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The damaged store is only read; no service may have it open. The status is 0 if \
                  nothing is lost, else 1.\nServe the new one with `armilla trader serve --store \
                  TO`."
)]
pub(crate) struct Recover {
    /// The directory of the damaged store
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// The directory of the new store, which must have none yet
    #[arg(value_name = "TO")]
    to: PathBuf,
}

pub(super) fn run(options: &Recover) -> Outcome {
    let orb = Orb::new()?;
    let saved = Store::recover(&options.from, &options.to, &orb)?;
    say!(
        "saved {} offers, {} service types, {} links",
        saved.offers,
        saved.service_types,
        saved.links
    )?;
    if let Some(last) = &saved.last_commit {
        say!("{last}")?;
    }
    saved.losses.iter().try_for_each(|loss| say!("damaged: {}", one_line(loss)))?;
    match saved.losses.is_empty() {
        true => Ok(()),
        false => Err(Failure::because("the store was damaged: see above what is lost")),
    }
}
