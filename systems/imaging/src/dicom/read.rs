//! Files and data sets as objects in memory.

use super::structure::{BIG_ENDIAN, Extent, Head, Pixels, find_pixels, rewrite, rewrite_set};
use super::{DicomError, failed, normalize, text, trimmed};
use dicom_core::value::{PixelFragmentSequence, Value};
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_dictionary_std::tags;
use dicom_object::{DefaultDicomObject, FileMetaTable, InMemDicomObject};
use dicom_transfer_syntax_registry::entries::EXPLICIT_VR_LITTLE_ENDIAN;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub(super) type Element = DataElement<InMemDicomObject>;

/// Reads a file as far as is said, with its texts in Unicode.
pub(super) fn read(path: &Path, extent: Extent) -> Result<DefaultDicomObject, DicomError> {
    let mut object = read_as_it_is(path, extent)?;
    normalize(&mut object);
    Ok(object)
}

/// The same with texts in the character sets that they have.
fn read_as_it_is(path: &Path, extent: Extent) -> Result<DefaultDicomObject, DicomError> {
    let (head, octets) = rewrite(path, extent)?;
    let object = parse(&octets)?;
    let meta = meta(&object, head);
    Ok(object.with_exact_meta(meta))
}

/// Reads all of a file, with texts as they are.
pub(super) fn read_all(path: &Path) -> Result<DefaultDicomObject, DicomError> {
    // Pixels of which somebody can tell where they are go no other way.
    let Some(pixels) = find_pixels(path)? else { return read_as_it_is(path, Extent::Whole) };
    let mut object = read_as_it_is(path, Extent::Around)?;
    let pixels = match pixels {
        Pixels::Native { at, length, vr } => native(path, &object, (at, length), vr),
        Pixels::Fragments(items) => encoded(path, &items),
    };
    object.put(pixels.map_err(|error| failed("the file", error))?);
    Ok(object)
}

/// Reads the data set of a query, with its texts in Unicode.
///
/// # Errors
/// It is damaged; the text says where.
pub fn read_set(octets: &[u8], syntax: &str) -> Result<InMemDicomObject, DicomError> {
    let mut object = parse(&rewrite_set(octets, syntax)?)?;
    normalize(&mut object);
    Ok(object)
}

/// A data set in Explicit VR Little Endian, whose lengths are known to fit.
fn parse(octets: &[u8]) -> Result<InMemDicomObject, DicomError> {
    let syntax = EXPLICIT_VR_LITTLE_ENDIAN.erased();
    let read = InMemDicomObject::read_dataset_with_ts(octets, &syntax);
    read.map_err(|error| failed("no DICOM object", error))
}

/// The head of a file, where that has less with what its data set says.
fn meta(object: &InMemDicomObject, head: Head) -> FileMetaTable {
    let or = |stated: String, tag| if stated.is_empty() { text(object, tag) } else { stated };
    FileMetaTable {
        information_group_length: 0,
        information_version: [0, 1],
        media_storage_sop_class_uid: or(head.class, tags::SOP_CLASS_UID),
        media_storage_sop_instance_uid: or(head.instance, tags::SOP_INSTANCE_UID),
        transfer_syntax: head.syntax,
        implementation_class_uid: String::new(),
        implementation_version_name: None,
        source_application_entity_title: None,
        sending_application_entity_title: None,
        receiving_application_entity_title: None,
        private_information_creator_uid: None,
        private_information: None,
    }
}

/// Pixels as they are in a file, at such a place.
pub(super) fn native(
    path: &Path,
    object: &DefaultDicomObject,
    place: (u64, u64),
    vr: VR,
) -> io::Result<Element> {
    let mut octets = octets_at(path, &[place])?;
    if vr == VR::OW && trimmed(object.meta().transfer_syntax()) == BIG_ENDIAN {
        octets.as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.reverse());
    }
    let vr = if vr == VR::OW { VR::OW } else { VR::OB };
    Ok(DataElement::new(tags::PIXEL_DATA, vr, PrimitiveValue::U8(octets.into())))
}

/// Encoded pixels whose items, the offset table first, are at such places.
fn encoded(path: &Path, items: &[(u64, u64)]) -> io::Result<Element> {
    let table = octets_at(path, &items[..1])?;
    let offsets = table.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four));
    let fragments = items[1..].iter().map(|item| octets_at(path, &[*item]));
    let fragments = fragments.collect::<io::Result<Vec<_>>>()?;
    Ok(fragments_of(offsets.collect(), fragments))
}

pub(super) fn fragments_of(offsets: Vec<u32>, fragments: Vec<Vec<u8>>) -> Element {
    let sequence = PixelFragmentSequence::new(offsets, fragments);
    DataElement::new(tags::PIXEL_DATA, VR::OB, Value::PixelSequence(sequence))
}

/// What a file has at some places, one behind the other.
pub(super) fn octets_at(path: &Path, places: &[(u64, u64)]) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut octets = Vec::new();
    for (at, length) in places {
        let from = octets.len();
        octets.resize(from + *length as usize, 0);
        file.read_exact_at(&mut octets[from..], *at)?;
    }
    Ok(octets)
}
