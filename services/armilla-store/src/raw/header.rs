//! The header of a redb file: which of two states is the current one, and where its trees are.

use super::page::{u32_at, u64_at, u128_at, xxh3};

/// How many octets the header has.
pub(crate) const SIZE: usize = 320;

/// The size of the smallest page.
const PAGE: u32 = 4096;

const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// The version of the format, of which each slot says that it has it.
const VERSION: u8 = 3;

const FLAGS: usize = 9;
const SLOTS: [usize; 2] = [64, 192];
const SLOT: usize = 128;

const SECOND_IS_CURRENT: u8 = 1;
const IS_OPEN: u8 = 2;
const TWO_PHASES: u8 = 4;

/// Where pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Pages in front of those of a region, which hold no data.
    pub(crate) header_pages: u64,
    /// Pages of a region.
    pub(crate) data_pages: u64,
}

impl Geometry {
    /// That of all files: what the engine makes by default.
    pub(crate) const DEFAULT: Self = Self { header_pages: 0, data_pages: 1 << 20 };
}

/// Where a tree begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) page: u64,
    pub(crate) checksum: u128,
    /// How many rows the tree has.
    pub(crate) rows: u64,
}

impl Root {
    /// How many octets it has in the file.
    pub(crate) const SIZE: usize = 32;

    pub(crate) fn read(octets: &[u8]) -> Option<Self> {
        let (page, checksum) = (u64_at(octets, 0)?, u128_at(octets, 8)?);
        Some(Self { page, checksum, rows: u64_at(octets, 24)? })
    }
}

/// One of the two states that a file has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Where it is in the file.
    pub(crate) offset: u64,
    /// Whether it has its checksum.
    pub(crate) is_whole: bool,
    /// The number of the commit, as the engine counts them.
    pub(crate) transaction: u64,
    /// The tree of tables of the service, and that of the engine.
    pub(crate) trees: [Option<Root>; 2],
}

impl Slot {
    fn read(octets: &[u8], offset: usize) -> Option<Self> {
        let slot = octets.get(offset..offset + SLOT)?;
        let tree = |flag: usize, at: usize| {
            let root = Root::read(&slot[at..])?;
            // The flag may be what is damaged.
            (slot[flag] != 0 || root.checksum != 0).then_some(root)
        };
        Some(Self {
            offset: offset as u64,
            is_whole: u128_at(slot, SLOT - 16)? == xxh3(&slot[..SLOT - 16]),
            transaction: u64_at(slot, 104)?,
            trees: [tree(1, 8), tree(2, 40)],
        })
    }
}

/// The header.
#[derive(Debug)]
pub(crate) struct Header {
    /// Where what never changes is not as it should be, and what it says.
    pub(crate) fault: Option<(u64, &'static str)>,
    /// Whether the process before has closed it.
    pub(crate) was_closed: bool,
    /// The state that the engine takes, and the other one.
    pub(crate) slots: [Slot; 2],
    /// Where the state that is said to be the current one is if it is not whole.
    pub(crate) broken: Option<u64>,
}

impl Header {
    /// `None` if there are too few octets.
    pub(crate) fn read(octets: &[u8]) -> Option<Self> {
        let flags = *octets.get(FLAGS)?;
        let slots = [Slot::read(octets, SLOTS[0])?, Slot::read(octets, SLOTS[1])?];
        let marked = usize::from(flags & SECOND_IS_CURRENT != 0);
        let [current, other] = [slots[marked], slots[1 - marked]];
        // A commit in two phases has its pages on the disk before it is the current one.
        let is_sure = flags & TWO_PHASES != 0 && current.is_whole;
        let is_newer = !current.is_whole || !is_sure && other.transaction > current.transaction;
        let slots = if other.is_whole && is_newer { [other, current] } else { [current, other] };
        let geometry = Geometry {
            header_pages: u32_at(octets, 16)?.into(),
            data_pages: u32_at(octets, 20)?.into(),
        };
        Some(Self {
            fault: fault(octets, geometry),
            was_closed: flags & IS_OPEN == 0,
            slots,
            broken: (!current.is_whole).then_some(current.offset),
        })
    }
}

/// What never changes.
fn fault(octets: &[u8], geometry: Geometry) -> Option<(u64, &'static str)> {
    if !octets.starts_with(MAGIC) {
        return Some((0, "it does not begin as a store does"));
    }
    if u32_at(octets, 12) != Some(PAGE) {
        return Some((12, "the size of its pages is wrong"));
    }
    let has_version = |slot: &&usize| octets.get(**slot) == Some(&VERSION);
    if let Some(slot) = SLOTS.iter().find(|slot| !has_version(slot)) {
        return Some((*slot as u64, "the version of its format is wrong"));
    }
    match geometry {
        Geometry::DEFAULT => None,
        Geometry { header_pages: 0, .. } => Some((20, "the number of its pages is wrong")),
        _ => Some((16, "the place of its pages is wrong")),
    }
}
