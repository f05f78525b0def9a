//! What the imaging example reads from strangers: the lengths of DICOM objects, parts of bodies, media
//! types, rules. The first octet says which.

use armilla_imaging::access::Rules;
use armilla_imaging::dicom::check_set;
use armilla_imaging::web::accept::accepted;
use armilla_imaging::web::multipart::MultipartReader;
use std::io::Read as _;

pub(crate) fn check(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 6 {
        0 => parts(data),
        1 => media_types(data),
        2 => rules(data),
        // Explicit and implicit, little-endian; explicit, big-endian.
        3 => set(data, "1.2.840.10008.1.2.1"),
        4 => set(data, "1.2.840.10008.1.2"),
        _ => set(data, "1.2.840.10008.1.2.2"),
    }
}

fn parts(data: &[u8]) {
    let mut reader = MultipartReader::new(data, "x").unwrap();
    let mut octets = Vec::new();
    let mut read = 0;
    while let Ok(Some(head)) = reader.next_part() {
        assert!(head.fields.len() <= data.len());
        octets.clear();
        if reader.read_to_end(&mut octets).is_err() {
            return;
        }
        assert!(!octets.windows(5).any(|five| five == b"\r\n--x"), "a delimiter is in a part");
        read += octets.len();
        assert!(read <= data.len());
    }
}

fn media_types(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    for media in accepted(Some(text)) {
        assert!(media.name.contains('/'), "{}", media.name);
        media.includes("image/png");
        media.parameter("boundary");
    }
}

fn rules(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    if let Err(error) = text.parse::<Rules>() {
        assert!((1..=text.lines().count().max(1)).contains(&error.line), "{error}");
    }
}

/// It ends, and an error names a place in the data.
fn set(data: &[u8], syntax: &str) {
    let Err(error) = check_set(data, syntax) else { return };
    let error = error.to_string();
    let place = error.split("octet ").nth(1).and_then(|rest| rest.split(':').next());
    let place: usize = place.and_then(|place| place.parse().ok()).unwrap_or(usize::MAX);
    assert!(place <= data.len(), "{error}");
}
