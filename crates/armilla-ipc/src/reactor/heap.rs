//! The priority queue of the timers: a 4-ary heap whose entries know their position, so that any of
//! them can be removed or moved. It reads no clock and calls no handler.

/// A time on whatever clock the caller uses.
pub(super) type Nanos = u64;

/// How many children an entry has; four of them fit a cache line.
const FANOUT: usize = 4;

/// Names an entry; never given out again, as with tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    index: u32,
    generation: u32,
}

/// Values, each with a deadline, or taken out for the time being.
#[derive(Debug)]
pub(super) struct Heap<T> {
    order: Vec<(Nanos, u32)>,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    /// Where in `order` the entry stands, [`OUT`] if it was taken out.
    place: u32,
    value: Option<T>,
}

const OUT: u32 = u32::MAX;

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Self { order: Vec::new(), slots: Vec::new(), free: Vec::new() }
    }
}

impl<T: Clone> Heap<T> {
    /// The earliest deadline.
    pub(super) fn first(&self) -> Option<Nanos> {
        self.order.first().map(|&(deadline, _)| deadline)
    }

    /// Adds a value.
    pub(super) fn insert(&mut self, deadline: Nanos, value: T) -> Key {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, place: OUT, value: None });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.value = Some(value);
        let key = Key { index, generation: slot.generation };
        self.put(deadline, index);
        key
    }

    /// Takes the value with the earliest deadline out of the order, if that is not after `now`. Its
    /// key stays valid until it is removed.
    pub(super) fn pop_due(&mut self, now: Nanos) -> Option<(Key, Nanos, T)> {
        let &(deadline, index) = self.order.first().filter(|&&(deadline, _)| deadline <= now)?;
        self.take_out(index);
        let slot = &self.slots[index as usize];
        let key = Key { index, generation: slot.generation };
        Some((key, deadline, slot.value.clone()?))
    }

    /// Gives an entry a new deadline; false if there is no such entry.
    pub(super) fn set(&mut self, key: Key, deadline: Nanos) -> bool {
        if self.slot(key).is_none() {
            return false;
        }
        self.take_out(key.index);
        self.put(deadline, key.index);
        true
    }

    /// Whether an entry has been taken out and not put back.
    pub(super) fn is_out(&self, key: Key) -> bool {
        self.slot(key).is_some_and(|slot| slot.place == OUT)
    }

    /// Removes an entry and returns its value.
    pub(super) fn remove(&mut self, key: Key) -> Option<T> {
        self.slot(key)?;
        self.take_out(key.index);
        let slot = &mut self.slots[key.index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(key.index);
        slot.value.take()
    }

    fn slot(&self, key: Key) -> Option<&Slot<T>> {
        let slot = self.slots.get(key.index as usize)?;
        (slot.generation == key.generation && slot.value.is_some()).then_some(slot)
    }

    /// Puts an entry that is out into the order.
    fn put(&mut self, deadline: Nanos, index: u32) {
        self.order.push((deadline, index));
        self.sift_up(self.order.len() - 1);
    }

    /// Takes an entry out of the order, if it is in it.
    fn take_out(&mut self, index: u32) {
        let place = std::mem::replace(&mut self.slots[index as usize].place, OUT);
        if place == OUT {
            return;
        }
        let place = place as usize;
        self.order.swap_remove(place);
        if place < self.order.len() {
            self.sift_up(place);
            self.sift_down(self.slots[self.order[place].1 as usize].place as usize);
        }
    }

    /// Moves an entry towards the front as far as it belongs, and notes where it then stands.
    fn sift_up(&mut self, mut place: usize) {
        let entry = self.order[place];
        while place > 0 {
            let parent = (place - 1) / FANOUT;
            if self.order[parent].0 <= entry.0 {
                break;
            }
            self.place_at(place, self.order[parent]);
            place = parent;
        }
        self.place_at(place, entry);
    }

    /// Moves an entry towards the back as far as it belongs.
    fn sift_down(&mut self, mut place: usize) {
        let entry = self.order[place];
        loop {
            let first = place * FANOUT + 1;
            let children = first..(first + FANOUT).min(self.order.len());
            let Some(least) = children.min_by_key(|&child| self.order[child].0) else { break };
            if self.order[least].0 >= entry.0 {
                break;
            }
            self.place_at(place, self.order[least]);
            place = least;
        }
        self.place_at(place, entry);
    }

    fn place_at(&mut self, place: usize, entry: (Nanos, u32)) {
        self.order[place] = entry;
        self.slots[entry.1 as usize].place = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The heap against a sorted map, over thousands of random steps.
    #[test]
    fn it_behaves_like_a_sorted_map() {
        let mut seed = 1_u64;
        let mut random = move |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        let (mut heap, mut model, mut keys) = (Heap::default(), BTreeMap::new(), Vec::new());
        for step in 0..if cfg!(miri) { 300 } else { 20_000_u64 } {
            match random(4) {
                0 | 1 => {
                    let deadline = random(1000) << 20 | step; // no two are equal
                    keys.push((heap.insert(deadline, step), step, deadline));
                    model.insert(deadline, step);
                }
                2 if !keys.is_empty() => {
                    let pick = random(keys.len() as u64) as usize;
                    let (key, value, deadline) = keys.swap_remove(pick);
                    let removed = heap.remove(key);
                    assert_eq!(removed, model.remove(&deadline).map(|_| value));
                    assert_eq!(heap.remove(key), None, "the key is stale");
                    assert!(!heap.set(key, 0), "the key is stale");
                }
                _ if !keys.is_empty() => {
                    let pick = random(keys.len() as u64) as usize;
                    let moved = random(1000) << 20 | step;
                    let (key, value, deadline) = keys[pick];
                    assert!(heap.set(key, moved));
                    model.remove(&deadline);
                    model.insert(moved, value);
                    keys[pick].2 = moved;
                }
                _ => {}
            }
            assert_eq!(heap.first(), model.first_key_value().map(|(&deadline, _)| deadline));
        }
        while let Some((deadline, value)) = model.pop_first() {
            assert_eq!(heap.pop_due(deadline - 1).map(|due| due.2), None);
            let (key, due, taken) = heap.pop_due(deadline).unwrap();
            assert_eq!((due, taken), (deadline, value));
            assert!(heap.is_out(key));
            assert_eq!(heap.remove(key), Some(value));
        }
        assert_eq!(heap.first(), None);
    }
}
