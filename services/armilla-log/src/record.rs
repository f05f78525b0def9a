//! A record in a segment: a header of 20 octets, the data, zeros up to a multiple of 8.
//!
//! Both checksums begin with the segment's salt and the record's position. So what an earlier use of
//! a file has left is no record, and nobody who chooses the data of records can make one.
//!
//! ```text
//! 0  length of the data                         u32, little-endian as all numbers
//! 4  kind in the top four bits, below them the number in the segment
//! 8  how many octets before it were not synced when it was written
//! 12 checksum of octets 0 to 11
//! 16 checksum of the data and the zeros behind it
//! ```

use crc32c::{crc32c, crc32c_append};

/// The octets before the data.
pub(crate) const HEADER: usize = 20;

/// Records begin at multiples of this.
pub(crate) const ALIGN: usize = 8;

/// The greatest number in a segment.
const MOST: u32 = (1 << 28) - 1;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What a program has appended.
    Data,
    /// The log was closed, and all before it is on the disk.
    Closed,
    /// What stood here is lost; the length says how much. It has no data.
    Lost,
}

/// The header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// The length of the data, without the zeros behind it.
    pub(crate) length: u32,
    /// The number in the segment, from 0.
    pub(crate) number: u32,
    /// How many octets before the record were not on the disk for certain when it was written.
    pub(crate) unsynced: u32,
    sum: u32,
}

/// How many octets a record with this many octets of data takes.
pub(crate) const fn size(length: usize) -> usize {
    (HEADER + length).next_multiple_of(ALIGN)
}

/// With what the checksums of a record begin.
fn seed(salt: u64, position: u64) -> u32 {
    let mut octets = [0; 16];
    octets[..8].copy_from_slice(&salt.to_le_bytes());
    octets[8..].copy_from_slice(&position.to_le_bytes());
    crc32c(&octets)
}

impl Header {
    /// The octets that the record takes.
    pub(crate) const fn size(&self) -> u64 {
        size(self.length as usize) as u64
    }

    /// Reads the header of a record at a position; `None` if none begins there.
    pub(crate) fn decode(octets: &[u8], salt: u64, position: u64) -> Option<Self> {
        let octets = octets.first_chunk::<HEADER>()?;
        let word = |at: usize| {
            u32::from_le_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]])
        };
        let kind = match word(4) >> 28 {
            1 => Kind::Data,
            2 => Kind::Closed,
            3 => Kind::Lost,
            _ => return None,
        };
        if word(12) != crc32c_append(seed(salt, position), &octets[..12]) {
            return None;
        }
        let (length, number, unsynced, sum) = (word(0), word(4) & MOST, word(8), word(16));
        Some(Self { kind, length, number, unsynced, sum })
    }

    /// Whether this is the data, with the zeros behind it.
    pub(crate) fn has(&self, data: &[u8], salt: u64, position: u64) -> bool {
        let (content, padding) = data.split_at(data.len().min(self.length as usize));
        padding.iter().all(|octet| *octet == 0)
            && self.sum == crc32c_append(seed(salt, position), content)
    }
}

/// What a record is besides its data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) salt: u64,
    pub(crate) position: u64,
    /// The number in the segment.
    pub(crate) number: u32,
    pub(crate) unsynced: u32,
}

/// Writes a record behind what `into` has. Its data is shorter than 4 GiB.
pub(crate) fn encode(into: &mut Vec<u8>, kind: Kind, place: Place, data: &[u8]) {
    let begin = into.len();
    put_header(into, kind, place, data.len() as u32, data);
    into.extend_from_slice(data);
    into.resize(begin + size(data.len()), 0);
}

/// Writes the header of a gap of so many octets, which are a multiple of 8 and at least 24.
pub(crate) fn encode_lost(into: &mut Vec<u8>, place: Place, octets: u32) {
    put_header(into, Kind::Lost, place, octets - HEADER as u32, &[]);
}

fn put_header(into: &mut Vec<u8>, kind: Kind, place: Place, length: u32, data: &[u8]) {
    let kind: u32 = match kind {
        Kind::Data => 1,
        Kind::Closed => 2,
        Kind::Lost => 3,
    };
    let seed = seed(place.salt, place.position);
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..8].copy_from_slice(&(kind << 28 | place.number & MOST).to_le_bytes());
    header[8..12].copy_from_slice(&place.unsynced.to_le_bytes());
    let sum = crc32c_append(seed, &header[..12]);
    header[12..16].copy_from_slice(&sum.to_le_bytes());
    header[16..].copy_from_slice(&crc32c_append(seed, data).to_le_bytes());
    into.extend_from_slice(&header);
}

#[cfg(test)]
mod tests {
    use super::{HEADER, Header, Kind, Place, encode, size};

    const PLACE: Place = Place { salt: 7, position: 4096, number: 3, unsynced: 64 };

    #[test]
    fn a_record_is_one_only_with_its_salt_and_at_its_position() {
        let mut octets = Vec::new();
        encode(&mut octets, Kind::Data, PLACE, b"a record");
        assert_eq!(octets.len(), size(8));
        let header = Header::decode(&octets, 7, 4096).expect("it is one");
        assert_eq!((header.kind, header.number, header.unsynced), (Kind::Data, 3, 64));
        assert!(header.has(&octets[HEADER..], 7, 4096));
        assert!(Header::decode(&octets, 8, 4096).is_none(), "another salt");
        assert!(Header::decode(&octets, 7, 4104).is_none(), "another position");
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let mut octets = Vec::new();
        encode(&mut octets, Kind::Data, PLACE, b"some data of it");
        for bit in 0..octets.len() * 8 {
            octets[bit / 8] ^= 1 << (bit % 8);
            let header = Header::decode(&octets, 7, 4096);
            let is_found = header.is_none_or(|header| {
                size(header.length as usize) != octets.len()
                    || !header.has(&octets[HEADER..], 7, 4096)
            });
            assert!(is_found, "bit {bit}");
            octets[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn zeros_are_no_record() {
        assert!(Header::decode(&[0; 64], 0, 0).is_none());
    }
}
