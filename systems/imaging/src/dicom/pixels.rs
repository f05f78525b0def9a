//! The pixels of a frame as values: decoded, or as they are in the file.

use super::encoded::{check_encoded, fragments};
use super::single::{self, Single};
use super::structure::BIG_ENDIAN;
use super::{DicomError, failed, guarded, text, trimmed};
use dicom_core::value::PixelFragmentSequence;
use dicom_dictionary_std::{tags, uids};
use dicom_object::DefaultDicomObject;
use dicom_pixeldata::{DecodedPixelData, PixelDecoder};
use std::path::Path;

/// The pixels of a frame.
#[derive(Debug)]
pub struct FramePixels {
    /// How they are encoded (Transfer Syntax UID).
    pub syntax: String,
    /// The encoded pixels.
    pub octets: Vec<u8>,
}

/// The syntax of decoded pixels.
const DECODED: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;

/// Reads a frame of a file, from 0 on: decoded, with the lowest octet of a value first and the
/// samples of a pixel side by side; or `stored`, as the file has it.
///
/// # Errors
/// The frame does not exist or is too large; to decode, that the codecs here do not know its
/// encoding.
pub fn pixels(path: &Path, frame: u32, stored: bool) -> Result<FramePixels, DicomError> {
    guarded(|| {
        let Single { object, frame, .. } = &single::open(path, frame)?;
        if stored && let Some(fragments) = fragments(object) {
            let frames = text(object, tags::NUMBER_OF_FRAMES).parse().unwrap_or(1_u32).max(1);
            let octets = encapsulated(fragments, *frame as usize, frames as usize)?;
            return Ok(FramePixels { syntax: trimmed(object.meta().transfer_syntax()), octets });
        }
        check_encoded(object)?;
        let decoded = object
            .decode_pixel_data_frame(*frame)
            .map_err(|error| failed("this encoding of pixels cannot be decoded here", error))?;
        let octets = side_by_side(object, &decoded)?;
        Ok(FramePixels { syntax: DECODED.to_owned(), octets })
    })
}

/// The values of a decoded frame, with the lowest octet first and the samples of a pixel side by side.
pub(super) fn side_by_side(
    object: &DefaultDicomObject,
    decoded: &DecodedPixelData<'_>,
) -> Result<Vec<u8>, DicomError> {
    let octets: Vec<u8> = match decoded.bits_allocated() {
        8 => decoded.data().to_vec(),
        16 => decoded.data_ow().into_iter().flat_map(u16::to_le_bytes).collect(),
        32 => {
            // A big-endian file has its higher half first, and the parser swaps octets in halves.
            let big = trimmed(object.meta().transfer_syntax()) == BIG_ENDIAN;
            let turn = if big { 16 } else { 0 };
            let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
            let words = decoded.data().chunks_exact(4).map(word);
            words.flat_map(|word| word.rotate_left(turn).to_le_bytes()).collect()
        }
        other => return Err(DicomError(format!("samples of {other} bits are not decoded"))),
    };
    // Codecs put the samples side by side; other files may have one colour behind the other.
    let samples = usize::from(decoded.samples_per_pixel());
    let planes = text(object, tags::PLANAR_CONFIGURATION) == "1" && fragments(object).is_none();
    if samples == 1 || !planes {
        return Ok(octets);
    }
    let width = usize::from(decoded.bits_allocated() / 8);
    let plane = octets.len() / samples;
    let places =
        (0..plane / width).flat_map(|pixel| (0..samples).map(move |sample| (pixel, sample)));
    let value = |(pixel, sample)| {
        let at = sample * plane + pixel * width;
        octets[at..at + width].iter().copied()
    };
    Ok(places.flat_map(value).collect())
}

/// The fragments of a frame (PS3.5, A.4), one behind the other.
fn encapsulated(
    sequence: &PixelFragmentSequence<Vec<u8>>,
    frame: usize,
    frames: usize,
) -> Result<Vec<u8>, DicomError> {
    let (fragments, table) = (sequence.fragments(), sequence.offset_table());
    if frames == 1 {
        return Ok(fragments.concat());
    }
    if fragments.len() == frames {
        return Ok(fragments[frame].clone());
    }
    if table.len() != frames {
        return Err(DicomError("nothing tells which fragments are of which frame".to_owned()));
    }
    let from = u64::from(table[frame]);
    let to = table.get(frame + 1).map_or(u64::MAX, |next| u64::from(*next));
    let (mut at, mut octets) = (0_u64, Vec::new());
    for fragment in fragments {
        if (from..to).contains(&at) {
            octets.extend_from_slice(fragment);
        }
        // Behind the tag and the length of an item.
        at += 8 + fragment.len() as u64;
    }
    Ok(octets)
}
