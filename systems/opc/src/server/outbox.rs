//! What a group's sinks are to be told, and the thread that tells them.

use crate::data_access::Filetime;
use crate::data_access::iopc_data_callback::{
    OnCancelComplete, OnCancelCompleteIn, OnDataChange, OnDataChangeIn, OnReadComplete,
    OnWriteComplete, OnWriteCompleteIn,
};
use crate::model::Change;
use armilla_dcerpc::ndr::Operation;
use armilla_dcerpc::{Status, SyntaxId};
use armilla_dcom::ConnectionPoint;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many changes may wait for sinks that are slow. Beyond that, a sink is told only the last value
/// of each item.
const MOST_CHANGES: usize = 50_000;

/// How many answers may wait.
const MOST_ANSWERS: usize = 1_000;

/// `OnReadComplete`, which is given what `OnDataChange` is given.
struct ReadComplete;

impl Operation for ReadComplete {
    const INTERFACE: SyntaxId = OnReadComplete::INTERFACE;
    const OPNUM: u16 = OnReadComplete::OPNUM;
    type In = OnDataChangeIn;
    type Out = ();
}

/// What sinks are told.
#[derive(Debug)]
pub(super) enum Message {
    /// Values have changed.
    Changed(Vec<Change>),
    /// An answer that was asked for.
    Answer {
        /// How the client cancels it.
        cancel: u32,
        /// How the client knows it.
        transaction: u32,
        /// What is answered.
        answer: Answer,
    },
}

/// The answer of something that the caller does not wait for.
#[derive(Debug)]
pub(super) enum Answer {
    Read(Vec<Change>),
    Refreshed(Vec<Change>),
    /// Handles of the client, with what became of each.
    Written(Vec<(u32, u32)>),
    Cancelled,
}

#[derive(Debug)]
pub(super) struct Outbox {
    point: Arc<ConnectionPoint>,
    /// How clients name the group; it may change.
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    group: u32,
    queue: VecDeque<Message>,
    last_cancel: u32,
    running: bool,
    closed: bool,
}

impl Outbox {
    pub(super) fn new(point: Arc<ConnectionPoint>, group: u32) -> Arc<Self> {
        let state = Mutex::new(State { group, ..State::default() });
        Arc::new(Self { point, state, wake: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The group has another name at the client.
    pub(super) fn rename(&self, group: u32) {
        self.state().group = group;
    }

    /// Nothing more is told; the thread ends.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.queue.clear();
        self.wake.notify_all();
    }

    /// Tells of changes, soon.
    pub(super) fn changed(self: &Arc<Self>, changes: Vec<Change>) {
        let mut state = self.state();
        state.queue.push_back(Message::Changed(changes));
        state.merge();
        // Without a thread nobody is told, as without a network.
        let _ = self.start(&mut state);
    }

    /// Tells of an answer, soon; returns how it is cancelled until then.
    pub(super) fn answer(
        self: &Arc<Self>,
        transaction: u32,
        answer: Answer,
    ) -> Result<u32, Status> {
        let mut state = self.state();
        if state.queue.len() >= MOST_ANSWERS {
            return Err(Status::OUT_OF_MEMORY);
        }
        state.last_cancel = state.last_cancel.wrapping_add(1).max(1);
        let cancel = state.last_cancel;
        state.queue.push_back(Message::Answer { cancel, transaction, answer });
        self.start(&mut state)?;
        Ok(cancel)
    }

    /// Tells that an answer was cancelled, instead of the answer.
    pub(super) fn cancel(&self, which: u32) -> Result<(), Status> {
        let mut state = self.state();
        let found = state.queue.iter_mut().find_map(|message| match message {
            Message::Answer { cancel, answer, .. } if *cancel == which => Some(answer),
            _ => None,
        });
        *found.ok_or(Status::FAIL)? = Answer::Cancelled;
        Ok(())
    }

    fn start(self: &Arc<Self>, state: &mut State) -> Result<(), Status> {
        if !state.running {
            let own = self.clone();
            let thread = thread::Builder::new().name("opc-group".to_string());
            thread.spawn(move || own.run()).map_err(|_| Status::OUT_OF_MEMORY)?;
            state.running = true;
        }
        self.wake.notify_all();
        Ok(())
    }

    fn run(&self) {
        while let Some((group, message)) = self.next() {
            self.tell(group, message);
        }
    }

    /// The next message, with the name of the group; `None` at the end.
    fn next(&self) -> Option<(u32, Message)> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            if let Some(message) = state.queue.pop_front() {
                return Some((state.group, message));
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn tell(&self, group: u32, message: Message) {
        match message {
            Message::Changed(changes) => {
                let given = data(group, 0, changes);
                self.point.send(|sink| sink.call::<OnDataChange>(&given))
            }
            Message::Answer { transaction, answer, .. } => match answer {
                Answer::Refreshed(changes) => {
                    let given = data(group, transaction, changes);
                    self.point.send(|sink| sink.call::<OnDataChange>(&given))
                }
                Answer::Read(changes) => {
                    let given = data(group, transaction, changes);
                    self.point.send(|sink| sink.call::<ReadComplete>(&given))
                }
                Answer::Written(results) => {
                    let given = written(group, transaction, results);
                    self.point.send(|sink| sink.call::<OnWriteComplete>(&given))
                }
                Answer::Cancelled => {
                    let given = OnCancelCompleteIn { transaction, group };
                    self.point.send(|sink| sink.call::<OnCancelComplete>(&given))
                }
            },
        };
    }
}

impl State {
    /// Keeps only the last change of each item, if there are too many.
    fn merge(&mut self) {
        let count = |message: &Message| match message {
            Message::Changed(changes) => changes.len(),
            Message::Answer { .. } => 0,
        };
        if self.queue.iter().map(count).sum::<usize>() <= MOST_CHANGES {
            return;
        }
        let mut last = BTreeMap::new();
        for message in &mut self.queue {
            if let Message::Changed(changes) = message {
                last.extend(changes.drain(..).map(|change| (change.client_handle, change)));
            }
        }
        self.queue.retain(|message| matches!(message, Message::Answer { .. }));
        self.queue.push_back(Message::Changed(last.into_values().collect()));
    }
}

fn data(group: u32, transaction: u32, changes: Vec<Change>) -> OnDataChangeIn {
    let good = changes.iter().all(|change| change.sample.quality.is_good());
    let failed = changes.iter().any(|change| change.error != Status::OK);
    let times = changes.iter().map(|change| Filetime::from_unix(change.sample.time).into());
    let each = |value: fn(&Change) -> u32| changes.iter().map(value).collect::<Vec<_>>();
    OnDataChangeIn {
        transaction,
        group,
        master_quality: if good { 0 } else { Status::FALSE.0 },
        master_error: if failed { Status::FALSE.0 } else { 0 },
        count: changes.len() as u32,
        client_handles: each(|change| change.client_handle).into(),
        qualities: changes.iter().map(|it| it.sample.quality.0).collect::<Vec<_>>().into(),
        times: times.collect::<Vec<_>>().into(),
        errors: each(|change| change.error.0).into(),
        values: changes.into_iter().map(|it| it.sample.value.into()).collect::<Vec<_>>().into(),
    }
}

fn written(group: u32, transaction: u32, results: Vec<(u32, u32)>) -> OnWriteCompleteIn {
    let failed = results.iter().any(|(_, error)| *error != 0);
    let (handles, errors): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    OnWriteCompleteIn {
        transaction,
        group,
        master_error: if failed { Status::FALSE.0 } else { 0 },
        count: handles.len() as u32,
        client_handles: handles.into(),
        errors: errors.into(),
    }
}
