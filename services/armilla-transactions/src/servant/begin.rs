//! Where transactions begin in this process: its own, and subordinates of those elsewhere.

use super::site::{set_superior, superior_of};
use crate::context::{DEEPEST, Incoming};
use crate::corba::{Coordinator as _, CoordinatorRef};
use crate::current::internally;
use crate::engine::{Engine, Entry};
use crate::model::{Event, GlobalId, Key, Reply, Status, Time, Transaction as Machine};
use armilla::{ExceptionKind, SystemException};
use armilla_ipc::random;
use std::sync::Arc;
use std::time::Duration;

/// The format of our identifiers: "Armi".
const FORMAT: i32 = 0x4172_6d69;

/// How long a transaction lives whose coordinator says nothing of the time. It may be gone.
const LONGEST: Duration = Duration::from_secs(3600);

fn new_key() -> Result<Key, SystemException> {
    let number = || {
        random::number().map_err(|error| {
            ExceptionKind::NoResources.because(format!("no random numbers: {error}"))
        })
    };
    let mut octets = [0; 16];
    octets[..8].copy_from_slice(&number()?.get().to_be_bytes());
    octets[8..].copy_from_slice(&number()?.get().to_be_bytes());
    Ok(Key(octets))
}

/// A transaction that this process decides.
pub(crate) fn new_root(
    engine: &Engine,
    timeout: Option<Duration>,
) -> Result<Arc<Entry>, SystemException> {
    let key = new_key()?;
    // The identifier travels, and so tells nothing of the key.
    let octets = new_key()?.0.to_vec();
    let global = GlobalId { format: FORMAT, branch_length: 0, octets };
    // What is longer than time can be told has no end.
    let deadline = timeout.and_then(|timeout| engine.now().checked_add(timeout));
    let entry = Entry::root(key, global, deadline, engine.options);
    engine.add(entry, false).ok_or_else(too_many)
}

/// A part of a transaction that this process decides.
pub(crate) fn new_nested(
    engine: &Engine,
    parent: &Arc<Entry>,
) -> Result<Arc<Entry>, SystemException> {
    if parent.upwards().count() > DEEPEST {
        return Err(ExceptionKind::ImpLimit.because("subtransactions are too deep in one another"));
    }
    let global = GlobalId { format: FORMAT, branch_length: 0, octets: new_key()?.0.to_vec() };
    let deadline = parent.machine().deadline();
    let made = Machine::root(new_key()?, global, deadline, engine.options);
    let entry = engine.add(Entry::nested(made, parent.clone()), false).ok_or_else(too_many)?;
    attach(engine, parent, &entry, true)?;
    Ok(entry)
}

/// Makes a part one of a transaction, which may have ended meanwhile.
fn attach(
    engine: &Engine,
    parent: &Entry,
    part: &Arc<Entry>,
    counts: bool,
) -> Result<(), SystemException> {
    let mut attached = parent.add_part(part);
    if counts {
        attached = attached.and_then(|()| part.count_in());
    }
    attached.map_err(|_| {
        engine.drive(part, Event::Rollback);
        match parent.status() {
            Status::RolledBack | Status::RollingBack => ExceptionKind::TransactionRolledback
                .because("the transaction around it was rolled back"),
            status => ExceptionKind::InvalidTransaction
                .because(format!("the transaction around it is {status}")),
        }
    })
}

/// The transaction of this process for one of which a request tells: its own, or a subordinate.
pub(crate) fn adopt(
    engine: &Engine,
    incoming: &Incoming,
    call_begins: bool,
) -> Result<Arc<Entry>, SystemException> {
    let deadline: Time = engine.now() + incoming.left.unwrap_or(LONGEST);
    let subordinate = |global: &GlobalId,
                       coordinator: &CoordinatorRef,
                       parent: Option<Arc<Entry>>| {
        let made = Machine::subordinate(new_key()?, global.clone(), Some(deadline), engine.options);
        let made = match parent {
            Some(parent) => Entry::nested(made, parent),
            None => Entry::new(made),
        };
        set_superior(&made, coordinator);
        Ok::<_, SystemException>(made)
    };
    // A call works in those above as long as nothing else keeps them.
    let mut above: Vec<Arc<Entry>> = Vec::new();
    let made = incoming.parents.iter().rev().try_for_each(|(coordinator, global)| {
        let made = subordinate(global, coordinator, above.last().cloned())?;
        above.push(add(engine, made, true)?);
        Ok(())
    });
    let entry = made.and_then(|()| {
        let made = subordinate(&incoming.global, &incoming.coordinator, above.last().cloned())?;
        add(engine, made, call_begins)
    });
    above.iter().for_each(|it| it.machine().call_ended());
    entry
}

/// Adds a subordinate, or returns the transaction that there is; as a part of the one above.
fn add(engine: &Engine, made: Entry, call_begins: bool) -> Result<Arc<Entry>, SystemException> {
    let entry = engine.add(made, call_begins).ok_or_else(too_many)?;
    if let Some(parent) = &entry.parent {
        attach(engine, parent, &entry, false)?;
    }
    Ok(entry)
}

fn too_many() -> SystemException {
    ExceptionKind::Transient
        .because("too many transactions are in progress")
        .with_hint("the limit is `TransactionsBuilder::most`")
}

/// Marks a transaction for rollback, at its superior too. Returns whether it was not too late.
pub(crate) fn mark_rollback(engine: &Engine, entry: &Entry) -> bool {
    let marked = matches!(entry.ask(Event::RollbackOnly, engine.now()), Some(Reply::Done));
    if let Some(superior) = superior_of(entry).filter(|_| marked) {
        // If it does not hear of it now, the vote tells it, or the time.
        if let Err(error) = internally(|| superior.rollback_only()) {
            let key = entry.key;
            tracing::info!(%key, %error, "the superior was not told of a mark for rollback");
        }
    }
    marked
}
