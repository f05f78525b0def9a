//! Two sides that call and answer, on CPUs that take their time to wake: what their policies make of
//! it. Time is counted, not measured.

use super::{LONGEST_TRIAL, MOST, Plan, Polling, Reason, SHARE, SHORT};
use std::time::Duration;

const fn micros(count: u64) -> Duration {
    Duration::from_micros(count)
}

/// A call's way, as a machine has it: how long a sleeping side takes to wake, and what waking it
/// costs the other one.
#[derive(Clone, Copy)]
struct Machine {
    wake: Duration,
    ring: Duration,
}

/// A virtual machine whose CPUs sleep deeply, and one of metal.
const DEEP: Machine = Machine { wake: micros(80), ring: micros(3) };
const LIGHT: Machine = Machine { wake: micros(5), ring: micros(1) };

/// A side that waits, or is about to.
struct Side {
    policy: Polling,
    is_possible: bool,
    found_peer_awake: bool,
    waits_since: Duration,
    plan: Plan,
    /// How long it has polled for what did not come at once, and how often it was woken.
    in_vain: Duration,
    wake_ups: u32,
}

impl Side {
    fn new() -> Self {
        Self {
            policy: Polling::new(SHORT),
            is_possible: true,
            found_peer_awake: false,
            waits_since: Duration::ZERO,
            plan: Plan::Sleep,
            in_vain: Duration::ZERO,
            wake_ups: 0,
        }
    }

    fn waits(&mut self, now: Duration) {
        self.waits_since = now;
        let heard = std::mem::take(&mut self.found_peer_awake);
        self.plan = match self.policy.pays() {
            true => Plan::Poll(SHORT, Reason::Pays),
            false => self.policy.plan(now, || heard, || self.is_possible),
        };
    }

    /// Something arrives: when this side goes on, and whether it was awake.
    fn receives(&mut self, now: Duration, machine: Machine) -> (Duration, bool) {
        let waited = now.saturating_sub(self.waits_since);
        if let Plan::Poll(time, reason) = self.plan {
            if waited > SHORT {
                self.in_vain += waited.min(time);
            }
            if waited <= time {
                self.policy.succeeded(reason, waited);
                return (now, true);
            }
            self.policy.failed(reason, time);
        }
        self.wake_ups += 1;
        let awake = now + machine.wake;
        self.policy.slept(awake, awake - self.waits_since);
        (awake, false)
    }
}

/// A client and a server; how long they take before they send.
struct Pair {
    machine: Machine,
    now: Duration,
    sides: [Side; 2],
}

impl Pair {
    fn new(machine: Machine) -> Self {
        Self { machine, now: Duration::ZERO, sides: [Side::new(), Side::new()] }
    }

    /// Makes a call: the client thinks, the server serves. Returns how long the call took.
    fn call(&mut self, think: Duration, serve: Duration) -> Duration {
        self.now += think;
        let begun = self.now;
        self.send(0);
        self.now += serve;
        self.send(1);
        self.now - begun
    }

    fn send(&mut self, from: usize) {
        let (awake, was_awake) = self.sides[1 - from].receives(self.now, self.machine);
        self.sides[from].found_peer_awake = was_awake;
        let sent = if was_awake { self.now } else { self.now + self.machine.ring };
        self.sides[from].waits(sent);
        self.now = awake;
    }

    fn calls(&mut self, count: u32, think: Duration, serve: Duration) -> Duration {
        (0..count).map(|_| self.call(think, serve)).sum()
    }

    /// The share of the time from here on that each side has polled in vain, in per cent.
    fn shares(&mut self, go: impl FnOnce(&mut Self)) -> [f64; 2] {
        let before = (self.now, self.sides[0].in_vain, self.sides[1].in_vain);
        go(self);
        let took = (self.now - before.0).as_secs_f64();
        [0, 1].map(|side| {
            let old = if side == 0 { before.1 } else { before.2 };
            (self.sides[side].in_vain - old).as_secs_f64() * 100. / took
        })
    }

    fn both_poll(&self) -> bool {
        self.sides.iter().all(|side| side.policy.pays())
    }
}

const NONE: Duration = Duration::ZERO;

/// What sides that compute for their calls need before they send: nothing, and what arrays of structs
/// of some 20 KiB take.
const WORK: [Duration; 5] = [NONE, micros(1), micros(3), micros(6), micros(10)];

#[test]
fn sides_that_answer_soon_find_each_other_and_stay() {
    for (machine, work) in [DEEP, LIGHT].into_iter().flat_map(|it| WORK.map(|work| (it, work))) {
        let mut pair = Pair::new(machine);
        pair.calls(6, work, work);
        assert!(pair.both_poll(), "{work:?}");
        let wake_ups = [0, 1].map(|side| pair.sides[side].wake_ups);
        assert_eq!(pair.calls(10_000, work, work), 10_000 * work);
        assert_eq!(wake_ups, [0, 1].map(|side| pair.sides[side].wake_ups));
    }
}

