//! The time limits of a socket.

use core::time::Duration;

/// A time limit that a socket has. It is set again only where it has to be: that spares a system call
/// for each call.
#[derive(Debug, Default)]
pub(super) struct Limit(Option<Duration>);

impl Limit {
    /// Whether this limit has to be set, and counts as set then. One that is longer by a sixteenth at
    /// most does as well: whoever waits looks at the clock.
    pub(super) fn change(&mut self, wanted: Option<Duration>) -> bool {
        let does = match (self.0, wanted) {
            (Some(set), Some(wanted)) => {
                (wanted..=wanted.saturating_add(wanted / 16)).contains(&set)
            }
            (set, wanted) => set == wanted,
        };
        self.0 = if does { self.0 } else { wanted };
        !does
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_set_where_it_differs_by_much() {
        let (mut limit, second) = (Limit::default(), Duration::from_secs(1));
        assert!(!limit.change(None));
        assert!(limit.change(Some(second)));
        assert!(!limit.change(Some(second - second / 20)));
        assert!(limit.change(Some(second / 2)));
        assert!(limit.change(Some(second)), "one that is shorter ends too early");
        assert!(limit.change(None));
    }
}
