//! Frames as pictures: windows, palettes, sizes, PNG and JPEG.

use super::encoded::check_encoded;
use super::pixels::side_by_side;
use super::single::{self, Single};
use super::{DicomError, failed, guarded, text};
use crate::idl::WindowFunction;
use dicom_core::Tag;
use dicom_dictionary_std::tags;
use dicom_object::DefaultDicomObject;
use dicom_pixeldata::{ConvertOptions, DecodedPixelData, PixelDecoder, VoiLutOption};
use std::path::Path;

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

/// Which values become which shades.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// The value in the middle.
    pub centre: f64,
    /// How many values there are from black to white.
    pub width: f64,
    /// What lies between.
    pub shape: WindowFunction,
}

/// Decodes a frame of a file, from 0 on. Without a window, that of the object is taken, and without
/// that one from the least to the greatest value. Colours have no window.
///
/// # Errors
/// The encoding is not one that the codecs here know, the frame does not exist, or is too large.
pub fn frame(path: &Path, frame: u32, window: Option<Window>) -> Result<Frame, DicomError> {
    guarded(|| draw(path, frame, window))
}

fn draw(path: &Path, frame: u32, window: Option<Window>) -> Result<Frame, DicomError> {
    let Single { object, frame, .. } = &single::open(path, frame)?;
    let stored = text(object, tags::BITS_STORED).parse::<u32>().unwrap_or(0);
    if !(1..=32).contains(&stored) {
        return Err(DicomError("pixels of 1 to 32 bits are drawn, and no others".to_owned()));
    }
    if text(object, tags::BITS_ALLOCATED) == "1" {
        return bitmap(object, *frame);
    }
    check_encoded(object)?;
    let decoded = object
        .decode_pixel_data_frame(*frame)
        .map_err(|error| failed("this encoding of pixels cannot be drawn here", error))?;
    let palette = text(object, tags::PHOTOMETRIC_INTERPRETATION) == "PALETTE COLOR";
    let (samples, pixels) = match decoded.samples_per_pixel() {
        1 if palette => (3, coloured(object, &decoded)?),
        1 => (1, grey(object, &decoded, window)?),
        3 => (3, colours(object, &decoded, stored)?),
        other => return Err(DicomError(format!("{other} samples of a pixel cannot be drawn"))),
    };
    let (columns, rows) = (decoded.columns(), decoded.rows());
    let wanted = u64::from(columns) * u64::from(rows) * u64::from(samples);
    if pixels.len() as u64 != wanted {
        return Err(DicomError(format!("{} samples are there, not {wanted}", pixels.len())));
    }
    Ok(Frame { columns, rows, samples, pixels })
}

/// Red, green and blue, of the highest eight of so many bits.
fn colours(
    object: &DefaultDicomObject,
    decoded: &DecodedPixelData<'_>,
    stored: u32,
) -> Result<Vec<u8>, DicomError> {
    if text(object, tags::PHOTOMETRIC_INTERPRETATION) != "RGB" {
        return decoded.to_vec_frame(0).map_err(|error| failed("pixels", error));
    }
    let octets = side_by_side(object, decoded)?;
    let high = |pair: &[u8]| {
        let value = u32::from(u16::from_le_bytes([pair[0], pair[1]]));
        (value >> stored.saturating_sub(8)).min(255) as u8
    };
    Ok(match decoded.bits_allocated() {
        16 => octets.chunks_exact(2).map(high).collect(),
        32 => octets.as_chunks::<4>().0.iter().map(|word| highest(*word, stored)).collect(),
        _ => octets,
    })
}

/// The highest eight of so many bits.
fn highest(word: [u8; 4], stored: u32) -> u8 {
    (u32::from_le_bytes(word) >> stored.saturating_sub(8)).min(255) as u8
}

/// A frame of one bit a pixel, the first one lowest, as segments are (PS3.5, 8.1.1 and annex D).
fn bitmap(object: &DefaultDicomObject, frame: u32) -> Result<Frame, DicomError> {
    let number = |tag| text(object, tag).parse::<u32>().unwrap_or(0);
    let (rows, columns) = (number(tags::ROWS), number(tags::COLUMNS));
    let count = rows as usize * columns as usize;
    let element = object.element(tags::PIXEL_DATA).map_err(|error| failed("pixels", error))?;
    let octets = element.to_bytes().map_err(|error| failed("pixels", error))?;
    let first = frame as usize * count;
    if number(tags::SAMPLES_PER_PIXEL) > 1 || octets.len().saturating_mul(8) < first + count {
        return Err(DicomError("some pixels of one bit are missing".to_owned()));
    }
    let inverted = text(object, tags::PHOTOMETRIC_INTERPRETATION) == "MONOCHROME1";
    let shade = |at: usize| {
        let set = octets[at / 8] >> (at % 8) & 1 == 1;
        if set != inverted { 255 } else { 0 }
    };
    Ok(Frame { columns, rows, samples: 1, pixels: (first..first + count).map(shade).collect() })
}

