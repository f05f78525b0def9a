//! Whether encoded pixels are what the attributes of their image say. A codec reserves what the
//! encoded octets or the attributes claim, so hostile claims are found here, before it sees any.

use super::{DicomError, text, trimmed};
use dicom_core::value::{PixelFragmentSequence, Value};
use dicom_dictionary_std::{tags, uids};
use dicom_object::DefaultDicomObject;

/// How large a decoded frame may be whatever its encoded octets, in octets.
const ANYHOW: u64 = 64 << 20;

/// How many octets one encoded octet of a larger frame stands for at most.
const RATIO: u64 = 1000;

/// The same for RLE, where two octets stand for 128 (PS3.5, G.3).
const RLE_RATIO: u64 = 64;

/// What the transfer syntaxes of JPEG begin with, and what those end with that are decoded here.
const JPEG: (&str, [&str; 4]) = ("1.2.840.10008.1.2.4.", ["50", "51", "57", "70"]);

/// The encoded pixels of an image, if they are encoded.
pub(super) fn fragments(object: &DefaultDicomObject) -> Option<&PixelFragmentSequence<Vec<u8>>> {
    match object.element(tags::PIXEL_DATA).ok()?.value() {
        Value::PixelSequence(sequence) => Some(sequence),
        _ => None,
    }
}

/// Refuses what the codecs would decode to something else than was meant, or with memory that the
/// octets at hand do not justify.
pub(super) fn check_encoded(object: &DefaultDicomObject) -> Result<(), DicomError> {
    let Some(encoded) = fragments(object) else { return Ok(()) };
    let Some(first) = encoded.fragments().first() else { return Ok(()) };
    let octets = encoded.fragments().iter().map(|fragment| fragment.len() as u64).sum();
    let syntax = trimmed(object.meta().transfer_syntax());
    check_ratio(object, syntax == uids::RLE_LOSSLESS, octets)?;
    let shape_of: fn(&[u8]) -> Option<Shape> =
        if [uids::JPEG2000, uids::JPEG2000_LOSSLESS].contains(&syntax.as_str()) {
            check_sign(object, first)?;
            jpeg2000_shape
        } else if syntax.strip_prefix(JPEG.0).is_some_and(|end| JPEG.1.contains(&end)) {
            check_colours(object, &syntax, first)?;
            jpeg_shape
        } else {
            return Ok(());
        };
    let Some(claimed) = shape_of(first) else {
        return Err(DicomError("the encoded pixels do not say how large they are".to_owned()));
    };
    check_shape(object, claimed)?;
    // Another one may be the beginning of another frame.
    let mut others = encoded.fragments()[1..].iter().filter_map(|fragment| shape_of(fragment));
    others.try_for_each(|claimed| check_shape(object, claimed))
}

fn number(object: &DefaultDicomObject, tag: dicom_core::Tag) -> u64 {
    text(object, tag).parse().unwrap_or(0)
}

fn check_ratio(object: &DefaultDicomObject, rle: bool, encoded: u64) -> Result<(), DicomError> {
    let factors = [
        number(object, tags::ROWS),
        number(object, tags::COLUMNS),
        number(object, tags::SAMPLES_PER_PIXEL).max(1),
        number(object, tags::BITS_ALLOCATED).div_ceil(8),
    ];
    let decoded = factors.into_iter().fold(1, u64::saturating_mul);
    let most = match rle {
        true => encoded.saturating_mul(RLE_RATIO),
        false => encoded.saturating_mul(RATIO).max(ANYHOW),
    };
    match decoded > most {
        true => Err(DicomError(format!(
            "{encoded} encoded octets are not {decoded} octets of pixels, as the image has it"
        ))),
        false => Ok(()),
    }
}

/// Columns, rows and samples of a pixel.
type Shape = [u32; 3];

