//! The bounds of chains of calls against simulations: never too short, and not much too long.
//!
//! `cargo run --release -p armilla-schedule --example chains` does the same with 10,000 chains of
//! each kind.

#[path = "support/chains.rs"]
mod random;

use armilla_schedule::Strategy;
use random::{Company, chain, compare};

/// The share of chains whose bound is at most 1.3 times what was seen.
fn close(company: Company, chains: u64, turns: u64) -> f64 {
    let (mut close, mut all) = (0.0, 0.0);
    for seed in 0..chains {
        for strategy in [Strategy::RateMonotonic, Strategy::DeadlineMonotonic] {
            let found = compare(&chain(seed, company), strategy, turns).expect("a bound");
            assert_eq!(found.too_short, 0, "{company:?}, {strategy}, seed {seed}: {found:?}");
            all += 1.0;
            close += f64::from(u8::from(10 * found.bound <= 13 * found.seen));
        }
    }
    close / all
}

#[test]
fn bounds_of_chains_that_are_alone_are_close() {
    let close = close(Company::Alone, 400, 1);
    assert!(close >= 0.99, "{close}");
}

#[test]
fn bounds_of_chains_among_other_tasks_are_close() {
    let close = close(Company::Others, 120, 20);
    assert!(close >= 0.9, "{close}");
}
