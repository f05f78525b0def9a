//! A perfect hash over object ids that are known when the POA is made.

use super::ObjectId;
use std::hash::{BuildHasher, RandomState};

/// From ids to their numbers: one hash, one comparison.
///
/// The hash chooses a bucket, and the bucket's seed the only place where the id can stand.
pub(super) struct PerfectHash {
    hasher: RandomState,
    /// For each bucket the seed under which its ids get places of their own.
    seeds: Box<[u32]>,
    /// For each place the number of the id that stands there, counted from 1.
    places: Box<[u32]>,
    ids: Box<[ObjectId]>,
}

impl PerfectHash {
    /// The table for `ids`; ids that stand there twice count once.
    pub(super) fn new(mut ids: Vec<ObjectId>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let mut size = (2 * ids.len()).next_power_of_two().max(2);
        loop {
            let hasher = RandomState::new();
            if let Some((seeds, places)) = place(&hasher, &ids, size) {
                return Self { hasher, seeds, places, ids: ids.into() };
            }
            // Two ids share a hash, or luck was bad: another hash, and more room.
            size *= 2;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number of `id`, if it is one of them.
    pub(super) fn find(&self, id: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(id);
        let seed = *self.seeds.get(bucket(hash, self.seeds.len()))?;
        let number = *self.places.get(spread(hash, seed, self.places.len()))?;
        let number = (number as usize).checked_sub(1)?;
        (self.ids.get(number)?.as_bytes() == id).then_some(number)
    }
}

/// How many seeds are tried for a bucket.
const TRIES: u32 = 10_000;

/// The seeds of buckets, and the numbers of ids at their places.
type Placed = (Box<[u32]>, Box<[u32]>);

/// Seeds under which no two ids share a place; `None` when a bucket finds none.
fn place(hasher: &RandomState, ids: &[ObjectId], size: usize) -> Option<Placed> {
    let mut buckets = vec![Vec::new(); ids.len().max(1)];
    for (number, id) in ids.iter().enumerate() {
        let hash = hasher.hash_one(id.as_bytes());
        let count = buckets.len();
        buckets[bucket(hash, count)].push((number, hash));
    }
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    // The fullest first: they need the most places at once.
    order.sort_by_key(|b| std::cmp::Reverse(buckets[*b].len()));
    let mut seeds = vec![0; buckets.len()];
    let mut places = vec![0; size];
    for b in order {
        let members = &buckets[b];
        seeds[b] = (0..TRIES).find(|seed| try_seed(&mut places, members, *seed))?;
    }
    Some((seeds.into(), places.into()))
}

/// Gives the members of a bucket their places under `seed`, all or none.
fn try_seed(places: &mut [u32], members: &[(usize, u64)], seed: u32) -> bool {
    let size = places.len();
    for (taken, (number, hash)) in members.iter().enumerate() {
        let place = &mut places[spread(*hash, seed, size)];
        if *place != 0 {
            members[..taken].iter().for_each(|(_, hash)| places[spread(*hash, seed, size)] = 0);
            return false;
        }
        *place = *number as u32 + 1;
    }
    true
}

fn bucket(hash: u64, count: usize) -> usize {
    ((hash >> 32) as usize) % count.max(1)
}

/// The place among `size`, a power of two.
fn spread(hash: u64, seed: u32, size: usize) -> usize {
    let mixed = (hash ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed >> 32) as usize & (size - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_found_and_no_other() {
        for count in [0, 1, 2, 500, 20_000] {
            let id = |n: usize| ObjectId::from(&*format!("object number {n}"));
            let table = PerfectHash::new((0..count).chain(0..count / 2).map(id).collect());
            assert_eq!(table.len(), count);
            let mut numbers: Vec<_> =
                (0..count).map(|n| table.find(id(n).as_bytes()).unwrap()).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count), "each has a number of its own");
            assert_eq!(table.find(id(count).as_bytes()), None);
            assert_eq!(table.find(b""), None);
        }
    }
}
