//! Data sets as another application entity wants them: as they are, or decoded.

use super::encoded::check_encoded;
use super::read::{read, read_all};
use super::single::{self, LARGE};
use super::structure::Extent;
use super::{DicomError, failed, guarded, text};
use dicom_dictionary_std::tags;
use dicom_pixeldata::Transcode as _;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex as _, TransferSyntaxRegistry};
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::path::Path;

/// The most octets of pixels that are decoded at a time.
const MOST: u64 = 256 << 20;

/// Writes the data set of a file in another transfer syntax, one without encoded pixels. Large ones
/// are converted one after the other.
///
/// # Errors
/// The codecs here do not know its encoding, it is too large, or `to` fails.
pub fn convert(path: &Path, syntax: &str, to: &mut dyn Write) -> Result<(), DicomError> {
    guarded(AssertUnwindSafe(|| {
        let to_syntax = TransferSyntaxRegistry.get(syntax);
        let to_syntax =
            to_syntax.ok_or_else(|| DicomError(format!("{syntax}: an unknown transfer syntax")))?;
        let size = std::fs::metadata(path).map_err(|error| failed("the file", error))?.len();
        let _turn = (size > LARGE).then(single::turn);
        if size > MOST {
            return Err(DicomError(format!("a file of more than {MOST} octets is not converted")));
        }
        let described = read(path, Extent::Before(tags::PIXEL_DATA))?;
        let number = |tag| text(&described, tag).parse::<u64>().unwrap_or(0);
        let factors = [
            number(tags::ROWS),
            number(tags::COLUMNS),
            number(tags::SAMPLES_PER_PIXEL).max(1),
            number(tags::NUMBER_OF_FRAMES).max(1),
            number(tags::BITS_ALLOCATED).div_ceil(8),
        ];
        if factors.into_iter().fold(1, u64::saturating_mul) > MOST {
            return Err(DicomError(format!("more than {MOST} octets of pixels are not converted")));
        }
        let mut object = read_all(path)?;
        check_encoded(&object)?;
        object
            .transcode(to_syntax)
            .map_err(|error| failed("this encoding of pixels cannot be decoded here", error))?;
        let written = object.write_dataset_with_ts(to, to_syntax);
        written.map_err(|error| failed("the data set", error))
    }))
}
