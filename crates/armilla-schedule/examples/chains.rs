//! How far the bounds of random chains of calls are from the worst that simulations show.
//!
//! `cargo run --release -p armilla-schedule --example chains [CHAINS [TURNS]]`

#[path = "../tests/tasks/support/chains.rs"]
mod chains;

use armilla_schedule::Strategy;
use chains::{Company, chain, compare};

fn main() {
    let number = |at| std::env::args().nth(at).and_then(|text| text.parse().ok());
    let (count, turns) = (number(1).unwrap_or(10_000), number(2).unwrap_or(100));
    for (company, turns) in [(Company::Alone, 1), (Company::Others, turns)] {
        for strategy in [Strategy::RateMonotonic, Strategy::DeadlineMonotonic] {
            let (mut ratios, mut short) = (Vec::new(), 0);
            for seed in 0..count {
                let Some(found) = compare(&chain(seed, company), strategy, turns) else { continue };
                short += found.too_short;
                ratios.push((found.bound as f64 / found.seen.max(1) as f64, seed));
            }
            ratios.sort_by(|left, right| left.0.total_cmp(&right.0));
            let at = |part: f64| ratios[((ratios.len() - 1) as f64 * part) as usize].0;
            let above: Vec<u64> =
                ratios.iter().filter(|(ratio, _)| *ratio > 1.3).map(|(_, seed)| *seed).collect();
            println!(
                "{company:?}, {strategy}: {} of {count} chains have bounds, {short} are too short; \
                 bound / seen: median {:.3}, 99 % {:.3}, worst {:.3}; {} above 1.3 {:?}",
                ratios.len(),
                at(0.5),
                at(0.99),
                at(1.0),
                above.len(),
                above.iter().rev().take(8).collect::<Vec<_>>(),
            );
        }
    }
}
