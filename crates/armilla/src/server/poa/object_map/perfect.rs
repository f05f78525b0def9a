//! A perfect hash over object ids that are known when the POA is created.

use crate::server::poa::ObjectId;
use std::hash::{BuildHasher, RandomState};

/// Maps each id to a place of its own.
///
/// The hash selects a bucket, and the seed of the bucket the only place where the id can be.
pub(in crate::server::poa) struct PerfectHash {
    hasher: RandomState,
    /// For each bucket the seed that gives its ids places of their own.
    seeds: Box<[u32]>,
    /// For each place the index of its id, counted from 1; 0 for none.
    numbers: Box<[u32]>,
    ids: Box<[ObjectId]>,
}

impl PerfectHash {
    /// Builds the table for `ids`; duplicates count once.
    pub(in crate::server::poa) fn new(mut ids: Vec<ObjectId>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let mut size = (2 * ids.len()).next_power_of_two().max(2);
        loop {
            let hasher = RandomState::new();
            if let Some((seeds, numbers)) = place(&hasher, &ids, size) {
                return Self { hasher, seeds, numbers, ids: ids.into() };
            }
            // Two ids share a hash, or no seed fits: use another hash and a larger table.
            size *= 2;
        }
    }

    /// The number of places.
    pub(in crate::server::poa) fn places(&self) -> usize {
        self.numbers.len()
    }

    /// The only place where `id` can be, without comparing the ids.
    #[inline]
    pub(in crate::server::poa) fn candidate(&self, id: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(id);
        let seed = *self.seeds.get(bucket(hash, self.seeds.len()))?;
        Some(spread(hash, seed, self.numbers.len()))
    }

    /// The place of `id`, if it is one of the ids.
    pub(in crate::server::poa) fn host_of(&self, id: &[u8]) -> Option<usize> {
        let place = self.candidate(id)?;
        let number = (*self.numbers.get(place)? as usize).checked_sub(1)?;
        (self.ids.get(number)?.as_bytes() == id).then_some(place)
    }
}

/// How many seeds are tried for a bucket.
const TRIES: u32 = 10_000;

/// The seeds of the buckets, and the indices of the ids at their places.
type Placed = (Box<[u32]>, Box<[u32]>);

/// Finds seeds for which no two ids share a place; `None` when a bucket finds none.
fn place(hasher: &RandomState, ids: &[ObjectId], size: usize) -> Option<Placed> {
    let mut buckets = vec![Vec::new(); ids.len().max(1)];
    for (number, id) in ids.iter().enumerate() {
        let hash = hasher.hash_one(id.as_bytes());
        let count = buckets.len();
        buckets[bucket(hash, count)].push((number, hash));
    }
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    // The largest buckets first: they need the most free places.
    order.sort_by_key(|b| std::cmp::Reverse(buckets[*b].len()));
    let mut seeds = vec![0; buckets.len()];
    let mut places = vec![0; size];
    for b in order {
        let members = &buckets[b];
        seeds[b] = (0..TRIES).find(|seed| try_seed(&mut places, members, *seed))?;
    }
    Some((seeds.into(), places.into()))
}

/// Places the members of a bucket with `seed`, all or none.
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

/// The bucket of a hash among `count` buckets, which are fewer than 2³².
fn bucket(hash: u64, count: usize) -> usize {
    (((hash >> 32) * count as u64) >> 32) as usize
}

/// The place of a hash among `size` places, a power of two.
fn spread(hash: u64, seed: u32, size: usize) -> usize {
    let mixed = (hash ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed >> 32) as usize & (size - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_place_of_its_own_and_no_other_has_one() {
        for count in [0, 1, 2, 500, 20_000] {
            let id = |n: usize| ObjectId::from(&*format!("object number {n}"));
            let table = PerfectHash::new((0..count).chain(0..count / 2).map(id).collect());
            let mut places: Vec<_> =
                (0..count).map(|n| table.host_of(id(n).as_bytes()).unwrap()).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), count);
            assert!(places.iter().all(|place| *place < table.places()));
            for stranger in [id(count).as_bytes(), b""] {
                assert_eq!(table.host_of(stranger), None);
                assert!(table.candidate(stranger).is_none_or(|place| place < table.places()));
            }
        }
    }
}
