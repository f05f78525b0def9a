//! Carrying out what the model asks for.

use super::probe::{Answer, probe};
use super::references::Place;
use super::{Engine, State, Waiting};
use crate::host::Launch;
use crate::model::{Action, Definition, Endpoint, RunId, RunStage};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use armilla_ipc::process::EndSignal;
use std::mem;
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of a check whether a server answers.
const CHECK: Duration = Duration::from_secs(2);

/// The pauses between questions to a server that starts: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(50)];

/// How long a server that answers may yet create the object for which a client waits.
const GRACE: Duration = Duration::from_secs(1);

/// The longest key that is kept to ask for, in octets.
const MAX_KEY: usize = 1024;

/// How many parsed endpoints are kept.
const MAX_PLACES: usize = 1024;

impl Engine {
    /// Carries out what is to be done for a server, without the lock.
    pub(super) fn carry_out(self: &Arc<Self>, name: &str, mut state: MutexGuard<'_, State>) {
        let Some(server) = state.repository.server(name) else { return };
        let definition = server.definition().clone();
        let actions = server.take_actions();
        let (changed, records) = (!actions.is_empty(), actions.contains(&Action::Record));
        let mut answers = Vec::new();
        let mut others = Vec::new();
        for action in actions {
            match action {
                Action::Forward(waiter, _, endpoint) => {
                    let place = state.place(&endpoint);
                    let waiting = state.waiting.remove(&waiter);
                    waiting.iter().for_each(|waiting| state.note_object(name, &waiting.key));
                    answers.extend(waiting.map(|to| (to, Ok(place))));
                }
                Action::Refuse(waiter, why) => {
                    answers.extend(state.waiting.remove(&waiter).map(|to| (to, Err(why))));
                }
                Action::Record => {}
                other => others.push(other),
            }
        }
        if records && self.store.is_persistent() {
            state.unrecorded.insert(name.to_owned());
            if !mem::replace(&mut state.recording, true) {
                let engine = self.clone();
                self.workers.run(move || engine.record());
            }
        }
        drop(state);
        if changed {
            (self.on_change)(name);
        }
        self.sooner.notify_all();
        answers.into_iter().for_each(|(to, place)| answer(to, place));
        others.into_iter().for_each(|action| self.begin(action, &definition));
    }

    /// Begins what takes time.
    fn begin(self: &Arc<Self>, action: Action, definition: &Arc<Definition>) {
        let (engine, definition) = (self.clone(), definition.clone());
        match action {
            Action::Spawn(run) => self.workers.run(move || engine.spawn(run, definition)),
            Action::Terminate(run) => {
                self.workers.run(move || engine.signal(run, &definition, EndSignal::Terminate));
            }
            Action::Kill(run) => {
                self.workers.run(move || engine.signal(run, &definition, EndSignal::Kill));
            }
            Action::AwaitAnswer(run) => self.askers.run(move || engine.await_answer(run)),
            Action::Check(run, endpoint) => self.askers.run(move || engine.check(run, &endpoint)),
            Action::Forward(..) | Action::Refuse(..) | Action::Record => {}
        }
    }

    /// Stores what runs of the servers where that has changed. One thread at a time does so, so
    /// that the last that is written is the last that was true.
    fn record(&self) {
        loop {
            let mut state = self.lock();
            let Some(name) = state.unrecorded.pop_first() else {
                state.recording = false;
                return;
            };
            let Some(server) = state.repository.server(&name) else { continue };
            let (records, kept) = (server.records(), server.state());
            drop(state);
            if let Err(error) = self.store.set_runs(&name, &records, &kept) {
                tracing::error!(server = name, %error, "what runs is not stored");
            }
        }
    }

