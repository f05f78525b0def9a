//! The trees of a redb file, row by row, whatever is damaged in them.

use super::header::{Geometry, Header, Root, SIZE};
use super::page::{Page, Widths, mend, u32_at, u64_at};
use crate::disk::DiskFile;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;

pub(crate) const PAGE: u64 = 4096;

/// What is said of an octet that was wrong.
pub(crate) const MENDED: &str = "this octet was wrong, and is mended";

/// No tree is as deep as this.
const DEEPEST: usize = 64;

/// The largest page: 2 to this power pages of the smallest size. The engine knows 20.
const LARGEST: u64 = 20;

/// Where pages are, by checksum.
type Places = HashMap<u128, u64>;

/// A file that is read without the engine.
pub(crate) struct Image {
    file: DiskFile,
    pub(crate) length: u64,
    pub(crate) header: Header,
    /// Whether a page that is not where it should be is looked for in the whole file.
    searches: bool,
    /// Where pages are whose rows have these widths.
    found: RefCell<HashMap<Widths, Places>>,
    /// The octet with which a page has its checksum, and where it is in the page, by checksum.
    mended: RefCell<HashMap<u128, Option<(usize, u8)>>>,
}

/// A row.
pub(crate) struct Row<'r> {
    pub(crate) key: &'r [u8],
    pub(crate) value: &'r [u8],
    /// Where the value is in the file.
    pub(crate) offset: u64,
    /// Whether its page has its checksum.
    pub(crate) is_whole: bool,
}

/// What a walk meets.
pub(crate) enum Met<'r> {
    Row(Row<'r>),
    /// What is damaged: where in the file, and what.
    Damage(u64, String),
}

/// A table, as the tree of tables has it.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// How many rows it should have.
    pub(crate) rows: u64,
    pub(crate) root: Option<Root>,
    pub(crate) widths: Widths,
    /// Whether this is written in a page with its checksum.
    pub(crate) is_whole: bool,
}

impl Table {
    fn read(row: &Row<'_>) -> Option<Self> {
        let octets = row.value;
        let width = |at: usize| {
            let width = u32_at(octets, at + 1)?;
            Some((*octets.get(at)? != 0).then_some(width as usize))
        };
        let behind = 10 + Root::SIZE;
        let root = Root::read(octets.get(10..)?)?;
        Some(Self {
            name: String::from_utf8_lossy(row.key).into_owned(),
            rows: u64_at(octets, 1)?,
            root: (octets[9] != 0 || root.checksum != 0).then_some(root),
            widths: Widths { key: width(behind)?, value: width(behind + 5)? },
            is_whole: row.is_whole,
        })
    }
}

impl Image {
    /// The file, if it is long enough for a header.
    pub(crate) fn of(file: &DiskFile, searches: bool) -> io::Result<Option<Self>> {
        let length = file.length()?;
        let mut octets = [0; SIZE];
        if length < octets.len() as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut octets, 0)?;
        let (found, mended, file) = (RefCell::default(), RefCell::default(), file.clone());
        let image = |header| Self { file, length, header, searches, found, mended };
        Ok(Header::read(&octets).map(image))
    }

    /// Mends a page that has not its checksum; returns where.
    fn mend(&self, octets: &mut [u8], widths: Widths, checksum: u128) -> Option<usize> {
        let mut mended = self.mended.borrow_mut();
        let known = mended.entry(checksum).or_insert_with(|| {
            let at = mend(octets, widths, checksum)?;
            Some((at, octets[at]))
        });
        let (at, octet) = (*known)?;
        *octets.get_mut(at)? = octet;
        Some(at)
    }

    /// Where a page is, and how many octets it has; `None` if it is not in the file.
    fn place(&self, number: u64) -> Option<(u64, u64)> {
        let order = number >> 59;
        if order > LARGEST {
            return None;
        }
        let (index, region) = (number & (0xf_ffff >> order), number >> 20 & 0xf_ffff);
        let Geometry { header_pages, data_pages } = Geometry::DEFAULT;
        let before = region.checked_mul(header_pages + data_pages)? + header_pages + 1;
        let offset = before.checked_add(index << order)?.checked_mul(PAGE)?;
        Some((offset, PAGE << order))
    }

    /// A page at a place, cut off where the file ends.
    fn read(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let there = self.length.saturating_sub(offset).min(length);
        let mut octets = vec![0; usize::try_from(there).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut octets, offset)?;
        Ok(octets)
    }

    /// The tables of a state; damage of the tree of tables is met by `meet`.
    pub(crate) fn tables(
        &self,
        root: Option<Root>,
        meet: &mut dyn FnMut(u64, String),
    ) -> io::Result<Vec<Table>> {
        let mut tables = Vec::new();
        let Some(root) = root else { return Ok(tables) };
        self.walk(root, Widths { key: None, value: None }, &mut |met| match met {
            Met::Damage(at, what) => meet(at, what),
            Met::Row(row) => match Table::read(&row) {
                Some(table) => tables.push(table),
                None => meet(row.offset, "a table is not described as it should be".to_owned()),
            },
        })?;
        Ok(tables)
    }

    /// Hands over the rows of a tree in order, and what is damaged in it.
    pub(crate) fn walk(
        &self,
        root: Root,
        widths: Widths,
        meet: &mut dyn FnMut(Met<'_>),
    ) -> io::Result<()> {
        let mut walk = Walk { image: self, widths, seen: HashSet::new(), meet };
        walk.page(root.page, root.checksum, DEEPEST)
    }

    /// Where a page with this checksum is.
    fn search(&self, checksum: u128, widths: Widths) -> io::Result<Option<u64>> {
        if !self.searches {
            return Ok(None);
        }
        let mut found = self.found.borrow_mut();
        if let Some(places) = found.get(&widths) {
            return Ok(places.get(&checksum).copied());
        }
        let mut places = Places::new();
        for offset in (PAGE..self.length).step_by(PAGE as usize) {
            // A page that is larger ends somewhere: nothing is hashed that a page does not have.
            let octets = self.read(offset, MOST)?;
            if let Some(sum) = Page::read(&octets, widths).and_then(|page| page.checksum()) {
                places.insert(sum, offset);
            }
        }
        let place = places.get(&checksum).copied();
        found.insert(widths, places);
        Ok(place)
    }
}

