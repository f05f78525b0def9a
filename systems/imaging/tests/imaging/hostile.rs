//! What strangers send: heads that lie about their contents, and conversations that go nowhere. The
//! server says what is wrong, its memory does not grow, and nothing is left behind.

use crate::common::{Scratch, serve_over, write_image};
use crate::programs::{Program, names, wait_until};
use armilla::Orb;
use armilla_imaging::audit::Guard;
use armilla_imaging::dicom;
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{Server, ServerRef, Source, SourceRef, View};
use armilla_imaging::query::everything;
use armilla_stream::{
    FlowConsumer, FlowOptions, FlowProducer, FlowRequest, Listener, StreamError, wire::Verdict,
};
use dicom_dictionary_std::uids;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;
const RLE: &str = uids::RLE_LOSSLESS;
const JPEG: &str = uids::JPEG_BASELINE8_BIT;
const JPEG_2000: &str = uids::JPEG2000_LOSSLESS;

/// An element in explicit little-endian.
fn element(tag: (u16, u16), kind: &str, value: &[u8]) -> Vec<u8> {
    let mut octets = [tag.0.to_le_bytes(), tag.1.to_le_bytes()].concat();
    octets.extend_from_slice(kind.as_bytes());
    let mut value = value.to_vec();
    if value.len() % 2 == 1 {
        value.push(0);
    }
    if ["OB", "OW", "UN", "SQ"].contains(&kind) {
        octets.extend_from_slice(&[0, 0]);
        octets.extend_from_slice(&(value.len() as u32).to_le_bytes());
    } else {
        octets.extend_from_slice(&(value.len() as u16).to_le_bytes());
    }
    octets.extend_from_slice(&value);
    octets
}

fn short(tag: (u16, u16), value: u16) -> Vec<u8> {
    element(tag, "US", &value.to_le_bytes())
}

/// What a file claims of its pixels.
#[derive(Clone, Copy)]
struct Claim {
    rows: u16,
    columns: u16,
    samples: u16,
    bits: u16,
}

const SMALL: Claim = Claim { rows: 16, columns: 16, samples: 1, bits: 8 };
const LARGE: Claim = Claim { rows: 16384, columns: 16384, samples: 3, bits: 16 };

/// A file; `extra` stands behind the attributes of the study, `pixels` at the end.
fn file(number: usize, syntax: &str, claim: Claim, extra: &[u8], pixels: &[u8]) -> Vec<u8> {
    let uid = format!("1.2.3.9.{number}");
    let kind = uids::SECONDARY_CAPTURE_IMAGE_STORAGE;
    let meta = [
        element((2, 2), "UI", kind.as_bytes()),
        element((2, 3), "UI", uid.as_bytes()),
        element((2, 0x10), "UI", syntax.as_bytes()),
    ]
    .concat();
    let elements = [
        element((8, 0x16), "UI", kind.as_bytes()),
        element((8, 0x18), "UI", uid.as_bytes()),
        extra.to_vec(),
        element((0x20, 0xd), "UI", b"1.2.3"),
        element((0x20, 0xe), "UI", b"1.2.3.9"),
        short((0x28, 2), claim.samples),
        element((0x28, 4), "CS", if claim.samples == 1 { b"MONOCHROME2" } else { b"YBR_FULL" }),
        short((0x28, 0x10), claim.rows),
        short((0x28, 0x11), claim.columns),
        short((0x28, 0x100), claim.bits),
        short((0x28, 0x101), claim.bits),
        short((0x28, 0x102), claim.bits - 1),
        short((0x28, 0x103), 0),
        pixels.to_vec(),
    ]
    .concat();
    let mut octets = vec![0; 128];
    octets.extend_from_slice(b"DICM");
    octets.extend(element((2, 0), "UL", &(meta.len() as u32).to_le_bytes()));
    octets.extend(meta);
    octets.extend(elements);
    octets
}

