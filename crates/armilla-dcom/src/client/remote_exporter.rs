//! An exporter that a client has references to objects of.

use super::answer::Answer;
use super::endpoint::{Endpoint, Target};
use super::error::{Cause, Error, Step};
use super::options::ClientOptions;
use crate::causality::current_causality;
use crate::error_info::ErrorInfo;
use crate::orpc::{OrpcThat, OrpcThis};
use crate::remote::{
    ComplexPing, ComplexPingIn, CountsIn, OBJECT_EXPORTER, REM_UNKNOWN, RemRelease, SimplePing,
    SimplePingIn, Status as Ended,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, NdrError, Operation, Parameters, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::{ByteOrder, Status, SyntaxId, Uuid};
use core::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many references are given back in one call.
const BATCH: usize = 64;

/// How many references may wait to be given back. The server forgets further ones by itself, when
/// nobody pings their objects.
const MOST_WAITING: usize = 16_384;

#[derive(Debug)]
pub(super) struct RemoteExporter {
    pub(super) rem_unknown: Uuid,
    pub(super) level: AuthLevel,
    pub(super) objects: Endpoint,
    pub(super) resolver: Endpoint,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many proxies there are of each object that is pinged.
    pinged: BTreeMap<u64, usize>,
    /// How many proxies there are of all objects.
    proxies: usize,
    /// The ping set, with what the server knows to be in it.
    set: u64,
    sequence: u16,
    known: BTreeSet<u64>,
    /// References to be given back.
    waiting: Vec<(Uuid, u32)>,
    /// Whether they are being given back.
    releasing: bool,
    /// How often its pings were in vain since it answered last.
    silent: u32,
}

impl RemoteExporter {
    pub(super) fn new(
        rem_unknown: Uuid,
        level: AuthLevel,
        (objects, resolver): (Endpoint, Endpoint),
    ) -> Self {
        Self { rem_unknown, level, objects, resolver, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a proxy of an object.
    pub(super) fn enter(&self, oid: u64, pinged: bool) {
        let mut state = self.state();
        state.proxies += 1;
        if pinged {
            *state.pinged.entry(oid).or_default() += 1;
        }
    }

    /// Counts a proxy no longer; its references are given back later.
    pub(super) fn leave(&self, oid: u64, pinged: bool, (ipid, references): (Uuid, u32)) {
        let mut state = self.state();
        state.proxies = state.proxies.saturating_sub(1);
        if pinged && let Some(count) = state.pinged.get_mut(&oid) {
            *count -= 1;
            if *count == 0 {
                state.pinged.remove(&oid);
            }
        }
        if references > 0 && state.waiting.len() < MOST_WAITING {
            state.waiting.push((ipid, references));
        }
    }

    /// Whether nothing holds it any more.
    pub(super) fn is_unused(&self) -> bool {
        let state = self.state();
        state.proxies == 0 && state.waiting.is_empty() && !state.releasing
    }

    /// Whether references wait to be given back.
    pub(super) fn has_waiting(&self) -> bool {
        let state = self.state();
        !state.waiting.is_empty() || state.releasing
    }

    /// Gives back the references that wait. Those that cannot be given back expire at the server.
    pub(super) fn release(&self, options: &ClientOptions) {
        let waiting = {
            let mut state = self.state();
            state.releasing = !state.waiting.is_empty();
            mem::take(&mut state.waiting)
        };
        let what = "IRemUnknown::RemRelease".to_string();
        for batch in waiting.chunks(BATCH) {
            let given = CountsIn::public(batch);
            let ended =
                self.call::<RemRelease>(options, self.rem_unknown, REM_UNKNOWN, &given, &what);
            // If the server cannot be reached, further waits are in vain.
            if matches!(ended, Err(error) if error.status().is_none()) {
                break;
            }
        }
        self.state().releasing = false;
    }

    /// Calls an operation of an object; returns the results and the HRESULT that ends them.
    pub(super) fn call<O: Operation>(
        &self,
        options: &ClientOptions,
        object: Uuid,
        interface: SyntaxId,
        given: &O::In,
        what: &str,
    ) -> Result<Answer<O::Out>, Error> {
        let number = (interface, O::OPNUM);
        let write = |out: &mut Encoder| given.write_parameters(out);
        self.call_by_number(options, object, number, what, write, O::Out::read_parameters)
    }

    /// The same of an operation that has no table.
    pub(super) fn call_by_number<T>(
        &self,
        options: &ClientOptions,
        object: Uuid,
        (interface, opnum): (SyntaxId, u16),
        what: &str,
        write: impl FnOnce(&mut Encoder) -> Result<(), NdrError>,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<T, NdrError>,
    ) -> Result<Answer<T>, Error> {
        let (step, level, object) = (Step::Call, self.level, Some(object));
        let target = Target { step, what, level, interface, opnum, object };
        call_with_heads(&self.objects, options, target, write, read)
    }

    /// How often its pings were in vain since it answered last.
    pub(super) fn silent(&self) -> u32 {
        self.state().silent
    }

    /// Tells the resolver that the client is alive, and which objects it wants.
    pub(super) fn ping(&self, options: &ClientOptions) -> Result<(), Error> {
        let done = self.ping_once(options);
        self.answered(!matches!(&done, Err(error) if error.status().is_none()));
        done
    }

    /// A ping was answered, or in vain.
    pub(super) fn answered(&self, answered: bool) {
        let mut state = self.state();
        state.silent = if answered { 0 } else { state.silent.saturating_add(1) };
    }

    fn ping_once(&self, options: &ClientOptions) -> Result<(), Error> {
        let (set, sequence, added, removed) = {
            let mut state = self.state();
            let wanted: BTreeSet<u64> = state.pinged.keys().copied().collect();
            let added: Vec<u64> = wanted.difference(&state.known).copied().collect();
            let removed: Vec<u64> = state.known.difference(&wanted).copied().collect();
            if wanted.is_empty() && state.set == 0 {
                return Ok(());
            }
            state.sequence = state.sequence.wrapping_add(1);
            (state.set, state.sequence, added, removed)
        };
        if added.is_empty() && removed.is_empty() {
            let Ended { status } = self.ask::<SimplePing>(options, &SimplePingIn { set })?;
            return self.pinged(Status(status));
        }
        // A ping has room for 16 bits of objects; the rest follows with the next one.
        let part = |list: Vec<u64>| -> Vec<u64> { list.into_iter().take(MOST_IN_PING).collect() };
        let (added, removed) = (part(added), part(removed));
        let list = |list: &[u64]| match list {
            [] => Unique::NULL,
            list => Unique::new(list.to_vec().into()),
        };
        let given = ComplexPingIn {
            set,
            sequence,
            adds: added.len() as u16,
            removes: removed.len() as u16,
            added: list(&added),
            removed: list(&removed),
        };
        let done = self.ask::<ComplexPing>(options, &given)?;
        if done.status == 0 {
            let mut state = self.state();
            state.set = done.set;
            state.known.extend(added);
            removed.iter().for_each(|oid| {
                state.known.remove(oid);
            });
        }
        self.pinged(Status(done.status))
    }

    fn pinged(&self, status: Status) -> Result<(), Error> {
        if status == Status::OK {
            return Ok(());
        }
        if status == Status::UNKNOWN_SET {
            // The set has expired: the next ping makes another one.
            let mut state = self.state();
            (state.set, state.sequence) = (0, 0);
            state.known.clear();
        }
        Err(Error::new(Step::Resolve, "the ping set", self.level, Cause::Status(status)))
    }

    fn ask<O: Operation>(&self, options: &ClientOptions, given: &O::In) -> Result<O::Out, Error> {
        ask_resolver::<O>(&self.resolver, options, self.level, given)
    }
}

/// A datagram's worth of objects in one ping.
const MOST_IN_PING: usize = 4_096;

/// Calls an operation of a resolver.
pub(super) fn ask_resolver<O: Operation>(
    resolver: &Endpoint,
    options: &ClientOptions,
    level: AuthLevel,
    given: &O::In,
) -> Result<O::Out, Error> {
    let (step, interface, opnum) = (Step::Resolve, OBJECT_EXPORTER, O::OPNUM);
    let target = Target { step, what: "IObjectExporter", level, interface, opnum, object: None };
    let encoded = given.to_stub(options.order);
    let stub = encoded.map_err(|error| target.error(step, Cause::Argument(error)))?;
    let (order, stub) = resolver.call(options, target, &stub)?;
    O::Out::from_stub(&stub, order).map_err(|error| target.error(step, values(error)))
}

pub(super) fn values(error: NdrError) -> Cause {
    Cause::Malformed(error.into())
}

/// Makes a call with the heads of DCOM; returns the results and the HRESULT behind them.
pub(super) fn orpc<O: Operation>(
    endpoint: &Endpoint,
    options: &ClientOptions,
    target: Target<'_>,
    given: &O::In,
) -> Result<Answer<O::Out>, Error> {
    let write = |out: &mut Encoder| given.write_parameters(out);
    call_with_heads(endpoint, options, target, write, O::Out::read_parameters)
}

fn call_with_heads<T>(
    endpoint: &Endpoint,
    options: &ClientOptions,
    target: Target<'_>,
    write: impl FnOnce(&mut Encoder) -> Result<(), NdrError>,
    read: impl FnOnce(&mut Decoder<'_>) -> Result<T, NdrError>,
) -> Result<Answer<T>, Error> {
    let mut out = Encoder::new(options.order);
    let written = OrpcThis::new(current_causality()).write(&mut out).and_then(|()| write(&mut out));
    written.map_err(|error| target.error(target.step, Cause::Argument(error)))?;
    let (order, stub) = endpoint.call(options, target, &out.into_octets())?;
    match results(&stub, order, read) {
        Ok(results) => Ok(results),
        // A server that fails may leave the results out.
        Err(error) => Err(match last_status(&stub, order).filter(|status| status.is_failure()) {
            Some(status) => {
                let error_info = error_info(&mut Decoder::new(&stub, order)).ok().flatten();
                target.error(target.step, Cause::of_failure(status, error_info))
            }
            None => target.error(target.step, values(error)),
        }),
    }
}

fn results<T>(
    stub: &[u8],
    order: ByteOrder,
    read: impl FnOnce(&mut Decoder<'_>) -> Result<T, NdrError>,
) -> Result<Answer<T>, NdrError> {
    let mut input = Decoder::new(stub, order);
    let error_info = error_info(&mut input)?;
    let results = read(&mut input)?;
    Ok(Answer { results, status: Status(u32::read(&mut input)?), error_info })
}

/// Reads the head of an answer: what it says of a failure.
fn error_info(input: &mut Decoder<'_>) -> Result<Option<ErrorInfo>, NdrError> {
    let head = OrpcThat::read(input)?;
    Ok(head.extensions.get().and_then(ErrorInfo::of_extensions))
}

fn last_status(stub: &[u8], order: ByteOrder) -> Option<Status> {
    let octets: [u8; 4] = *stub.last_chunk()?;
    Some(Status(match order {
        ByteOrder::Little => u32::from_le_bytes(octets),
        ByteOrder::Big => u32::from_be_bytes(octets),
    }))
}

/// What an error calls an operation.
pub(super) fn operation(interface: Uuid, opnum: u16) -> String {
    alloc::format!("operation {opnum} of the interface {interface}")
}
