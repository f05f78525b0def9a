//! Logs made of octets that a test chooses, on a simulated disk. Each has one segment, whose salt is 0,
//! so that an input can be a record.

use crate::files::simulated::Disk;
use crate::segment::{BLOCK, Segment};
use crate::state::{self, State};

const SEGMENT: Segment =
    Segment { log: 1, sequence: 1, previous: 0, base: 0, first_number: 0, created: 0, salt: 0 };

/// The size of the segment in blocks: what a damage brings to be looked through again and again.
const BLOCKS: usize = 4;

/// A log that has these octets where its records are; `None` if they do not fit.
pub fn with_records(octets: &[u8]) -> Option<Disk> {
    made(&SEGMENT.encode(), octets, &good_state())
}

/// A log whose state is these octets.
pub fn with_state(octets: &[u8]) -> Option<Disk> {
    made(&SEGMENT.encode(), &[], octets)
}

/// A log whose segment is described by these octets; `None` if they do not fit.
pub fn with_description(octets: &[u8]) -> Option<Disk> {
    made(octets, &[], &good_state())
}

fn good_state() -> Vec<u8> {
    State { log: SEGMENT.log, is_made: true, first: SEGMENT.sequence, ..State::default() }.twice()
}

fn made(block: &[u8], records: &[u8], state: &[u8]) -> Option<Disk> {
    let mut file = vec![0; BLOCKS * BLOCK as usize];
    let (first, rest) = file.split_at_mut(BLOCK as usize);
    let (between, last) = rest.split_at_mut((BLOCKS - 2) * BLOCK as usize);
    for (into, octets) in [(first, block), (between, records), (last, block)] {
        into.get_mut(..octets.len())?.copy_from_slice(octets);
    }
    let disk = Disk::new(0);
    disk.put(&SEGMENT.name(), &file);
    disk.put(state::NAME, state);
    Some(disk)
}
