//! Many threads that write and read at once.

use crate::{Scratch, small};
use armilla_log::{Log, LogError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const WRITERS: usize = 16;
const EACH: usize = 30;

#[test]
fn each_writer_finds_its_records_in_order_and_a_reader_follows_them_all() {
    let directory = Scratch::new("writers");
    let log = Log::open(&*directory, small()).unwrap();
    let acknowledged = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (log, acknowledged) = (log.clone(), &acknowledged);
            scope.spawn(move || {
                for number in 0..EACH {
                    let position = log.append(format!("{writer} {number}").as_bytes()).unwrap();
                    log.commit(position).unwrap();
                    assert!(log.durable() > position);
                    assert_eq!(log.read(position).unwrap().position, position);
                    acknowledged.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut reader = log.read_from(log.first());
        let (mut next, mut count) = (BTreeMap::<String, usize>::new(), 0);
        while count < WRITERS * EACH {
            assert!(reader.wait(Duration::from_secs(60)), "nothing comes any more");
            for record in reader.by_ref() {
                let record = record.unwrap();
                let text = String::from_utf8(record.data).unwrap();
                let (writer, number) = text.split_once(' ').unwrap();
                let next = next.entry(writer.to_owned()).or_default();
                assert_eq!((record.number, number), (count as u64, next.to_string().as_str()));
                (*next, count) = (*next + 1, count + 1);
            }
        }
    });
    assert_eq!(acknowledged.into_inner(), WRITERS * EACH);
}

#[test]
fn a_reader_whose_segments_are_removed_and_used_again_is_told_and_never_misled() {
    let directory = Scratch::new("reused");
    let log = Log::open(&*directory, small()).unwrap();
    log.acknowledge("first", log.end()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Ends the readers also when a writer fails.
        let _over = Over(&is_over);
        let writers: Vec<_> = (0..4_u8)
            .map(|writer| {
                let log = log.clone();
                scope.spawn(move || {
                    for number in 0..60_u8 {
                        let mut data = vec![writer, number];
                        data.resize(7000, writer ^ number);
                        log.append_committed(&data).unwrap();
                        log.acknowledge("first", log.durable()).unwrap();
                        log.retain().unwrap();
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = None;
                while !is_over.load(Ordering::Relaxed) {
                    for record in log.read_from(log.first()) {
                        let record = match record {
                            Ok(record) => record,
                            Err(LogError::Gone { .. }) => break,
                            Err(error) => panic!("{error}"),
                        };
                        let data = &record.data;
                        assert!(data[2..].iter().all(|octet| *octet == data[0] ^ data[1]));
                        last = last.max(Some(record.number));
                    }
                }
                assert!(last.is_some(), "it has read nothing");
            });
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
    assert!(log.health().segments <= 2 && log.first().octets() > 1_000_000);
}

struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