/// Encoded pixels: an empty offset table and a fragment.
fn encoded(fragment: &[u8]) -> Vec<u8> {
    let mut octets = b"\xe0\x7f\x10\x00OB\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\0\0\0\0".to_vec();
    octets.extend_from_slice(b"\xfe\xff\x00\xe0");
    octets.extend_from_slice(&(fragment.len() as u32).to_le_bytes());
    octets.extend_from_slice(fragment);
    octets.extend_from_slice(b"\xfe\xff\xdd\xe0\0\0\0\0");
    octets
}

/// RLE data with one segment for each octet of a pixel.
fn rle(segments: u32) -> Vec<u8> {
    let mut head = [[0; 4]; 16];
    head[0] = segments.to_le_bytes();
    for (at, offset) in head.iter_mut().skip(1).take(segments as usize).enumerate() {
        *offset = (64 + 2 * at as u32).to_le_bytes();
    }
    [&head.concat()[..], &[0x81, 7].repeat(segments as usize)].concat()
}

fn jpeg(edge: u16, samples: u8) -> Vec<u8> {
    let mut octets = b"\xff\xd8\xff\xc0\x00".to_vec();
    octets.extend([8 + 3 * samples, 8]);
    octets.extend([edge.to_be_bytes(), edge.to_be_bytes()].concat());
    octets.push(samples);
    (1..=samples).for_each(|name| octets.extend([name, 0x11, 0]));
    octets.extend(b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x00\xff\xd9\x00");
    octets
}

fn jpeg_2000(edge: u32, samples: u16) -> Vec<u8> {
    let mut octets = b"\xff\x4f\xff\x51".to_vec();
    octets.extend((38 + 3 * samples).to_be_bytes());
    octets.extend([0, 0]);
    for number in [edge, edge, 0, 0, edge, edge, 0, 0] {
        octets.extend(number.to_be_bytes());
    }
    octets.extend(samples.to_be_bytes());
    octets.extend([7, 1, 1].repeat(samples.into()));
    octets.extend(b"\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x05\x04\x04\x00\x01");
    octets.extend(b"\xff\x5c\x00\x13\x40".iter().chain(&[0x48; 16]));
    octets.extend(b"\xff\x90\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x01\xff\x93\xff\xd9");
    octets
}

/// Files that are refused, each with what is said of it.
fn refused() -> Vec<(Vec<u8>, &'static str)> {
    let native = element((0x7fe0, 0x10), "OW", &[0; 8]);
    let one = |extra: &[u8]| file(0, EXPLICIT, SMALL, extra, &native);
    let huge = b"\x09\x00\x10\x10UN\0\0\xf0\xff\xff\xff";
    let deep = b"\x08\x00\x40\x11SQ\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff";
    let items = element((8, 0x1140), "SQ", &b"\xfe\xff\x00\xe0\0\0\0\0".repeat(1 << 18));
    vec![
        (file(0, EXPLICIT, LARGE, &[], &native), "cannot hold"),
        (one(huge), "is not there"),
        (one(&deep.repeat(1000)), "nested too deeply"),
        (one(&element((9, 0x1010), "UN", &vec![0; 20 << 20])), "have more than"),
        (one(&items), "have more than"),
        (bomb(), "is not there"),
    ]
}

/// A deflated file with much more in it than it has octets.
fn bomb() -> Vec<u8> {
    let plain = file(0, EXPLICIT, SMALL, &element((9, 0x1010), "UN", &vec![0; 20 << 20]), &[]);
    let head = file(0, uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN, SMALL, &[], &[]);
    let begin = |file: &[u8]| {
        let length = u32::from_le_bytes(*file[140..].first_chunk().unwrap());
        144 + length as usize
    };
    let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflated.write_all(&plain[begin(&plain)..]).unwrap();
    [&head[..begin(&head)], &deflated.finish().unwrap()].concat()
}

/// Files that are kept, and not drawn, each with what is said of it.
fn undrawable() -> Vec<(Vec<u8>, &'static str)> {
    let colours = Claim { samples: 3, ..SMALL };
    let many = Claim { samples: 65535, ..SMALL };
    let grey = Claim { samples: 1, bits: 8, ..LARGE };
    [
        (RLE, LARGE, rle(6), "octets of pixels"),
        (RLE, many, rle(1), "65535 samples"),
        (RLE, Claim { bits: 65528, ..SMALL }, rle(1), "bits"),
        (JPEG, SMALL, jpeg(65500, 1), "columns, rows and samples"),
        (JPEG, colours, jpeg(16, 1), "columns, rows and samples"),
        (JPEG, grey, jpeg(16384, 1), "octets of pixels"),
        (JPEG, SMALL, b"no JPEG".to_vec(), "do not say how large"),
        (JPEG_2000, SMALL, jpeg_2000(1 << 31, 1), "columns, rows and samples"),
        (JPEG_2000, SMALL, jpeg_2000(16, 16384), "columns, rows and samples"),
        (JPEG_2000, grey, jpeg_2000(16384, 1), "octets of pixels"),
    ]
    .into_iter()
    .enumerate()
    .map(|(number, (syntax, claim, fragment, what))| {
        (file(number + 1, syntax, claim, &[], &encoded(&fragment)), what)
    })
    .collect()
}

#[test]
fn hostile_files_are_refused_or_not_drawn_and_take_no_memory() {
    let scratch = Scratch::new();
    let store = scratch.file("store");
    // What is reserved counts here even if it is never touched.
    let limit = "ulimit -v 8000000";
    let program = Program::start_after(limit, &["serve", "--store", store.to_str().unwrap()]);
    let client = Orb::new().unwrap();
    let server: ServerRef = client.resolve(&program.url).unwrap();
    let path = scratch.file("file");
    for (octets, what) in refused() {
        fs::write(&path, octets).unwrap();
        let error = send(&server, &path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}, not {what}");
    }
    for (octets, what) in undrawable() {
        fs::write(&path, octets).unwrap();
        let uid = send(&server, &path).unwrap().uid;
        let drawn = server.picture(&uid, 0, &View::default()).unwrap_err().to_string();
        assert!(drawn.contains(what), "{uid}: {drawn}, not {what}");
        let request = FlowRequest::connecting(0);
        let pixels = server.pixels(&uid, 0, false, &request).unwrap_err().to_string();
        assert!(pixels.contains(what), "{uid}: {pixels}, not {what}");
        assert!(server.metadata(&uid).unwrap().contains(&uid));
    }
    assert!(names(&store.join("incoming")).is_empty());
    assert_eq!(names(&store.join("images")).len(), undrawable().len());
    // Some 25 MiB are those of the program itself.
    let peak = program.peak() >> 10;
    assert!(peak <= 96, "{peak} MiB");
}

#[test]
fn attributes_that_memory_has_no_room_for_are_not_read() {
    let scratch = Scratch::new();
    let path = scratch.file("file");
    let pixels = element((0x7fe0, 0x10), "OW", &[7; 256]);
    // A document of so many octets, which are a hole in the file.
    let octets = file(1, EXPLICIT, SMALL, &[], &[]);
    let length: u32 = 1 << 30;
    let document = [&b"\x42\x00\x11\x00OB\0\0"[..], &length.to_le_bytes()].concat();
    let mut whole = File::create(&path).unwrap();
    whole.write_all(&[octets, document].concat()).unwrap();
    whole.set_len(whole.metadata().unwrap().len() + u64::from(length)).unwrap();
    std::io::Seek::seek(&mut whole, std::io::SeekFrom::End(0)).unwrap();
    whole.write_all(&pixels).unwrap();

    assert_eq!(dicom::describe(&path).unwrap().rows, 16);
    let what = "have more than 67108864 octets";
    for error in [
        dicom::metadata(&path).unwrap_err(),
        dicom::frame(&path, 0, None).unwrap_err(),
        dicom::pixels(&path, 0, true).unwrap_err(),
    ] {
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn conversations_that_go_nowhere_leave_nothing_behind() {
    let scratch = Scratch::new();
    let store = scratch.file("store");
    let (web, modalities) = (["--http", "127.0.0.1:0"], ["--dicom", "127.0.0.1:0"]);
    let arguments = ["serve", "--store", store.to_str().unwrap()];
    let program = Program::start(&[&arguments[..], &web, &modalities].concat());
    let client = Orb::new().unwrap();
    let server: ServerRef = client.resolve(&program.url).unwrap();
    let source: SourceRef = client.resolve(&program.url).unwrap();
    let path = scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 128, 0);
    let image = send(&server, &path).unwrap();
    fetch(&source, &image, &scratch.0, &|_, _| {}).unwrap();
    program.get("studies");
    let before = program.holds();

    let options = FlowOptions::default();
    for _ in 0..20 {
        // A wrong token; the endpoint itself waits for its lifetime, and costs no descriptor.
        let mut agreed = server.fetch(&uid, &FlowRequest::connecting(0)).unwrap();
        let right = agreed.clone();
        agreed.listens[0].token[0] ^= 1;
        let wrong: Result<FlowConsumer, _> = agreed.collect(&options);
        assert!(matches!(wrong, Err(StreamError::Refused(Verdict::UnknownToken))), "{wrong:?}");
        // A fetch that is broken off, and an upload.
        let mut broken: FlowConsumer = right.collect(&options).unwrap();
        broken.read_exact(&mut [0; 10]).unwrap();
        drop(broken);
        let upload = server.store(100_000, "", &FlowRequest::connecting(0)).unwrap();
        let mut producer: FlowProducer = upload.agreement.collect(&options).unwrap();
        producer.write_all(&[0; 1000]).unwrap();
        drop(producer);
        assert!(server.stored(upload.ticket).is_err());
        assert!(server.stored(upload.ticket).is_err(), "it is told once");
    }
    for octets in [&b""[..], b"\x01\x00\xff\xff\xff\xff", &[0xff; 4000], &[b'A'; 10]] {
        for at in [&program.web, &program.modalities] {
            let mut stream = TcpStream::connect(at).unwrap();
            // It may be closed before all of it has gone.
            stream.write_all(octets).ok();
        }
    }
    // A body that ends in the middle.
    let mut post = TcpStream::connect(&program.web).unwrap();
    let kind = r#"multipart/related; type="application/dicom"; boundary=x"#;
    let head = "POST /dicomweb/studies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n";
    let part = "--x\r\nContent-Type: application/dicom\r\n\r\n";
    write!(post, "{head}Content-Type: {kind}\r\n\r\n{part}").unwrap();
    post.write_all(&[0; 50_000]).unwrap();
    drop(post);

    wait_until("everything has ended", || {
        let (threads, descriptors) = program.holds();
        threads <= before.0 && descriptors <= before.1
    });
    wait_until("nothing is on its way", || names(&store.join("incoming")).is_empty());
    assert_eq!(source.find(&everything()).unwrap().0.len(), 1);
}

#[test]
fn endpoints_that_nobody_collects_leave_nothing_behind() {
    let scratch = Scratch::new();
    let directory = scratch.file("store");
    let listener = Listener::builder().unix().offer_lifetime(Duration::ZERO).start().unwrap();
    let guard = Guard::default();
    let quota = 10_000_000;
    let (orb, server, store) = serve_over(&directory, quota, guard, listener.clone());
    let path = scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    let image = store.import(&path).unwrap();
    let request = FlowRequest::connecting(0);
    for _ in 0..50 {
        server.fetch(&uid, &request).unwrap();
        server.pixels(&uid, 0, false, &request).unwrap();
        let sized = server.store(150_000, "", &request).unwrap();
        let unsized_ = server.store(0, "1.2.3", &request).unwrap();
        for upload in [sized, unsized_] {
            let error = server.stored(upload.ticket).unwrap_err().to_string();
            assert!(error.contains("collected"), "{error}");
        }
    }
    wait_until("all are given up", || listener.offers() == 0);
    wait_until("nothing is on its way", || names(&directory.join("incoming")).is_empty());
    assert_eq!(listener.connections(), 0);
    let room = || store.room();
    wait_until("what was reserved is free", || room() == quota - image.size);
    orb.shutdown();
}
