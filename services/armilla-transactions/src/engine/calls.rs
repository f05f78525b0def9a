//! Calls to participants and superiors. Hosts that do not answer are called with care.

use super::entry::{Elsewhere, Entry, Host, lock};
use super::helpers::Helpers;
use super::local::parse_local;
use super::silence::{SilentHosts, Way};
use super::telling::{Call, Telling, within};
use super::timer::Timer;
use crate::model::{Action, Event, Key, Refusal, SuperiorAnswer};
use crate::resource::{Resource, ResourceError, ResourceManager};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

/// A call ends so much later than its transaction, because the ORB's clock is behind by up to a tick of the
/// system: a call that ended before would be one that failed, and not one that took too long. Without
/// time it would have no limit.
const TICK: Duration = Duration::from_millis(10);

/// Who makes the calls.
pub(super) struct Calls {
    /// How long one takes at most that is made again.
    pub(super) call: Duration,
    pub(super) timer: Arc<Timer>,
    pub(super) helpers: Arc<Helpers>,
    pub(super) silent: SilentHosts,
    pub(super) managers: RwLock<HashMap<String, Arc<dyn ResourceManager>>>,
    /// It holds the engine, which must not hold it, too.
    pub(super) elsewhere: OnceLock<Weak<dyn Elsewhere>>,
}

/// What the calls have shown that follow from one event.
#[derive(Default)]
pub(super) struct Round {
    /// Whether the protocol calls again, and nobody waits for it.
    again: bool,
    /// How many calls were made again.
    pub(super) retries: usize,
    /// The transactions that have waited for a host that answers.
    pub(super) answered: Vec<Key>,
    /// The silent hosts that this finds out about.
    probed: Vec<Host>,
    /// Those that have not answered.
    silent: Vec<Host>,
    /// Those of which somebody else finds out when they answer.
    held: Vec<Host>,
}

impl Round {
    pub(super) fn of(event: &Event) -> Self {
        Self { again: *event == Event::Tick, ..Self::default() }
    }
}

impl Calls {
    /// Tells a participant what it is to do, and those beside it that are told next.
    pub(super) fn tell(
        &self,
        entry: &Entry,
        first: Action,
        queue: &mut VecDeque<Action>,
        round: &mut Round,
    ) -> Vec<Event> {
        let (mut calls, mut events) = (Vec::new(), Vec::new());
        let mut told = HashMap::new();
        let mut next = Some(first);
        while let Some((place, telling)) = next.as_ref().and_then(Telling::of) {
            let waits = telling == Telling::Commit && !self.may_call(entry, Some(place), round);
            if waits {
                events.push(Event::Held(Some(place)));
            } else {
                let member = self.member(entry, place);
                told.insert(place, telling);
                let limit = self.limit(entry, telling);
                calls.push(Call { key: entry.key, place, telling, member, limit });
            }
            let is_told = queue.front().and_then(Telling::of).is_some();
            next = if is_told { queue.pop_front() } else { None };
        }
        round.retries += if round.again { calls.len() } else { 0 };
        // What ends with the process waits for no disk and no network.
        let answers = match entry.has_names() {
            true => Call::make_all(calls, &self.helpers),
            false => calls.into_iter().map(Call::make).collect(),
        };
        for answer in answers {
            let (place, is_silent) = match &answer {
                Event::Voted(place, Err(Refusal::Unreachable { .. })) => (*place, true),
                Event::OnePhase(place, Err(Refusal::Unreachable { .. })) => (*place, true),
                Event::Delivered(place, Err(Refusal::Unreachable { .. })) => (*place, true),
                Event::Voted(place, _) | Event::OnePhase(place, _) => (*place, false),
                Event::Delivered(place, _) => (*place, false),
                _ => continue,
            };
            events.push(answer);
            // Only the decision to commit is told again.
            let is_told_again = told.get(&place) == Some(&Telling::Commit);
            match is_silent {
                false => self.has_answered(entry, Some(place), round),
                true if is_told_again && self.is_silent(entry, Some(place), round) => {
                    events.push(Event::Held(Some(place)));
                }
                true => {}
            }
        }
        events
    }

    /// How long it may take to tell somebody something.
    fn limit(&self, entry: &Entry, telling: Telling) -> Option<Duration> {
        match telling {
            Telling::Prepare => self.time_left(entry),
            // Only its answer says what has become of the transaction.
            Telling::CommitOnePhase => None,
            Telling::Commit | Telling::Rollback => Some(self.call),
        }
    }

    /// How long a call may take that is made in the time of its transaction, if that has an end.
    pub(super) fn time_left(&self, entry: &Entry) -> Option<Duration> {
        let deadline = entry.machine().deadline()?;
        Some(deadline.saturating_sub(self.timer.now()) + TICK)
    }

