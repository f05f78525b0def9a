//! The directory of a log, and who may have it.

use crate::{Scratch, record, small};
use armilla_log::{Log, LogError, Options, Room};

#[test]
fn one_at_a_time_has_a_log() {
    let directory = Scratch::new("held");
    let log = Log::open(&*directory, small()).unwrap();
    assert!(matches!(Log::open(&*directory, small()), Err(LogError::Held(_))));
    std::fs::remove_file(directory.join("lock")).unwrap();
    assert!(matches!(Log::open(&*directory, small()), Err(LogError::Held(_))), "without its lock");
    let reader = log.read_from(log.first());
    drop(log);
    assert!(matches!(Log::open(&*directory, small()), Err(LogError::Held(_))), "a reader is left");
    drop(reader);
    Log::open(&*directory, small()).unwrap();
}

#[test]
fn a_directory_that_was_moved_is_noticed() {
    let (directory, moved) = (Scratch::new("moving"), Scratch::new("moved"));
    let log = Log::open(&*directory, small()).unwrap();
    log.append_committed(b"kept").unwrap();
    std::fs::rename(&*directory, &*moved).unwrap();
    let refused = log.append_committed(b"lost");
    assert!(refused.as_ref().is_err_and(LogError::is_undecided), "{refused:?}");
    assert!(log.append(b"more").is_err() && log.health().failed.is_some());
    drop(log);
    let log = Log::open(&*moved, small()).unwrap();
    assert_eq!(log.read_from(log.first()).count(), 1);
}

#[test]
fn a_quota_is_told_before_it_is_reached_and_a_record_that_does_not_fit_is_not_half_kept() {
    let directory = Scratch::new("quota");
    let options = Options { quota: Some(128 << 10), ..small() };
    let log = Log::open(&*directory, options.clone()).unwrap();
    let (mut kept, mut was_low) = (0, false);
    let refused = loop {
        match log.append(&record(kept, 1000)) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        was_low |= matches!(log.health().room, Room::Low { .. });
    };
    assert!(matches!(refused, LogError::Full { .. }), "{refused}");
    assert!(was_low, "it was told before");
    let mut urgent = 0;
    while log.append_urgent(&record(kept + urgent, 1000)).is_ok() {
        urgent += 1;
    }
    assert!(urgent >= 7, "the reserve of 8 KiB has room for {urgent}");
    assert_eq!(log.health().room, Room::Full);
    // When something is acknowledged there is room again.
    log.acknowledge("reader", log.end()).unwrap();
    log.append_committed(b"after").unwrap();
    assert_eq!(log.health().room, Room::Enough);
    drop(log);
    let log = Log::open(&*directory, options).unwrap();
    let read: Vec<_> = log.read_from(log.first()).map(|read| read.unwrap().number).collect();
    assert_eq!(*read.last().unwrap(), (kept + urgent) as u64, "what was refused took no number");
}

#[test]
fn options_that_cannot_be_kept_are_refused() {
    let directory = Scratch::new("options");
    for options in [
        Options { segment: 1000, ..Options::default() },
        Options { record: 16 << 20, ..Options::default() },
        Options { quota: Some(1), ..Options::default() },
    ] {
        assert!(matches!(Log::open(&*directory, options), Err(LogError::Options(_))));
    }
    let log = Log::open(&*directory, small()).unwrap();
    assert!(matches!(log.append(&[0; 8193]), Err(LogError::TooLarge { most: 8192, .. })));
}

#[test]
fn a_file_where_the_directory_should_be_is_named() {
    let directory = Scratch::new("taken");
    std::fs::create_dir_all(&*directory).unwrap();
    let file = directory.join("log");
    std::fs::write(&file, "").unwrap();
    let error = Log::open(&file, small()).unwrap_err().to_string();
    assert!(error.ends_with("log is no directory"), "{error}");
}
