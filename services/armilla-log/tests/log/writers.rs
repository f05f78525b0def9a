//! Many threads that write and read at once.

use crate::{Scratch, small};
use armilla_log::Log;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
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
