//! Files of the imaging example, from the head to the pixels: described, shown as JSON, decoded, and
//! drawn. The first octet says which transfer syntax the data set has that follows it; the greatest
//! ones, that the head follows as well.

use armilla_imaging::dicom;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const SYNTAXES: [&str; 7] = [
    "1.2.840.10008.1.2.1",
    "1.2.840.10008.1.2",
    "1.2.840.10008.1.2.2",
    "1.2.840.10008.1.2.1.99",
    "1.2.840.10008.1.2.5",
    "1.2.840.10008.1.2.4.50",
    "1.2.840.10008.1.2.4.90",
];

pub(crate) fn check(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let mut octets = vec![0; 128];
    octets.extend_from_slice(b"DICM");
    if let Some(syntax) = SYNTAXES.get(usize::from(kind % 8)) {
        octets.extend(head(syntax));
    }
    octets.extend_from_slice(data);
    // The decoders read files.
    let path = path();
    fs::write(path, octets).unwrap();
    read(path);
    fs::remove_file(path).unwrap();
}

fn read(path: &Path) {
    let Ok(image) = dicom::describe(path) else { return };
    assert!(dicom::is_uid(&image.uid) && dicom::is_uid(&image.study));
    if let Ok(text) = dicom::metadata(path) {
        assert!(text.starts_with('{'), "{text}");
    }
    if let Ok(frame) = dicom::frame(path, 0, None) {
        let expected = frame.columns as usize * frame.rows as usize * usize::from(frame.samples);
        assert_eq!(frame.pixels.len(), expected);
        let small = frame.scaled(3, 3);
        assert!(small.columns <= 3 && small.rows <= 3);
    }
    for stored in [false, true] {
        dicom::pixels(path, image.frames - 1, stored).ok();
    }
}

/// The head of a file (PS3.10, 7.1).
fn head(syntax: &str) -> Vec<u8> {
    let element = |number: u16, value: &str| {
        let mut value = value.as_bytes().to_vec();
        value.resize(value.len().next_multiple_of(2), 0);
        let mut octets = [2_u16.to_le_bytes(), number.to_le_bytes()].concat();
        octets.extend_from_slice(b"UI");
        octets.extend_from_slice(&(value.len() as u16).to_le_bytes());
        octets.extend(value);
        octets
    };
    let meta = [element(2, "1.2.840.10008.5.1.4.1.1.7"), element(3, "1.2.3"), element(16, syntax)];
    let meta = meta.concat();
    let mut octets = b"\x02\0\0\0UL\x04\0".to_vec();
    octets.extend_from_slice(&(meta.len() as u32).to_le_bytes());
    octets.extend(meta);
    octets
}

/// A file of this process, in memory where the system has that.
fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let directory = if memory.is_dir() { memory } else { std::env::temp_dir() };
        directory.join(format!("armilla-dicom-file-{}", std::process::id()))
    })
}
