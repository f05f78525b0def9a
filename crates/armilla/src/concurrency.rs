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
/// let pool = Concurrency::LeaderFollowers { min_threads: 2, max_threads: 100 };
/// assert_eq!("leader-followers:2-100".parse(), Ok(pool));
/// let hybrid = Concurrency::Hybrid { dedicated_threads: 16, min_threads: 2, max_threads: 100 };
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
        min_threads: usize,
        /// How many there may be when servants block. When all are, further requests wait.
        max_threads: usize,
    },
    /// The first connections have a thread each, all further ones wait in a reactor.
    Hybrid {
        /// How many connections have a thread.
        dedicated_threads: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers).
        min_threads: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers); and how many threads may be added to
        /// those of the first connections.
        max_threads: usize,
    },
}

/// How many threads there always are, unless the program says otherwise.
const MIN_THREADS: usize = 2;
/// How many threads there may be when servants block.
const MAX_THREADS: usize = 256;
/// How many connections have a thread each.
const DEDICATED_THREADS: usize = 64;

impl Default for Concurrency {
    /// Threads for the first 64 connections, and for all others a pool of 2 threads, or as many as
    /// there are processors, and at most 256.
    fn default() -> Self {
        Self::Hybrid {
            dedicated_threads: DEDICATED_THREADS,
            min_threads: default_min_threads(),
            max_threads: MAX_THREADS,
        }
    }
}

fn default_min_threads() -> usize {
    std::thread::available_parallelism()
        .map_or(MIN_THREADS, Into::into)
        .clamp(MIN_THREADS, MAX_THREADS)
}

impl Concurrency {
    /// How many threads the pool has at least, and at most.
    pub(crate) fn pool(self) -> (usize, usize) {
        match self {
            Self::LeaderFollowers { min_threads, max_threads }
            | Self::Hybrid { min_threads, max_threads, .. } => (min_threads, max_threads),
            // Connections that carry requests both ways wait in a reactor all the same.
            Self::ThreadPerConnection => (default_min_threads(), MAX_THREADS),
        }
    }
}

impl FromStr for Concurrency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "the form is thread-per-connection, leader-followers[:MIN-MAX] or \
                    hybrid[:THREADS[:MIN-MAX]]";
        let bad = || format!("{text:?}: {form}");
        let parts: Vec<&str> = text.split(':').collect();
        let pool = |range: Option<&&str>| match range {
            None => Ok((default_min_threads(), MAX_THREADS)),
            Some(range) => parse_range(range).ok_or_else(bad),
        };
        match parts[..] {
            ["thread-per-connection"] => Ok(Self::ThreadPerConnection),
            ["leader-followers"] | ["leader-followers", _] => {
                pool(parts.get(1)).map(|(min_threads, max_threads)| Self::LeaderFollowers {
                    min_threads,
                    max_threads,
                })
            }
            ["hybrid"] | ["hybrid", _] | ["hybrid", _, _] => {
                let dedicated_threads =
                    parts.get(1).map_or(Ok(DEDICATED_THREADS), |n| n.parse().map_err(|_| bad()))?;
                pool(parts.get(2)).map(|(min_threads, max_threads)| Self::Hybrid {
                    dedicated_threads,
                    min_threads,
                    max_threads,
                })
            }
            _ => Err(bad()),
        }
    }
}

fn parse_range(text: &str) -> Option<(usize, usize)> {
    let (min, max) = text.split_once('-')?;
    let (min, max) = (min.parse().ok()?, max.parse().ok()?);
    (0 < min && min <= max).then_some((min, max))
}

impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThreadPerConnection => f.write_str("thread-per-connection"),
            Self::LeaderFollowers { min_threads, max_threads } => {
                write!(f, "leader-followers:{min_threads}-{max_threads}")
            }
            Self::Hybrid { dedicated_threads, min_threads, max_threads } => {
                write!(f, "hybrid:{dedicated_threads}:{min_threads}-{max_threads}")
            }
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
            assert!(error.contains("MIN-MAX"), "{text}: {error}");
        }
    }
}
