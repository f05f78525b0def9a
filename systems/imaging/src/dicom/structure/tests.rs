//! Data sets as they come, and as they are read.

use super::*;
use crate::dicom::{read_set, text};
use dicom_core::VR;
use dicom_object::InMemDicomObject;

const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;
const IMPLICIT: &str = uids::IMPLICIT_VR_LITTLE_ENDIAN;

fn explicit(octets: &[&[u8]]) -> Result<(), String> {
    check_set(&octets.concat(), EXPLICIT).map_err(|error| error.to_string())
}

#[test]
fn values_and_sequences_that_fit_are_passed_over() {
    let name: &[u8] = b"\x10\x00\x10\x00PN\x02\x00ab";
    let item: &[u8] = b"\xfe\xff\x00\xe0\x0a\x00\x00\x00";
    let open_item: &[u8] = b"\xfe\xff\x00\xe0\xff\xff\xff\xff";
    let item_end: &[u8] = b"\xfe\xff\x0d\xe0\x00\x00\x00\x00";
    let end: &[u8] = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
    let sequence: &[u8] = b"\x08\x00\x40\x11SQ\x00\x00\x12\x00\x00\x00";
    let open: &[u8] = b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff";
    explicit(&[]).unwrap();
    explicit(&[name, name]).unwrap();
    explicit(&[sequence, item, name, name]).unwrap();
    explicit(&[open, open_item, name, item_end, item, name, end, name]).unwrap();
    let pixels: &[u8] = b"\xe0\x7f\x10\x00OB\x00\x00\xff\xff\xff\xff";
    let fragment: &[u8] = b"\xfe\xff\x00\xe0\x02\x00\x00\x00\x01\x02";
    explicit(&[name, pixels, fragment, fragment, end]).unwrap();
    // A known sequence without its kind.
    let set = b"\x08\x00\x40\x11\x08\x00\x00\x00\xfe\xff\x00\xe0\x00\x00\x00\x00";
    check_set(set, IMPLICIT).unwrap();
    let big = b"\x00\x10\x00\x10PN\x00\x02ab";
    check_set(big, "1.2.840.10008.1.2.2").unwrap();
}

#[test]
fn sequences_of_unknown_kind_are_written_as_such_whatever_is_around_them() {
    let name: &[u8] = b"\x10\x00\x10\x00PN\x02\x00ab";
    let unknown: &[u8] = b"\x09\x00\x01\x10UN\x00\x00\xff\xff\xff\xff";
    let item: &[u8] = b"\xfe\xff\x00\xe0\x0a\x00\x00\x00\x10\x00\x10\x00\x02\x00\x00\x00ab";
    let end: &[u8] = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
    let within = [unknown, item, item, end].concat();
    let count = |sequence: &InMemDicomObject| {
        let items = sequence.element(Tag(9, 0x1001)).unwrap().items().unwrap();
        assert!(items.iter().all(|item| text(item, tags::PATIENT_NAME) == "ab"));
        items.len()
    };
    // At the outermost level, in an item of stated length, and in one without.
    let set = read_set(&[&within, name].concat(), EXPLICIT).unwrap();
    assert_eq!((count(&set), text(&set, tags::PATIENT_NAME)), (2, "ab".to_owned()));
    let long = |octets: &[u8]| (octets.len() as u32).to_le_bytes();
    let stated = [&b"\xfe\xff\x00\xe0"[..], &long(&within), &within].concat();
    let open = [&b"\xfe\xff\x00\xe0\xff\xff\xff\xff"[..], &within, b"\xfe\xff\x0d\xe0\0\0\0\0"];
    for item in [stated, open.concat()] {
        let known = [&b"\x08\x00\x40\x11SQ\x00\x00"[..], &long(&item), &item].concat();
        let set = read_set(&[&known, name].concat(), EXPLICIT).unwrap();
        let items = set.element(tags::REFERENCED_IMAGE_SEQUENCE).unwrap().items().unwrap();
        assert_eq!((count(&items[0]), text(&set, tags::PATIENT_NAME)), (2, "ab".to_owned()));
    }
    // In big-endian, what is in it is in little-endian even so.
    let big = b"\x00\x09\x10\x01UN\x00\x00\xff\xff\xff\xff";
    let after = b"\x00\x10\x00\x10PN\x00\x02ab";
    let end_big = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
    let set = read_set(&[&big[..], item, end_big, after].concat(), BIG_ENDIAN).unwrap();
    assert_eq!((count(&set), text(&set, tags::PATIENT_NAME)), (1, "ab".to_owned()));
}

#[test]
fn known_sequences_of_unknown_kind_and_stated_length_are_sequences() {
    let item: &[u8] = b"\xfe\xff\x00\xe0\x0a\x00\x00\x00\x08\x00\x55\x11\x02\x00\x00\x001\0";
    let head: &[u8] = b"\x08\x00\x40\x11UN\x00\x00\x12\x00\x00\x00";
    let set = read_set(&[head, item].concat(), EXPLICIT).unwrap();
    let items = set.element(tags::REFERENCED_IMAGE_SEQUENCE).unwrap().items().unwrap();
    assert_eq!(text(&items[0], tags::REFERENCED_SOP_INSTANCE_UID), "1");
    // What is no sequence after all stays as it is.
    let set = read_set(&[head, &[7; 18]].concat(), EXPLICIT).unwrap();
    let octets = set.element(tags::REFERENCED_IMAGE_SEQUENCE).unwrap().to_bytes().unwrap();
    assert_eq!(octets[..], [7; 18]);
}

