//! DICOM objects: what is searched for, frames as pictures and as pixels, attributes as JSON.

mod charset;
mod convert;
mod encoded;
mod metadata;
mod picture;
mod pixels;
mod read;
mod single;
mod structure;

pub use charset::normalize;
pub use convert::convert;
pub use metadata::metadata;
pub use picture::{Frame, Window, frame};
pub use pixels::{FramePixels, pixels};
pub use read::read_set;
pub use structure::{check_set, data_set, identity, named};

use crate::idl::Image;
use dicom_core::Tag;
use dicom_dictionary_std::tags;
use dicom_object::{DefaultDicomObject, InMemDicomObject};
use std::fmt;
use std::panic::catch_unwind;
use std::path::Path;
use structure::{Beginning, Extent};

/// The longest text of an object that is kept, in characters.
const LONGEST: usize = 256;

/// The most pixels of a frame that are decoded.
const MOST_PIXELS: u64 = 1 << 28;

/// Why an object cannot be read or drawn.
#[derive(Debug)]
pub struct DicomError(String);

impl fmt::Display for DicomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DicomError {}

fn failed(what: &str, error: impl fmt::Display) -> DicomError {
    DicomError(format!("{what}: {error}"))
}

/// Reads what is searched for of a file; nothing behind it is read. Size and checksum stay empty.
///
/// # Errors
/// It is no DICOM file, or has no identifiers.
pub fn describe(path: &Path) -> Result<Image, DicomError> {
    let object = read::read(path, Extent::Begin(Beginning::DESCRIPTION))?;
    let text = |tag| text(&object, tag);
    let number = |tag| text(tag).parse().unwrap_or_default();
    let image = Image {
        uid: text(tags::SOP_INSTANCE_UID),
        series: text(tags::SERIES_INSTANCE_UID),
        study: text(tags::STUDY_INSTANCE_UID),
        patient: text(tags::PATIENT_ID),
        patient_name: text(tags::PATIENT_NAME),
        birth_date: plain(&text(tags::PATIENT_BIRTH_DATE)),
        sex: text(tags::PATIENT_SEX),
        date: plain(&text(tags::STUDY_DATE)),
        time: plain(&text(tags::STUDY_TIME)),
        study_id: text(tags::STUDY_ID),
        accession: text(tags::ACCESSION_NUMBER),
        referrer: text(tags::REFERRING_PHYSICIAN_NAME),
        study_description: text(tags::STUDY_DESCRIPTION),
        modality: text(tags::MODALITY),
        description: text(tags::SERIES_DESCRIPTION),
        series_number: text(tags::SERIES_NUMBER).parse().unwrap_or_default(),
        number: text(tags::INSTANCE_NUMBER).parse().unwrap_or_default(),
        rows: number(tags::ROWS),
        columns: number(tags::COLUMNS),
        bits: number(tags::BITS_ALLOCATED),
        frames: number(tags::NUMBER_OF_FRAMES).max(1),
        kind: trimmed(object.meta().media_storage_sop_class_uid()),
        syntax: trimmed(object.meta().transfer_syntax()),
        ..Image::default()
    };
    check_length(path, &object, &image)?;
    for (name, uid) in [("SOP instance", &image.uid), ("study", &image.study)] {
        if uid.is_empty() {
            return Err(DicomError(format!(
                "it has no UID of a {name}, by which it would be kept"
            )));
        }
        if !is_uid(uid) {
            return Err(DicomError(format!("{uid:?} is no UID of a {name} (PS3.5, section 9)")));
        }
    }
    Ok(image)
}

/// Whether the file has the pixels that its header promises, where their number is known: they are
/// as they are in three encodings (PS3.5, A.1 to A.3).
fn check_length(path: &Path, object: &DefaultDicomObject, image: &Image) -> Result<(), DicomError> {
    let native = ["1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2"];
    if !native.contains(&image.syntax.as_str()) {
        return Ok(());
    }
    let number = |tag| text(object, tag).parse::<u64>().unwrap_or(0);
    // Two pixels share their colours (PS3.3, C.7.6.3.1.2).
    let samples = match text(object, tags::PHOTOMETRIC_INTERPRETATION).ends_with("_422") {
        true => 2,
        false => number(tags::SAMPLES_PER_PIXEL),
    };
    let factors = [
        image.rows.into(),
        image.columns.into(),
        image.frames.into(),
        samples,
        number(tags::BITS_ALLOCATED),
    ];
    let bits = factors.into_iter().fold(1, u64::saturating_mul);
    let there = std::fs::metadata(path).map_err(|error| failed("the file", error))?.len();
    // Some objects have the attributes of an image and no pixels.
    match bits / 8 > there && structure::find_pixels(path)?.is_some() {
        true => Err(DicomError(format!(
            "it is cut off: {there} octets cannot hold {} of pixels",
            bits / 8
        ))),
        false => Ok(()),
    }
}

/// Whether a text is a unique identifier, which is also safe as the name of a file.
pub fn is_uid(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.')
        && text.starts_with(|c: char| c.is_ascii_digit())
}

fn text(object: &InMemDicomObject, tag: Tag) -> String {
    let value = object.get(tag).and_then(|element| element.to_str().ok());
    trimmed(&value.unwrap_or_default())
}

/// A date or a time as it is searched for: as it is written today, and not as YYYY.MM.DD and HH:MM:SS,
/// which older files have (PS3.5, table 6.2-1).
fn plain(text: &str) -> String {
    let date = text.len() == 10
        && text.bytes().enumerate().all(|(at, octet)| match at {
            4 | 7 => octet == b'.',
            _ => octet.is_ascii_digit(),
        });
    if date { text.replace('.', "") } else { text.replace(':', "") }
}

fn trimmed(text: &str) -> String {
    text.trim_matches(['\0', ' ']).chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Runs a codec. One that meets what it takes for impossible must not end a thread of the server.
fn guarded<T>(
    work: impl FnOnce() -> Result<T, DicomError> + std::panic::UnwindSafe,
) -> Result<T, DicomError> {
    let done = catch_unwind(work);
    done.unwrap_or_else(|_| Err(DicomError("the codec failed; the pixels are damaged".to_owned())))
}
