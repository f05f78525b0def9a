//! When the system gives up a connection whose peer acknowledges nothing.

use std::str::FromStr;
use std::time::Duration;

/// The least limit that follows from that of calls: lost packets are sent again after 0.2 s, 0.6 s
/// and 1.4 s, and one of them should arrive.
const LEAST: Duration = Duration::from_secs(2);

/// How long a peer may acknowledge nothing of what was sent to it, or take nothing of it, before the
/// system gives a TCP connection up (`TCP_USER_TIMEOUT`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TcpUserTimeout {
    /// As long as a call may take ([`Settings::call_timeout`](super::Settings::call_timeout)), and
    /// no less than 2 s. Without a limit for calls as `System`.
    #[default]
    AsCalls,
    /// So long, in whole milliseconds.
    After(Duration),
    /// What the system's settings give: about a quarter of an hour on Linux.
    System,
}

impl TcpUserTimeout {
    /// The limit where calls have the limit `call`; `None` for the system's.
    pub(crate) fn limit(self, call: Option<Duration>) -> Option<Duration> {
        match self {
            Self::AsCalls => call.map(|call| call.max(LEAST)),
            Self::After(limit) => Some(limit),
            Self::System => None,
        }
    }
}

impl FromStr for TcpUserTimeout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<u32>()) {
            ("calls", _) => Ok(Self::AsCalls),
            (_, Ok(0)) => Ok(Self::System),
            (_, Ok(milliseconds)) => Ok(Self::After(Duration::from_millis(milliseconds.into()))),
            _ => Err(format!("{text:?}: calls or a number of milliseconds is needed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_that_of_calls_unless_it_is_set() {
        let seconds = |count| Some(Duration::from_secs(count));
        let limit = |text: &str, call| text.parse::<TcpUserTimeout>().unwrap().limit(call);
        assert_eq!(limit("calls", seconds(30)), seconds(30));
        assert_eq!(limit("calls", Some(Duration::from_millis(100))), seconds(2));
        assert_eq!(limit("calls", None), None);
        assert_eq!(limit("7000", seconds(30)), seconds(7));
        assert_eq!(limit("0", seconds(30)), None);
        for wrong in ["", "-1", "1.5", "off", "4294967296"] {
            assert!(wrong.parse::<TcpUserTimeout>().is_err(), "{wrong}");
        }
    }
}
