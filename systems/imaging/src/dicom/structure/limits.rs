//! How much of an object is read into memory, and what is left where it is.

use crate::dicom::DicomError;
use dicom_core::{Tag, VR};

/// How much of the beginning of an object is read into memory: the elements before `end`, so many
/// octets, elements and items at most.
#[derive(Debug, Clone, Copy)]
pub(in crate::dicom) struct Beginning {
    pub(in crate::dicom) end: Tag,
    pub(super) octets: u64,
    pub(super) entries: u64,
}

impl Beginning {
    /// What is searched for. Whatever is private or may be long comes behind it.
    pub(in crate::dicom) const DESCRIPTION: Self =
        Self { end: Tag(0x0029, 0), octets: 16 << 20, entries: 1 << 17 };
    /// All attributes but pixels.
    pub(in crate::dicom) const ATTRIBUTES: Self =
        Self { end: Tag(0x7fe0, 0), octets: 64 << 20, entries: 1 << 20 };
}

/// Where the pixels of a file are.
#[derive(Debug)]
pub(in crate::dicom) enum Pixels {
    /// As they are: place and length in the file, and their kind.
    Native { at: u64, length: u64, vr: VR },
    /// Encoded: place and length of each item, of which the first one is the offset table.
    Fragments(Vec<(u64, u64)>),
}

/// Says that the beginning of an object is more than memory has room for.
pub(super) fn too_much(end: Tag, octets: u64, entries: u64) -> DicomError {
    DicomError(format!(
        "the elements before {end} have more than {octets} octets or {entries} elements"
    ))
}
