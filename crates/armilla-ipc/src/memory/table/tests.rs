//! Values that come and go in a table, with one thread and with several.

use super::*;
use crate::memory::entries::FIRST;
use crate::memory::entry::Entry;
use crate::memory::hazard::DEPTH;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{LazyLock, Mutex};
use std::thread;

/// How often an entry is used again while threads access it.
const TURNS: usize = if cfg!(miri) { 50 } else { 2_000 };

/// Counts how many of its kind live.
struct Counted {
    live: Arc<AtomicUsize>,
    slot: Slot,
}

impl Counted {
    fn new(count: &Arc<AtomicUsize>, slot: Slot) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self { live: count.clone(), slot }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A table with one thing, its slot, and how many live.
fn with_one() -> (Table<Counted>, Slot, impl Fn() -> usize) {
    let (table, count) = (Table::new(), Arc::new(AtomicUsize::new(0)));
    let slot = table.insert(1, |slot| Counted::new(&count, slot)).slot;
    (table, slot, move || count.load(Ordering::SeqCst))
}

#[test]
fn a_small_value_lies_in_one_cache_line_with_its_state() {
    assert_eq!(size_of::<Entry<[u64; 7]>>(), 64);
}

#[test]
fn a_removed_value_is_found_no_more_and_dropped_at_once() {
    let (table, slot, live) = with_one();
    assert!(table.get(slot).is_some_and(|it| it.slot == slot));
    assert!(table.remove(slot) && !table.remove(slot));
    assert_eq!(live(), 0);
    assert!(table.get(slot).is_none() && table.at(slot.index).is_none());
}

#[test]
fn an_entry_is_used_again_and_older_slots_lead_nowhere() {
    let (table, slot, live) = with_one();
    table.remove(slot);
    let retry_interrupted = table.insert(2, |slot| Counted::new(&Arc::default(), slot)).slot;
    assert_eq!(
        (retry_interrupted.index, retry_interrupted.generation),
        (slot.index, slot.generation + 1)
    );
    assert!(
        table.get(slot).is_none() && table.get(retry_interrupted).is_some() && !table.remove(slot)
    );
    assert_eq!((table.owner(slot), table.owner(retry_interrupted)), (None, Some(2)));
    assert!(table.may_have_been(slot, 1) && table.may_have_been(retry_interrupted, 2));
    assert!(!table.may_have_been(retry_interrupted, 1));
    assert_eq!(live(), 0);
}

#[test]
fn a_removed_value_stays_until_the_last_guard_goes() {
    let (table, slot, live) = with_one();
    let looks = [(); 3].map(|()| table.get(slot).expect("it is there"));
    assert!(table.remove(slot) && table.get(slot).is_none());
    for look in looks {
        assert_eq!((live(), look.slot), (1, slot));
    }
    assert_eq!(live(), 0);
}

#[test]
fn a_removed_value_stays_until_the_last_handle_goes() {
    let (table, slot, live) = with_one();
    let held = table.get(slot).expect("it is there").to_handle();
    let other = held.clone();
    table.remove(slot);
    drop(held);
    assert_eq!((live(), other.slot), (1, slot));
    let next = table.insert(1, |slot| Counted::new(&Arc::default(), slot));
    assert_ne!(next.slot.index, slot.index);
    drop(other);
    assert_eq!(live(), 0);
}

#[test]
fn more_guards_than_a_thread_has_hazard_pointers_work_the_same() {
    let (table, slot, live) = with_one();
    let looks: Vec<_> = (0..2 * DEPTH).map_while(|_| table.get(slot)).collect();
    assert_eq!(looks.len(), 2 * DEPTH);
    table.remove(slot);
    assert!(table.get(slot).is_none());
    for look in looks.into_iter().rev() {
        assert_eq!((live(), look.slot), (1, slot));
    }
    assert_eq!(live(), 0);
}

#[test]
fn a_slot_is_found_by_the_address_of_its_value() {
    let table = Table::new();
    let given: Vec<_> = (0..200_u64).map(|n| table.insert(1, |slot| (n, slot)).1).collect();
    for slot in given {
        let address = std::ptr::NonNull::from(&*table.get(slot).expect("it is there")).addr();
        assert_eq!(table.slot_of(address), Some(slot));
        assert_eq!(table.slot_of(address | 1), None);
        assert_eq!(Table::<(u64, Slot)>::new().slot_of(address), None);
    }
}

#[test]
fn a_table_drops_its_values_but_for_those_with_handles() {
    let (table, slot, live) = with_one();
    let held = table.get(slot).expect("it is there").to_handle();
    let count = held.live.clone();
    for _ in 0..1_000 {
        table.insert(1, |slot| Counted::new(&count, slot));
    }
    assert_eq!(live(), 1_001);
    drop(table);
    assert_eq!((live(), held.slot), (1, slot));
    drop(held);
    assert_eq!(live(), 0);
}

#[test]
fn many_handles_are_dropped_at_once() {
    let (table, count) = (Table::new(), Arc::new(AtomicUsize::new(0)));
    let held: Vec<_> =
        (0..100).map(|_| table.insert(1, |slot| Counted::new(&count, slot))).collect();
    for gone in held.iter().step_by(2) {
        table.remove(gone.slot);
    }
    let look = table.get(held[1].slot).expect("it is there");
    table.remove(look.slot);
    Handle::drop_all(held);
    assert_eq!(count.load(Ordering::SeqCst), 50);
    drop(look);
    assert_eq!(count.load(Ordering::SeqCst), 49);
}

#[test]
fn the_values_of_an_owner_are_found_among_those_of_others() {
    let table = Table::new();
    let given: Vec<_> = (0..200_u32).map(|n| table.insert(n % 3, |slot| (n, slot))).collect();
    for gone in given.iter().filter(|thing| thing.0 % 2 == 0) {
        assert!(table.remove(gone.1));
    }
    table.insert(1, |slot| (200, slot));
    let ours: Vec<_> = table.of(1).map(|thing| thing.0).filter(|n| *n < 200).collect();
    let expected: Vec<_> = (0..200).filter(|n| n % 3 == 1 && n % 2 == 1).collect();
    assert_eq!(ours, expected);
    assert_eq!(table.of(1).filter(|thing| thing.0 == 200).count(), 1);
    assert_eq!(table.of(3).count(), 0);
}

/// What does something when it is dropped.
struct Acts(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Drop for Acts {
    fn drop(&mut self) {
        if let Some(act) = self.0.take() {
            act();
        }
    }
}

fn actor(table: &Table<Acts>, act: impl FnOnce() + Send + Sync + 'static) -> Handle<Acts> {
    table.insert(1, |_| Acts(Some(Box::new(act))))
}

#[test]
fn the_next_value_of_an_entry_stays_while_a_guard_leads_to_it() {
    thread_local! {
        static LOOK: std::cell::RefCell<Option<Guard<'static, Acts>>> =
            const { std::cell::RefCell::new(None) };
    }
    static TABLE: LazyLock<Table<Acts>> = LazyLock::new(Table::new);
    let (table, live) = (&*TABLE, Arc::new(AtomicBool::new(true)));
    let second = Arc::new(Mutex::new(Slot::NONE));
    // The drop of the first reclaims the second, and puts another value into its entry.
    let (flag, at) = (live.clone(), second.clone());
    let first = actor(table, move || {
        let at = *at.lock().expect("nobody panics");
        assert!(table.get(at).is_none());
        let third = actor(table, move || flag.store(false, Ordering::SeqCst));
        let entry = table.0.entry(at.index).expect("it was there");
        let slot = Slot { index: at.index, generation: entry.state.generation() };
        LOOK.set(table.get(slot));
        assert_eq!(slot.generation, at.generation.wrapping_add(1));
        assert!(table.remove(slot));
        drop(third);
    });
    let other = table.insert(1, |slot| {
        *second.lock().expect("nobody panics") = slot;
        Acts(None)
    });
    assert!(
        table.remove(Slot { index: 0, generation: 1 })
            && table.remove(Slot { index: 1, generation: 1 })
    );
    Handle::drop_all(vec![first, other]);
    assert!(live.load(Ordering::SeqCst), "somebody looks");
    LOOK.take();
    assert!(!live.load(Ordering::SeqCst));
}

#[test]
fn a_panicking_destructor_does_not_keep_other_values() {
    let (table, gone) = (Table::new(), Arc::new(AtomicUsize::new(0)));
    let held: Vec<_> = (0..5)
        .map(|number| {
            let gone = gone.clone();
            actor(&table, move || {
                gone.fetch_add(1, Ordering::SeqCst);
                assert_ne!(number, 1, "as it should here");
            })
        })
        .collect();
    (0..5).for_each(|index| assert!(table.remove(Slot { index, generation: 1 })));
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Handle::drop_all(held)));
    assert!(dropped.is_err());
    assert_eq!(gone.load(Ordering::SeqCst), 5);
    assert_eq!(table.0.lock().given_back.len(), 5);
}

