//! One frame of a file: what is read for it does not grow with the number of frames.

use super::read::{Element, fragments_of, native, octets_at, read, read_all};
use super::structure::{Extent, Pixels, find_pixels};
use super::{DicomError, MOST_PIXELS, failed, text};
use dicom_core::value::{DataSetSequence, Value};
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_dictionary_std::tags;
use dicom_object::DefaultDicomObject;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Frames of more octets are decoded one after the other.
pub(super) const LARGE: u64 = 4 << 20;

/// The largest file that is read whole, in octets.
const WHOLE: u64 = 512 << 20;

/// The most samples of a pixel, and bits of a sample, that any encoding here has.
const MOST_SAMPLES: u64 = 4;
const MOST_BITS: u64 = 64;

/// An object of which one frame was read, and the number that this frame has in it.
pub(super) struct Single {
    pub(super) object: DefaultDicomObject,
    pub(super) frame: u32,
    /// Held while a large frame is in memory, several times over while it is decoded.
    _turn: Option<MutexGuard<'static, ()>>,
}

/// Waits until no other large frame is in memory.
pub(super) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file for a frame of its pixels, which must be there and not too large. The whole file is
/// read only if nothing tells which octets are of which frame.
pub(super) fn open(path: &Path, frame: u32) -> Result<Single, DicomError> {
    let mut object = read(path, Extent::Before(tags::PIXEL_DATA))?;
    let number = |tag| text(&object, tag).parse::<u64>().unwrap_or(0);
    let pixels = number(tags::ROWS).saturating_mul(number(tags::COLUMNS));
    if pixels > MOST_PIXELS {
        let what = format!("a frame of more than {MOST_PIXELS} pixels is not decoded");
        return Err(DicomError(what));
    }
    if u64::from(frame) >= number(tags::NUMBER_OF_FRAMES).max(1) {
        return Err(DicomError(format!("the image has no frame {frame}; the first one is 0")));
    }
    let (samples, bits) = (number(tags::SAMPLES_PER_PIXEL).max(1), number(tags::BITS_ALLOCATED));
    if samples > MOST_SAMPLES || bits > MOST_BITS {
        return Err(DicomError(format!("{samples} samples of {bits} bits are not decoded")));
    }
    let octets = pixels * samples * bits / 8;
    let held = (octets > LARGE).then(turn);
    if let Some(pixels) = read_frame(path, &object, frame, octets)? {
        object.put(pixels);
        reduce(&mut object, frame as usize);
        return Ok(Single { object, frame: 0, _turn: held });
    }
    let held = held.unwrap_or_else(turn);
    let size = std::fs::metadata(path).map_err(|error| failed("the file", error))?.len();
    if size > WHOLE {
        let what =
            "nothing tells which octets are of this frame, and the file is too large to read";
        return Err(DicomError(what.to_owned()));
    }
    let object = read_all(path)?;
    Ok(Single { object, frame, _turn: Some(held) })
}

/// The pixels of a frame as an element; `None` if nothing tells where they are.
fn read_frame(
    path: &Path,
    object: &DefaultDicomObject,
    frame: u32,
    octets: u64,
) -> Result<Option<Element>, DicomError> {
    let element = match find_pixels(path)? {
        Some(Pixels::Native { at, length, vr: vr @ (VR::OW | VR::OB) }) => {
            let place = place(object, (at, length), frame, octets);
            place.map(|place| native(path, object, place, vr))
        }
        Some(Pixels::Fragments(items)) => {
            let frames = text(object, tags::NUMBER_OF_FRAMES).parse().unwrap_or(1_usize).max(1);
            let table = octets_at(path, &items[..1]).map_err(|error| failed("the file", error))?;
            let places = fragments(&items, &table, frame as usize, frames);
            let read = |places: Vec<_>| octets_at(path, &places);
            places.map(|places| Ok(fragments_of(Vec::new(), vec![read(places)?])))
        }
        _ => None,
    };
    element.transpose().map_err(|error: std::io::Error| failed("the file", error))
}

/// The place of a frame of whole octets among pixels that are as they are.
fn place(
    object: &DefaultDicomObject,
    (at, length): (u64, u64),
    frame: u32,
    octets: u64,
) -> Option<(u64, u64)> {
    // Two pixels share their colours, or an octet: then all is read.
    let halved = text(object, tags::PHOTOMETRIC_INTERPRETATION).ends_with("_422");
    let whole = matches!(text(object, tags::BITS_ALLOCATED).as_str(), "8" | "16" | "32");
    let from = octets.checked_mul(frame.into())?;
    let fits = from.checked_add(octets)? <= length && octets.is_multiple_of(2);
    (fits && whole && !halved && octets > 0).then_some((at + from, octets))
}

/// The places of the fragments of a frame (PS3.5, A.4). The first item is the offset table.
fn fragments(
    items: &[(u64, u64)],
    table: &[u8],
    frame: usize,
    frames: usize,
) -> Option<Vec<(u64, u64)>> {
    let fragments = &items[1..];
    if frames == 1 {
        return Some(fragments.to_vec());
    }
    if fragments.len() == frames {
        return Some(vec![fragments[frame]]);
    }
    let offsets: Vec<u64> =
        table.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four).into()).collect();
    if offsets.len() != frames {
        return None;
    }
    let begin = fragments.first()?.0;
    let to = offsets.get(frame + 1).copied().unwrap_or(u64::MAX);
    let of_frame = |(at, _): &&(u64, u64)| (offsets[frame]..to).contains(&(at - begin));
    Some(fragments.iter().filter(of_frame).copied().collect())
}

/// Makes an object of one frame: what each frame has of its own is that of this one.
fn reduce(object: &mut DefaultDicomObject, frame: usize) {
    let own = object.get(tags::PER_FRAME_FUNCTIONAL_GROUPS_SEQUENCE);
    let own = own.and_then(|own| own.items()?.get(frame).cloned());
    if let Some(own) = own {
        let sequence = DataSetSequence::from(vec![own]);
        let tag = tags::PER_FRAME_FUNCTIONAL_GROUPS_SEQUENCE;
        object.put(DataElement::new(tag, VR::SQ, Value::Sequence(sequence)));
    }
    object.put(DataElement::new(tags::NUMBER_OF_FRAMES, VR::IS, PrimitiveValue::from("1")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_of_a_frame_are_found_by_number_or_by_offset() {
        // A table, then fragments of 10, 20 and 30 octets.
        let items = [(8, 8), (24, 10), (42, 20), (70, 30)];
        let table = [0_u32, 18].map(u32::to_le_bytes).concat();
        assert_eq!(fragments(&items, &[], 0, 1).unwrap(), items[1..]);
        assert_eq!(fragments(&items, &[], 2, 3).unwrap(), [(70, 30)]);
        assert_eq!(fragments(&items, &table, 0, 2).unwrap(), [(24, 10)]);
        assert_eq!(fragments(&items, &table, 1, 2).unwrap(), [(42, 20), (70, 30)]);
        assert_eq!(fragments(&items, &[], 1, 2), None);
        assert_eq!(fragments(&items[..1], &[], 0, 1).unwrap(), []);
    }
}
