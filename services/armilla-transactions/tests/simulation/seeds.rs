//! Worlds in which everything fails at random, under seeds.

use crate::check::of_seed;
use crate::world::Chaos;
use armilla_transactions::model::{Outcome, Reply};

pub(crate) fn chaos(seed: u64) -> Chaos {
    match seed % 4 {
        0 => Chaos { loss: 200, duplicates: 50, crashes: 0, disk: 0 },
        1 => Chaos { loss: 30, duplicates: 30, crashes: 20, disk: 0 },
        2 => Chaos { loss: 200, duplicates: 20, crashes: 5, disk: 400 },
        _ => Chaos { loss: 300, duplicates: 100, crashes: 50, disk: 50 },
    }
}

/// How many worlds: `SEEDS` of the environment, or some thousands.
fn count() -> u64 {
    std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5_000)
}

#[test]
fn no_seed_leaves_one_committed_and_another_rolled_back() {
    let (mut committed, mut crashes) = (0, 0);
    for seed in 0..count() {
        let scenario = of_seed(seed);
        let world = scenario.run(seed, chaos(seed), None).expect(&(seed, &scenario));
        committed += u64::from(world.told == Some(Reply::Outcome(Outcome::Committed)));
        crashes += world.nodes.iter().map(|node| u64::from(node.life)).sum::<u64>();
    }
    println!("{} seeds: {committed} committed, {crashes} crashes", count());
    assert!(committed > count() / 10 && crashes > count() / 4, "{committed} {crashes}");
}

#[test]
fn a_seed_makes_the_same_world_again() {
    for seed in [1, 2, 3] {
        let scenario = of_seed(seed);
        let again = || scenario.run(seed, chaos(seed), None).world.trace;
        assert_eq!(again(), again());
    }
}
