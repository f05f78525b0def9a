//! Whether the lengths in a DICOM object fit into it (PS3.5, chapter 7 and annex A), and what it has in
//! an encoding that the parser of objects knows. The parser reserves and fills what a length says
//! before it reads, so hostile lengths are found here, before it sees any.

mod encoding;
mod head;
mod limits;
mod rewritten;
mod source;
#[cfg(test)]
mod tests;
mod walker;

pub(super) use encoding::BIG_ENDIAN;
pub(super) use head::Head;
pub use head::named;
pub(super) use limits::{Beginning, Pixels};

use super::{DicomError, failed};
use dicom_core::Tag;
use dicom_dictionary_std::{tags, uids};
use encoding::Encoding;
use rewritten::{Form, Rewritten};
use sha2::{Digest as _, Sha256};
use source::{Inflated, Source};
use std::fs::File;
use std::io::{BufRead, Seek as _, SeekFrom, Write};
use std::path::Path;
use walker::Walker;

/// What is rewritten of a data set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extent {
    /// The beginning; the lengths of all of it are checked.
    Begin(Beginning),
    /// The elements before a tag, as far as memory has room for attributes; nothing behind it is
    /// looked at.
    Before(Tag),
    /// All but pixels at places that [`find_pixels`] tells.
    Around,
    /// All.
    Whole,
}

/// Checks a file, and rewrites its data set in Explicit VR Little Endian.
pub(super) fn rewrite(path: &Path, extent: Extent) -> Result<(Head, Vec<u8>), DicomError> {
    let mut octets = Vec::new();
    let (mut walker, head) = head::open(path)?;
    let form = Form::Explicit;
    match head.syntax.as_str() {
        uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN => {
            run(&mut inflating(walker), extent, form, &mut octets)?;
        }
        _ => run(&mut walker, extent, form, &mut octets)?,
    }
    Ok((head, octets))
}

/// Walks through a data set, and writes what is wanted of it.
fn run<'w, S: Source>(
    walker: &mut Walker<'w, S>,
    extent: Extent,
    form: Form,
    to: &'w mut dyn Write,
) -> Result<(), DicomError> {
    walker.to = Some(Rewritten::new(to, form));
    let until = match extent {
        Extent::Begin(beginning) => {
            walker.beginning = Some(beginning);
            walker.to_end = Some(beginning.end);
            None
        }
        Extent::Before(tag) => {
            walker.beginning = Some(Beginning::ATTRIBUTES);
            Some(tag)
        }
        Extent::Around => {
            if walker.walk(Some(tags::PIXEL_DATA))? {
                walker.pass_pixels()?;
            }
            None
        }
        Extent::Whole => None,
    };
    walker.walk(until)?;
    walker.to = None;
    Ok(())
}

fn inflating<'w, R: BufRead + Source>(
    from: Walker<'_, R>,
) -> Walker<'w, Inflated<flate2::bufread::DeflateDecoder<R>>> {
    let inflated = Inflated(flate2::bufread::DeflateDecoder::new(from.from));
    Walker::new(inflated, 0, u64::MAX, Encoding::EXPLICIT)
}

/// Finds the pixels of a file; `None` if there are none or nobody can tell where they are.
pub(super) fn find_pixels(path: &Path) -> Result<Option<Pixels>, DicomError> {
    let (mut walker, head) = head::open(path)?;
    if head.syntax == uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN {
        return Ok(None);
    }
    match walker.walk(Some(tags::PIXEL_DATA))? {
        true => walker.pixels(),
        false => Ok(None),
    }
}

/// The data set of a file as it is: the file, at the end of its head.
///
/// # Errors
/// It is no DICOM file.
pub fn data_set(path: &Path) -> Result<File, DicomError> {
    let (walker, head) = head::open(path)?;
    let mut file = walker.from.into_inner();
    file.seek(SeekFrom::Start(head.at)).map_err(|error| failed("the file", error))?;
    Ok(file)
}

/// A hash of what a file is besides how it is written: equal for two files with the same attributes,
/// whatever their heads say, and however they tell the lengths and kinds of values. Pixels that are
/// encoded in two ways differ.
///
/// # Errors
/// It is no DICOM file, or damaged.
pub fn identity(path: &Path) -> Result<[u8; 32], DicomError> {
    let mut hash = Hash(Sha256::new());
    let (mut walker, head) = head::open(path)?;
    let native = [
        uids::IMPLICIT_VR_LITTLE_ENDIAN,
        uids::EXPLICIT_VR_LITTLE_ENDIAN,
        uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN,
        BIG_ENDIAN,
    ];
    if !native.contains(&head.syntax.as_str()) {
        hash.0.update(&head.syntax);
    }
    let (extent, form) = (Extent::Whole, Form::Kindless);
    match head.syntax.as_str() {
        uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN => {
            run(&mut inflating(walker), extent, form, &mut hash)?;
        }
        _ => run(&mut walker, extent, form, &mut hash)?,
    }
    Ok(hash.0.finalize().into())
}

struct Hash(Sha256);

impl Write for Hash {
    fn write(&mut self, octets: &[u8]) -> std::io::Result<usize> {
        self.0.update(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Checks a data set without a head: a command, or an identifier.
///
/// # Errors
/// A length does not fit; the text says where.
pub fn check_set(octets: &[u8], syntax: &str) -> Result<(), DicomError> {
    let mut walker = Walker::new(octets, 0, octets.len() as u64, Encoding::of(syntax));
    walker.walk(None).map(drop)
}

/// Checks such a data set, and rewrites it in Explicit VR Little Endian.
pub(super) fn rewrite_set(octets: &[u8], syntax: &str) -> Result<Vec<u8>, DicomError> {
    let mut rewritten = Vec::new();
    let extent = Extent::Begin(Beginning::ATTRIBUTES);
    let mut walker = Walker::new(octets, 0, octets.len() as u64, Encoding::of(syntax));
    match syntax {
        uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN => {
            run(&mut inflating(walker), extent, Form::Explicit, &mut rewritten)?;
        }
        _ => run(&mut walker, extent, Form::Explicit, &mut rewritten)?,
    }
    Ok(rewritten)
}
