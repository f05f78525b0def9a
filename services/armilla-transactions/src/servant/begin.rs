//! Where transactions begin in this process: its own, and subordinates of those elsewhere.

use super::site::{set_superior, superior_of};
use crate::context::Incoming;
use crate::corba::Coordinator as _;
use crate::current::internally;
use crate::engine::{Engine, Entry};
use crate::model::{Event, GlobalId, Key, Reply, Time, Transaction as Machine};
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
    let deadline = timeout.map(|timeout| engine.now() + timeout);
    let entry = Entry::root(key, global, deadline, engine.options);
    engine.add(entry, false).ok_or_else(too_many)
}

/// The transaction of this process for one of which a request tells: its own, or a subordinate.
pub(crate) fn adopt(
    engine: &Engine,
    incoming: &Incoming,
    call_begins: bool,
) -> Result<Arc<Entry>, SystemException> {
    let deadline: Time = engine.now() + incoming.left.unwrap_or(LONGEST);
    let global = incoming.global.clone();
    let made = Machine::subordinate(new_key()?, global, Some(deadline), engine.options);
    let made = Entry::new(made);
    set_superior(&made, incoming);
    engine.add(made, call_begins).ok_or_else(too_many)
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