/// How many octets of a page are looked at to find one that is not where it should be.
const MOST: u64 = 16 * PAGE;

/// A walk through a tree.
struct Walk<'w> {
    image: &'w Image,
    widths: Widths,
    /// The pages that were met: a damaged branch must not lead in a circle.
    seen: HashSet<u64>,
    meet: &'w mut dyn FnMut(Met<'_>),
}

impl Walk<'_> {
    fn page(&mut self, number: u64, checksum: u128, deeper: usize) -> io::Result<()> {
        let is_right = |octets: &[u8], widths| {
            Page::read(octets, widths).and_then(|page| page.checksum()) == Some(checksum)
        };
        let mut place = self.image.place(number);
        let mut octets = match place {
            Some((offset, length)) => self.image.read(offset, length)?,
            None => Vec::new(),
        };
        let mut is_whole = is_right(&octets, self.widths);
        if !is_whole {
            self.complain(place, &octets);
            if let Some(offset) = self.image.search(checksum, self.widths)? {
                octets = self.image.read(offset, MOST)?;
                (place, is_whole) = (Some((offset, MOST)), true);
            } else if self.image.searches
                && let Some(at) = self.image.mend(&mut octets, self.widths, checksum)
            {
                is_whole = true;
                let offset = place.map_or(0, |(offset, _)| offset) + at as u64;
                (self.meet)(Met::Damage(offset, MENDED.to_owned()));
            }
        }
        let Some((offset, _)) = place else { return Ok(()) };
        if !self.seen.insert(offset) || deeper == 0 {
            (self.meet)(Met::Damage(offset, "a page is led to twice".to_owned()));
            return Ok(());
        }
        match Page::read(&octets, self.widths) {
            Some(Page::Leaf(leaf)) => {
                for row in 0..leaf.count {
                    if let Some((key, value, at)) = leaf.row(row) {
                        let offset = offset + at as u64;
                        (self.meet)(Met::Row(Row { key, value, offset, is_whole }));
                    }
                }
            }
            Some(Page::Branch(branch)) => {
                for child in 0..branch.count() {
                    let Some((number, checksum)) = branch.child(child) else { break };
                    self.page(number, checksum, deeper - 1)?;
                }
            }
            None => {}
        }
        Ok(())
    }

    fn complain(&mut self, place: Option<(u64, u64)>, octets: &[u8]) {
        let (offset, what) = match place {
            None => (0, "the place of a page is none".to_owned()),
            Some((offset, length)) if (octets.len() as u64) < length => {
                (offset, format!("a page of {length} octets lies behind the end of the file"))
            }
            Some((offset, length)) => {
                (offset, format!("a page of {length} octets does not have its checksum"))
            }
        };
        (self.meet)(Met::Damage(offset, what));
    }
}
