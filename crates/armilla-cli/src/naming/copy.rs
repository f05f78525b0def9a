//! `armilla naming import` and `export`.

use super::{context, root};
use crate::input::{RECORDED, read_text};
use crate::output;
use crate::progress::Progress;
use armilla::Orb;
use armilla_cos_naming::NamingContextRef;
use armilla_giop::url::ObjectUrl;
use armilla_naming::client::{self, Snapshot};
use armilla_terminal::{Context, Failure, Outcome, complain, print};
use std::path::{Path, PathBuf};

/// The arguments of `armilla naming import`.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// An export, `-` for standard input, or a running service of any vendor, such as
    /// corbaloc::HOST:2809/NameService
    #[arg(value_name = "FILE|REF")]
    from: String,
    /// Replace names that are bound already
    #[arg(long)]
    replace: bool,
}

/// The arguments of `armilla naming export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// The name of the context, or a reference [default: the root context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn import(orb: &Orb, options: &Import) -> Outcome {
    let snapshot = match ObjectUrl::parse(&options.from) {
        Ok(_) => read_all(orb, &orb.string_to_object(&options.from)?.narrow()?)?,
        Err(_) => read(Path::new(&options.from))?,
    };
    warn(&snapshot);
    let progress = Progress::new("bound");
    let told = |done, all| progress.show(done, all);
    let done = client::import(orb, &snapshot, &root(orb)?, options.replace, &told)?;
    progress.end();
    eprintln!("{} names bound, {} kept as they were", done.bound, done.kept.len());
    Ok(())
}

/// The names of a running service.
fn read_all(orb: &Orb, from: &NamingContextRef) -> Outcome<Snapshot> {
    let progress = Progress::new("names read");
    Ok(client::export(orb, from, &|done| progress.show(done, 0))?)
}

fn read(file: &Path) -> Outcome<Snapshot> {
    let text = read_text(file, RECORDED);
    let text = text.context(format_args!("cannot read {}", file.display()))?;
    text.parse().map_err(|error| Failure::because(format_args!("{}: {error}", file.display())))
}

fn warn(snapshot: &Snapshot) {
    for (name, why) in &snapshot.unreadable {
        complain(format_args!("warning: {name}: {why}\n"));
    }
}

pub(super) fn export(orb: &Orb, options: &Export) -> Outcome {
    let snapshot = read_all(orb, &context(orb, options.name.as_deref())?)?;
    warn(&snapshot);
    match &options.output {
        None => print(format_args!("{snapshot}"))?,
        Some(file) => output::write(file, snapshot.to_string())
            .context(format_args!("cannot write {}", file.display()))?,
    }
    match snapshot.unreadable.is_empty() {
        true => Ok(()),
        false => Err(Failure::because("the export is incomplete")),
    }
}
