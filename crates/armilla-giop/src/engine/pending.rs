//! The requests of a client's connection that have no reply yet, by their ids.

use alloc::vec::Vec;

/// A hash table with linear probing whose hash is the id itself: ids are given out in sequence, so
/// two requests collide only when one has waited while as many others came and went as there are
/// slots. Nothing is allocated once there was room for as many.
#[derive(Debug)]
pub(super) struct Pending<V> {
    /// The request that was inserted last: the only one on a connection that carries one call at a
    /// time, which then costs no look at the table.
    newest: Option<(u32, V)>,
    /// The slots, a power of two, of which at most half are taken; none at first.
    slots: Vec<Option<(u32, V)>>,
    /// How many of them are taken.
    taken: usize,
}

/// How many slots there are at first.
const FIRST: usize = 8;

impl<V> Pending<V> {
    pub(super) const fn new() -> Self {
        Self { newest: None, slots: Vec::new(), taken: 0 }
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.taken + self.newest.is_some() as usize
    }

    #[inline(always)]
    pub(super) const fn is_empty(&self) -> bool {
        self.newest.is_none() && self.taken == 0
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    /// Inserts a request whose id is not in the table.
    #[inline(always)]
    pub(super) fn insert(&mut self, id: u32, value: V) {
        if self.newest.is_some() {
            self.move_newest_to_table();
        }
        self.newest = Some((id, value));
    }

    pub(super) fn get(&self, id: u32) -> Option<&V> {
        match &self.newest {
            Some((newest, value)) if *newest == id => Some(value),
            _ => self.slots[self.find(id)?].as_ref().map(|(_, value)| value),
        }
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut V> {
        if self.newest.as_ref().is_some_and(|(newest, _)| *newest == id) {
            return self.newest.as_mut().map(|(_, value)| value);
        }
        let slot = self.find(id)?;
        self.slots[slot].as_mut().map(|(_, value)| value)
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, id: u32) -> Option<V> {
        match &self.newest {
            Some((newest, _)) if *newest == id => self.newest.take().map(|(_, value)| value),
            _ => self.remove_from_table(id),
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut V)> {
        let in_table = self.slots.iter_mut().flatten();
        in_table.chain(&mut self.newest).map(|(id, value)| (*id, value))
    }

    /// Takes all requests out, in no particular order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (u32, V)> + use<'_, V> {
        self.taken = 0;
        self.slots.iter_mut().filter_map(Option::take).chain(self.newest.take())
    }

    #[inline(never)]
    fn move_newest_to_table(&mut self) {
        if let Some((id, value)) = self.newest.take() {
            self.insert_in_table(id, value);
        }
    }

    /// Puts a request into the table.
    fn insert_in_table(&mut self, id: u32, value: V) {
        if self.slots.len() <= 2 * self.taken {
            self.grow();
        }
        let mut slot = self.preferred_slot(id);
        while self.slots[slot].is_some() {
            slot = self.next_slot(slot);
        }
        self.slots[slot] = Some((id, value));
        self.taken += 1;
    }

    fn remove_from_table(&mut self, id: u32) -> Option<V> {
        let slot = self.find(id)?;
        let (_, value) = self.slots[slot].take()?;
        self.taken -= 1;
        self.close_gap(slot);
        Some(value)
    }

    #[inline]
    fn find(&self, id: u32) -> Option<usize> {
        if self.taken == 0 {
            return None;
        }
        let mut slot = self.preferred_slot(id);
        // The loop ends: half of the slots are free.
        while let Some((found, _)) = &self.slots[slot] {
            if *found == id {
                return Some(slot);
            }
            slot = self.next_slot(slot);
        }
        None
    }

    #[inline]
    fn preferred_slot(&self, id: u32) -> usize {
        id as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// Moves entries back that were displaced because `gap` was taken.
    #[inline]
    fn close_gap(&mut self, mut gap: usize) {
        let mut slot = self.next_slot(gap);
        while let Some((id, _)) = &self.slots[slot] {
            let mask = self.slots.len() - 1;
            let from_home = slot.wrapping_sub(self.preferred_slot(*id)) & mask;
            if from_home >= slot.wrapping_sub(gap) & mask {
                self.slots.swap(gap, slot);
                gap = slot;
            }
            slot = self.next_slot(slot);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.slots.len()).max(FIRST);
        let empty = (0..room).map(|_| None).collect();
        let before = core::mem::replace(&mut self.slots, empty);
        self.taken = 0;
        before.into_iter().flatten().for_each(|(id, value)| self.insert_in_table(id, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    #[test]
    fn it_behaves_like_a_map_under_random_changes() {
        let mut seed = 7_u64;
        let mut random = move |limit: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32 % limit
        };
        let (mut table, mut map) = (Pending::new(), BTreeMap::new());
        for step in 0..20_000_u32 {
            // Numbers of three kinds: in turn, far apart, and such as meet in one slot.
            let id = [step, random(u32::MAX), 64 * random(40)][random(3) as usize];
            match random(5) {
                0..3 if !map.contains_key(&id) && map.len() < 100 => {
                    table.insert(id, step);
                    map.insert(id, step);
                }
                _ => {
                    let some = map.keys().nth(random(100) as usize).copied().unwrap_or(id);
                    assert_eq!(table.get(some).copied(), map.get(&some).copied());
                    assert_eq!(table.remove(some), map.remove(&some));
                    assert!(!table.contains(some));
                }
            }
            assert_eq!(table.len(), map.len());
        }
        assert_eq!(table.iter_mut().count(), map.len());
        let mut rest: Vec<_> = table.drain().collect();
        rest.sort_unstable();
        assert!(rest.into_iter().eq(map));
        assert_eq!((table.len(), table.iter_mut().count()), (0, 0));
    }
}
