//! The ORB: its server, and the client that calls it as it is told.

use super::answer::Answer;
use super::caller::Caller;
use super::servants::EntranceServant;
use super::variation::Variation;
use super::{Commands, Outcome, Worker};
use crate::bench::{self, Drain, DrainRef, Entrance, EntranceRef};
use crate::program::Transport;
use crate::workload::Workload;
use armilla::{Orb, OrbBuilder};
use std::io::{self, Write};

/// How many references are fetched with one call.
const BATCH: u32 = 1000;

/// How many calls of a train go to an object before the next has its turn.
const TRAIN: u64 = 100;

/// Serves until killed.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let endpoint = match worker.transport {
        Transport::Tcp | Transport::Link => format!("iiop://{}:0", worker.place),
        Transport::Unix => format!("uiop://{}", worker.place),
        Transport::Shm | Transport::Memory => format!("shmiop://{}", worker.place),
    };
    let builder = builder(worker)?;
    let builder = match worker.transport {
        Transport::Tcp => builder.listen(&endpoint)?,
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

/// The client's side.
pub(super) struct Client {
    entrance: EntranceRef,
    floods: DrainRef,
    caller: Caller,
    /// Whether the objects are in this very process.
    near: bool,
    /// Calls made so far at objects in turn: the next command goes on where the last has ended.
    turn: u64,
    // Last, so that the references go first.
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

    /// Has the server activate `count` objects, and takes their references.
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

    /// A flood of calls at the objects whose turn it is, the last of which is waited for.
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
                // Requests of one connection are served in their order.
                _ => self.caller.settle(),
            }
        })
    }

    /// Asks until as much has arrived as was sent: the confirmation may overtake the last of it.
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

    /// `order` says how the objects take turns: a train of calls at one, then one at the next; or
    /// one call at each, and again.
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
            // A look at the clock may take longer than the call.
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
