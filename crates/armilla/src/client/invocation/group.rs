//! Calls of object groups (CORBA 3.0.3, 23.2.7): what their requests carry, and which member is
//! tried next.
//!
//! All attempts of such a call carry the same client and retention id. A member that knows the
//! request answers it from its log, so the call may also be tried again after an attempt that may
//! have been executed, until the request expires. A reference that denotes no group never gets
//! here.

use super::machine::Invocation;
use super::step::{At, Step};
use crate::client::reference::{Object, Reference, Route};
use crate::client::request::Deadline;
use crate::exception::{Completion, ExceptionKind, SystemException};
use armilla_giop::{FtGroupVersion, FtRequest};
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, SystemTime};

/// A service context of a request to a group: its id and its data.
type GroupContext = (u32, Vec<u8>);

/// What a call of a group remembers between its attempts.
pub(super) struct GroupCall {
    request: FtRequest,
    /// When the request expires, from the beginning of the call.
    duration: Duration,
    /// How long an attempt waits for a member; `None` for as long as the call.
    patience: Option<Duration>,
    /// Whether an attempt may have been executed.
    unsure: bool,
    /// The number of members that say that there is no such object.
    absent: usize,
    /// The number of times that all members have failed.
    rounds: u32,
    /// Whether a member has answered since the last time.
    answered: bool,
}

impl Invocation {
    /// The service contexts of a request by `route`; none unless the call is one of a group.
    ///
    /// # Errors
    /// `MARSHAL` if they cannot be encoded, which does not happen.
    #[cold]
    pub(in crate::client) fn group_contexts(
        &mut self,
        object: &Object,
        reference: &Reference,
        route: &Route,
    ) -> Result<Vec<GroupContext>, SystemException> {
        let version = route.group().map(|member| FtGroupVersion(member.version));
        if version.is_none() && self.group_call().is_none() {
            return Ok(Vec::new());
        }
        if self.group_call().is_none() {
            self.begin_group_call(object, reference)?;
        }
        let request = self.group_call().map(|group| (FtRequest::ID, group.request.to_data()));
        let version = version.map(|version| (FtGroupVersion::ID, version.to_data()));
        let encoded = version.into_iter().chain(request).map(|(id, data)| Ok((id, data?)));
        let all: Result<_, armilla_cdr::CdrError> = encoded.collect();
        all.map_err(|error| SystemException::encoding(&error, Completion::No))
    }

    #[cold]
    fn begin_group_call(
        &mut self,
        object: &Object,
        reference: &Reference,
    ) -> Result<(), SystemException> {
        if self.needs_policies() {
            self.apply(object.looked_up(reference.orb.settings()), reference)?;
        }
        let limit = self.deadline.limit;
        let Some(policies) = self.call_policies() else { return Ok(()) };
        let effective = &policies.effective;
        let duration = effective.request_duration.or(limit).unwrap_or(UNLIMITED);
        let request = derived_request(duration).unwrap_or_else(|| FtRequest {
            client_id: client_id().to_owned(),
            retention_id: NEXT_RETENTION.fetch_add(1, Ordering::Relaxed),
            expiration_time: expiration(duration),
        });
        policies.group = Some(GroupCall {
            request,
            duration,
            patience: effective
                .heartbeat
                .map(|heartbeat| heartbeat.interval.saturating_add(heartbeat.timeout)),
            unsure: false,
            absent: 0,
            rounds: 0,
            answered: false,
        });
        Ok(())
    }

    /// The time limits of an attempt that does not begin with the call: a member of a group has no
    /// longer to answer than the policy for heartbeats says.
    pub(in crate::client) fn late_deadline(&self, route: &Route) -> Deadline {
        let deadline = self.attempt_deadline(route);
        let Some(patience) = self.group_call().and_then(|group| group.patience) else {
            return deadline;
        };
        let until = deadline.elapsed().saturating_add(patience);
        Deadline { limit: Some(deadline.limit.map_or(until, |limit| limit.min(until))), ..deadline }
    }

    /// Whether the call is one of a group, whose members are tried by rules of their own.
    pub(super) fn tries_members(&self, at: At<'_>) -> bool {
        let of_group = |(route, _): (&Route, _)| route.group().is_some();
        at.remote.is_some_and(of_group) && self.group_call().is_some()
    }

    /// Takes note that a member of a group has answered, whatever it says.
    pub(super) fn note_answer(&mut self) {
        if let Some(group) = self.call_policies().and_then(|policies| policies.group.as_mut()) {
            group.answered = true;
        }
    }

    /// Decides the next step after a member has failed: the next member, after a pause when all
    /// have failed, until the call or the request has expired. If none of them can be reached, members
    /// that the group had before are tried too.
    ///
    /// # Errors
    /// The exception that the call ends with. It says `COMPLETED_MAYBE` if any attempt may have
    /// been executed.
    #[cold]
    pub(super) fn try_next_member<T>(
        &mut self,
        at: At<'_>,
        failure: SystemException,
    ) -> Result<Step<T>, SystemException> {
        let (has_time, elapsed) = (self.has_time(), self.deadline.elapsed());
        let failures = self.failures + 1;
        let (Some((route, failed)), Some(policies)) = (at.remote, self.call_policies()) else {
            return Err(failure);
        };
        let Some(group) = &mut policies.group else { return Err(failure) };
        if !group.goes_on_after(&failure, route.len()) {
            return Err(failure);
        }
        if !has_time || elapsed >= group.duration {
            return Err(group.conclude(failure));
        }
        route.prefer_next(failed);
        if failures.is_multiple_of(route.len()) {
            policies.pause = Some(pause(group.rounds));
            group.rounds += 1;
            if !std::mem::take(&mut group.answered) {
                at.reference.widen(route)?;
            }
        }
        self.failures = failures;
        Ok(Step::Again)
    }
}