#[test]
fn they_find_each_other_again_after_pauses_and_slow_calls() {
    for (machine, work) in [DEEP, LIGHT].into_iter().flat_map(|it| WORK.map(|work| (it, work))) {
        let mut pair = Pair::new(machine);
        pair.calls(100, work, work);
        for (think, serve) in [(50_000, 1), (0, 50_000), (300, 1), (0, 300), (50, 50)] {
            pair.call(micros(think), micros(serve));
            pair.calls(4, work, work);
            assert!(pair.both_poll(), "after {think} and {serve} µs");
            pair.calls(100, work, work);
        }
    }
}

#[test]
fn short_turns_begin_with_what_was_learned() {
    for (machine, work) in [DEEP, LIGHT].into_iter().flat_map(|it| WORK.map(|work| (it, work))) {
        let mut pair = Pair::new(machine);
        for turn in 0..1_000 {
            pair.call(micros(60_000), work);
            pair.calls(4, work, work);
            assert!(pair.both_poll(), "{work:?}, turn {turn}");
            pair.calls(20, work, work);
        }
    }
}

#[test]
fn who_is_kept_from_running_now_and_then_is_found_at_once() {
    for (machine, work) in [DEEP, LIGHT].into_iter().flat_map(|it| WORK.map(|work| (it, work))) {
        let mut pair = Pair::new(machine);
        let mut slow = 0;
        for turn in 0..1_000_u64 {
            // A hypervisor lends the CPU of one of them to others.
            let stalled = [micros(4_000), NONE];
            let (think, serve) = (stalled[turn as usize % 2], stalled[1 - turn as usize % 2]);
            pair.call(think + work, serve + work);
            slow += (0..100).filter(|_| pair.call(work, work) > work + SHORT).count();
        }
        assert!(slow <= 4_000, "{work:?}: {slow} slow calls after 1,000 stalls");
    }
}

#[test]
fn they_find_each_other_after_the_longest_estrangement() {
    for machine in [DEEP, LIGHT] {
        let mut pair = Pair::new(machine);
        pair.calls(30_000, micros(100), micros(100));
        assert!(!pair.both_poll());
        let before = pair.now;
        while !pair.both_poll() {
            pair.call(NONE, micros(1));
        }
        let took = pair.now - before;
        assert!(took < SHARE as u32 * LONGEST_TRIAL, "{took:?}");
    }
}

#[test]
fn who_thinks_or_works_is_not_waited_for() {
    let cases = [(100, 1), (150, 1), (1_000, 1), (0, 100), (0, 150), (0, 1_000), (60, 60)];
    for (think, serve) in cases.map(|(think, serve)| (micros(think), micros(serve))) {
        for machine in [DEEP, LIGHT] {
            let mut pair = Pair::new(machine);
            // The first milliseconds show what the peer is like.
            pair.calls(20_000, think, serve);
            let shares = pair.shares(|pair| {
                pair.calls(20_000, think, serve);
            });
            assert!(shares.iter().all(|share| *share < 1.), "{think:?}, {serve:?}: {shares:?} %");
        }
    }
}

#[test]
fn what_finding_out_costs_is_bounded() {
    for think in [micros(100), micros(1_000), micros(100_000)] {
        let mut pair = Pair::new(DEEP);
        pair.calls(20_000, think, micros(1));
        let limit = Duration::from_nanos(MOST) + pair.now / SHARE as u32;
        for side in &pair.sides {
            assert!(side.in_vain < limit, "{:?} of {limit:?} at {think:?}", side.in_vain);
        }
    }
}

#[test]
fn a_server_of_single_calls_polls_for_none() {
    let mut pair = Pair::new(DEEP);
    pair.calls(10, micros(100_000), micros(1));
    let before = pair.sides[1].in_vain;
    pair.calls(10_000, micros(100_000), micros(1));
    assert_eq!(pair.sides[1].in_vain, before);
}

#[test]
fn pairs_of_calls_with_pauses_between_do_not_keep_the_server_polling() {
    let mut pair = Pair::new(DEEP);
    let round = |pair: &mut Pair| {
        pair.call(micros(150), micros(1));
        pair.call(NONE, micros(1));
    };
    (0..20_000).for_each(|_| round(&mut pair));
    let shares = pair.shares(|pair| (0..20_000).for_each(|_| round(pair)));
    assert!(shares.iter().all(|share| *share < 1.), "{shares:?} %");
}

#[test]
fn a_peer_that_is_awake_without_polling_is_seldom_believed() {
    let (policy, mut now, mut polled) = (Polling::new(SHORT), NONE, NONE);
    for _ in 0..100_000 {
        if let Plan::Poll(time, reason) = policy.plan(now, || true, || true) {
            polled += time;
            policy.failed(reason, time);
        }
        now += micros(200);
        policy.slept(now, micros(200));
    }
    let limit = Duration::from_nanos(MOST) + now / SHARE as u32;
    assert!(polled < limit && polled > now / 1_000, "{polled:?} of {now:?}");
}

#[test]
fn where_nothing_can_be_won_nothing_is_tried_and_seldom_asked() {
    let (policy, mut asked) = (Polling::new(SHORT), 0);
    for awake in [true, false] {
        for wait in 0..5 * 1024 {
            let refuse = || {
                asked += 1;
                false
            };
            assert_eq!(policy.plan(micros(wait), || awake, refuse), Plan::Sleep);
            policy.slept(micros(wait), SHORT);
        }
    }
    assert_eq!(asked, 10);
}
