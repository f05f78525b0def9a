//! The walk through a data set: its elements, sequences and items, with each length checked before
//! anything is reserved or read for it. It takes time linear in the octets, and memory for the nesting
//! only; what is wanted of the data set is written elsewhere while it passes.

use super::encoding::{Encoding, has_long_length, width};
use super::limits::{Beginning, Pixels, too_much};
use super::rewritten::{Form, Rewritten};
use super::source::{Source, read_some};
use crate::dicom::{DicomError, failed};
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry, VirtualVr};
use dicom_core::{Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use std::io;

/// How many sequences may be nested in one another.
const DEEPEST: usize = 31;

/// The longest value but pixels of an object whose octets are compressed, so that nobody knows how
/// many follow.
const LONGEST: u64 = 16 << 20;

/// The most octets of a compressed object as they are.
const MOST_INFLATED: u64 = 1 << 30;

/// The most items of encoded pixels whose places are noted.
const MOST_ITEMS: usize = 1 << 20;

/// The longest value of unknown kind that is tried as a sequence.
const LONGEST_TRIED: u32 = 16 << 20;

/// How many octets of a value are copied at a time; a multiple of all widths.
const STEP: usize = 16 << 10;

const UNDEFINED: u32 = u32::MAX;

const ITEM: Tag = Tag(0xfffe, 0xe000);
const ITEM_END: Tag = Tag(0xfffe, 0xe00d);
const SEQUENCE_END: Tag = Tag(0xfffe, 0xe0dd);

/// Octets between objects, which are no part of either (PS3.10, 7.2).
const PADDING: Tag = Tag(0xfffc, 0xfffc);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Elements: the whole, or an item.
    Set,
    /// Items with elements.
    Sequence,
    /// Items with encoded pixels.
    Fragments,
}

/// What the walk is in.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    /// Where it ends; at a delimiter if nothing is said.
    end: Option<u64>,
    /// How what follows it is written, if in another way than what is in it.
    around: Option<Encoding>,
    /// Whether something was in it.
    filled: bool,
}

pub(super) struct Walker<'w, S> {
    pub(super) from: S,
    pub(super) at: u64,
    size: u64,
    pub(super) encoding: Encoding,
    levels: Vec<Level>,
    /// Sequences around the whole.
    depth: usize,
    /// What is limited, as long as the walk is in it.
    pub(super) beginning: Option<Beginning>,
    /// Elements and items so far.
    entries: u64,
    /// Whether pixels have a sign (PS3.3, C.7.6.3.1): it counts for other values, too.
    signed: bool,
    /// Where the data set is written.
    pub(super) to: Option<Rewritten<'w>>,
    /// The first tag that is not written.
    pub(super) to_end: Option<Tag>,
}

impl<'w, S: Source> Walker<'w, S> {
    /// `size` is where the octets end, or `u64::MAX` if nobody knows.
    pub(super) fn new(from: S, at: u64, size: u64, encoding: Encoding) -> Self {
        let whole = Level { kind: Kind::Set, end: None, around: None, filled: false };
        Self {
            from,
            at,
            size,
            encoding,
            levels: vec![whole],
            depth: 0,
            beginning: None,
            entries: 0,
            signed: false,
            to: None,
            to_end: None,
        }
    }

    /// Walks to the end; or until a tag of the outermost set is read that is this one or a greater
    /// one, and tells whether it is this one.
    pub(super) fn walk(&mut self, until: Option<Tag>) -> Result<bool, DicomError> {
        while let Some(level) = self.levels.last().copied() {
            if level.end == Some(self.at) {
                self.leave()?;
                continue;
            }
            if level.end.is_some_and(|end| self.at > end) {
                return Err(self.wrong("an element is longer than what holds it"));
            }
            let tag = self.tag()?;
            self.limit(tag)?;
            let Some(tag) = tag else {
                self.end()?;
                return Ok(false);
            };
            if self.levels.len() == 1 {
                if until.is_some_and(|until| until <= tag) {
                    return Ok(until == Some(tag));
                }
                if self.to_end.is_some_and(|end| end <= tag) {
                    self.to = None;
                }
            }
            match level.kind {
                Kind::Set => self.element(tag)?,
                Kind::Sequence | Kind::Fragments => self.item(tag, level.kind)?,
            }
        }
        Ok(false)
    }

    /// There is nothing more. Some writers leave out the last delimiters; whoever is cut off loses
    /// more than those.
    fn end(&mut self) -> Result<(), DicomError> {
        let open = &self.levels[1..];
        let left_out =
            open.iter().all(|level| level.end.is_none()) && open.last().is_none_or(|it| it.filled);
        if !left_out {
            return Err(self.wrong("it is cut off within a sequence"));
        }
        while self.levels.len() > 1 {
            self.leave()?;
        }
        Ok(())
    }

