//! What a server takes of memory, measured at the program itself, and what it reads of an image.

use crate::common::{Scratch, write_frames};
use crate::programs::Program;
use armilla::Orb;
use armilla_imaging::dicom;
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{ServerRef, Source, SourceRef};
use armilla_imaging::query::everything;
use std::thread;

/// What a server may take at most, in KiB, for four images of 40 MiB at a time.
const MOST: u64 = 64 << 10;

#[test]
fn memory_of_a_server_does_not_grow_with_its_images() {
    let scratch = Scratch::new();
    let program = Program::serve(&scratch.file("store"));
    let client = Orb::new().unwrap();
    let server: ServerRef = client.resolve(&program.url).unwrap();
    let source: SourceRef = client.resolve(&program.url).unwrap();
    let images = (1..5_u16).map(|number| {
        let path = scratch.file(&format!("{number}.dcm"));
        write_frames(&path, "1.2.3", number, 512, &[number; 80]);
        path
    });
    let images: Vec<_> = images.collect();
    let peak = |what: &str| {
        let peak = program.peak();
        println!("{what}: {} MiB", peak >> 10);
        assert!(peak <= MOST, "{what}: {peak} KiB");
    };
    thread::scope(|scope| {
        images.iter().for_each(|path| drop(scope.spawn(|| send(&server, path).unwrap())));
    });
    peak("four images stored");
    let (found, _) = source.find(&everything()).unwrap();
    assert_eq!(found.len(), 4);
    thread::scope(|scope| {
        for image in &found {
            let (source, scratch) = (&source, &scratch);
            scope.spawn(move || fetch(source, image, &scratch.0, &|_, _| {}).unwrap());
        }
    });
    peak("four images fetched");
    let image = |number: u16| format!("studies/1.2.3/series/1.2.3.1/instances/1.2.3.1.{number}");
    thread::scope(|scope| {
        for number in 1..5 {
            let path = format!("{}?accept=application/dicom", image(number));
            let program = &program;
            scope.spawn(move || assert!(program.get(&path) > 40 << 20));
        }
    });
    peak("four images retrieved over HTTP");
    thread::scope(|scope| {
        for number in 1..5 {
            let program = &program;
            let path = format!("{}/frames/80/rendered?accept=image/png", image(number));
            scope.spawn(move || assert!(program.get(&path) > 100));
            let path = format!("{}/frames/40?accept=application/octet-stream", image(number));
            scope.spawn(move || assert!(program.get(&path) > 512 * 512 * 2));
        }
    });
    peak("four images drawn");
}

#[test]
fn each_frame_of_an_image_is_its_own() {
    let scratch = Scratch::new();
    let path = scratch.file("frames.dcm");
    write_frames(&path, "1.2.3", 1, 16, &[0, 1, 2]);
    for seed in 0..3_u16 {
        let expected: Vec<u8> =
            (0..256_u16).flat_map(|at| ((at / 16 + at % 16) ^ seed).to_le_bytes()).collect();
        let found = dicom::pixels(&path, seed.into(), false).unwrap();
        assert!(found.octets == expected, "frame {seed}");
    }
    let error = dicom::pixels(&path, 3, false).unwrap_err().to_string();
    assert!(error.contains("no frame 3"), "{error}");
}
