//! `armilla naming recover`.

use armilla_naming::Store;
use armilla_terminal::{Failure, Outcome, one_line, say};
use std::path::PathBuf;

/// The arguments of `armilla naming recover`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The damaged store is only read; no service may have it open. The status is 0 if \
                  nothing is lost, else 1.\nServe the new one with `armilla naming serve --store \
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
    let saved = Store::recover(&options.from, &options.to)?;
    say!("saved {} names in {} contexts", saved.bindings, saved.contexts)?;
    if let Some(last) = &saved.last_commit {
        say!("{last}")?;
    }
    if saved.orphans > 0 {
        say!(
            "{} contexts have lost their names: `armilla naming orphans` lists them",
            saved.orphans
        )?;
    }
    saved.losses.iter().try_for_each(|loss| say!("damaged: {}", one_line(loss)))?;
    match saved.losses.is_empty() {
        true => Ok(()),
        false => Err(Failure::because("the store was damaged: see above what is lost")),
    }
}
