//! What is removed, and what stays.

use crate::{Scratch, record, small};
use armilla_log::{Log, LogError, Options, Position, Retention};
use std::time::Duration;

fn fill(log: &Log, count: usize) -> Vec<Position> {
    (0..count).map(|number| log.append(&record(number, 1000)).unwrap()).collect()
}

fn with(retention: Retention) -> Options {
    Options { retention, ..small() }
}

#[test]
fn what_every_consumer_has_acknowledged_goes() {
    let directory = Scratch::new("acknowledged");
    let log = Log::open(&*directory, small()).unwrap();
    let positions = fill(&log, 400);
    assert_eq!(log.retain().unwrap(), 0, "nobody has acknowledged anything");
    log.acknowledge("fast", positions[399]).unwrap();
    log.acknowledge("slow", positions[100]).unwrap();
    assert!(log.retain().unwrap() >= 1);
    assert!(log.first() <= positions[100]);
    assert_eq!(log.read(positions[100]).unwrap().number, 100);
    let gone = log.read(positions[0]);
    assert!(matches!(gone, Err(LogError::Gone { first, .. }) if first == log.first()), "{gone:?}");
    drop(log);
    let log = Log::open(&*directory, small()).unwrap();
    assert_eq!(log.acknowledged("slow"), Some(positions[100]));
    assert!(log.remove_consumer("slow"));
    log.retain().unwrap();
    assert!(log.first() > positions[300]);
    assert_eq!(log.read(positions[399]).unwrap().number, 399);
}

#[test]
fn size_and_age_spare_what_a_consumer_needs_unless_they_are_told_not_to() {
    for unacknowledged in [false, true] {
        let directory = Scratch::new(&format!("size-{unacknowledged}"));
        let size = Some(128 << 10);
        let log = Log::open(
            &*directory,
            with(Retention { size, unacknowledged, ..Retention::default() }),
        )
        .unwrap();
        log.acknowledge("reader", Position::FIRST).unwrap();
        let positions = fill(&log, 400);
        log.retain().unwrap();
        match unacknowledged {
            true => assert!(log.health().octets <= 128 << 10),
            false => assert_eq!(log.read(positions[0]).unwrap().number, 0),
        }
    }
    let directory = Scratch::new("age");
    let age = Some(Duration::ZERO);
    let log = Log::open(&*directory, with(Retention { age, ..Retention::default() })).unwrap();
    let positions = fill(&log, 400);
    std::thread::sleep(Duration::from_millis(2));
    log.retain().unwrap();
    assert_eq!(log.health().segments, 1, "the one that is written stays");
    assert!(log.read(positions[0]).is_err() && log.commit(positions[0]).is_ok());
}

#[test]
fn the_files_do_not_grow_with_the_number_of_records() {
    let directory = Scratch::new("bounded");
    let log = Log::open(&*directory, small()).unwrap();
    for round in 0..20 {
        let positions = fill(&log, 100);
        log.commit(positions[99]).unwrap();
        log.acknowledge("reader", positions[99]).unwrap();
        log.retain().unwrap();
        let files = std::fs::read_dir(&*directory).unwrap().count();
        assert!(files <= 6, "{files} files in round {round}");
    }
    assert_eq!(log.read_from(log.first()).last().unwrap().unwrap().number, 1999);
}
