//! Octets are flipped, files are gone: it is found, named, and what is left is saved.

use armilla_log::files::simulated::Disk;
use armilla_log::{Log, LogError, Options, Position, check_files, recover_files};

fn options() -> Options {
    Options {
        segment: 64 << 10,
        record: 20 << 10,
        buffer: 24 << 10,
        reserve: 0,
        ..Options::default()
    }
}

/// A log of some segments that was closed, and where its records are.
fn made(seed: u64) -> (Disk, Vec<(Position, Vec<u8>)>) {
    let disk = Disk::new(seed);
    let log = Log::open_files(disk.files(), options()).unwrap();
    let mut records = Vec::new();
    for number in 0..60_u32 {
        let length = 8 + number * 7919 % 9000;
        let data: Vec<u8> = (0..length).map(|at| (at * number) as u8).collect();
        records.push((log.append(&data).unwrap(), data));
        if number % 3 == 0 {
            log.commit(records.last().unwrap().0).unwrap();
        }
    }
    log.acknowledge("consumer", records[0].0).unwrap();
    drop(log);
    (disk, records)
}

/// Opens the log and reads all that it has.
fn read(disk: &Disk) -> Result<Vec<(Position, Vec<u8>)>, LogError> {
    let log = Log::open_files(disk.files(), options())?;
    log.read_from(log.first()).map(|record| record.map(|r| (r.position, r.data))).collect()
}

/// Whether all of `found` were appended, in this order.
fn is_part(found: &[(Position, Vec<u8>)], records: &[(Position, Vec<u8>)]) -> bool {
    let mut rest = records.iter();
    found.iter().all(|record| rest.any(|appended| appended == record))
}

#[test]
fn every_flipped_octet_does_no_harm_or_is_named_and_all_else_is_saved() {
    let (mut tried, mut harmless, mut lost_most) = (0, 0, 0);
    let (whole, records) = made(1);
    let files: Vec<_> = whole.names().into_iter().filter(|name| name != "spare").collect();
    for name in &files {
        let length = whole.octets(name).len();
        // All of what describes, and some of the rest.
        let offsets = (0..length)
            .filter(|at| *at < 80 || at % 1009 == 7 || (at + 4096 > length && *at % 37 == 0));
        for offset in offsets {
            let disk = whole.copy();
            disk.flip(name, offset, 1 << (offset % 8));
            tried += 1;
            let damages = check_files(&disk.files()).unwrap();
            if damages.is_empty() {
                // It is where nothing was written.
                assert_eq!(read(&disk).unwrap(), records, "{name}, octet {offset}");
                harmless += 1;
                continue;
            }
            let path = std::path::Path::new("/simulated").join(name);
            assert!(damages.iter().any(|damage| damage.file == path), "{name}: {damages:?}");
            if let Some(position) = damages[0].position {
                let at = damages[0].offset as usize;
                assert!(at <= offset && offset < at + 9100, "{offset}: {}", damages[0]);
                assert!(
                    records.iter().any(|(begin, _)| *begin == position)
                        || records.last().unwrap().0 < position
                );
            }
            match read(&disk) {
                Ok(found) => assert_eq!(found, records),
                Err(error) => assert!(matches!(error, LogError::Damaged(_)), "{error}"),
            }
            let recovered = recover_files(&disk.files(), false).unwrap();
            assert!(!recovered.losses.is_empty());
            let found = read(&disk).unwrap();
            assert!(is_part(&found, &records), "{name}, octet {offset}");
            lost_most = lost_most.max(records.len() - found.len());
            assert_eq!(recovered.saved.records, found.len() as u64);
            let left = check_files(&disk.files()).unwrap();
            assert!(left.is_empty(), "{name}, octet {offset}: {left:?}");
        }
    }
    assert!(tried > 500 && harmless < tried / 2, "{tried} tried, {harmless} did no harm");
    assert_eq!(lost_most, 1, "a flipped octet costs one record at most");
}

#[test]
fn a_trial_changes_nothing() {
    let (disk, records) = made(2);
    let name = &disk.names()[0];
    disk.flip(name, 4096 + records[3].0.octets() as usize + 30, 1);
    let (names, octets) = (disk.names(), disk.octets(name));
    let recovered = recover_files(&disk.files(), true).unwrap();
    assert_eq!((recovered.saved.records, recovered.kept), (records.len() as u64 - 1, None));
    assert_eq!((disk.names(), disk.octets(name)), (names, octets));
}

#[test]
fn what_is_around_a_missing_segment_is_saved_and_goes_on() {
    let (disk, records) = made(3);
    let segments: Vec<_> =
        disk.names().into_iter().filter(|name| name.ends_with(".segment")).collect();
    for missing in &segments[..segments.len() - 1] {
        let disk = disk.copy();
        disk.forget(missing);
        assert!(matches!(read(&disk), Err(LogError::Damaged(_))));
        let recovered = recover_files(&disk.files(), false).unwrap();
        assert!(recovered.losses[0].contains(missing.as_str()), "{:?}", recovered.losses);
        let found = read(&disk).unwrap();
        assert!(is_part(&found, &records) && found.len() > records.len() / 2);
        let log = Log::open_files(disk.files(), options()).unwrap();
        let next = log.append_committed(b"next").unwrap();
        assert_eq!(log.read(next).unwrap().number, records.len() as u64, "numbers go on");
    }
    disk.forget("state");
    let recovered = recover_files(&disk.files(), false).unwrap();
    assert!(!recovered.saved.has_consumers);
    assert_eq!(read(&disk).unwrap(), records);
}
