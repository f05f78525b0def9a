//! Cycles of values, with counters of the handles: when they are freed.

use armilla::codegen::{Kind, State, Valuetype};
use armilla::{ByteOrder, CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed, Value};
use std::any::TypeId;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many states there are. Tests that look at it come one after the other.
static STATES: AtomicUsize = AtomicUsize::new(0);
static ALONE: Mutex<()> = Mutex::new(());

/// The state of a value with references to others, like generated code, but counted.
struct Link {
    next: Vec<Option<Value<Link>>>,
}

impl Link {
    fn new(next: Vec<Option<Value<Self>>>) -> Self {
        STATES.fetch_add(1, Ordering::Relaxed);
        Self { next }
    }
}

impl Clone for Link {
    fn clone(&self) -> Self {
        Self::new(self.next.clone())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        STATES.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Valuetype for Link {
    const REPOSITORY_ID: &'static str = "IDL:Link:1.0";
    const FAMILY: &'static [Kind] = &[Kind::of::<Self>()];
}

impl State for Link {
    const IDS: &'static [&'static str] = &[Self::REPOSITORY_ID];

    fn is(other: TypeId) -> bool {
        other == TypeId::of::<Self>()
    }
}

impl Typed for Link {
    fn type_code() -> TypeCode {
        let next = TypeCode::sequence(TypeCode::Recursive("IDL:Link:1.0".into()), 0);
        TypeCode::value("IDL:Link:1.0", "Link", 0, TypeCode::Null, [("next", next, true)])
    }
}

impl Encode for Link {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.next.encode(out)
    }
}

impl<'a> Decode<'a> for Link {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Decode::decode(input).map(Self::new)
    }
}

/// A ring of so many values, each of which also leads to itself and to `others`.
fn ring(length: usize, others: &[Value<Link>]) -> Value<Link> {
    let first = Value::new(Link::new(Vec::new()));
    let last = (1..length).fold(first.clone(), |next, _| {
        let link = Value::new(Link::new(vec![Some(next)]));
        link.update(|state| state.next.push(Some(link.clone())));
        link
    });
    first.update(|state| {
        state.next = others.iter().cloned().map(Some).collect();
        state.next.extend([None, Some(last)]);
    });
    first
}

fn octets(value: &Value<Link>) -> Vec<u8> {
    let (mut out, value) = (Encoder::new(ByteOrder::NATIVE), Some(value.clone()));
    value.encode(&mut out).unwrap();
    out.to_vec()
}

fn arrived(octets: &[u8]) -> Value<Link> {
    let mut input = Decoder::new(octets, ByteOrder::NATIVE);
    Option::<Value<Link>>::decode(&mut input).unwrap().unwrap()
}

/// The number of states, while no other test creates any.
fn states() -> usize {
    STATES.load(Ordering::Relaxed)
}

#[test]
fn break_cycles_frees_a_cycle_with_its_last_handle() {
    let _alone = ALONE.lock();
    for length in [1, 2, 100] {
        let ring = ring(length, &[]);
        assert_eq!(states(), length);
        let other = ring.get().next.last().cloned().flatten().unwrap();
        ring.break_cycles();
        assert_eq!(states(), length, "somebody has one of the values");
        assert_eq!(octets(&other), octets(&arrived(&octets(&other))), "and it is whole");
        other.break_cycles();
        assert_eq!(states(), 0, "what arrived is freed too");
    }
}

#[test]
fn values_with_other_handles_stay_with_everything_they_refer_to() {
    let _alone = ALONE.lock();
    let (kept, inner) = (ring(3, &[]), ring(4, &[]));
    let outer = ring(5, &[inner.clone(), kept.clone()]);
    let seen = inner.get();
    inner.break_cycles();
    outer.break_cycles();
    assert_eq!(states(), 3 + 4, "the outer ring has gone; a state of the inner one is still read");
    assert_eq!(octets(seen.next.last().unwrap().as_ref().unwrap()).len(), {
        let same = ring(4, &[]);
        let length = octets(same.get().next.last().unwrap().as_ref().unwrap()).len();
        same.break_cycles();
        length
    });
    drop(seen);
    kept.break_cycles();
    // Nothing leads to the inner ring any more; it is looked at with the next one.
    ring(1, &[]).break_cycles();
    assert_eq!(states(), 0);
}

#[test]
fn circles_that_arrive_are_freed_when_more_arrive() {
    let _alone = ALONE.lock();
    let ring = ring(50, &[]);
    let octets = octets(&ring);
    ring.break_cycles();
    for _ in 0..200 {
        drop(arrived(&octets));
        assert!(states() <= 4 * 50, "{} states", states());
    }
    let kept: Vec<_> = (0..20).map(|_| arrived(&octets)).collect();
    for _ in 0..200 {
        drop(arrived(&octets));
        assert!(states() <= 4 * 21 * 50, "{} states", states());
    }
    assert!(kept.iter().all(|ring| self::octets(ring) == octets), "those that are kept are whole");
    kept.into_iter().for_each(Value::break_cycles);
    assert_eq!(states(), 0);
}

#[test]
fn threads_that_use_circles_meanwhile_lose_nothing() {
    let _alone = ALONE.lock();
    let whole = ring(20, &[]);
    let octets = octets(&whole);
    whole.break_cycles();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let mut at = arrived(&octets);
                    // From value to value, and never to nowhere.
                    for _ in 0..50 {
                        let next = at.get().next.last().cloned().flatten().unwrap();
                        at = at.get().next.first().cloned().flatten().unwrap_or(next);
                    }
                    let state = at.get();
                    at.break_cycles();
                    assert!(state.next.iter().flatten().all(|next| !next.get().next.is_empty()));
                }
            });
        }
    });
    ring(1, &[]).break_cycles();
    assert_eq!(states(), 0);
}
