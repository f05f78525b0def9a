//! The ORB: the server, and the client that calls it on command.

use super::answer::Answer;
use super::caller::Caller;
use super::servants::EntranceServant;
use super::variation::Variation;
use super::{Commands, Outcome, Worker};
use crate::bench::{self, Drain, DrainRef, Entrance, EntranceRef};
use crate::program::Transport;
use crate::workload::Workload;
use armilla::{Orb, OrbBuilder, SameHost};
use std::io::{self, Write};

/// The number of references that one call fetches.
const BATCH: u32 = 1000;

/// The number of calls of a request train to one object.
const TRAIN: u64 = 100;

/// Serves until killed.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let endpoint = match worker.transport {
        Transport::Tcp | Transport::SameHost | Transport::Link(_) => {
            format!("iiop://{}:0", worker.place)
        }
        Transport::Unix => format!("uiop://{}", worker.place),
        Transport::Shm | Transport::Memory => format!("shmiop://{}", worker.place),
    };
    let builder = builder(worker)?;
    let builder = match worker.transport {
        Transport::SameHost => builder,
        // The transport is the one that was asked for.
        _ => builder.settings(|settings| settings.same_host = SameHost::Off),
    };
    let builder = match worker.transport {
        Transport::Tcp | Transport::SameHost => builder.listen(&endpoint)?,
        _ => builder.listen("iiop://127.0.0.1:0")?.listen(&endpoint)?,
    };
    let orb = builder.build()?;
    let servant = EntranceServant::new(&orb, Variation::parse(&worker.options)?)?;
    let entrance = orb.root_poa().activate(bench::entrance::tie(servant))?;
    println!("{}", orb.object_to_string(&entrance)?);
    io::stdout().flush()?;
    Ok(orb.run()?)
}

fn builder(worker: &Worker) -> Outcome<OrbBuilder> {
    let options = worker.stream_options();
    let builder = Orb::builder().arguments(worker.options.iter().cloned())?.settings(|settings| {
        settings.socket_queue = options.send_buffer;
        settings.congestion_control = options.congestion.clone();
        settings.call_timeout = None;
    });
    Ok(builder)
}

/// The client.
pub(super) struct Client {
    entrance: EntranceRef,
    floods: DrainRef,
    caller: Caller,
    /// Whether the objects are in this process.
    near: bool,
    /// The number of calls so far. The next command continues with the next object.
    turn: u64,
    // Last, so that the references are dropped first.
    _orb: Orb,
}

impl Client {
    pub(super) fn connect(worker: &Worker) -> Outcome<Self> {
        let variation = Variation::parse(&worker.options)?;
        let (orb, entrance): (Orb, EntranceRef) = match variation.near {
            None => {
                let orb = builder(worker)?.build()?;
                let entrance = orb.resolve(&worker.place)?;
                (orb, entrance)
            }
            Some(collocation) => {
                let builder = builder(worker)?.listen("iiop://127.0.0.1:0")?;
                let orb = builder.settings(|s| s.collocation = collocation).build()?;
                let servant = EntranceServant::new(&orb, variation)?;
                let entrance = orb.root_poa().activate(bench::entrance::tie(servant))?;
                (orb, entrance)
            }
        };
        let floods = entrance.floods()?;
        let caller = Caller::new(&entrance, variation.invocation)?;
        let near = variation.near.is_some();
        Ok(Self { entrance, floods, caller, near, turn: 0, _orb: orb })
    }

    /// Lets the server activate `count` objects, and fetches their references.
    fn objects(&mut self, count: u32) -> Outcome<Answer> {
        self.caller.targets.clear();
        self.turn = 0;
        Answer::of_all(|| {
            self.entrance.prepare(count)?;
            for first in (0..count).step_by(BATCH as usize) {
                let part = self.entrance.prepared(first, BATCH.min(count - first))?;
                self.caller.targets.extend(part);
            }
            Ok(())
        })
    }

    /// A flood of calls to objects in turn; waits for the last one.
    fn flood(
        &mut self,
        workload: Workload,
        units: u32,
        count: u32,
        target: impl Fn(u32) -> usize,
    ) -> Outcome<Answer> {
        let drained = workload.user_octets(units) * u64::from(count);
        Answer::of_all(|| {
            let targets = &self.caller.targets;
            match (self.caller.generated(workload), &targets[..]) {
                (Some(call), [only]) => {
                    (0..count).try_for_each(|_| call(&self.caller, only, units))?;
                }
                (Some(call), _) => (0..count)
                    .try_for_each(|turn| call(&self.caller, &targets[target(turn)], units))?,
                (None, _) => (0..count)
                    .try_for_each(|turn| self.caller.call(workload, units, target(turn)))?,
            }
            match workload {
                Workload::FloodSequence | Workload::FloodString | Workload::FloodVoid => {
                    self.await_delivery(drained, count.into())
                }
                // The server processes the requests of a connection in order.
                _ => self.caller.settle(),
            }
        })
    }

    /// Polls until all sent data has arrived, because the confirmation may overtake the last calls.
    fn await_delivery(&self, octets: u64, messages: u64) -> Outcome {
        let mut arrived = (0, 0);
        while arrived.1 < messages {
            let (more_octets, more_messages) = self.floods.confirm()?;
            arrived = (arrived.0 + more_octets, arrived.1 + more_messages);
        }
        match arrived == (octets, messages) {
            true => Ok(()),
            false => Err(format!("{arrived:?} arrived of {:?}", (octets, messages)).into()),
        }
    }

    /// Makes calls to the objects in an `order`: a train of calls to each object, or one call to
    /// each in turn.
    fn measure(
        &mut self,
        workload: Workload,
        units: u32,
        count: u32,
        order: &str,
    ) -> Outcome<Option<Answer>> {
        let objects = self.caller.targets.len() as u64;
        if objects == 0 || !self.caller.prepare(workload, units as usize)? {
            return Ok(None);
        }
        let each = if order == "train" { TRAIN } else { 1 };
        let started = self.turn;
        self.turn += u64::from(count);
        let target = |turn: u32| ((started + u64::from(turn)) / each % objects) as usize;
        if workload.is_flood() {
            return self.flood(workload, units, count, target).map(Some);
        }
        let answer = match (self.caller.generated(workload), &self.caller.targets[..]) {
            // Reading the clock may take longer than the call.
            (Some(call), [only]) if self.near => {
                Answer::of_groups(count, || Ok(call(&self.caller, only, units)?))
            }
            (Some(call), [only]) => {
                Answer::of_each(count, |_| Ok(call(&self.caller, only, units)?))
            }
            (Some(call), targets) => Answer::of_each(count, |turn| {
                Ok(call(&self.caller, &targets[target(turn)], units)?)
            }),
            (None, _) => {
                Answer::of_each(count, |turn| self.caller.call(workload, units, target(turn)))
            }
        };
        answer.map(Some)
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        match *words {
            ["objects", count] => self.objects(count.parse()?).map(Some),
            ["call", workload, units, count, order] => {
                let Some(workload) = Workload::parse(workload) else { return Ok(None) };
                self.measure(workload, units.parse()?, count.parse()?, order)
            }
            _ => Ok(None),
        }
    }
}
