//! What the imaging example reads from strangers: the lengths of DICOM objects, parts of bodies, media
//! types, rules, entries of a worklist and what is asked of them. The first octet says which.

use armilla_imaging::access::Rules;
use armilla_imaging::dicom::{check_set, read_set};
use armilla_imaging::procedures::{Entry, matching, object_from_json, object_to_octets};
use armilla_imaging::web::accept::accepted;
use armilla_imaging::web::multipart::MultipartReader;
use std::io::Read as _;

pub(crate) fn check(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 8 {
        0 => parts(data),
        1 => media_types(data),
        2 => rules(data),
        // Explicit and implicit, little-endian; explicit, big-endian.
        3 => set(data, "1.2.840.10008.1.2.1"),
        4 => set(data, "1.2.840.10008.1.2"),
        5 => set(data, "1.2.840.10008.1.2.2"),
        6 => entry(data),
        _ => keys(data),
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

/// An entry of a worklist matches itself, and is the same after it was kept.
fn entry(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let Ok(set) = object_from_json(text) else { return };
    let Ok(entry) = Entry::new(set) else { return };
    let kept = object_from_json(&entry.to_json()).unwrap();
    let again = Entry::new(kept).unwrap();
    assert_eq!(again.uid, entry.uid);
    assert_eq!(again.begin(), entry.begin());
    matching::answer(&entry.set, &again.set);
}

/// An answer has as many attributes as its keys at most.
fn keys(data: &[u8]) {
    let Ok(keys) = read_set(data, "1.2.840.10008.1.2.1") else { return };
    let text = r#"{"00100010":{"vr":"PN","Value":[{"Alphabetic":"Doe"}]},
        "00100020":{"vr":"LO","Value":["P7"]},"00400100":{"vr":"SQ","Value":[{
        "00080060":{"vr":"CS","Value":["CT"]},"00400002":{"vr":"DA","Value":["20261127"]}}]}}"#;
    let entry = Entry::new(object_from_json(text).unwrap()).unwrap();
    matching::matches(&keys, &entry.set);
    let answer = matching::answer(&keys, &entry.set);
    assert!(answer.tags().count() <= keys.tags().count());
    object_to_octets(answer, "1.2.840.10008.1.2.1").unwrap();
}