    /// Asks the superior for the outcome.
    pub(super) fn ask(&self, entry: &Entry, round: &mut Round) -> Vec<Event> {
        if !self.may_call(entry, None, round) {
            return vec![Event::Held(None)];
        }
        round.retries += usize::from(round.again);
        let superior = entry.machine().superior().cloned();
        let answer = match (superior, self.elsewhere()) {
            (Some(superior), Some(elsewhere)) => {
                within(Some(self.call), || elsewhere.ask(&superior, entry))
            }
            _ => SuperiorAnswer::AskAgain,
        };
        let mut events = vec![Event::Superior(answer)];
        match answer {
            SuperiorAnswer::Unreachable if self.is_silent(entry, None, round) => {
                events.push(Event::Held(None));
            }
            SuperiorAnswer::Unreachable => {}
            _ => self.has_answered(entry, None, round),
        }
        events
    }

    /// Whether somebody is called now. If not, it is at a host that does not answer.
    fn may_call(&self, entry: &Entry, place: Option<usize>, round: &mut Round) -> bool {
        if !round.again || !self.silent.any() {
            return true;
        }
        let Some(host) = self.host(entry, place) else { return true };
        match self.silent.way(&host, entry.key, self.timer.now()) {
            Way::Open => true,
            Way::Probes => {
                round.probed.push(host);
                true
            }
            Way::Waits => {
                round.held.push(host);
                false
            }
        }
    }

    /// Somebody has answered: whoever has waited for the same host goes on.
    fn has_answered(&self, entry: &Entry, place: Option<usize>, round: &mut Round) {
        if !self.silent.any() {
            return;
        }
        let Some(host) = self.host(entry, place) else { return };
        round.probed.retain(|it| *it != host);
        round.answered.extend(self.silent.answers(&host));
    }

    /// Somebody has not answered. Returns whether it is known where that is.
    fn is_silent(&self, entry: &Entry, place: Option<usize>, round: &mut Round) -> bool {
        let host = self.host(entry, place);
        round.silent.extend(host.clone());
        host.is_some()
    }

    /// Notes what was found out about hosts, once the transaction knows: whoever finds out that one
    /// answers then tells it.
    pub(super) fn conclude(&self, entry: &Entry, round: Round) {
        let Round { probed, mut silent, held, .. } = round;
        // Of two calls to the same host one says all.
        silent.sort_unstable();
        silent.dedup();
        for host in &silent {
            let is_probe = probed.contains(host);
            if let Some(at) = self.silent.is_silent(host, entry.key, is_probe, self.timer.now()) {
                self.timer.look_at(host, at);
            }
        }
        if held.iter().any(|host| !self.silent.holds(host, entry.key)) {
            entry.handle(Event::Answers, self.timer.now());
        }
    }

    /// Where a participant is, or the superior; `None` if nobody can say.
    fn host(&self, entry: &Entry, place: Option<usize>) -> Option<Host> {
        if let Some(known) = lock(&entry.hosts).get(&place) {
            return Some(known.clone());
        }
        let name = match place {
            Some(place) => entry.machine().participants().get(place)?.name().clone(),
            None => entry.machine().superior()?.clone(),
        };
        let host = match parse_local(&name) {
            Some((manager, _)) => format!("resource manager {manager}").into(),
            None => self.elsewhere()?.host(&name)?,
        };
        lock(&entry.hosts).insert(place, host.clone());
        Some(host)
    }

    pub(super) fn elsewhere(&self) -> Option<Arc<dyn Elsewhere>> {
        self.elsewhere.get()?.upgrade()
    }

    /// A participant: it is at hand, or was enlisted by a process before this one.
    pub(super) fn member(
        &self,
        entry: &Entry,
        place: usize,
    ) -> Result<Arc<dyn Resource>, ResourceError> {
        let name = match entry.member(place) {
            Ok(member) => return Ok(member),
            Err(name) => name,
        };
        let missing = ResourceError::Refused(Refusal::Later);
        let found = match parse_local(&name) {
            Some((manager, token)) => {
                let managers = self.managers.read().unwrap_or_else(PoisonError::into_inner);
                let manager = managers.get(manager).cloned().ok_or(missing)?;
                drop(managers);
                let found = manager.resource(token);
                let found = found.map_err(|error| ResourceError::Failed(error.to_string()))?;
                found.ok_or(ResourceError::Refused(Refusal::Gone))?
            }
            // What was not to outlive its process has not.
            None if name.is_empty() => return Err(ResourceError::Refused(Refusal::Gone)),
            None => self.elsewhere().ok_or(missing)?.resource(&name)?,
        };
        entry.set_member(place, found.clone());
        Ok(found)
    }
}