#[test]
fn a_new_owner_of_a_slot_is_not_mistaken_for_the_old_one() {
    let table = Table::new();
    let old = *table.insert(1, |slot| slot);
    table.remove(old);
    table.insert(2, |slot| {
        assert_eq!((table.owner(old), table.may_have_been(old, 1)), (None, true));
        slot
    });
}

#[test]
fn things_may_be_of_any_size_and_alignment() {
    #[derive(Debug, PartialEq)]
    #[repr(align(512))]
    struct Aligned(u8);
    let (nothing, aligned) = (Table::new(), Table::new());
    for _ in 0..2 * FIRST {
        assert!(!nothing.remove(Slot::NONE));
        nothing.insert(1, |_| ());
        let held = aligned.insert(1, |slot| Aligned(slot.index as u8));
        assert_eq!(std::ptr::from_ref(&*held).addr() % 512, 0);
    }
    for index in 0..2 * FIRST as u32 {
        let slot = Slot { index, generation: 1 };
        let mut look = aligned.get(slot).expect("it is there");
        assert!(look.begin_use() && aligned.remove(slot) && nothing.remove(slot));
        assert_eq!(*look, Aligned(index as u8));
    }
    assert_eq!(aligned.0.lock().given_back.len(), 2 * FIRST);
    assert_eq!(nothing.0.lock().given_back.len(), 2 * FIRST);
}

