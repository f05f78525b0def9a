//! A log that is closed, or not, and opened again.

use crate::{Scratch, all, from, record, small};
use armilla_log::{Log, LogError, Position};

/// Ends a process without closing its log: the directory as it is then, elsewhere.
fn killed(from: &Scratch, name: &str) -> Scratch {
    let to = Scratch::new(name);
    std::fs::create_dir(&*to).unwrap();
    for entry in std::fs::read_dir(&**from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    to
}

/// The newest segment.
fn newest(directory: &Scratch) -> std::path::PathBuf {
    let names = std::fs::read_dir(&**directory).unwrap().map(|entry| entry.unwrap().path());
    let segments = names.filter(|path| path.extension().is_some_and(|end| end == "segment"));
    segments.max().unwrap()
}

fn flip(path: &std::path::Path, offset: usize) {
    let mut octets = std::fs::read(path).unwrap();
    octets[offset] ^= 4;
    std::fs::write(path, octets).unwrap();
}

#[test]
fn what_was_committed_is_there_in_order_whatever_the_number_of_segments() {
    let directory = Scratch::new("order");
    let records: Vec<_> = (0..2000).map(|number| record(number, 16 + number % 700)).collect();
    let mut positions = Vec::new();
    for part in records.chunks(700) {
        let log = Log::open(&*directory, small()).unwrap();
        positions.extend(part.iter().map(|data| log.append(data).unwrap()));
        log.commit(*positions.last().unwrap()).unwrap();
    }
    let log = Log::open(&*directory, small()).unwrap();
    assert!(log.opened().was_closed && log.health().segments > 5);
    assert_eq!(all(&log), records);
    // And from any of them on.
    for (number, position) in positions.iter().enumerate().step_by(97) {
        assert_eq!(log.read(*position).unwrap().number, number as u64);
        assert_eq!(from(&log, *position).unwrap(), records[number..]);
    }
}

#[test]
fn a_log_that_was_not_closed_has_all_that_was_committed() {
    let directory = Scratch::new("killed-from");
    let log = Log::open(&*directory, small()).unwrap();
    let records: Vec<_> = (0..60).map(|number| record(number, 900)).collect();
    for data in &records {
        log.append_committed(data).unwrap();
    }
    let mut copy = killed(&directory, "killed-0");
    for round in 1..5 {
        let log = Log::open(&*copy, small()).unwrap();
        assert!(!log.opened().was_closed);
        assert_eq!(all(&log), records, "round {round}");
        assert!(log.health().segments <= 3, "crashes leave no segments");
        // Positions and numbers are the same.
        assert_eq!(log.read_from(log.first()).last().unwrap().unwrap().number, 59);
        copy = killed(&copy, &format!("killed-{round}"));
    }
}

#[test]
fn a_torn_end_is_cut_and_reported() {
    let directory = Scratch::new("torn-from");
    let log = Log::open(&*directory, small()).unwrap();
    log.append_committed(b"kept").unwrap();
    // These are written, and the disk is not waited for in between.
    let torn = log.append(&[1; 100]).unwrap();
    let behind = log.append(&[2; 100]).unwrap();
    log.commit(behind).unwrap();
    let copy = killed(&directory, "torn");
    flip(&newest(&copy), 4096 + torn.octets() as usize + 50);
    let log = Log::open(&*copy, small()).unwrap();
    let cut = log.opened().torn.clone().expect("it is reported");
    assert_eq!((cut.end, cut.octets), (torn, log_octets(torn, behind)));
    assert_eq!(all(&log), [b"kept"]);
    log.append_committed(b"next").unwrap();
    assert_eq!(all(&log), [b"kept", b"next"]);
}

/// How many octets two records of the same length take.
fn log_octets(first: Position, second: Position) -> u64 {
    2 * (second.octets() - first.octets())
}

#[test]
fn a_flipped_octet_in_what_was_committed_is_named() {
    let directory = Scratch::new("flip-from");
    let log = Log::open(&*directory, small()).unwrap();
    let positions: Vec<_> =
        (0..10).map(|number| log.append_committed(&record(number, 100)).unwrap()).collect();
    let copy = killed(&directory, "flip");
    flip(&newest(&copy), 4096 + positions[4].octets() as usize + 60);
    let Err(LogError::Damaged(damage)) = Log::open(&*copy, small()) else { panic!("it opened") };
    assert_eq!(damage.file, newest(&copy));
    assert_eq!((damage.number, damage.position), (Some(4), Some(positions[4])));
    assert_eq!(damage.offset, 4096 + positions[4].octets());
    assert_eq!(damage.last_good, Some(positions[3]));
}

#[test]
fn a_flipped_octet_in_an_old_segment_is_named_by_who_reads_it() {
    let directory = Scratch::new("flip-old");
    let log = Log::open(&*directory, small()).unwrap();
    let positions: Vec<_> =
        (0..900).map(|number| log.append(&record(number, 100)).unwrap()).collect();
    drop(log);
    flip(&directory.join("0000000000000001.segment"), 4096 + positions[7].octets() as usize);
    let log = Log::open(&*directory, small()).unwrap();
    let read: Vec<_> = log.read_from(log.first()).collect();
    assert_eq!(read.len(), 8, "seven records and the error");
    let Some(Err(LogError::Damaged(damage))) = read.last() else { panic!("{:?}", read.last()) };
    assert_eq!((damage.number, damage.last_good), (Some(7), Some(positions[6])));
    assert_eq!(from(&log, positions[8]).unwrap().len(), 892, "the others can be read");
}

#[test]
fn a_damaged_description_is_named_and_does_no_harm() {
    for (file, offset) in [("0000000000000001.segment", 20), ("state", 12)] {
        let directory = Scratch::new(&format!("description-{file}"));
        let log = Log::open(&*directory, small()).unwrap();
        log.append_committed(b"a record").unwrap();
        drop(log);
        flip(&directory.join(file), offset);
        let log = Log::open(&*directory, small()).unwrap();
        assert_eq!(log.opened().damages.len(), 1, "{:?}", log.opened());
        assert_eq!(log.opened().damages[0].file, directory.join(file));
        assert_eq!(all(&log), [b"a record"]);
    }
}

#[test]
fn a_missing_segment_and_a_missing_state_are_named() {
    for file in ["0000000000000002.segment", "0000000000000001.segment", "state"] {
        let directory = Scratch::new(&format!("missing-{file}"));
        let log = Log::open(&*directory, small()).unwrap();
        for number in 0..2000 {
            log.append(&record(number, 100)).unwrap();
        }
        drop(log);
        std::fs::remove_file(directory.join(file)).unwrap();
        let Err(LogError::Damaged(damage)) = Log::open(&*directory, small()) else {
            panic!("{file}")
        };
        assert_eq!(damage.file, directory.join(file));
    }
}

#[test]
fn opening_and_closing_alone_makes_nothing_longer() {
    let directory = Scratch::new("idle");
    let log = Log::open(&*directory, small()).unwrap();
    log.append(b"a record").unwrap();
    drop(log);
    let end = Log::open(&*directory, small()).unwrap().end();
    for _ in 0..5 {
        assert_eq!(Log::open(&*directory, small()).unwrap().end(), end);
    }
}
