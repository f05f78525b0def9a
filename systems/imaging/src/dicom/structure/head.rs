//! The heads of files (PS3.10, chapter 7). Other programs read files without a preamble, without the
//! length of the head, or without a head, and files that are written in another way than their head
//! says; so do we.

use super::encoding::{BIG_ENDIAN, Encoding};
use super::source::{Source, read_some};
use super::walker::Walker;
use crate::dicom::{DicomError, failed, trimmed};
use dicom_core::VR;
use dicom_dictionary_std::{tags, uids};
use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};
use std::path::Path;

/// What a file says of its data set, and how that is written.
#[derive(Debug)]
pub(in crate::dicom) struct Head {
    /// Transfer Syntax UID, also where only the data set tells it.
    pub(in crate::dicom) syntax: String,
    /// SOP Class UID and SOP Instance UID; empty if the head has none.
    pub(in crate::dicom) class: String,
    pub(in crate::dicom) instance: String,
    /// Where the data set begins.
    pub(super) at: u64,
}

/// Opens a file at the beginning of its data set.
pub(super) fn open<'w>(path: &Path) -> Result<(Walker<'w, BufReader<File>>, Head), DicomError> {
    let unread = |error| failed("the file", error);
    let file = File::open(path).map_err(unread)?;
    let size = file.metadata().map_err(unread)?.len();
    let mut file = BufReader::new(file);
    let begin = begin(&mut file)?;
    let mut walker = Walker::new(file, begin, size, Encoding::EXPLICIT);
    let Head { mut syntax, class, instance, at } = walker.head()?;
    let mut first = [0; 8];
    let mut peek = || -> std::io::Result<usize> {
        walker.from.seek(SeekFrom::Start(at))?;
        let count = read_some(&mut walker.from, &mut first)?;
        walker.from.seek(SeekFrom::Start(at))?;
        Ok(count)
    };
    let count = peek().map_err(unread)?;
    walker.at = at;
    let encoding = match syntax.as_str() {
        uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN => Encoding::EXPLICIT,
        stated => seen(stated, &first[..count], size - at),
    };
    if syntax.is_empty() {
        syntax = name(encoding).to_owned();
    }
    walker.encoding = encoding;
    Ok((walker, Head { syntax, class, instance, at }))
}

/// Where the head of a file begins, or its data set if it has none.
fn begin(file: &mut BufReader<File>) -> Result<u64, DicomError> {
    let mut start = [0; 132];
    let count = read_some(file, &mut start).map_err(|error| failed("the file", error))?;
    if count == 132 && &start[128..] == b"DICM" {
        return Ok(132);
    }
    // A head, or the group that every object begins with, in either order of octets.
    let bare = [[2, 0], [8, 0], [0, 8]].contains(&[start[0], start[1]]);
    if count < 8 || !bare {
        return Err(DicomError("it is no DICOM object: DICM is not at octet 128".to_owned()));
    }
    file.seek(SeekFrom::Start(0)).map_err(|error| failed("the file", error))?;
    Ok(0)
}

/// How a data set is written, from what is stated and the octets of its first element. `left` is how
/// many octets it has.
fn seen(stated: &str, first: &[u8], left: u64) -> Encoding {
    let of_stated = Encoding::of(stated);
    let Some(&[a, b, _, _, e, f, c, d]) = first.first_chunk::<8>() else { return of_stated };
    let explicit = VR::from_binary([e, f]).is_some();
    if stated.is_empty() {
        // No group of a data set in little-endian is as great.
        let big = explicit && u16::from_le_bytes([a, b]) >= 0x400;
        return Encoding { explicit, big };
    }
    let length = u32::from_le_bytes([e, f, c, d]);
    match (of_stated.explicit, explicit) {
        (true, false) if !of_stated.big && u64::from(length) <= left => Encoding::IMPLICIT,
        (false, true) => Encoding::EXPLICIT,
        _ => of_stated,
    }
}

/// The transfer syntax of a data set without encoded pixels.
const fn name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding { explicit: false, .. } => uids::IMPLICIT_VR_LITTLE_ENDIAN,
        Encoding { big: true, .. } => BIG_ENDIAN,
        Encoding { .. } => uids::EXPLICIT_VR_LITTLE_ENDIAN,
    }
}

/// SOP Class UID and SOP Instance UID in the head of a file of which the beginning is there; empty if
/// it has none.
pub fn named(beginning: &[u8]) -> (String, String) {
    let set = match beginning.get(128..132) == Some(b"DICM") {
        true => &beginning[132..],
        false => beginning,
    };
    let read = Walker::new(set, 0, set.len() as u64, Encoding::EXPLICIT).head();
    read.map_or_else(|_| Default::default(), |head| (head.class, head.instance))
}

impl<S: Source> Walker<'_, S> {
    /// The elements of a head, and the tag behind them.
    fn head(&mut self) -> Result<Head, DicomError> {
        let (mut syntax, mut class, mut instance) = Default::default();
        loop {
            let at = self.at;
            let tag = self.tag()?;
            // The group tells where the head ends: its length is not always there, nor always right.
            if tag.is_none_or(|tag| tag.0 != 2) {
                return Ok(Head { syntax, class, instance, at });
            }
            let (_, length) = self.header(tag)?;
            match tag {
                Some(tags::TRANSFER_SYNTAX_UID) => syntax = self.uid(length)?,
                Some(tags::MEDIA_STORAGE_SOP_CLASS_UID) => class = self.uid(length)?,
                Some(tags::MEDIA_STORAGE_SOP_INSTANCE_UID) => instance = self.uid(length)?,
                _ => self.pass(length)?,
            }
        }
    }

    /// A unique identifier; empty if it is none.
    fn uid(&mut self, length: u32) -> Result<String, DicomError> {
        if length > 64 {
            self.pass(length)?;
            return Ok(String::new());
        }
        let mut text = String::new();
        for _ in 0..length {
            let [octet] = self.octets::<1>()?;
            text.push(char::from(octet));
        }
        Ok(trimmed(&text))
    }
}
