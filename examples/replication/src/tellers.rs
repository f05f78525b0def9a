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
    /// How often they have asked how many transfers were made, and were told fewer than they knew of.
    pub(crate) reads: AtomicU64,
    pub(crate) old: AtomicU64,
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
                    if number.is_multiple_of(4) {
                        read(ledger, seen);
                    }
                }
            });
        }
    });
}

/// Asks how many transfers were made: at least those that any teller knew of before.
fn read(ledger: &LedgerRef, seen: &Seen) {
    let known = seen.made.load(Ordering::SeqCst);
    match ledger.transfers() {
        Ok(transfers) if transfers < known => {
            eprintln!("the bank knows of {transfers} transfers, and {known} were made");
            seen.old.fetch_add(1, Ordering::Relaxed);
        }
        Ok(_) => {}
        Err(exception) => {
            eprintln!("a read: {exception}");
            seen.failed.fetch_add(1, Ordering::Relaxed);
        }
    }
    seen.reads.fetch_add(1, Ordering::Relaxed);
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
    counter.fetch_add(1, Ordering::SeqCst);
    let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    seen.longest.fetch_max(took, Ordering::Relaxed);
}
