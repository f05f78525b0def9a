//! The concurrency model of a server: which threads wait for requests and serve them.
//!
//! Here are the models and their text form. The threads themselves belong to the server.

use std::fmt;
use std::str::FromStr;

/// The concurrency model of a server: which threads wait for requests and serve them.
///
/// In every model the thread that reads a request calls the servant and writes the reply. A servant
/// may block, call other objects, and call its own server through the network.
///
/// A client may send further requests over a connection before it has its replies. When one of them
/// keeps the others waiting, the server serves them at the same time, up to
/// [`requests_per_connection`](crate::settings::Settings::requests_per_connection). It serves oneway requests
/// in the order in which they were sent, unless one takes longer than a second.
///
/// The text form is what the option `-ORBConcurrency` takes:
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
#[non_exhaustive]
pub enum Concurrency {
    /// Each connection has a thread of its own, which waits in a read: the fastest model while
    /// there are few connections. While that thread is in a servant, requests that arrive over the
    /// connection get another thread.
    ThreadPerConnection,
    /// All connections wait in one reactor, and a pool of threads takes turns at it: one thread
    /// leads and waits, the others follow or serve. A connection costs only memory, about two KiB.
    /// Connections of transports of the program that cannot wait in a reactor have a thread each.
    LeaderFollowers {
        /// How many threads that no servant blocks the pool has at any time. At least 1.
        min_threads: usize,
        /// How many threads the pool may have while servants block. When all of them are blocked,
        /// further requests wait.
        max_threads: usize,
    },
    /// The first connections have a thread each; all further ones wait in a reactor.
    Hybrid {
        /// How many connections have a thread of their own.
        dedicated_threads: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers).
        min_threads: usize,
        /// As for [`LeaderFollowers`](Self::LeaderFollowers). It also limits how many threads may
        /// be added to those of the first connections.
        max_threads: usize,
    },
}

/// The default of `min_threads`, on a machine with fewer processors.
const MIN_THREADS: usize = 2;
/// The default of `max_threads`.
const MAX_THREADS: usize = 256;
/// The default of `dedicated_threads`.
const DEDICATED_THREADS: usize = 64;

impl Default for Concurrency {
    /// The hybrid model: a thread for each of the first 64 connections. The pool for all others has
    /// as many threads as there are processors, at least 2, and at most 256 while servants block.
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
    /// `min_threads` and `max_threads` of the pool.
    #[doc(hidden)]
    pub fn pool(self) -> (usize, usize) {
        match self {
            Self::LeaderFollowers { min_threads, max_threads }
            | Self::Hybrid { min_threads, max_threads, .. } => (min_threads, max_threads),
            // Bidirectional connections wait in a reactor in this model too.
            Self::ThreadPerConnection => (default_min_threads(), MAX_THREADS),
        }
    }
}

impl Concurrency {
    /// How many connections have a thread of their own; `usize::MAX` is all.
    pub const fn dedicated_threads(&self) -> usize {
        match self {
            Self::ThreadPerConnection => usize::MAX,
            Self::LeaderFollowers { .. } => 0,
            Self::Hybrid { dedicated_threads, .. } => *dedicated_threads,
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
    fn the_text_form_of_a_model_parses_to_the_same_model() {
        for text in
            ["thread-per-connection", "leader-followers:3-7", "hybrid:5:3-7", "hybrid:0:1-1"]
        {
            assert_eq!(text.parse::<Concurrency>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_text_is_refused_with_the_expected_form() {
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
