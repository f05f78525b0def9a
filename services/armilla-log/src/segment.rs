//! The two blocks that describe a segment: one at the begin of its file and a copy at the end.
//!
//! They are written and on the disk before the file has its name, and never again, so that no power
//! cut tears them. Between them are the records.

use crc32c::crc32c;

/// The size of a block in octets.
pub(crate) const BLOCK: u64 = 4096;

/// What a record needs besides its data, at most, and the record that says that a log was closed.
pub(crate) const OVERHEAD: u64 = 64;

const MAGIC: &[u8; 8] = b"armlog\x00\x01";

/// The octets of a description without its checksum.
const LENGTH: usize = 64;

/// What a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Which log it is of.
    pub(crate) log: u64,
    /// Its own number, which is in its name.
    pub(crate) sequence: u64,
    /// The number of the segment before it; 0 if there is none.
    pub(crate) previous: u64,
    /// The position of its first record.
    pub(crate) base: u64,
    /// The number of its first record.
    pub(crate) first_number: u64,
    /// When it was made, in milliseconds since 1970.
    pub(crate) created: u64,
    /// What its checksums begin with; no other segment has the same.
    pub(crate) salt: u64,
}

impl Segment {
    /// The name of its file.
    pub(crate) fn name(&self) -> String {
        name(self.sequence)
    }

    /// The place in the file of a position.
    pub(crate) const fn offset(&self, position: u64) -> u64 {
        position - self.base + BLOCK
    }

    /// The block that describes it.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let numbers = [
            self.log,
            self.sequence,
            self.previous,
            self.base,
            self.first_number,
            self.created,
            self.salt,
        ];
        let mut block = MAGIC.to_vec();
        numbers.iter().for_each(|number| block.extend_from_slice(&number.to_le_bytes()));
        let sum = crc32c(&block);
        block.extend_from_slice(&sum.to_le_bytes());
        block.resize(BLOCK as usize, 0);
        block
    }

    /// Reads a block; `None` if it is damaged or something else.
    pub(crate) fn decode(block: &[u8]) -> Option<Self> {
        let octets = block.first_chunk::<{ LENGTH + 4 }>()?;
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&octets[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let is_right = octets.starts_with(MAGIC)
            && octets[LENGTH..] == crc32c(&octets[..LENGTH]).to_le_bytes()
            && block[LENGTH + 4..].iter().all(|octet| *octet == 0);
        is_right.then(|| Self {
            log: number(8),
            sequence: number(16),
            previous: number(24),
            base: number(32),
            first_number: number(40),
            created: number(48),
            salt: number(56),
        })
    }
}

/// The name of the file of a segment.
pub(crate) fn name(sequence: u64) -> String {
    format!("{sequence:016x}.segment")
}

/// The number of the segment whose file has this name.
pub(crate) fn sequence(name: &str) -> Option<u64> {
    let sequence = u64::from_str_radix(name.strip_suffix(".segment")?, 16).ok()?;
    (self::name(sequence) == name).then_some(sequence)
}

#[cfg(test)]
mod tests {
    use super::{Segment, name, sequence};

    #[test]
    fn a_description_comes_back_and_every_flipped_bit_is_found() {
        let segment = Segment {
            log: 1,
            sequence: 2,
            previous: 1,
            base: 4096,
            first_number: 9,
            created: 77,
            salt: u64::MAX,
        };
        let mut block = segment.encode();
        assert_eq!(Segment::decode(&block), Some(segment));
        for bit in 0..block.len() * 8 {
            block[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Segment::decode(&block), None, "bit {bit}");
            block[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!((sequence(&name(255)), sequence("lock")), (Some(255), None));
    }
}
