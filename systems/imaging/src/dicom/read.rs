//! Files as objects in memory, without what the parser does not know.

use super::structure::Places;
use super::{DicomError, failed, normalize};
use dicom_core::Tag;
use dicom_object::{DefaultDicomObject, OpenFileOptions};
use std::fs::File;
use std::io::{BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;

/// Reads a file as far as a tag, or all of it, but not what is at these places: the parser would take
/// it for something else.
pub(super) fn read(
    path: &Path,
    until: Option<Tag>,
    but: &Places,
) -> Result<DefaultDicomObject, DicomError> {
    let options = OpenFileOptions::new();
    let options = match until {
        Some(tag) => options.read_until(tag),
        None => options,
    };
    let file = File::open(path).map_err(|error| failed("the file", error))?;
    let known = Known { file, at: 0, but: but.clone() };
    let read = options.from_reader(BufReader::new(known));
    let mut object = read.map_err(|error| failed("no DICOM object", error))?;
    normalize(&mut object);
    Ok(object)
}

/// A file without some places, the first ones first.
struct Known {
    file: File,
    at: u64,
    but: Places,
}

impl Read for Known {
    fn read(&mut self, octets: &mut [u8]) -> std::io::Result<usize> {
        let next = self.but.first().copied();
        if let Some((begin, end)) = next
            && begin == self.at
        {
            self.file.seek(SeekFrom::Start(end))?;
            self.at = end;
            self.but.remove(0);
            return self.read(octets);
        }
        let left = next.map_or(u64::MAX, |(begin, _)| begin - self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(octets.len());
        let count = self.file.read(&mut octets[..most])?;
        self.at += count as u64;
        Ok(count)
    }
}