    /// Whether memory has room for what was passed of the beginning. `tag` is the next one.
    fn limit(&mut self, tag: Option<Tag>) -> Result<(), DicomError> {
        if self.size == u64::MAX && self.at > MOST_INFLATED {
            return Err(self.beyond(&format!("it is larger than {MOST_INFLATED} octets")));
        }
        let Some(Beginning { end, octets, entries }) = self.beginning else { return Ok(()) };
        if self.at > octets || self.entries > entries {
            return Err(too_much(end, octets, entries));
        }
        self.entries += 1;
        if self.levels.len() == 1 && tag.is_some_and(|tag| tag >= end) {
            self.beginning = None;
        }
        Ok(())
    }

    /// Where pixels are whose tag was read.
    pub(super) fn pixels(&mut self) -> Result<Option<Pixels>, DicomError> {
        let (vr, length) = self.header(Some(tags::PIXEL_DATA))?;
        if length != UNDEFINED {
            let (at, length) = (self.at, length.into());
            return Ok((at + length <= self.size).then_some(Pixels::Native { at, length, vr }));
        }
        let mut items = Vec::new();
        while self.tag()? == Some(ITEM) {
            let octets = self.octets()?;
            let length = self.encoding.long(octets);
            items.push((self.at, length.into()));
            if items.len() > MOST_ITEMS {
                return Ok(None);
            }
            self.pass(length)?;
        }
        Ok((!items.is_empty()).then_some(Pixels::Fragments(items)))
    }

    /// Passes over pixels whose tag was read.
    pub(super) fn pass_pixels(&mut self) -> Result<(), DicomError> {
        let (_, length) = self.header(Some(tags::PIXEL_DATA))?;
        if length != UNDEFINED {
            return self.pass(length);
        }
        while let Some(tag) = self.tag()? {
            let octets = self.octets()?;
            match tag {
                ITEM => self.pass(self.encoding.long(octets))?,
                SEQUENCE_END => break,
                _ => return Err(self.wrong("something else stands where an item belongs")),
            }
        }
        Ok(())
    }

    /// An element of a set whose tag was read.
    fn element(&mut self, tag: Tag) -> Result<(), DicomError> {
        let (vr, length) = self.header(Some(tag))?;
        if tag.0 == 0xfffe {
            return self.delimiter(tag, length);
        }
        self.fill();
        match (length, vr) {
            (UNDEFINED, VR::UN) if self.encoding.explicit => {
                self.enter_sequence(tag, length, Some(Encoding::IMPLICIT))
            }
            (UNDEFINED, VR::OB | VR::OW) if tag == tags::PIXEL_DATA => {
                self.write(|to| to.begin_items(tag, VR::OB))?;
                self.enter(Kind::Fragments, length, None)
            }
            // The parser would take the length for a number.
            (UNDEFINED, VR::OB | VR::OW) => {
                Err(self.wrong("only sequences and pixels may be of undefined length"))
            }
            (UNDEFINED, _) | (_, VR::SQ) => self.enter_sequence(tag, length, None),
            (_, VR::UN) if self.may_be_sequence(tag, length) => self.try_sequence(tag, length),
            _ => self.value(tag, vr, length),
        }
    }

    /// A delimiter where an element belongs.
    fn delimiter(&mut self, tag: Tag, length: u32) -> Result<(), DicomError> {
        let open = self.levels.len() > 1 && self.levels.last().is_some_and(|it| it.end.is_none());
        match tag {
            // Outside of a sequence it is ignored.
            ITEM_END if self.levels.len() > 1 => self.leave(),
            // The delimiter of the item before it was left out.
            SEQUENCE_END if open => {
                self.leave()?;
                self.leave()
            }
            ITEM_END | SEQUENCE_END => Ok(()),
            ITEM if open => {
                self.leave()?;
                self.enter_item(length)
            }
            _ => Err(self.wrong("an item stands where an element belongs")),
        }
    }

    /// An item of a sequence whose tag was read.
    fn item(&mut self, tag: Tag, kind: Kind) -> Result<(), DicomError> {
        let octets = self.octets()?;
        let length = self.encoding.long(octets);
        self.fill();
        match (tag, kind) {
            (ITEM, Kind::Fragments) => {
                self.check_there(length)?;
                self.write(|to| to.begin_fragment(length))?;
                self.copy(length, 1)
            }
            (ITEM, _) => self.enter_item(length),
            (SEQUENCE_END, _) => self.leave(),
            _ => Err(self.wrong("something else stands where an item belongs")),
        }
    }