#[test]
fn values_are_the_same_in_each_order_of_octets_and_without_what_is_no_attribute() {
    let sets: [(&[u8], &str); 3] = [
        (b"\x28\0\0\0UL\x04\0\x0a\0\0\0\x28\0\x10\0US\x02\0\x02\x01\xfc\xff\xfc\xffOB\0\0\x02\0\0\0zz", EXPLICIT),
        (b"\x28\0\x10\0\x02\0\0\0\x02\x01", IMPLICIT),
        (b"\0\x28\0\x10US\0\x02\x01\x02", BIG_ENDIAN),
    ];
    for (octets, syntax) in sets {
        let rewritten = rewrite_set(octets, syntax).unwrap();
        assert_eq!(rewritten, b"\x28\0\x10\0US\x02\0\x02\x01", "{syntax}");
    }
    // Values that are signed with the pixels.
    let signed = b"\x28\0\x03\x01\x02\0\0\0\x01\0\x28\0\x06\x01\x02\0\0\0\xff\xff";
    let set = read_set(signed, IMPLICIT).unwrap();
    let least = set.element(tags::SMALLEST_IMAGE_PIXEL_VALUE).unwrap();
    assert_eq!((least.vr(), least.to_int::<i32>().unwrap()), (VR::SS, -1));
    // A text that is too long for its kind in an explicit encoding.
    let long = [&b"\x10\0\x10\0\0\0\x01\0"[..], &[b'a'; 0x10000]].concat();
    let set = read_set(&long, IMPLICIT).unwrap();
    assert_eq!(set.element(tags::PATIENT_NAME).unwrap().to_str().unwrap().len(), 0x10000);
}

#[test]
fn delimiters_may_be_left_out_at_the_end_and_nothing_else() {
    let name: &[u8] = b"\x10\x00\x10\x00PN\x02\x00ab";
    let open: &[u8] = b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff";
    let open_item: &[u8] = b"\xfe\xff\x00\xe0\xff\xff\xff\xff";
    let item_end: &[u8] = b"\xfe\xff\x0d\xe0\x00\x00\x00\x00";
    let end: &[u8] = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
    let whole = [open, open_item, name, item_end, end].concat();
    let short: [&[&[u8]]; 4] = [
        &[open, open_item, name, item_end],
        &[open, open_item, name],
        &[open, open_item, name, end],
        &[open, open_item, name, item_end, end],
    ];
    for set in short {
        assert_eq!(rewrite_set(&set.concat(), EXPLICIT).unwrap(), whole);
    }
    let pixels: &[u8] = b"\xe0\x7f\x10\x00OB\x00\x00\xff\xff\xff\xff";
    let fragment: &[u8] = b"\xfe\xff\x00\xe0\x02\x00\x00\x00\x01\x02";
    explicit(&[name, pixels, fragment]).unwrap();
    for cut in [&[open][..], &[open, open_item], &[name, pixels]] {
        assert!(explicit(cut).unwrap_err().contains("cut off within a sequence"));
    }
}

#[test]
fn lengths_that_do_not_fit_are_named_with_their_place() {
    for (octets, what) in [
        (&b"\x10\x00\x10\x00PN\x03\x00ab"[..], "octet 8: a value of 3 octets"),
        (b"\x10\x00\x10\x00UN\x00\x00\x00\x00\x00\x7f", "octet 12: a value of 2130706432"),
        (b"ERIMAVEVELEOVVE!", "is not there"),
        (b"\x10\x00\x10\x00P", "it is cut off"),
        (b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff", "within a sequence"),
        (b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\x00", "a sequence is longer"),
        // The parser would reserve and fill 4 GiB.
        (b"\xe4\x7f\x10\x00OB\x00\x00\xff\xff\xff\xff", "sequences and pixels"),
        (
            b"\x08\x00\x40\x11SQ\x00\x00\x08\x00\x00\x00\x10\x00\x10\x00PN\x00\x00",
            "an item belongs",
        ),
    ] {
        let error = check_set(octets, EXPLICIT).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let deep = b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff";
    let error = check_set(&deep.repeat(1000), EXPLICIT).unwrap_err().to_string();
    assert!(error.contains("too deeply") && !error.contains("damaged"), "{error}");
    // 31 are read, and the next one is beyond the limit.
    let item =
        |sequences: usize| [&deep.repeat(sequences)[..], b"\x10\x00\x10\x00PN\x00\x00"].concat();
    check_set(&item(31), EXPLICIT).unwrap();
    let error = check_set(&item(32), EXPLICIT).unwrap_err().to_string();
    assert!(error.contains("beyond a limit of this server"), "{error}");
}