impl GroupCall {
    /// Whether another member may be tried after this failure: the failure is one of the member and
    /// not of the request (CORBA 3.0.3, 23.2.7.2). Notes whether the request may have been executed.
    fn goes_on_after(&mut self, failure: &SystemException, members: usize) -> bool {
        use ExceptionKind::{
            CommFailure, NoResponse, ObjAdapter, ObjectNotExist, Timeout, Transient,
        };
        let completed = failure.completed();
        let of_member = match failure.kind() {
            CommFailure | NoResponse | ObjAdapter | Transient | Timeout => true,
            ObjectNotExist => {
                self.absent += 1;
                completed == Completion::No && self.absent < members
            }
            _ => failure.minor().is_of_refused_connection(),
        };
        self.unsure |= of_member && completed == Completion::Maybe;
        of_member && completed != Completion::Yes
    }

    /// The failure, as that of the whole call.
    fn conclude(&self, failure: SystemException) -> SystemException {
        match self.unsure && failure.completed() == Completion::No {
            true => failure
                .with_note("; an earlier attempt at another member may have been executed")
                .with_completed(Completion::Maybe),
            false => failure,
        }
    }
}

/// From what the identities of a thread's calls of groups are derived.
struct Derived {
    client_id: String,
    expires: Option<u64>,
    /// The number of the next call.
    next: i32,
}

thread_local! {
    static DERIVED: RefCell<Option<Derived>> = const { RefCell::new(None) };
}

/// Gives the calls of object groups that this thread begins in `act` an identity that follows from
/// `client_id` and their order, instead of one of their own: whoever makes the same calls under the same
/// `client_id`, in this process or another one, has each of them executed once. `expires` is when they
/// expire at the latest (`TimeBase::TimeT`), if not sooner by their own limits.
///
/// Servants that are replicated make their calls so, with a `client_id` for the request that they execute.
pub fn with_derived_identity<T>(
    client_id: impl Into<String>,
    expires: Option<u64>,
    act: impl FnOnce() -> T,
) -> T {
    /// Also after a panic.
    struct Restore(Option<Derived>);
    impl Drop for Restore {
        fn drop(&mut self) {
            DERIVED.set(self.0.take());
        }
    }
    let derived = Derived { client_id: client_id.into(), expires, next: 1 };
    let _restore = Restore(DERIVED.replace(Some(derived)));
    act()
}

/// How many calls of object groups this thread has begun in the innermost
/// [`with_derived_identity`].
pub fn calls_with_derived_identity() -> u32 {
    DERIVED.with_borrow(|derived| derived.as_ref().map_or(0, |it| it.next.wrapping_sub(1) as u32))
}

/// The identity of a call that lasts so long, if it is derived from something.
fn derived_request(duration: Duration) -> Option<FtRequest> {
    DERIVED.with_borrow_mut(|derived| {
        let derived = derived.as_mut()?;
        let retention_id = derived.next;
        derived.next = derived.next.wrapping_add(1);
        let own = expiration(duration);
        let expiration_time = derived.expires.map_or(own, |expires| expires.min(own));
        Some(FtRequest { client_id: derived.client_id.clone(), retention_id, expiration_time })
    })
}

/// How long a request without any limit is remembered.
const UNLIMITED: Duration = Duration::from_secs(3600);

/// The pause after all members have failed for the `rounds`-th time: a new primary is elected
/// within some heartbeats.
fn pause(rounds: u32) -> Duration {
    Duration::from_millis(10 << rounds.min(3))
}

/// The next number of a request. It may wrap around: older requests have expired by then.
static NEXT_RETENTION: AtomicI32 = AtomicI32::new(1);

/// The name of this process as a client of groups, which no other has.
fn client_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        // Each has random keys from the system.
        let [one, other] = [0, 1].map(|number| {
            let mut hasher = RandomState::new().build_hasher();
            hasher.write_u8(number);
            hasher.write_u32(std::process::id());
            hasher.finish()
        });
        format!("{one:016x}{other:016x}")
    })
}

/// When a request expires that lasts so long. One that outlasts all times has no limit.
fn expiration(duration: Duration) -> u64 {
    let now = SystemTime::now();
    time_t(now.checked_add(duration).unwrap_or(now + UNLIMITED))
}

/// A time in units of 100 ns since 1582-10-15 (`TimeBase::TimeT`).
fn time_t(time: SystemTime) -> u64 {
    /// From there to 1970-01-01.
    const EPOCH: u128 = 0x01b2_1dd2_1381_4000;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(EPOCH + since.as_nanos() / 100).unwrap_or(u64::MAX)
}
