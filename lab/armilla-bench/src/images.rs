//! The images of the imaging experiment: files of random octets, and a list of what is where. All
//! programs read the same files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// The name of the list: a line for each image with its file, the offset there, and the size.
const LIST: &str = "list";

/// The octets of a slice of a series.
const SLICE: u64 = 512 << 10;

/// What a viewer fetches at a time: one image, or the slices of a series one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Study {
    /// The number of its first image.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The octets of each image.
    pub(crate) size: u64,
    /// The checksum of all octets.
    pub(crate) checksum: u64,
}

impl Study {
    /// Its octets.
    pub(crate) const fn octets(&self) -> u64 {
        self.size * self.count as u64
    }

    /// Its name in results.
    pub(crate) fn name(&self) -> String {
        match self.count {
            1 => mebibytes(self.size),
            count => format!("{count} × {}", mebibytes(self.size)),
        }
    }
}

fn mebibytes(octets: u64) -> String {
    format!("{} MiB", octets as f64 / f64::from(1 << 20))
}

/// Writes images of so many MiB and a series of so many slices into a directory.
///
/// # Errors
/// The error of writing; the disk may be full.
pub(crate) fn write(directory: &Path, sizes: &[u64], slices: u32) -> io::Result<Vec<Study>> {
    let mut list = String::new();
    let mut studies = Vec::new();
    let mut first = 0;
    let singles = sizes.iter().map(|size| (1, size << 20));
    for (count, size) in singles.chain((slices > 0).then_some((slices, SLICE))) {
        let name = format!("study{}", studies.len());
        let checksum = write_random(&directory.join(&name), u64::from(count) * size)?;
        (0..u64::from(count))
            .for_each(|place| list += &format!("{name} {} {size}\n", place * size));
        studies.push(Study { first, count, size, checksum });
        first += count;
    }
    fs::write(directory.join(LIST), list)?;
    Ok(studies)
}

/// Writes a file of random octets and returns their checksum.
fn write_random(path: &Path, octets: u64) -> io::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut state = octets | 1;
    let mut sum = Checksum::new(octets);
    for _ in 0..octets / 8 {
        // Xorshift of 64 bits.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum.add(state);
        file.write_all(&state.to_le_bytes())?;
    }
    file.flush()?;
    Ok(sum.0)
}

/// A checksum that depends on the place of each octet, and costs little beside moving them. The
/// programs in C and C++ have the same.
struct Checksum(u64);

impl Checksum {
    const fn new(octets: u64) -> Self {
        Self(octets)
    }

    const fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// The checksum of octets, whose number is a multiple of 8.
pub(crate) fn checksum(octets: &[u8]) -> u64 {
    let mut sum = Checksum::new(octets.len() as u64);
    octets.as_chunks().0.iter().for_each(|word| sum.add(u64::from_le_bytes(*word)));
    sum.0
}

/// An image in a file.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    pub(crate) file: Arc<File>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// The images of a directory, by their numbers.
#[derive(Debug)]
pub(crate) struct Images(Vec<Image>);

impl Images {
    /// Opens the files of a directory.
    ///
    /// # Errors
    /// A file cannot be read; the list is damaged.
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let mut images: Vec<Image> = Vec::new();
        let mut before = String::new();
        for line in fs::read_to_string(directory.join(LIST))?.lines() {
            let damaged = || io::Error::new(io::ErrorKind::InvalidData, format!("list: {line:?}"));
            let mut words = line.split_whitespace();
            let name = words.next().ok_or_else(damaged)?;
            let mut number = || words.next()?.parse().ok();
            let (offset, size) = (number().ok_or_else(damaged)?, number().ok_or_else(damaged)?);
            let file = match images.last() {
                Some(last) if before == name => last.file.clone(),
                _ => Arc::new(File::open(directory.join(name))?),
            };
            name.clone_into(&mut before);
            images.push(Image { file, offset, size });
        }
        Ok(Self(images))
    }

    /// The image with this number.
    pub(crate) fn get(&self, number: u32) -> Option<&Image> {
        self.0.get(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, SeekFrom};

    #[test]
    fn what_is_written_is_what_is_read_and_counted() {
        let directory = std::env::temp_dir().join(format!("armilla-images-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let studies = write(&directory, &[1, 2], 3).unwrap();
        let images = Images::open(&directory).unwrap();
        let names: Vec<_> = studies.iter().map(Study::name).collect();
        assert_eq!(names, ["1 MiB", "2 MiB", "3 × 0.5 MiB"]);
        for study in &studies {
            let mut octets = Vec::new();
            for number in study.first..study.first + study.count {
                let image = images.get(number).unwrap();
                let mut file = &*image.file;
                file.seek(SeekFrom::Start(image.offset)).unwrap();
                file.take(image.size).read_to_end(&mut octets).unwrap();
            }
            assert_eq!((octets.len() as u64, checksum(&octets)), (study.octets(), study.checksum));
            octets.swap(0, 9);
            assert_ne!(checksum(&octets), study.checksum);
        }
        assert!(images.get(5).is_none());
        fs::write(directory.join(LIST), "study0 0\n").unwrap();
        assert!(Images::open(&directory).unwrap_err().to_string().contains("study0 0"));
        fs::remove_dir_all(&directory).unwrap();
    }
}
