//! Files that other programs write and read, and that are written in another way than most: what
//! modalities have sent to others for years is kept, found and shown here, too.

use crate::common::{Scratch, write_frames, write_image};
use armilla_imaging::dicom;
use armilla_imaging::store::{Store, StoreError};
use dicom_dictionary_std::uids;
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

const CLASS: &str = uids::SECONDARY_CAPTURE_IMAGE_STORAGE;
const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;
const IMPLICIT: &str = uids::IMPLICIT_VR_LITTLE_ENDIAN;
const DEFLATED: &str = uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN;
const BIG: &str = "1.2.840.10008.1.2.2";

/// How elements are written.
#[derive(Clone, Copy)]
struct Writing {
    explicit: bool,
    big: bool,
}

const LITTLE: Writing = Writing { explicit: true, big: false };
const KINDLESS: Writing = Writing { explicit: false, big: false };

impl Writing {
    fn short(self, value: u16) -> [u8; 2] {
        if self.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn long(self, value: u32) -> [u8; 4] {
        if self.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    /// An element; a length of `None` is undefined.
    fn head(self, (group, number): (u16, u16), kind: &str, length: Option<usize>) -> Vec<u8> {
        let length = length.map_or(u32::MAX, |length| length as u32);
        let tag = [self.short(group), self.short(number)].concat();
        let long = ["OB", "OW", "SQ", "UN", "UT"].contains(&kind);
        match (self.explicit, long) {
            (false, _) => [tag, self.long(length).to_vec()].concat(),
            (true, true) => [&tag, kind.as_bytes(), &[0, 0], &self.long(length)].concat(),
            (true, false) => [&tag, kind.as_bytes(), &self.short(length as u16)].concat(),
        }
    }

    fn element(self, tag: (u16, u16), kind: &str, value: &[u8]) -> Vec<u8> {
        let mut value = value.to_vec();
        if value.len() % 2 == 1 {
            value.push(if ["UI", "OB", "UN"].contains(&kind) { 0 } else { b' ' });
        }
        [self.head(tag, kind, Some(value.len())), value].concat()
    }

    fn text(self, tag: (u16, u16), kind: &str, value: &str) -> Vec<u8> {
        self.element(tag, kind, value.as_bytes())
    }

    fn number(self, tag: (u16, u16), value: u16) -> Vec<u8> {
        self.element(tag, "US", &self.short(value))
    }

    fn delimiter(self, number: u16, length: Option<usize>) -> Vec<u8> {
        let length = length.map_or(u32::MAX, |length| length as u32);
        [&self.short(0xfffe)[..], &self.short(number), &self.long(length)].concat()
    }

    /// A sequence of one item, of stated or undefined length each.
    fn sequence(self, tag: (u16, u16), kind: &str, content: &[u8], stated: [bool; 2]) -> Vec<u8> {
        let inside = if kind == "UN" { KINDLESS } else { self };
        let item = match stated[1] {
            true => [&inside.delimiter(0xe000, Some(content.len()))[..], content].concat(),
            false => {
                let (begin, end) =
                    (inside.delimiter(0xe000, None), inside.delimiter(0xe00d, Some(0)));
                [&begin[..], content, &end].concat()
            }
        };
        match stated[0] {
            true => [self.head(tag, kind, Some(item.len())), item].concat(),
            false => {
                let end = inside.delimiter(0xe0dd, Some(0));
                [self.head(tag, kind, None), item, end].concat()
            }
        }
    }

    /// The data set of an image of 4 × 4 pixels, with more elements before its pixels.
    fn set(self, uid: &str, more: &[u8]) -> Vec<u8> {
        [
            self.text((8, 5), "CS", "ISO_IR 100"),
            self.text((8, 0x16), "UI", CLASS),
            self.text((8, 0x18), "UI", uid),
            self.text((8, 0x20), "DA", "1997.04.24"),
            self.text((8, 0x30), "TM", "10:15:30"),
            self.text((8, 0x60), "CS", "OT"),
            self.element((0x10, 0x10), "PN", b"M\xfcller^J\xfcrg"),
            self.text((0x10, 0x20), "LO", "ID1"),
            self.text((0x20, 0xd), "UI", "1.2.77.1"),
            self.text((0x20, 0xe), "UI", "1.2.77.1.1"),
            self.text((0x20, 0x13), "IS", "1"),
            self.number((0x28, 2), 1),
            self.text((0x28, 4), "CS", "MONOCHROME2"),
            self.number((0x28, 0x10), 4),
            self.number((0x28, 0x11), 4),
            self.number((0x28, 0x100), 8),
            self.number((0x28, 0x101), 8),
            self.number((0x28, 0x102), 7),
            self.number((0x28, 0x103), 0),
            more.to_vec(),
            self.element((0x7fe0, 0x10), "OB", &(0..16).collect::<Vec<u8>>()),
        ]
        .concat()
    }
}

/// What a head leaves out.
#[derive(Clone, Copy, Default)]
struct Without {
    length: bool,
    syntax: bool,
    preamble: bool,
    head: bool,
}

fn file(uid: &str, syntax: &str, set: &[u8], without: Without) -> Vec<u8> {
    if without.head {
        return set.to_vec();
    }
    let mut meta = [
        LITTLE.element((2, 1), "OB", &[0, 1]),
        LITTLE.text((2, 2), "UI", CLASS),
        LITTLE.text((2, 3), "UI", uid),
    ]
    .concat();
    if !without.syntax {
        meta.extend(LITTLE.text((2, 0x10), "UI", syntax));
    }
    meta.extend(LITTLE.text((2, 0x12), "UI", "1.2.3.4"));
    let mut octets =
        if without.preamble { Vec::new() } else { [vec![0; 128], b"DICM".to_vec()].concat() };
    if !without.length {
        octets.extend(LITTLE.element((2, 0), "UL", &(meta.len() as u32).to_le_bytes()));
    }
    [octets, meta, set.to_vec()].concat()
}

/// A store in a directory of its own, and where files are written for it.
struct Kept {
    scratch: Scratch,
    store: Store,
}

impl Kept {
    fn new() -> Self {
        let scratch = Scratch::new();
        let store = Store::open(&scratch.file("store"), 0).unwrap();
        Self { scratch, store }
    }

    fn write(&self, octets: &[u8]) -> PathBuf {
        let path = self.scratch.file("file.dcm");
        fs::write(&path, octets).unwrap();
        path
    }

    /// Stores a file, which must come back as it was, and returns the path of what is kept.
    fn keep(&self, octets: &[u8]) -> PathBuf {
        let image = self.store.import(&self.write(octets)).unwrap();
        let path = self.store.path(&image.uid);
        assert!(fs::read(&path).unwrap() == octets, "{}", image.uid);
        path
    }
}

fn metadata(path: &Path) -> Value {
    serde_json::from_str(&dicom::metadata(path).unwrap()).unwrap()
}

/// It is described and drawn, and goes to those who want it in another encoding.
fn check_shown(path: &Path) {
    let image = dicom::describe(path).unwrap();
    assert_eq!((image.rows, image.columns, image.frames), (4, 4, 1));
    assert_eq!((image.patient_name.as_str(), image.kind.as_str()), ("Müller^Jürg", CLASS));
    // Dates and times of older files are searched for as those of others.
    assert_eq!((image.date.as_str(), image.time.as_str()), ("19970424", "101530"));
    let pixels = dicom::pixels(path, 0, false).unwrap();
    assert_eq!(pixels.octets, (0..16).collect::<Vec<u8>>());
    assert_eq!(dicom::frame(path, 0, None).unwrap().pixels.len(), 16);
    for syntax in [EXPLICIT, IMPLICIT] {
        let mut converted = Vec::new();
        dicom::convert(path, syntax, &mut converted).unwrap();
        assert!(converted.ends_with(&(0..16).collect::<Vec<u8>>()), "{syntax}");
        let set = dicom::read_set(&converted, syntax).unwrap();
        let uid = set.element(dicom_dictionary_std::tags::SOP_INSTANCE_UID).unwrap();
        assert_eq!(uid.to_str().unwrap(), image.uid);
    }
}

fn deflated(set: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    to.write_all(set).unwrap();
    to.finish().unwrap()
}

/// A private sequence of unknown kind and undefined length, with an attribute of its own and a known
/// one in it.
fn unknown(writing: Writing) -> Vec<u8> {
    let deep =
        [KINDLESS.text((0x10, 0x20), "LO", "INNER"), KINDLESS.text((0x2005, 0x1403), "UN", "deep")];
    [
        writing.text((0x2005, 0x10), "LO", "Made Up"),
        writing.sequence((0x2005, 0x1402), "UN", &deep.concat(), [false, false]),
    ]
    .concat()
}

#[test]
fn sequences_of_unknown_kind_are_kept_shown_and_told_wherever_they_stand() {
    let kept = Kept::new();
    let big = Writing { explicit: true, big: true };
    let mut number = 0;
    let mut check = |syntax: &str, writing: Writing, stated: Option<[bool; 2]>| {
        number += 1;
        let uid = format!("1.2.77.9.{number}");
        let inside = [writing.text((0x40, 9), "SH", "A1"), unknown(writing)].concat();
        let more = match stated {
            Some(stated) => writing.sequence((0x40, 0x275), "SQ", &inside, stated),
            None => unknown(writing),
        };
        let set = writing.set(&uid, &more);
        let set = if syntax == DEFLATED { deflated(&set) } else { set };
        let path = kept.keep(&file(&uid, syntax, &set, Without::default()));
        check_shown(&path);
        let told = metadata(&path);
        let around = match stated {
            Some(_) => &told["00400275"]["Value"][0],
            None => &told,
        };
        assert_eq!(around["20050010"]["Value"][0], "Made Up");
        let item = &around["20051402"]["Value"][0];
        assert_eq!(item["00100020"]["Value"][0], "INNER", "{syntax} {stated:?}: {told}");
        assert_eq!(item["20051403"]["InlineBinary"], "ZGVlcA==");
    };
    for (syntax, writing) in [(EXPLICIT, LITTLE), (DEFLATED, LITTLE), (BIG, big)] {
        for stated in [[true, true], [true, false], [false, true], [false, false]] {
            check(syntax, writing, Some(stated));
        }
        check(syntax, writing, None);
    }
}

#[test]
fn known_attributes_that_are_written_as_unknown_are_told_by_their_kind() {
    let kept = Kept::new();
    let reference = KINDLESS.text((8, 0x1155), "UI", "1.2.3");
    let more = |stated| {
        [
            LITTLE.sequence((8, 0x1140), "UN", &reference, [stated, true]),
            LITTLE.element((0x18, 0x9087), "UN", &1.5_f64.to_le_bytes()),
            LITTLE.element((0x20, 0x9057), "UN", &7_u32.to_le_bytes()),
            LITTLE.element((0x28, 9), "UN", &[0x18, 0, 0x63, 0x10]),
        ]
        .concat()
    };
    for (number, stated) in [(1, true), (2, false)] {
        let uid = format!("1.2.77.8.{number}");
        // Its elements are in order up to the group 8.
        let set = LITTLE.set(&uid, &more(stated));
        let told = metadata(&kept.keep(&file(&uid, EXPLICIT, &set, Without::default())));
        assert_eq!(told["00081140"]["vr"], "SQ", "{told}");
        assert_eq!(told["00081140"]["Value"][0]["00081155"]["Value"][0], "1.2.3");
        assert_eq!(told["00189087"], serde_json::json!({ "vr": "FD", "Value": [1.5] }));
        assert_eq!(told["00209057"], serde_json::json!({ "vr": "UL", "Value": [7] }));
        assert_eq!(told["00280009"], serde_json::json!({ "vr": "AT", "Value": ["00181063"] }));
    }
}

#[test]
fn heads_may_leave_out_what_the_data_set_tells() {
    let kept = Kept::new();
    let big = Writing { explicit: true, big: true };
    let none = Without::default();
    let mut number = 0;
    for (syntax, writing) in [(EXPLICIT, LITTLE), (IMPLICIT, KINDLESS), (BIG, big)] {
        for without in [
            Without { length: true, ..none },
            Without { syntax: true, ..none },
            Without { length: true, syntax: true, ..none },
            Without { preamble: true, ..none },
            Without { head: true, ..none },
        ] {
            number += 1;
            let uid = format!("1.2.77.7.{number}");
            let path = kept.keep(&file(&uid, syntax, &writing.set(&uid, &[]), without));
            assert_eq!(dicom::describe(&path).unwrap().syntax, syntax);
            check_shown(&path);
            let mut set = Vec::new();
            dicom::data_set(&path).unwrap().read_to_end(&mut set).unwrap();
            assert!(set == writing.set(&uid, &[]), "the data set goes as it came");
        }
    }
    // A head that names another encoding than the data set has.
    for (syntax, writing) in [(IMPLICIT, LITTLE), (EXPLICIT, KINDLESS)] {
        number += 1;
        let uid = format!("1.2.77.7.{number}");
        check_shown(&kept.keep(&file(&uid, syntax, &writing.set(&uid, &[]), none)));
    }
    // What is no object stays out.
    for other in [&b"no image"[..], &[8, 0, 0xff, 0xff].repeat(99), &[0; 400], b"\x08\0"] {
        assert!(kept.store.import(&kept.write(other)).is_err());
    }
}

#[test]
fn what_is_no_attribute_at_the_end_and_between_does_no_harm() {
    let kept = Kept::new();
    let set = |uid: &str, more: &[u8]| LITTLE.set(uid, more);
    let padding = LITTLE.element((0xfffc, 0xfffc), "OB", &[0; 100]);
    let odd = [LITTLE.head((0x28, 0x1055), "LO", Some(3)), b"odd".to_vec()].concat();
    let retired = [
        LITTLE.text((0x28, 0x40), "CS", "MIT"),
        LITTLE.text((0x28, 0x1050), "DS", "40\\50"),
        LITTLE.text((0x28, 0x1051), "DS", ""),
        LITTLE.text((0x29, 0x10), "LO", "Made Up"),
        LITTLE.element((0x29, 0x1001), "UN", b"private"),
    ]
    .concat();
    let lengths = LITTLE.element((0x28, 0), "UL", &[0; 4]);
    let empty = LITTLE.sequence((0x40, 0x275), "SQ", &[], [true, true]);
    let none = LITTLE.head((0x40, 0x275), "SQ", Some(0));
    let cases: [Vec<u8>; 6] = [
        [set("1.2.77.6.1", &[]), padding].concat(),
        set("1.2.77.6.2", &odd),
        set("1.2.77.6.3", &retired),
        set("1.2.77.6.4", &lengths),
        set("1.2.77.6.5", &empty),
        set("1.2.77.6.6", &none),
    ];
    for (at, set) in cases.iter().enumerate() {
        let uid = format!("1.2.77.6.{}", at + 1);
        let path = kept.keep(&file(&uid, EXPLICIT, set, Without::default()));
        check_shown(&path);
        let told = metadata(&path);
        assert!(told.get("00280000").is_none() && told.get("FFFCFFFC").is_none(), "{told}");
    }
}

#[test]
fn an_image_is_the_same_whatever_the_head_of_its_file_says() {
    let kept = Kept::new();
    let (uid, none) = ("1.2.77.5.1", Without::default());
    let inside = LITTLE.text((0x40, 9), "SH", "A1");
    let set = |stated| {
        let more = LITTLE.sequence((0x40, 0x275), "SQ", &inside, stated);
        LITTLE.set(uid, &more)
    };
    let first = file(uid, EXPLICIT, &set([true, true]), none);
    kept.keep(&first);
    let again = |octets: &[u8]| kept.store.import(&kept.write(octets));
    let kindless = [KINDLESS.set(uid, &[]), Vec::new()].concat();
    for same in [
        file(uid, EXPLICIT, &set([true, true]), Without { length: true, ..none }),
        // Lengths of sequences, and what stands between objects, are no contents.
        file(uid, EXPLICIT, &set([false, false]), none),
        [first.clone(), LITTLE.element((0xfffc, 0xfffc), "OB", &[0; 8])].concat(),
        file(uid, DEFLATED, &deflated(&set([false, true])), none),
    ] {
        let image = again(&same).unwrap();
        // What was there stays.
        assert!(fs::read(kept.store.path(&image.uid)).unwrap() == first);
    }
    for other in [
        file(uid, IMPLICIT, &kindless, none),
        file(uid, EXPLICIT, &LITTLE.set(uid, &[]), none),
        file(uid, uids::JPEG_BASELINE8_BIT, &set([true, true]), none),
    ] {
        assert!(matches!(again(&other), Err(StoreError::Differs(_))));
    }
    assert_eq!(kept.store.usage().0, 1);
}

/// An image of 4 × 4 pixels of so many bits in two frames.
fn deep(uid: &str, bits: u16, pixels: &[u8]) -> Vec<u8> {
    let set = LITTLE.set(uid, &[]);
    let end = set.len() - 28;
    let [allocated, stored, high] = [bits, bits, bits - 1].map(u16::to_le_bytes);
    let mut set = set[..end].to_vec();
    for (number, value) in [(0x100_u16, allocated), (0x101, stored), (0x102, high)] {
        let tag = [0x28, 0, number.to_le_bytes()[0], number.to_le_bytes()[1]];
        let at = set.windows(4).position(|four| four == tag).unwrap();
        set[at + 8..at + 10].copy_from_slice(&value);
    }
    let at = set.windows(4).position(|four| four == [0x28, 0, 0x10, 0]).unwrap();
    let frames = LITTLE.text((0x28, 8), "IS", "2");
    set.splice(at..at, frames);
    [set, LITTLE.element((0x7fe0, 0x10), "OW", pixels)].concat()
}

#[test]
fn segments_of_one_bit_and_doses_of_32_are_drawn() {
    let kept = Kept::new();
    let none = Without::default();
    // Frames of 16 bits each: the first pixel is the lowest bit.
    let set = deep("1.2.77.4.1", 1, &[0b0000_0001, 0x80, 0xff, 0x0f]);
    let path = kept.keep(&file("1.2.77.4.1", EXPLICIT, &set, none));
    let drawn = |path: &Path, frame| dicom::frame(path, frame, None).unwrap().pixels;
    let mut first = [0; 16];
    (first[0], first[15]) = (255, 255);
    assert_eq!(drawn(&path, 0), first);
    assert_eq!(drawn(&path, 1)[..12], [255; 12]);
    assert_eq!(drawn(&path, 1)[12..], [0; 4]);
    let values: Vec<u8> = (0..32_u32).flat_map(|value| (value << 24).to_le_bytes()).collect();
    let set = deep("1.2.77.4.2", 32, &values);
    let path = kept.keep(&file("1.2.77.4.2", EXPLICIT, &set, none));
    let shades = drawn(&path, 1);
    assert_eq!((shades[0], shades[15]), (0, 255));
    assert!(shades.is_sorted());
}

#[test]
fn frames_without_a_limit_on_their_number_are_those_of_the_file() {
    let kept = Kept::new();
    let path = kept.scratch.file("frames.dcm");
    write_frames(&path, "1.2.3", 1, 8, &[0, 1, 2]);
    let image = kept.store.import(&path).unwrap();
    assert_eq!(image.frames, 3);
    let last = dicom::pixels(&path, 2, false).unwrap().octets;
    assert_eq!(u16::from_le_bytes([last[0], last[1]]), 2);
    write_image(&path, "1.2.3", 2, 8, 0);
    assert!(dicom::pixels(&path, 1, false).unwrap_err().to_string().contains("no frame 1"));
}