/// Threads look at things, and hold them, while others take them out and put new ones in.
#[test]
fn readers_see_no_removed_value_and_all_memory_is_freed() {
    let (table, count) = (Table::new(), Arc::new(AtomicUsize::new(0)));
    let current: [Mutex<Slot>; 4] =
        [(); 4].map(|()| Mutex::new(table.insert(0, |slot| Counted::new(&count, slot)).slot));
    let (over, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for looker in 0..3 {
            let (table, current, over, seen) = (&table, &current, &over, &seen);
            scope.spawn(move || {
                let mut kept = Vec::new();
                for turn in 0_usize.. {
                    if over.load(Ordering::SeqCst) {
                        break;
                    }
                    let slot = *current[turn % 4].lock().expect("nobody panics");
                    let Some(guard) = table.get(slot) else { continue };
                    assert_eq!(guard.slot, slot);
                    assert!(guard.live.load(Ordering::SeqCst) > 0);
                    if turn % 7 == looker {
                        kept.push(guard.to_handle());
                        kept.truncate(3);
                    }
                    assert!(kept.iter().all(|held| held.live.load(Ordering::SeqCst) > 0));
                    seen.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for turn in 0..TURNS {
            let mut current = current[turn % 4].lock().expect("nobody panics");
            let old = *current;
            *current = table.insert(0, |slot| Counted::new(&count, slot)).slot;
            drop(current);
            assert!(table.remove(old));
        }
        over.store(true, Ordering::SeqCst);
    });
    assert_eq!(count.load(Ordering::SeqCst), 4);
    let entries = table.0.lock().never_used as usize;
    // One for each value, for insertions before the removal of the last value, for guards and
    // handles.
    assert!(entries <= 4 + 1 + 3 * 5, "{entries} entries");
    let free: HashSet<_> = table.0.lock().given_back.iter().copied().collect();
    assert_eq!(free.len(), entries - 4);
}
