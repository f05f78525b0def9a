//! Which threads serve requests.

use std::fmt;
use std::str::FromStr;

/// Which threads of a server wait for requests and serve them.
///
/// With all of them, the thread that reads a request calls the servant and writes the reply; servants
/// may block, call others, and call themselves through the network; and requests that a client sends
/// over one connection without waiting for replies are served at the same time, up to
/// [`requests_per_connection`](crate::Settings::requests_per_connection), once one of them is seen
/// to keep the others waiting. Requests that expect no reply are served in the order in which they
/// were sent, unless one takes longer than a second.
///
/// As text it is what the option `-ORBConcurrency` takes:
///
/// ```
/// use armilla::Concurrency;
///
/// assert_eq!("thread-per-connection".parse(), Ok(Concurrency::ThreadPerConnection));
/// let pool = Concurrency::LeaderFollowers { least: 2, most: 100 };
/// assert_eq!("leader-followers:2-100".parse(), Ok(pool));
/// let hybrid = Concurrency::Hybrid { threads: 16, least: 2, most: 100 };
/// assert_eq!("hybrid:16:2-100".parse(), Ok(hybrid));
/// assert_eq!("hybrid".parse(), Ok(Concurrency::default()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Concurrency {
    /// Each connection has a thread, which waits in a read: the fastest while connections are few.
    /// A connection whose thread is in a servant gets one more when other requests wait.
    ThreadPerConnection,
    /// All connections wait in one reactor, whose threads take turns; a connection costs nothing
    /// but memory, about two KiB. Over transports that cannot wait in a reactor (shared memory) a
    /// connection has a thread all the same.
    LeaderFollowers {
        /// How many threads there always are that are not blocked. At least 1.
        least: usize,
        /// How many there may be when servants block. When all are, further requests wait.
        most: usize,
    },
    /// The first connections have a thread each, all further ones wait in a reactor.
    Hybrid {
        /// How many connections have a thread.
        threads: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers).
        least: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers); and how many threads may be added to
        /// those of the first connections.
        most: usize,
    },
}

/// How many threads there always are, unless the program says otherwise.
const LEAST: usize = 2;
/// How many threads there may be when servants block.
const MOST: usize = 256;
/// How many connections have a thread each.
const THREADS: usize = 64;

impl Default for Concurrency {
    /// Threads for the first 64 connections, and for all others a pool of 2 threads, or as many as
    /// there are processors, and at most 256.
    fn default() -> Self {
        Self::Hybrid { threads: THREADS, least: least(), most: MOST }
    }
}

fn least() -> usize {
    std::thread::available_parallelism().map_or(LEAST, Into::into).clamp(LEAST, MOST)
}

impl Concurrency {
    /// How many threads the pool has at least, and at most.
    pub(crate) fn pool(self) -> (usize, usize) {
        match self {
            Self::LeaderFollowers { least, most } | Self::Hybrid { least, most, .. } => {
                (least, most)
            }
            // Connections that carry requests both ways wait in a reactor all the same.
            Self::ThreadPerConnection => (least(), MOST),
        }
    }
}

impl FromStr for Concurrency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "the form is thread-per-connection, leader-followers[:LEAST-MOST] or \
                    hybrid[:THREADS[:LEAST-MOST]]";
        let bad = || format!("{text:?}: {form}");
        let parts: Vec<&str> = text.split(':').collect();
        let pool = |range: Option<&&str>| match range {
            None => Ok((least(), MOST)),
            Some(range) => parse_range(range).ok_or_else(bad),
        };
        match parts[..] {
            ["thread-per-connection"] => Ok(Self::ThreadPerConnection),
            ["leader-followers"] | ["leader-followers", _] => {
                pool(parts.get(1)).map(|(least, most)| Self::LeaderFollowers { least, most })
            }
            ["hybrid"] | ["hybrid", _] | ["hybrid", _, _] => {
                let threads = parts.get(1).map_or(Ok(THREADS), |n| n.parse().map_err(|_| bad()))?;
                pool(parts.get(2)).map(|(least, most)| Self::Hybrid { threads, least, most })
            }
            _ => Err(bad()),
        }
    }
}

fn parse_range(text: &str) -> Option<(usize, usize)> {
    let (least, most) = text.split_once('-')?;
    let (least, most) = (least.parse().ok()?, most.parse().ok()?);
    (0 < least && least <= most).then_some((least, most))
}

impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThreadPerConnection => f.write_str("thread-per-connection"),
            Self::LeaderFollowers { least, most } => write!(f, "leader-followers:{least}-{most}"),
            Self::Hybrid { threads, least, most } => write!(f, "hybrid:{threads}:{least}-{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        for text in
            ["thread-per-connection", "leader-followers:3-7", "hybrid:5:3-7", "hybrid:0:1-1"]
        {
            assert_eq!(text.parse::<Concurrency>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_form() {
        for text in [
            "",
            "threads",
            "hybrid:x",
            "hybrid:1:2",
            "leader-followers:3-2",
            "leader-followers:0-2",
            "leader-followers:1-2:3",
            "thread-per-connection:4",
        ] {
            let error = text.parse::<Concurrency>().unwrap_err();
            assert!(error.contains("LEAST-MOST"), "{text}: {error}");
        }
    }
}