fn check_shape(object: &DefaultDicomObject, claimed: Shape) -> Result<(), DicomError> {
    let shape = [tags::COLUMNS, tags::ROWS, tags::SAMPLES_PER_PIXEL];
    let shape = shape.map(|tag| number(object, tag));
    match claimed.map(u64::from) == shape {
        true => Ok(()),
        false => Err(DicomError(format!(
            "the encoded pixels have {claimed:?} columns, rows and samples, and the image {shape:?}"
        ))),
    }
}

fn check_colours(object: &DefaultDicomObject, syntax: &str, jpeg: &[u8]) -> Result<(), DicomError> {
    let lossy = [uids::JPEG_BASELINE8_BIT, uids::JPEG_EXTENDED12_BIT].contains(&syntax);
    let rgb = text(object, tags::PHOTOMETRIC_INTERPRETATION) == "RGB";
    if lossy && rgb && !is_untransformed(jpeg) {
        let what = "the JPEG data does not say that its colours are RGB, as the image has it";
        return Err(DicomError(what.to_owned()));
    }
    Ok(())
}

fn check_sign(object: &DefaultDicomObject, jpeg: &[u8]) -> Result<(), DicomError> {
    let signed = text(object, tags::PIXEL_REPRESENTATION) == "1";
    match jpeg2000_size(jpeg).and_then(|size| size.get(36)) {
        Some(depth) if (depth & 0x80 != 0) != signed => {
            let what = "the JPEG 2000 data and the image differ in whether values have a sign";
            Err(DicomError(what.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Whether JPEG data says that its colours are as they are: by Adobe's marker, or by their names.
fn is_untransformed(jpeg: &[u8]) -> bool {
    let mut named = false;
    for (marker, segment) in segments(jpeg) {
        match marker {
            0xee if segment.starts_with(b"Adobe") => return segment.get(11) == Some(&0),
            0xc0..=0xc2 => {
                let name = |at: usize| segment.get(6 + 3 * at).copied();
                named = [0, 1, 2].map(name) == [b'R', b'G', b'B'].map(Some);
            }
            _ => {}
        }
    }
    named
}

/// The shape that the frame header of JPEG data names (ISO 10918-1, B.2.2).
fn jpeg_shape(jpeg: &[u8]) -> Option<Shape> {
    let is_frame =
        |marker: u8| (0xc0..=0xcf).contains(&marker) && ![0xc4, 0xc8, 0xcc].contains(&marker);
    let (_, frame) = segments(jpeg).find(|(marker, _)| is_frame(*marker))?;
    let [_, high_rows, rows, high_columns, columns, samples] = *frame.first_chunk()?;
    let rows = u16::from_be_bytes([high_rows, rows]);
    Some([u16::from_be_bytes([high_columns, columns]).into(), rows.into(), samples.into()])
}

/// The segments of JPEG data before the first scan: marker and contents.
fn segments(jpeg: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = jpeg.strip_prefix(b"\xff\xd8").unwrap_or_default();
    std::iter::from_fn(move || {
        // Any number of octets 0xff may stand before a marker.
        while let [0xff, 0xff, ..] = rest {
            rest = &rest[1..];
        }
        let [0xff, marker, high, low, ..] = *rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let segment = rest.get(4..2 + length)?;
        rest = &rest[2 + length..];
        // The scan.
        (marker != 0xda).then_some((marker, segment))
    })
}

/// The shape that the size marker of JPEG 2000 data names.
fn jpeg2000_shape(jpeg: &[u8]) -> Option<Shape> {
    let size = jpeg2000_size(jpeg)?;
    let number = |at: usize| Some(u32::from_be_bytes(*size.get(at..)?.first_chunk()?));
    let columns = number(2)?.checked_sub(number(10)?)?;
    let rows = number(6)?.checked_sub(number(14)?)?;
    let samples = u16::from_be_bytes(*size.get(34..)?.first_chunk()?);
    Some([columns, rows, samples.into()])
}

/// What follows the length of the size marker of JPEG 2000 data (ISO 15444-1, A.5.1), which is the
/// first one of the codestream.
fn jpeg2000_size(jpeg: &[u8]) -> Option<&[u8]> {
    let codestream = match jpeg.starts_with(b"\0\0\0\x0cjP  \r\n\x87\n") {
        true => boxed_codestream(jpeg)?,
        false => jpeg,
    };
    codestream.strip_prefix(b"\xff\x4f\xff\x51").and_then(|size| size.get(2..))
}

/// The codestream of a file in boxes (ISO 15444-1, I.4).
fn boxed_codestream(mut boxes: &[u8]) -> Option<&[u8]> {
    loop {
        let length = u32::from_be_bytes(*boxes.first_chunk()?);
        let contents = boxes.get(8..)?;
        if boxes.get(4..8)? == b"jp2c" {
            // One with a length of 64 bits is larger than any here.
            return (length != 1).then_some(contents);
        }
        match length {
            // To the end, a length of 64 bits, less than its head.
            0..8 => return None,
            length => boxes = boxes.get(usize::try_from(length).ok()?..)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_jpeg_data_is_that_of_its_frame_header() {
        let frame = b"\xff\xc1\x00\x0b\x08\x01\x02\x03\x04\x01\x01\x11\x00";
        let table = b"\xff\xdb\x00\x04\xff\xc0";
        let jpeg = [b"\xff\xd8\xff", &table[..], frame].concat();
        assert_eq!(jpeg_shape(&jpeg), Some([0x304, 0x102, 1]));
        assert_eq!(jpeg_shape(&jpeg[..jpeg.len() - 5]), None);
        // Behind the first scan nothing is looked at.
        let late = [&b"\xff\xd8\xff\xda\x00\x02"[..], frame].concat();
        assert_eq!(jpeg_shape(&late), None);
        assert_eq!(jpeg_shape(b"\xff\xd8\xff\xdb\x00\x00\xff\xc0\x00\x00"), None);
    }

    #[test]
    fn colours_are_as_they_are_if_a_marker_or_their_names_say_so() {
        let frame = |names: [u8; 3]| {
            let [a, b, c] = names;
            [
                &b"\xff\xc0\x00\x11\x08\x00\x01\x00\x01\x03"[..],
                &[a, 0x11, 0, b, 0x11, 0, c, 0x11, 0],
            ]
            .concat()
        };
        let adobe = |transform| {
            [&b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"[..], &[transform]].concat()
        };
        let jpeg = |parts: &[&[u8]]| [b"\xff\xd8", &parts.concat()[..]].concat();
        assert!(is_untransformed(&jpeg(&[&adobe(0), &frame([1, 2, 3])])));
        assert!(!is_untransformed(&jpeg(&[&adobe(1), &frame(*b"RGB")])));
        assert!(is_untransformed(&jpeg(&[&frame(*b"RGB")])));
        assert!(!is_untransformed(&jpeg(&[&frame([1, 2, 3])])));
    }

    #[test]
    fn the_shape_of_jpeg_2000_data_is_found_also_in_boxes() {
        let number = |value: u32| value.to_be_bytes();
        let size = [number(70), number(50), number(6), number(10)].concat();
        let codestream = [b"\xff\x4f\xff\x51\0\x29\0\0", &size[..], &[0; 16], &[0, 3, 7]].concat();
        assert_eq!(jpeg2000_shape(&codestream), Some([64, 40, 3]));
        assert_eq!(jpeg2000_size(&codestream).unwrap()[36], 7);
        let boxes = b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x0a\xff\x4f\xff\x51??\0\0\0\0jp2c";
        let boxed = [&boxes[..], &codestream].concat();
        assert_eq!(jpeg2000_shape(&boxed), Some([64, 40, 3]));
        assert_eq!(jpeg2000_shape(&boxed[..boxed.len() - 3]), None);
        assert_eq!(jpeg2000_shape(&codestream[..20]), None);
    }
}
