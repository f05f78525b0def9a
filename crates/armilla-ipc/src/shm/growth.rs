//! When a ring uses its large area: it grows where the small one has no room for what is to be
//! written, and goes back to the small one when a stream is idle, or has used little for long.
//!
//! A stream that carries calls and their results stays in the small area, whose few pages stay in
//! the cache of a processor.

use super::budget::Share;
use super::region::Region;
use super::ring::{Area, InvalidIndex, Producer, Ring};
use super::system;

/// How many times in a row the large area was written through without need before it is left.
const CALM_LAPS: u32 = 2;

/// What a ring has of its large area. Goes with its private producer.
#[derive(Debug)]
pub(super) struct Growth {
    /// Held as long as there is memory behind the large area.
    share: Option<Share>,
    /// The position at which the need is looked at again.
    next_look: u64,
    calm_laps: u32,
}

impl Growth {
    /// Of a new ring.
    pub(super) fn new() -> Self {
        Self { share: None, next_look: u64::MAX, calm_laps: 0 }
    }

    /// Whether it is time to [look](Self::look).
    #[inline]
    pub(super) fn is_due(&self, producer: &Producer) -> bool {
        producer.position() >= self.next_look
    }

    /// Moves a producer that has no room to the large area, if it is there and within the limit of
    /// the process, and if the consumer has read what lies there from before.
    #[cold]
    pub(super) fn grow(&mut self, producer: &mut Producer, ring: &Ring, large: u64) {
        if large == 0 || producer.area() == Area::Large || !producer.has_left_other_area() {
            return;
        }
        if self.share.is_none() {
            self.share = Share::take(large);
        }
        if self.share.is_some() {
            producer.move_to(ring, Area::Large);
            (self.next_look, self.calm_laps) = (producer.position() + large, 0);
        }
    }

    /// Looks whether the large area was needed since the last time, for what was written or is now
    /// (`wanted` bytes). If it was not, leaves it; and gives its memory back once it is read.
    #[cold]
    pub(super) fn look(
        &mut self,
        producer: &mut Producer,
        (region, which): (&Region, usize),
        wanted: u64,
    ) -> Result<(), InvalidIndex> {
        let ring = region.ring(which);
        producer.room(ring, u64::MAX)?;
        let small = region.capacities(which).small;
        if producer.area() == Area::Small {
            match producer.has_left_other_area() {
                true => self.give_back(region, which),
                false => self.next_look = producer.position() + small,
            }
            return Ok(());
        }
        let calm = producer.unread() <= small / 2 && wanted <= small / 2;
        self.calm_laps = if calm { self.calm_laps + 1 } else { 0 };
        if self.calm_laps < CALM_LAPS || !producer.has_left_other_area() {
            self.next_look = producer.position() + producer.capacity();
        } else {
            producer.move_to(ring, Area::Small);
            self.next_look = producer.position() + small;
        }
        Ok(())
    }

    /// Leaves the large area and gives its memory back if every byte is read: the stream is idle.
    pub(super) fn shrink(&mut self, producer: &mut Producer, (region, which): (&Region, usize)) {
        let ring = region.ring(which);
        if self.share.is_none() || producer.room(ring, u64::MAX).is_err() || producer.unread() > 0 {
            return;
        }
        if producer.area() == Area::Large {
            producer.move_to(ring, Area::Small);
        }
        self.give_back(region, which);
    }

    /// The producer writes to the small area, and the consumer has read what lies in the large one.
    fn give_back(&mut self, region: &Region, which: usize) {
        system::give_back(region, which);
        (self.share, self.next_look, self.calm_laps) = (None, u64::MAX, 0);
    }
}
