//! Clients that move money. They know the group, and nothing of its members.

use crate::idl::lasting::ledger::TransferRaises;
use crate::idl::lasting::{Ledger as _, LedgerRef};
use armilla::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The number of accounts.
pub(crate) const ACCOUNTS: u64 = 10;

/// What the tellers have seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) made: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) failed: AtomicU64,
    longest: AtomicU64,
}

impl Seen {
    pub(crate) fn calls(&self) -> u64 {
        [&self.made, &self.refused, &self.failed].map(|it| it.load(Ordering::Relaxed)).iter().sum()
    }

    /// The longest that a call has taken.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_micros(self.longest.load(Ordering::Relaxed))
    }
}

/// Makes transfers until `calls` were made by all tellers together.
pub(crate) fn work(ledger: &LedgerRef, tellers: u64, calls: u64, seen: &Seen) {
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..tellers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= calls {
                        return;
                    }
                    transfer(ledger, number, seen);
                }
            });
        }
    });
}

fn transfer(ledger: &LedgerRef, number: u64, seen: &Seen) {
    let payer = format!("account {}", number % ACCOUNTS);
    let payee = format!("account {}", (number / ACCOUNTS + number + 1) % ACCOUNTS);
    let amount = (number % 7 + 1) as i32;
    let begun = Instant::now();
    let counter = match ledger.transfer(&payer, &payee, amount) {
        Ok(()) => &seen.made,
        Err(Error::User(TransferRaises::TooLittle(_))) => &seen.refused,
        Err(Error::System(exception)) => {
            eprintln!("transfer {number}: {exception}");
            &seen.failed
        }
    };
    counter.fetch_add(1, Ordering::Relaxed);
    let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    seen.longest.fetch_max(took, Ordering::Relaxed);
}
