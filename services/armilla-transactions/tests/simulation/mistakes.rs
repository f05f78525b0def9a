//! Each mistake that is planted is found.

use crate::check::of_seed;
use crate::seeds::chaos;
use armilla_transactions::model::{Mistake, plant};

/// The first seed that finds a mistake, among so many.
fn found(mistake: Mistake, seeds: u64) -> Option<u64> {
    plant(Some(mistake));
    let finds = |seed: &u64| of_seed(*seed).run(*seed, chaos(*seed), None).wrong.is_some();
    let found = (0..seeds).find(finds);
    plant(None);
    found
}

#[test]
fn each_planted_mistake_is_found_within_a_thousand_seeds() {
    for mistake in [
        Mistake::DeliversBeforeForce,
        Mistake::VotesBeforeForce,
        Mistake::RollsBackAfterFailedForce,
        Mistake::PresumesAbortWhenUnreachable,
        Mistake::ForgetsTooEarly,
        Mistake::TimesOutInDoubt,
    ] {
        let seed = found(mistake, 1_000);
        assert!(seed.is_some(), "{mistake:?} was not found");
        println!("{mistake:?}: seed {}", seed.unwrap_or_default());
    }
}