    fn spawn(self: &Arc<Self>, run: RunId, definition: Arc<Definition>) {
        let host = self.host(definition.host.as_deref());
        let repository = self.address.clone();
        let launch = Launch { run, definition, repository };
        let started = host.and_then(|host| Ok((host.start(&launch)?, host.name())));
        match started {
            Ok((launched, host)) => {
                let process = (launched.process, launched.started);
                let address = launched.address.map(Endpoint::from);
                tracing::info!(
                    server = launch.definition.name,
                    process = process.0,
                    host,
                    "a server was started"
                );
                self.with_run(run, |server, _| server.spawned(run, process, &host, address));
            }
            Err(why) => {
                self.with_run(run, |server, now| server.start_failed(now, run, &why));
            }
        }
    }

    fn signal(&self, run: RunId, definition: &Definition, signal: EndSignal) {
        match self.host(definition.host.as_deref()) {
            Ok(host) => host.signal(run, signal),
            Err(why) => tracing::warn!(server = definition.name, why, "not signalled"),
        }
    }

    fn check(self: &Arc<Self>, run: RunId, endpoint: &str) {
        let answer = match Place::parse(endpoint) {
            Some(place) => probe(&self.orb, &place, b"", CHECK),
            None => Answer::Gone,
        };
        let alive = matches!(answer, Answer::Here | Answer::Unknown);
        let gone = answer == Answer::Gone;
        self.with_run(run, |server, now| server.checked(now, run, alive, gone));
    }

    /// Asks at the address of a server that starts until it has the object for which a client
    /// waits, or one that a client was forwarded to before; until it answers if none is known.
    fn await_answer(self: &Arc<Self>, run: RunId) {
        let mut pause = PAUSES[0];
        let mut answered: Option<Instant> = None;
        loop {
            let Some((place, key)) = self.starting(run) else { return };
            match probe(&self.orb, &place, key.as_deref().unwrap_or_default(), CHECK) {
                Answer::Here => break,
                Answer::Unknown => {
                    let since = *answered.get_or_insert_with(Instant::now);
                    if key.is_none() || since.elapsed() >= GRACE {
                        break;
                    }
                }
                Answer::Silent | Answer::Gone => answered = None,
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSES[1]);
        }
        self.with_run(run, |server, now| server.answers(now, run));
    }

    /// Where a run that starts will listen, and the key of an object to ask for.
    fn starting(&self, run: RunId) -> Option<(Place, Option<Box<[u8]>>)> {
        let mut state = self.lock();
        if state.ended {
            return None;
        }
        let name = state.repository.server_of(run)?.to_owned();
        let status = state.repository.server(&name)?.status();
        let found = status.runs.into_iter().find(|found| found.id == run)?;
        if found.stage != RunStage::Starting {
            return None;
        }
        let waiting = state.waiting.values().find(|waiting| waiting.server == name);
        let key = waiting.map(|waiting| &waiting.key).or_else(|| state.objects.get(&name)).cloned();
        Some((Place::parse(&found.endpoint?)?, key))
    }
}

impl State {
    /// Notes that a server has, or is to have, the object with this key.
    fn note_object(&mut self, server: &str, key: &[u8]) {
        if key.len() <= MAX_KEY && self.objects.get(server).is_none_or(|known| **known != *key) {
            self.objects.insert(server.to_owned(), key.into());
        }
    }

    /// Where a server listens. An endpoint is parsed once.
    fn place(&mut self, endpoint: &Endpoint) -> Option<Place> {
        if let Some(place) = self.places.get(endpoint) {
            return Some(place.clone());
        }
        let place = Place::parse(endpoint)?;
        if self.places.len() >= MAX_PLACES {
            self.places.clear();
        }
        self.places.insert(endpoint.clone(), place.clone());
        Some(place)
    }
}

/// Answers a client that waited.
fn answer(waiting: Waiting, place: Result<Option<Place>, String>) {
    let place = place.and_then(|place| {
        let reference = place.and_then(|place| place.reference(&waiting.key));
        reference.ok_or_else(|| "the server listens where nobody can be forwarded to".to_owned())
    });
    match place {
        Ok(reference) => waiting.reply.forward(reference),
        Err(why) => waiting.reply.raise(
            SystemException::new(
                ExceptionKind::Transient,
                Minor::SERVER_NOT_RUNNING,
                Completion::No,
            )
            .with_reason(why),
        ),
    }
}
