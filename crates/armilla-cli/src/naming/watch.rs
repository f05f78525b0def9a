//! `armilla naming watch`.

use super::context;
use armilla::Orb;
use armilla_naming::client::{EntryKind, Snapshot, export};
use armilla_terminal::{Outcome, one_line, say};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

/// The arguments of `armilla naming watch`.
#[derive(Debug, clap::Args)]
pub(crate) struct Watch {
    /// The name of the context, or a reference [default: the root context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// How often to look, in milliseconds. CORBA has no operation that tells of changes
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000)]
    interval: u64,
    /// End after this many looks
    #[arg(long, value_name = "COUNT")]
    count: Option<u64>,
}

pub(super) fn run(orb: &Orb, options: &Watch) -> Outcome {
    let context = context(orb, options.name.as_deref())?;
    let mut before = None;
    let mut looks = 0;
    loop {
        let now = by_name(export(orb, &context)?);
        if let Some(before) = &before {
            tell(before, &now)?;
        }
        before = Some(now);
        looks += 1;
        if options.count.is_some_and(|count| looks >= count) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(options.interval));
    }
}

fn by_name(snapshot: Snapshot) -> BTreeMap<String, EntryKind> {
    snapshot.entries.into_iter().map(|entry| (entry.name, entry.kind)).collect()
}

fn tell(before: &BTreeMap<String, EntryKind>, now: &BTreeMap<String, EntryKind>) -> Outcome {
    for name in before.keys().filter(|name| !now.contains_key(*name)) {
        say!("- {}", one_line(name))?;
    }
    for (name, kind) in now {
        match before.get(name) {
            None => say!("+ {}{}", one_line(name), described(kind))?,
            Some(old) if old != kind => say!("~ {}{}", one_line(name), described(kind))?,
            Some(_) => {}
        }
    }
    Ok(())
}

fn described(kind: &EntryKind) -> String {
    match kind {
        EntryKind::Object(reference) => format!("\t{reference}"),
        EntryKind::Context => "/".to_owned(),
        EntryKind::SameAs(other) => format!("/\tthe same as {}/", one_line(other)),
        EntryKind::Foreign(reference) => format!("/\t{reference}"),
    }
}