    fn enter_item(&mut self, length: u32) -> Result<(), DicomError> {
        self.write(Rewritten::begin_item)?;
        self.enter(Kind::Set, length, None)
    }

    /// Enters a sequence, which may be written in another way than what is around it.
    fn enter_sequence(
        &mut self,
        tag: Tag,
        length: u32,
        inside: Option<Encoding>,
    ) -> Result<(), DicomError> {
        self.write(|to| to.begin_items(tag, VR::SQ))?;
        self.enter(Kind::Sequence, length, inside)
    }

    fn enter(
        &mut self,
        kind: Kind,
        length: u32,
        inside: Option<Encoding>,
    ) -> Result<(), DicomError> {
        let end = (length != UNDEFINED).then(|| self.at + u64::from(length));
        if end.is_some_and(|end| end > self.size) {
            return Err(self.wrong("a sequence is longer than what is there"));
        }
        let around = inside.map(|inside| std::mem::replace(&mut self.encoding, inside));
        self.levels.push(Level { kind, end, around, filled: false });
        // Each sequence is a level, and so is each item.
        if self.depth + self.levels.len() / 2 > DEEPEST {
            let what =
                format!("sequences are nested too deeply, more than {DEEPEST} in one another");
            return Err(self.beyond(&what));
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), DicomError> {
        let Some(level) = self.levels.pop() else { return Ok(()) };
        if let Some(around) = level.around {
            self.encoding = around;
        }
        // The whole has no delimiter.
        match (self.levels.is_empty(), level.kind) {
            (true, _) => Ok(()),
            (false, Kind::Set) => self.write(Rewritten::end_item),
            (false, Kind::Sequence | Kind::Fragments) => self.write(Rewritten::end_items),
        }
    }

    fn fill(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.filled = true;
        }
    }

    /// Whether an attribute of known kind, which is a sequence, was written as of unknown kind, with
    /// its length.
    fn may_be_sequence(&self, tag: Tag, length: u32) -> bool {
        let known = StandardDataDictionary.by_tag(tag).map(DataDictionaryEntry::vr);
        let sequence = known == Some(VirtualVr::Exact(VR::SQ));
        self.to.is_some() && self.encoding.explicit && sequence && length <= LONGEST_TRIED
    }

    /// Writes such an attribute as the sequence that it is, or as it came if it is none after all.
    fn try_sequence(&mut self, tag: Tag, length: u32) -> Result<(), DicomError> {
        self.check_there(length)?;
        if let Some(Beginning { end, octets, entries }) = self.beginning
            && self.at + u64::from(length) > octets
        {
            return Err(too_much(end, octets, entries));
        }
        let (begin, form) = (self.at, self.to.as_ref().map_or(Form::Explicit, Rewritten::form));
        let mut octets = vec![0; length as usize];
        let read = self.from.read_exact(&mut octets);
        read.map_err(|_| self.wrong(&format!("a value of {length} octets is cut off")))?;
        self.at += u64::from(length);
        let mut rewritten = Vec::new();
        let mut inside = Walker::new(&octets[..], begin, self.at, Encoding::IMPLICIT);
        inside.depth = self.depth + self.levels.len() / 2;
        (inside.beginning, inside.entries) = (self.beginning, self.entries);
        inside.signed = self.signed;
        inside.to = Some(Rewritten::new(&mut rewritten, form));
        let walked = inside.enter_sequence(tag, length, None).and_then(|()| inside.walk(None));
        self.entries = inside.entries;
        match walked {
            Ok(_) => self.write(|to| to.put(&rewritten)),
            Err(_) => self.write(|to| {
                to.begin_value(tag, VR::UN, length)?;
                to.put(&octets)
            }),
        }
    }

    /// Copies a value to where the data set is written, or passes over it.
    fn value(&mut self, tag: Tag, vr: VR, length: u32) -> Result<(), DicomError> {
        // Lengths of groups are retired, and change with what is in them. What belongs into a head is
        // no part of a data set.
        let left_out = tag.1 == 0 || tag == PADDING || tag.0 <= 2;
        if self.to.is_none() || left_out {
            return self.pass_value(tag, length);
        }
        self.check_value(tag, length)?;
        if let Some(Beginning { end, octets, entries }) = self.beginning
            && self.at + u64::from(length) > octets
        {
            return Err(too_much(end, octets, entries));
        }
        self.write(|to| to.begin_value(tag, vr, length))?;
        if tag == tags::PIXEL_REPRESENTATION && length == 2 {
            let octets = self.octets()?;
            let value = self.encoding.short(octets);
            self.signed = value == 1;
            return self.write(|to| to.put(&value.to_le_bytes()));
        }
        self.copy(length, if self.encoding.big { width(vr) } else { 1 })
    }