/// Values of 32 bits, as their image scales them.
fn wide(
    object: &DefaultDicomObject,
    decoded: &DecodedPixelData<'_>,
) -> Result<Vec<f64>, DicomError> {
    let octets = side_by_side(object, decoded)?;
    let number = |tag, otherwise| text(object, tag).parse::<f64>().unwrap_or(otherwise);
    let slope = number(tags::RESCALE_SLOPE, 1.0);
    let intercept = number(tags::RESCALE_INTERCEPT, 0.0);
    let signed = text(object, tags::PIXEL_REPRESENTATION) == "1";
    let value = |word: &[u8; 4]| match signed {
        true => f64::from(i32::from_le_bytes(*word)),
        false => f64::from(u32::from_le_bytes(*word)),
    };
    let values = octets.as_chunks::<4>().0.iter().map(value);
    Ok(values.map(|value| value * slope + intercept).collect())
}

/// Applies a window to the values of a frame.
fn grey(
    object: &DefaultDicomObject,
    decoded: &DecodedPixelData<'_>,
    window: Option<Window>,
) -> Result<Vec<u8>, DicomError> {
    if decoded.bits_allocated() == 32 {
        return Ok(shades(decoded, window, &wide(object, decoded)?));
    }
    let options = ConvertOptions::new().with_voi_lut(VoiLutOption::Identity);
    let values = decoded.to_vec_frame_with_options::<f32>(0, &options);
    Ok(shades(decoded, window, &values.map_err(|error| failed("pixels", error))?))
}

/// The shades of values by a window: one that is asked for, that of the image, or all that there is.
fn shades<V: Into<f64> + Copy>(
    decoded: &DecodedPixelData<'_>,
    window: Option<Window>,
    values: &[V],
) -> Vec<u8> {
    let named = decoded.window().ok().flatten().and_then(|windows| windows.first().copied());
    let linear = |centre, width| Window { centre, width, shape: WindowFunction::Linear };
    let window = window
        .or_else(|| named.map(|named| linear(named.center, named.width)))
        .filter(|window| window.centre.is_finite() && window.width >= 1.0)
        .unwrap_or_else(|| whole_range(values));
    // The least value is white in MONOCHROME1 (PS3.3, C.7.6.3.1.2).
    let inverted = decoded.photometric_interpretation().as_str() == "MONOCHROME1";
    let shade = |value: &V| {
        let shade = window.shade((*value).into());
        if inverted { 255 - shade } else { shade }
    };
    values.iter().map(shade).collect()
}

/// The window from the least to the greatest value.
fn whole_range<V: Into<f64> + Copy>(values: &[V]) -> Window {
    let values = || values.iter().map(|value| (*value).into());
    let least = values().fold(f64::INFINITY, f64::min);
    let greatest = values().fold(f64::NEG_INFINITY, f64::max);
    let (centre, width) = ((least + greatest + 1.0) / 2.0, (greatest - least + 1.0).max(2.0));
    Window { centre, width, shape: WindowFunction::Linear }
}

impl Window {
    /// The shade of a value (PS3.3, C.11.2.1.2.1, C.11.2.1.3.1 and C.11.2.1.3.2).
    fn shade(&self, value: f64) -> u8 {
        let place = match self.shape {
            WindowFunction::Linear => {
                let width = self.width - 1.0;
                if value <= self.centre - 0.5 - width / 2.0 {
                    return 0;
                }
                if value > self.centre - 0.5 + width / 2.0 {
                    return 255;
                }
                (value - (self.centre - 0.5)) / width + 0.5
            }
            WindowFunction::LinearExact => (value - self.centre) / self.width + 0.5,
            WindowFunction::Sigmoid => {
                1.0 / (1.0 + (-4.0 * (value - self.centre) / self.width).exp())
            }
        };
        // Out of range it saturates. What lies between two shades is the lower one, as in DCMTK.
        (place * 255.0 + 1e-9) as u8
    }
}

