//! What identifies a place in a trace (W3C Trace Context, level 1).

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A place in a trace: a request within something larger that crosses processes. As text it is the
/// `traceparent` of the W3C: `00-`, 32 digits of the trace, `-`, 16 digits of the span, `-`, flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace; not 0.
    pub trace_id: u128,
    /// The span; not 0.
    pub span_id: u64,
    /// Bit 0: whether the trace is recorded.
    pub flags: u8,
    /// The `tracestate`: what vendors add, passed on as it is. At most 512 octets of visible ASCII.
    pub state: String,
}

impl TraceContext {
    /// The first span of a new trace, which shall be recorded.
    pub fn begin() -> Self {
        let trace_id = u128::from(random()) << 64 | u128::from(random());
        Self { trace_id, span_id: random(), flags: 1, state: String::new() }
    }

    /// A new span of the same trace.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { span_id: random(), ..self.clone() }
    }

    /// The context of a `traceparent` and a `tracestate`; one of the latter that is too long or has
    /// other characters than visible ASCII is left out. `None` when the former is malformed.
    pub fn from_headers(parent: &str, state: &str) -> Option<Self> {
        let mut context: Self = parent.parse().ok()?;
        if state.len() <= 512 && state.bytes().all(|octet| matches!(octet, b' '..=b'~')) {
            state.clone_into(&mut context.state);
        }
        Some(context)
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

/// The text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTraceContext;

impl FromStr for TraceContext {
    type Err = InvalidTraceContext;

    /// Later versions than `00` may have more behind the flags.
    fn from_str(text: &str) -> Result<Self, InvalidTraceContext> {
        let digits = |from: usize, to: usize| {
            let digits = text.get(from..to)?;
            let lower = |octet: u8| octet.is_ascii_digit() || (b'a'..=b'f').contains(&octet);
            digits.bytes().all(lower).then_some(digits)
        };
        let parse = || {
            let version = digits(0, 2).filter(|version| *version != "ff")?;
            let dashes = [2, 35, 52].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
            let ends =
                text.len() == 55 || (version != "00" && text.as_bytes().get(55) == Some(&b'-'));
            let trace_id = u128::from_str_radix(digits(3, 35)?, 16).ok().filter(|id| *id != 0)?;
            let span_id = u64::from_str_radix(digits(36, 52)?, 16).ok().filter(|id| *id != 0)?;
            let flags = u8::from_str_radix(digits(53, 55)?, 16).ok()?;
            (dashes && ends).then_some(Self { trace_id, span_id, flags, state: String::new() })
        };
        parse().ok_or(InvalidTraceContext)
    }
}

/// A number that was hardly ever given before, by this process or another; not 0.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Its keys are the operating system's randomness.
    RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_of_the_w3c() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let context: TraceContext = text.parse().unwrap();
        assert_eq!(context.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!((context.span_id, context.flags), (0x00f0_67aa_0ba9_02b7, 1));
        assert_eq!(context.to_string(), text);
        let later = format!("01{}-more", &text[2..]);
        assert_eq!(later.parse(), Ok(context.clone()));
        let child = context.child();
        assert_eq!(child.trace_id, context.trace_id);
        assert_ne!(child.span_id, context.span_id);
        for wrong in [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-0f067aa0ba902b7-01",
        ] {
            assert_eq!(wrong.parse::<TraceContext>(), Err(InvalidTraceContext), "{wrong}");
        }
    }

    #[test]
    fn a_state_that_cannot_travel_is_left_out() {
        let parent = TraceContext::begin().to_string();
        let state = |state: &str| TraceContext::from_headers(&parent, state).unwrap().state;
        assert_eq!(state("vendor=1,other=two"), "vendor=1,other=two");
        assert_eq!(state("a\nb"), "");
        assert_eq!(state(&"x".repeat(513)), "");
    }
}
