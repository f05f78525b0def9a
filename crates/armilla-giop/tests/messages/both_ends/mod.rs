//! Both ends of a connection under a seeded scheduler: calls in one direction or both, in pieces of
//! any size, in fragments that interleave, forwarded, named anew, given up, late; replies that come
//! twice; an end that closes while the other calls, or a network that breaks. Without sockets,
//! threads and clocks: `ARMILLA_SEED=17 cargo test -p armilla-giop both_ends::` runs seed 17
//! again, alone.

mod world;

use std::collections::BTreeSet;
use world::{Fate, World};

const SEEDS: u64 = 200;
const STEPS: u32 = 500;

#[test]
fn every_call_ends_once_with_its_own_reply_or_a_truthful_reason() {
    let seeds = match std::env::var("ARMILLA_SEED") {
        Ok(seed) => vec![seed.parse().expect("ARMILLA_SEED is a number")],
        Err(_) => (0..SEEDS).collect(),
    };
    let (mut fates, mut twice, mut forwarded) = (BTreeSet::new(), 0, 0);
    for seed in &seeds {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(*seed);
            (0..STEPS).for_each(|_| world.step());
            world.end();
            (world.fates, world.twice, world.forwarded)
        });
        let Ok(seen) = run else { panic!("seed {seed} fails: ARMILLA_SEED={seed} runs it again") };
        fates.extend(seen.0);
        twice += seen.1;
        forwarded += seen.2;
    }
    if seeds.len() > 1 {
        use Fate::*;
        let all = [Answered, Located, Refused, Cancelled, Expired, Closed, Unsent, Broken];
        assert!(fates.into_iter().eq(all), "some never came about");
        assert!(
            twice > 100 && forwarded > 100,
            "{twice} replies came twice, {forwarded} elsewhere"
        );
    }
}
