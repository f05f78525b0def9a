//! Attributes as JSON (PS3.18, annex F).

use super::read::read;
use super::structure::{Beginning, Extent};
use super::{DicomError, failed};
use dicom_core::header::{HasLength, VR};
use dicom_core::{DataElement, PrimitiveValue};
use dicom_dictionary_std::tags;
use dicom_object::InMemDicomObject;
use std::path::Path;

/// The most octets of a value that is not text.
const MOST_VALUE: u32 = 64 << 10;

/// The most octets of all of it, so that one message carries it.
const MOST: usize = 8 << 20;

/// The attributes of a file but those of the file itself, the pixels, and other large values.
///
/// # Errors
/// It is no DICOM file, or has too many.
pub fn metadata(path: &Path) -> Result<String, DicomError> {
    let mut object = read(path, Extent::Before(Beginning::ATTRIBUTES.end))?;
    if object.get(tags::SPECIFIC_CHARACTER_SET).is_some() {
        // That of JSON (PS3.18, F.2).
        let unicode = PrimitiveValue::from("ISO_IR 192");
        object.put(DataElement::new(tags::SPECIFIC_CHARACTER_SET, VR::CS, unicode));
    }
    let bulk = [VR::OB, VR::OD, VR::OF, VR::OL, VR::OV, VR::OW, VR::UN];
    let small = |vr: VR, length: Option<u32>| {
        !bulk.contains(&vr) || length.is_some_and(|length| length <= MOST_VALUE)
    };
    let elements = object.into_inner().into_iter();
    let kept = elements.filter(|element| small(element.vr(), element.length().get()));
    let kept = InMemDicomObject::from_element_iter(kept);
    let text = dicom_json::to_string(&kept).map_err(|error| failed("attributes", error))?;
    match text.len() <= MOST {
        true => Ok(text),
        false => Err(DicomError(format!("the attributes have more than {MOST} octets"))),
    }
}