    /// Copies octets, which turn in words of such a width.
    fn copy(&mut self, length: u32, width: usize) -> Result<(), DicomError> {
        if self.to.is_none() {
            return self.pass(length);
        }
        let mut buffer = [0; STEP];
        let mut left = length as usize;
        while left > 0 {
            let part = &mut buffer[..left.min(STEP)];
            if self.from.read_exact(part).is_err() {
                return Err(self.wrong(&format!("a value of {length} octets is cut off")));
            }
            self.at += part.len() as u64;
            left -= part.len();
            if width > 1 {
                part.chunks_exact_mut(width).for_each(<[u8]>::reverse);
            }
            if let Some(to) = &mut self.to {
                to.put(part).map_err(|error| failed("the data set", error))?;
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        work: impl FnOnce(&mut Rewritten<'w>) -> io::Result<()>,
    ) -> Result<(), DicomError> {
        let written = self.to.as_mut().map_or(Ok(()), work);
        written.map_err(|error| failed("the data set", error))
    }

    fn check_value(&self, tag: Tag, length: u32) -> Result<(), DicomError> {
        let unknown = self.size == u64::MAX && tag != tags::PIXEL_DATA;
        match unknown && u64::from(length) > LONGEST {
            true => Err(self.missing(length)),
            false => self.check_there(length),
        }
    }

    fn check_there(&self, length: u32) -> Result<(), DicomError> {
        match self.at.saturating_add(length.into()) > self.size {
            true => Err(self.missing(length)),
            false => Ok(()),
        }
    }

    fn missing(&self, length: u32) -> DicomError {
        self.wrong(&format!("a value of {length} octets is not there"))
    }

    fn pass_value(&mut self, tag: Tag, length: u32) -> Result<(), DicomError> {
        self.check_value(tag, length)?;
        self.pass(length)
    }

    /// Passes over so many octets.
    pub(super) fn pass(&mut self, length: u32) -> Result<(), DicomError> {
        self.check_there(length)?;
        let passed = self.from.pass(length.into());
        passed.map_err(|_| self.wrong(&format!("a value of {length} octets is cut off")))?;
        self.at += u64::from(length);
        Ok(())
    }

    /// The next tag; `None` at the end.
    pub(super) fn tag(&mut self) -> Result<Option<Tag>, DicomError> {
        let mut octets = [0; 4];
        let read = read_some(&mut self.from, &mut octets);
        // What is less than a tag counts as the end.
        if read.map_err(|error| failed("the file", error))? < 4 {
            return Ok(None);
        }
        self.at += 4;
        let [a, b, c, d] = octets;
        Ok(Some(Tag(self.encoding.short([a, b]), self.encoding.short([c, d]))))
    }

    /// Kind and length of the value of an element whose tag was read.
    pub(super) fn header(&mut self, tag: Option<Tag>) -> Result<(VR, u32), DicomError> {
        let Some(tag) = tag else { return Err(self.wrong("it is cut off")) };
        let octets: [u8; 4] = self.octets()?;
        if tag.0 == 0xfffe {
            return Ok((VR::UN, self.encoding.long(octets)));
        }
        if !self.encoding.explicit {
            return Ok((self.known_kind(tag), self.encoding.long(octets)));
        }
        let [a, b, c, d] = octets;
        match VR::from_binary([a, b]) {
            Some(vr) if has_long_length(vr) => {
                let octets = self.octets()?;
                Ok((vr, self.encoding.long(octets)))
            }
            // One that is not known is read as UN.
            vr => Ok((vr.unwrap_or(VR::UN), self.encoding.short([c, d]).into())),
        }
    }

    /// The kind of an attribute whose encoding does not tell it.
    fn known_kind(&self, tag: Tag) -> VR {
        match StandardDataDictionary.by_tag(tag).map(DataDictionaryEntry::vr) {
            Some(VirtualVr::Xs) if self.signed => VR::SS,
            known => known.map_or(VR::UN, VirtualVr::relaxed),
        }
    }

    pub(super) fn octets<const N: usize>(&mut self) -> Result<[u8; N], DicomError> {
        let mut octets = [0; N];
        self.from.read_exact(&mut octets).map_err(|_| self.wrong("it is cut off"))?;
        self.at += N as u64;
        Ok(octets)
    }

    fn wrong(&self, what: &str) -> DicomError {
        DicomError(format!("it is damaged at octet {}: {what}", self.at))
    }

    /// What may be right, and is more than is read here.
    fn beyond(&self, what: &str) -> DicomError {
        DicomError(format!("it is beyond a limit of this server at octet {}: {what}", self.at))
    }
}
