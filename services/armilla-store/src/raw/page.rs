//! The pages of a redb file: leaves with rows, and branches with the places of other pages. What is
//! read may be damaged, so that every place in it is checked.

use std::ops::Range;
use twox_hash::XxHash3_128;

const LEAF: u8 = 1;
const BRANCH: u8 = 2;

pub(crate) fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

pub(crate) fn u64_at(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

pub(crate) fn u128_at(octets: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*octets.get(at..)?.first_chunk()?))
}

/// The checksum of a page or of a slot of the header.
pub(crate) fn xxh3(octets: &[u8]) -> u128 {
    XxHash3_128::oneshot(octets)
}

/// How many octets keys and values have, if all have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Widths {
    pub(crate) key: Option<usize>,
    pub(crate) value: Option<usize>,
}

/// What a page is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Page<'p> {
    Leaf(Leaf<'p>),
    Branch(Branch<'p>),
}

impl<'p> Page<'p> {
    /// The page in octets; `None` if they are none.
    pub(crate) fn read(octets: &'p [u8], widths: Widths) -> Option<Self> {
        let count = usize::from(u16_at(octets, 2)?);
        match (octets.first()?, count) {
            (_, 0) => None,
            (&LEAF, _) => Some(Self::Leaf(Leaf { octets, widths, count })),
            (&BRANCH, _) => Some(Self::Branch(Branch { octets, key: widths.key, keys: count })),
            _ => None,
        }
    }

    /// The octets that it uses; `None` if it does not fit together.
    fn used(&self) -> Option<&'p [u8]> {
        match self {
            Self::Leaf(leaf) => leaf.octets.get(..leaf.value_end(leaf.count - 1)?),
            Self::Branch(branch) => branch.octets.get(..branch.key_end(branch.keys - 1)?),
        }
    }

    /// Its checksum; `None` if it does not fit together.
    pub(crate) fn checksum(&self) -> Option<u128> {
        self.used().map(xxh3)
    }
}

/// A page of so many octets is mended whatever value an octet has; a larger one if a single bit of
/// it is wrong.
const SMALL: usize = 1024;

/// A page with more octets is not mended: that takes the square of the time.
const LARGEST_MENDED: usize = 16 << 10;

/// The first octets of a page, which say how all others are read.
const FIRST: usize = 4;

/// Mends a page of which one octet is damaged, if its checksum shows which one and what it was.
/// Returns where that was.
pub(crate) fn mend(octets: &mut [u8], widths: Widths, checksum: u128) -> Option<usize> {
    let used = Page::read(octets, widths).and_then(|page| page.used()).map(<[u8]>::len);
    let used = used.unwrap_or(octets.len());
    if used > LARGEST_MENDED {
        return None;
    }
    for at in 0..used {
        let found = octets[at];
        let is_any = at < FIRST || used <= SMALL;
        let differences: &[u8] = if is_any { &ANY } else { &[1, 2, 4, 8, 16, 32, 64, 128] };
        for difference in differences {
            octets[at] = found ^ difference;
            let page = Page::read(octets, widths);
            if page.and_then(|page| page.checksum()) == Some(checksum) {
                return Some(at);
            }
        }
        octets[at] = found;
    }
    None
}

/// Every difference between two octets.
const ANY: [u8; 255] = {
    let mut all = [0; 255];
    let mut at = 0;
    while at < all.len() {
        all[at] = at as u8 + 1;
        at += 1;
    }
    all
};

/// A page of rows: the ends of the keys, the ends of the values, the keys, the values. The ends are
/// there if keys and values differ in width.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'p> {
    octets: &'p [u8],
    widths: Widths,
    /// How many rows it has; at least one.
    pub(crate) count: usize,
}

impl<'p> Leaf<'p> {
    fn ends(&self) -> [usize; 2] {
        let of = |width: Option<usize>| if width.is_none() { 4 * self.count } else { 0 };
        [of(self.widths.key), of(self.widths.value)]
    }

    fn keys_begin(&self) -> usize {
        4 + self.ends().iter().sum::<usize>()
    }

    fn end(&self, at: usize) -> Option<usize> {
        usize::try_from(u32_at(self.octets, at)?).ok()
    }

    fn key_end(&self, row: usize) -> Option<usize> {
        match self.widths.key {
            Some(width) => Some(self.keys_begin() + width * (row + 1)),
            None => self.end(4 + 4 * row),
        }
    }

    fn value_end(&self, row: usize) -> Option<usize> {
        match self.widths.value {
            Some(width) => Some(self.key_end(self.count - 1)? + width * (row + 1)),
            None => self.end(4 + self.ends()[0] + 4 * row),
        }
    }

    fn key(&self, row: usize) -> Option<Range<usize>> {
        let begin = if row == 0 { self.keys_begin() } else { self.key_end(row - 1)? };
        Some(begin..self.key_end(row)?)
    }

    fn value(&self, row: usize) -> Option<Range<usize>> {
        let last = self.count - 1;
        let begin = if row == 0 { self.key_end(last)? } else { self.value_end(row - 1)? };
        Some(begin..self.value_end(row)?)
    }

    /// Key and value of a row, and where the value is in the page; `None` if they are not in it.
    pub(crate) fn row(&self, row: usize) -> Option<(&'p [u8], &'p [u8], usize)> {
        let value = self.value(row)?;
        let begin = value.start;
        Some((self.octets.get(self.key(row)?)?, self.octets.get(value)?, begin))
    }
}

/// A page with the places of others: their checksums, their numbers, and keys between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Branch<'p> {
    octets: &'p [u8],
    key: Option<usize>,
    keys: usize,
}

impl Branch<'_> {
    /// How many pages it leads to.
    pub(crate) fn count(&self) -> usize {
        self.keys + 1
    }

    /// The number of a page, and its checksum.
    pub(crate) fn child(&self, child: usize) -> Option<(u64, u128)> {
        let checksum = u128_at(self.octets, 8 + 16 * child)?;
        Some((u64_at(self.octets, 8 + 16 * self.count() + 8 * child)?, checksum))
    }

    fn key_end(&self, key: usize) -> Option<usize> {
        let ends = 8 + 24 * self.count();
        match self.key {
            Some(width) => Some(ends + width * (key + 1)),
            None => usize::try_from(u32_at(self.octets, ends + 4 * key)?).ok(),
        }
    }
}