/// The colours of a palette (PS3.3, C.7.6.3.1.5 and C.7.6.3.1.6).
fn coloured(
    object: &DefaultDicomObject,
    decoded: &DecodedPixelData<'_>,
) -> Result<Vec<u8>, DicomError> {
    let colour = |descriptor, data| Ramp::read(object, descriptor, data);
    let ramps = [
        colour(
            tags::RED_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR,
            tags::RED_PALETTE_COLOR_LOOKUP_TABLE_DATA,
        )?,
        colour(
            tags::GREEN_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR,
            tags::GREEN_PALETTE_COLOR_LOOKUP_TABLE_DATA,
        )?,
        colour(
            tags::BLUE_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR,
            tags::BLUE_PALETTE_COLOR_LOOKUP_TABLE_DATA,
        )?,
    ];
    let octets = decoded.data();
    let values: Vec<u16> = match decoded.bits_allocated() {
        8 => octets.iter().map(|octet| (*octet).into()).collect(),
        _ => octets.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect(),
    };
    Ok(values.iter().flat_map(|value| ramps.each_ref().map(|ramp| ramp.of(*value))).collect())
}

/// One colour of a palette.
struct Ramp {
    first: i32,
    shades: Vec<u8>,
}

impl Ramp {
    fn read(object: &DefaultDicomObject, descriptor: Tag, data: Tag) -> Result<Self, DicomError> {
        let missing = || DicomError("the palette is not there, or segmented".to_owned());
        let element = object.element(descriptor).map_err(|_| missing())?;
        let numbers = element.to_multi_int::<i32>().map_err(|error| failed("palette", error))?;
        let [count, first, bits] = numbers[..] else { return Err(missing()) };
        // 0 stands for 65536, which does not fit.
        let count = if count & 0xffff == 0 { 1 << 16 } else { (count & 0xffff) as usize };
        let element = object.element(data).map_err(|_| missing())?;
        let octets = element.to_bytes().map_err(|error| failed("palette", error))?;
        let shades: Vec<u8> = match (bits, octets.len()) {
            // One octet each; some writers use two even so.
            (8, length) if length < 2 * count => octets.iter().copied().take(count).collect(),
            (8, _) => octets.chunks_exact(2).map(|pair| pair[0]).take(count).collect(),
            _ => octets.chunks_exact(2).map(|pair| pair[1]).take(count).collect(),
        };
        if shades.is_empty() { Err(missing()) } else { Ok(Self { first, shades }) }
    }

    fn of(&self, value: u16) -> u8 {
        let at = (i32::from(value) - self.first).clamp(0, self.shades.len() as i32 - 1);
        self.shades[at as usize]
    }
}

impl Frame {
    /// The same within so many columns and rows, where 0 is any number, each pixel the mean of those
    /// it stands for. Its proportions stay, and it becomes no larger.
    #[must_use]
    pub fn scaled(self, columns: u32, rows: u32) -> Self {
        let most = |limit: u32, length: u32| if limit == 0 { length } else { limit.min(length) };
        let (columns, rows) = (most(columns, self.columns), most(rows, self.rows));
        if (columns, rows) == (self.columns, self.rows) {
            return self;
        }
        let (wide, high) = (u64::from(self.columns), u64::from(self.rows));
        // The narrower one of both decides.
        let by_width = u64::from(columns) * high <= u64::from(rows) * wide;
        let (columns, rows) = match by_width {
            true => (columns, (high * u64::from(columns) / wide).max(1) as u32),
            false => ((wide * u64::from(rows) / high).max(1) as u32, rows),
        };
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

impl Frame {
    /// As a JPEG file, with a quality from 1 to 100.
    ///
    /// # Errors
    /// It has no pixels, or more than 65535 in a row or column.
    pub fn to_jpeg(&self, quality: u8) -> Result<Vec<u8>, DicomError> {
        let mut octets = Vec::new();
        let edge = |length: u32| u16::try_from(length).map_err(|error| failed("JPEG", error));
        let colour = match self.samples {
            3 => jpeg_encoder::ColorType::Rgb,
            _ => jpeg_encoder::ColorType::Luma,
        };
        let encoder = jpeg_encoder::Encoder::new(&mut octets, quality.clamp(1, 100));
        let encoded = encoder.encode(&self.pixels, edge(self.columns)?, edge(self.rows)?, colour);
        encoded.map_err(|error| failed("JPEG", error))?;
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
