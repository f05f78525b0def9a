//! DICOM objects: what is searched for, and frames as pictures.

use crate::idl::Image;
use dicom_core::Tag;
use dicom_dictionary_std::tags;
use dicom_object::{DefaultDicomObject, OpenFileOptions};
use dicom_pixeldata::{ConvertOptions, DecodedPixelData, PixelDecoder, VoiLutOption};
use std::fmt;
use std::panic::catch_unwind;
use std::path::Path;

/// The longest text of an object that is kept, in characters.
const LONGEST: usize = 256;

/// The most pixels of a frame that are drawn.
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

/// Reads what is searched for of a file; its pixels are not read. Size and checksum stay empty.
///
/// # Errors
/// It is no DICOM file, or has no identifiers.
pub fn describe(path: &Path) -> Result<Image, DicomError> {
    let options = OpenFileOptions::new().read_until(tags::PIXEL_DATA);
    let object = options.open_file(path).map_err(|error| failed("no DICOM object", error))?;
    let text = |tag| text(&object, tag);
    let number = |tag| text(tag).parse().unwrap_or_default();
    let image = Image {
        uid: text(tags::SOP_INSTANCE_UID),
        series: text(tags::SERIES_INSTANCE_UID),
        study: text(tags::STUDY_INSTANCE_UID),
        patient: text(tags::PATIENT_ID),
        patient_name: text(tags::PATIENT_NAME),
        date: text(tags::STUDY_DATE),
        modality: text(tags::MODALITY),
        description: text(tags::SERIES_DESCRIPTION),
        number: text(tags::INSTANCE_NUMBER).parse().unwrap_or_default(),
        rows: number(tags::ROWS),
        columns: number(tags::COLUMNS),
        frames: number(tags::NUMBER_OF_FRAMES).max(1),
        kind: trimmed(object.meta().media_storage_sop_class_uid()),
        syntax: trimmed(object.meta().transfer_syntax()),
        ..Image::default()
    };
    check_length(path, &object, &image)?;
    for (name, uid) in [("SOP instance", &image.uid), ("study", &image.study)] {
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
    let factors = [
        image.rows.into(),
        image.columns.into(),
        image.frames.into(),
        number(tags::SAMPLES_PER_PIXEL),
        number(tags::BITS_ALLOCATED),
    ];
    let bits = factors.into_iter().fold(1, u64::saturating_mul);
    let there = std::fs::metadata(path).map_err(|error| failed("the file", error))?.len();
    match bits / 8 > there {
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

fn text(object: &DefaultDicomObject, tag: Tag) -> String {
    let value = object.get(tag).and_then(|element| element.to_str().ok());
    trimmed(&value.unwrap_or_default())
}

fn trimmed(text: &str) -> String {
    text.trim_matches(['\0', ' ']).chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// A frame, grey or red, green and blue, with 8 bits a sample.
#[derive(Debug)]
pub struct Frame {
    /// Its width in pixels.
    pub columns: u32,
    /// Its height in pixels.
    pub rows: u32,
    /// 1 or 3.
    pub samples: u8,
    /// Row by row.
    pub pixels: Vec<u8>,
}

/// Decodes a frame of a file, from 0 on. Without a window, that of the object is taken, and without
/// that one from the least to the greatest value.
///
/// # Errors
/// The encoding is not one that the codecs here know, the frame does not exist, or is too large.
pub fn frame(path: &Path, frame: u32, window: Option<(f64, f64)>) -> Result<Frame, DicomError> {
    // A codec that meets what it takes for impossible must not end a thread of the server.
    let drawn = catch_unwind(|| draw(path, frame, window));
    drawn.unwrap_or_else(|_| Err(DicomError("the codec failed; the pixels are damaged".to_owned())))
}

fn draw(path: &Path, frame: u32, window: Option<(f64, f64)>) -> Result<Frame, DicomError> {
    let object = dicom_object::open_file(path).map_err(|error| failed("no DICOM object", error))?;
    let number = |tag| text(&object, tag).parse::<u64>().unwrap_or(0);
    if number(tags::ROWS).saturating_mul(number(tags::COLUMNS)) > MOST_PIXELS {
        return Err(DicomError(format!("a frame of more than {MOST_PIXELS} pixels is not drawn")));
    }
    if u64::from(frame) >= number(tags::NUMBER_OF_FRAMES).max(1) {
        return Err(DicomError(format!("the image has no frame {frame}; the first one is 0")));
    }
    if !(1..=16).contains(&number(tags::BITS_STORED)) {
        return Err(DicomError("pixels of 1 to 16 bits are drawn, and no others".to_owned()));
    }
    let decoded = object
        .decode_pixel_data_frame(frame)
        .map_err(|error| failed("this encoding of pixels cannot be drawn here", error))?;
    let samples = decoded.samples_per_pixel();
    let pixels = match samples {
        1 => grey(&decoded, window)?,
        3 => decoded.to_vec_frame(0).map_err(|error| failed("pixels", error))?,
        other => return Err(DicomError(format!("{other} samples of a pixel cannot be drawn"))),
    };
    let (columns, rows) = (decoded.columns(), decoded.rows());
    let wanted = u64::from(columns) * u64::from(rows) * u64::from(samples);
    if pixels.len() as u64 != wanted {
        return Err(DicomError(format!("{} samples are there, not {wanted}", pixels.len())));
    }
    Ok(Frame { columns, rows, samples: samples as u8, pixels })
}

/// Applies a window to the values of a frame (PS3.3, C.11.2.1.2).
fn grey(decoded: &DecodedPixelData<'_>, window: Option<(f64, f64)>) -> Result<Vec<u8>, DicomError> {
    let options = ConvertOptions::new().with_voi_lut(VoiLutOption::Identity);
    let values = decoded.to_vec_frame_with_options::<f32>(0, &options);
    let values = values.map_err(|error| failed("pixels", error))?;
    let named = decoded.window().ok().flatten().and_then(|windows| windows.first().copied());
    let (centre, width) = window
        .or_else(|| named.map(|named| (named.center, named.width)))
        .filter(|(centre, width)| centre.is_finite() && *width >= 1.0)
        .unwrap_or_else(|| whole_range(&values));
    // The least value is white in MONOCHROME1 (PS3.3, C.7.6.3.1.2).
    let inverted = decoded.photometric_interpretation().as_str() == "MONOCHROME1";
    let shade = |value: &f32| {
        let place = (f64::from(*value) - (centre - 0.5)) / (width - 1.0).max(f64::MIN_POSITIVE);
        let shade = ((place + 0.5).clamp(0.0, 1.0) * 255.0).round() as u8;
        if inverted { 255 - shade } else { shade }
    };
    Ok(values.iter().map(shade).collect())
}

/// The window from the least to the greatest value.
fn whole_range(values: &[f32]) -> (f64, f64) {
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (least, greatest) = (f64::from(least), f64::from(greatest));
    ((least + greatest + 1.0) / 2.0, (greatest - least + 1.0).max(2.0))
}

impl Frame {
    /// The same with at most `edge` pixels a side, each the mean of those it stands for.
    #[must_use]
    pub fn scaled(self, edge: u32) -> Self {
        let longest = self.columns.max(self.rows);
        if edge == 0 || longest <= edge {
            return self;
        }
        let scaled =
            |length: u32| (u64::from(length) * u64::from(edge) / u64::from(longest)).max(1) as u32;
        let (columns, rows) = (scaled(self.columns), scaled(self.rows));
        let mut pixels = Vec::with_capacity((columns * rows) as usize * usize::from(self.samples));
        for row in 0..rows {
            for column in 0..columns {
                let (top, bottom) = span(row, rows, self.rows);
                let (left, right) = span(column, columns, self.columns);
                for sample in 0..usize::from(self.samples) {
                    pixels.push(self.mean(top..bottom, left..right, sample));
                }
            }
        }
        Self { columns, rows, samples: self.samples, pixels }
    }

    fn mean(&self, rows: Range, columns: Range, sample: usize) -> u8 {
        let (mut sum, mut count) = (0_u64, 0_u64);
        for row in rows {
            for column in columns.clone() {
                let at = (row * self.columns as usize + column) * usize::from(self.samples);
                sum += u64::from(self.pixels[at + sample]);
                count += 1;
            }
        }
        (sum / count.max(1)) as u8
    }

    /// As a PNG file.
    ///
    /// # Errors
    /// It has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, DicomError> {
        let mut octets = Vec::new();
        let mut encoder = png::Encoder::new(&mut octets, self.columns, self.rows);
        encoder.set_color(if self.samples == 3 {
            png::ColorType::Rgb
        } else {
            png::ColorType::Grayscale
        });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(|error| failed("PNG", error))?;
        writer.write_image_data(&self.pixels).map_err(|error| failed("PNG", error))?;
        drop(writer);
        Ok(octets)
    }
}

type Range = std::ops::Range<usize>;

/// The pixels that one of `count` stands for, of `length`.
fn span(index: u32, count: u32, length: u32) -> (usize, usize) {
    let at = |index: u32| u64::from(index) * u64::from(length) / u64::from(count);
    let (from, to) = (at(index) as usize, at(index + 1) as usize);
    (from, to.max(from + 1))
}
