//! Trace contexts: what identifies a span of a trace across processes (W3C Trace Context, level 1).

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A span of a trace: a request, within a larger piece of work that may cross processes.
///
/// The text form is the `traceparent` of the W3C: `00-`, 32 hexadecimal digits of the trace, `-`,
/// 16 digits of the span, `-`, two digits of flags.
///
/// ```
/// use armilla::observe::TraceContext;
///
/// let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let context: TraceContext = text.parse()?;
/// assert_eq!(context.to_string(), text);
/// assert_eq!(context.child().trace_id, context.trace_id, "another span of the same trace");
/// # Ok::<(), armilla::observe::InvalidTraceContext>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// The id of the trace. Not 0.
    pub trace_id: u128,
    /// The id of the span. Not 0.
    pub span_id: u64,
    /// Bit 0: whether the trace is recorded.
    pub flags: u8,
    /// The `tracestate`: data of vendors, passed on unchanged. At most 512 octets of printable
    /// ASCII.
    pub state: String,
}

impl TraceContext {
    /// The root span of a new trace that is recorded. Its ids are random.
    pub fn begin() -> Self {
        let trace_id = u128::from(random()) << 64 | u128::from(random());
        Self { trace_id, span_id: random(), flags: 1, state: String::new() }
    }

    /// A new span of the same trace. Its id is random.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { span_id: random(), ..self.clone() }
    }

    /// The context that a `traceparent` and a `tracestate` describe; `None` when the `traceparent`
    /// is malformed. A `tracestate` that is too long, or is not printable ASCII, is dropped.
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

/// A text is no `traceparent`.
///
/// ```
/// use armilla::observe::{InvalidTraceContext, TraceContext};
///
/// assert_eq!("00-0-0-0".parse::<TraceContext>(), Err(InvalidTraceContext));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTraceContext;

impl fmt::Display for InvalidTraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text is no traceparent of W3C Trace Context")
    }
}

impl std::error::Error for InvalidTraceContext {}

impl FromStr for TraceContext {
    type Err = InvalidTraceContext;

    /// A version later than `00` may have more fields behind the flags; they are ignored.
    ///
    /// # Errors
    /// When the text is no `traceparent`.
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

/// A random number, not 0. Ids must differ between processes; they need not be secret.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // The keys of the hasher come from the operating system's random numbers.
    RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_is_a_traceparent() {
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
    fn an_invalid_tracestate_is_dropped() {
        let parent = TraceContext::begin().to_string();
        let state = |state: &str| TraceContext::from_headers(&parent, state).unwrap().state;
        assert_eq!(state("vendor=1,other=two"), "vendor=1,other=two");
        assert_eq!(state("a\nb"), "");
        assert_eq!(state(&"x".repeat(513)), "");
    }
}
