//! `armilla naming watch`.

use super::context;
use super::orphans::administration;
use armilla::{Error, Object, Orb};
use armilla_cos_naming::NamingContextRef;
use armilla_cos_naming::administration::{
    Administration, Change, ChangeKind, Watch as _, WatchRef,
};
use armilla_naming::client::{EntryKind, Snapshot, export};
use armilla_terminal::{Outcome, complain, one_line, say};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

/// The arguments of `armilla naming watch`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Armilla's service tells each change itself. CORBA has no operation that does, so \
                  the names of other services are\ncompared every --interval, and what comes and \
                  goes in between is missed."
)]
pub(crate) struct Watch {
    /// The name of the context, or a reference [default: the root context]
    #[arg(add = super::complete::names())]
    name: Option<String>,
    /// How often to look, in milliseconds, if the service does not tell
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000)]
    interval: u64,
    /// End after this many looks; a look at a service that tells changes waits for one
    #[arg(long, value_name = "COUNT")]
    count: Option<u64>,
}

/// How long the service waits for a change before it says that there is none.
const WAIT: u32 = 10_000;

type Known = BTreeMap<String, EntryKind>;

pub(super) fn run(orb: &Orb, options: &Watch) -> Outcome {
    let context = context(orb, options.name.as_deref())?;
    let watch = administration(orb).and_then(|found| Ok(found.begin_watch(&context)?));
    match watch {
        Ok(watch) => told(orb, options, &context, &watch),
        Err(_) => compared(orb, options, &context),
    }
}

/// Prints what the service tells.
fn told(orb: &Orb, options: &Watch, context: &NamingContextRef, watch: &WatchRef) -> Outcome {
    // What is told and was read already is no change.
    let mut known = by_name(export(orb, context, &|_| ())?);
    let mut looks = 0;
    loop {
        match watch.next(WAIT) {
            Ok(changes) => {
                changes.iter().try_for_each(|change| tell(orb, &mut known, change))?;
            }
            Err(Error::User(_)) => {
                complain(format_args!("warning: there were too many changes to tell each\n"));
                let now = by_name(export(orb, context, &|_| ())?);
                compare(&known, &now)?;
                known = now;
            }
            Err(Error::System(error)) => return Err(error.into()),
        }
        looks += 1;
        if options.count.is_some_and(|count| looks >= count) {
            watch.destroy().ok();
            return Ok(());
        }
    }
}

fn tell(orb: &Orb, known: &mut Known, change: &Change) -> Outcome {
    let name = one_line(&change.name);
    if change.kind == ChangeKind::NameUnbound {
        return match known.remove(&change.name) {
            Some(_) => say!("- {name}"),
            None => Ok(()),
        };
    }
    let kind = kind(orb, change.is_context, &change.target)?;
    let before = known.insert(change.name.clone(), kind.clone());
    match before {
        None => say!("+ {name}{}", described(&kind)),
        Some(before) if before == kind => Ok(()),
        Some(_) => say!("~ {name}{}", described(&kind)),
    }
}

fn kind(orb: &Orb, is_context: bool, target: &Object) -> Outcome<EntryKind> {
    Ok(match is_context {
        true => EntryKind::Context,
        false => EntryKind::Object(orb.object_to_string(target)?),
    })
}

/// Prints how the names differ from one look to the next.
fn compared(orb: &Orb, options: &Watch, context: &NamingContextRef) -> Outcome {
    let mut before = None;
    let mut looks = 0;
    loop {
        let now = by_name(export(orb, context, &|_| ())?);
        if let Some(before) = &before {
            compare(before, &now)?;
        }
        before = Some(now);
        looks += 1;
        if options.count.is_some_and(|count| looks >= count) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(options.interval));
    }
}

fn by_name(snapshot: Snapshot) -> Known {
    snapshot.entries.into_iter().map(|entry| (entry.name, entry.kind)).collect()
}

fn compare(before: &Known, now: &Known) -> Outcome {
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
