//! Flows over every transport.

use crate::common::{TRANSPORTS, content, flow, listener, options, over};
use armilla_stream::{
    Checksum, FlowConsumer, FlowProducer, FlowRequest, FlowSpec, Listener, Reach, RunningChecksum,
    StreamError, connect,
};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::thread;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()));
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

#[test]
fn octets_of_known_and_unknown_number_arrive_with_their_checksum() {
    let listener = listener();
    for transport in TRANSPORTS {
        for size in [0, 1, 1000, 700_000] {
            for known in [true, false] {
                let octets = content(size);
                let spec = if known { FlowSpec::sized(size as u64) } else { FlowSpec::unsized_() };
                let request = over(transport).with_checksum(Checksum::Sha256);
                let sending = octets.clone();
                let (consumer, sent) = flow(&listener, &request, spec, move |mut producer| {
                    producer.write_all(&sending).unwrap();
                    producer.finish()
                });
                let mut found = Vec::new();
                let mut consumer = consumer.unwrap();
                consumer.read_to_end(&mut found).unwrap();
                assert!(found == octets, "{transport}, {size} octets");
                let summary = consumer.finish().unwrap();
                assert_eq!(summary.octets, size as u64);
                assert_eq!(summary.verified, RunningChecksum::of(Checksum::Sha256, &octets));
                assert_eq!(sent.recv().unwrap().unwrap().octets, size as u64);
            }
        }
    }
}

#[test]
fn files_go_to_files() {
    let listener = listener();
    let octets = content(2_000_000);
    let (from, to) = (Scratch::new("flow-from"), Scratch::new("flow-to"));
    fs::write(&from.0, &octets).unwrap();
    for transport in TRANSPORTS {
        for algorithm in [Checksum::None, Checksum::Crc32] {
            let spec = FlowSpec::sized(octets.len() as u64 - 7);
            let path = from.0.clone();
            let request = over(transport).with_checksum(algorithm);
            let (consumer, sent) = flow(&listener, &request, spec, move |mut producer| {
                let count = producer.spec().size;
                producer.send_file(&File::open(path).unwrap(), 7, count)?;
                producer.finish()
            });
            let file = File::create(&to.0).unwrap();
            let summary = consumer.unwrap().receive_file(&file, 3).unwrap();
            assert_eq!(summary.octets, octets.len() as u64 - 7);
            assert_eq!(sent.recv().unwrap().unwrap().octets, summary.octets);
            assert!(fs::read(&to.0).unwrap()[3..] == octets[7..], "{transport}");
        }
    }
}

#[test]
fn a_file_that_is_too_short_fails_on_both_sides() {
    let listener = listener();
    let from = Scratch::new("flow-short");
    fs::write(&from.0, content(1000)).unwrap();
    for transport in TRANSPORTS {
        let path = from.0.clone();
        let spec = FlowSpec::sized(2000);
        let (consumer, sent) = flow(&listener, &over(transport), spec, move |mut producer| {
            producer.send_file(&File::open(path).unwrap(), 0, 2000)?;
            producer.finish()
        });
        let mut found = Vec::new();
        let error = consumer.unwrap().read_to_end(&mut found).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { .. })), "{error}");
        let error = sent.recv().unwrap().unwrap_err();
        assert!(matches!(error, StreamError::File(_)), "{transport}: {error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_or_written_is_told_apart_from_a_cut() {
    let listener = listener();
    let octets = content(300_000);
    let (from, to) = (Scratch::new("flow-odd-from"), Scratch::new("flow-odd-to"));
    fs::write(&from.0, &octets).unwrap();
    fs::write(&to.0, "").unwrap();
    let appending = || File::options().append(true).open(&to.0).unwrap();
    for transport in TRANSPORTS {
        // A directory has no octets, and nobody writes to what is open for reading, to a disk that is
        // full, or to a place in a file that only grows.
        let (consumer, sent) =
            flow(&listener, &over(transport), FlowSpec::sized(10), |mut producer| {
                producer.send_file(&File::open("src").unwrap(), 0, 10)?;
                producer.finish()
            });
        let error = consumer.unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { .. })), "{error}");
        let error = sent.recv().unwrap().unwrap_err();
        assert!(matches!(error, StreamError::File(_)), "{transport}: {error}");

        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut odd = vec![File::open(&from.0).unwrap(), full];
        // The way without a copy needs a place.
        odd.extend((transport != "shm").then(appending));
        for file in odd {
            let path = from.0.clone();
            let spec = FlowSpec::sized(octets.len() as u64);
            let (consumer, sent) = flow(&listener, &over(transport), spec, move |mut producer| {
                producer.send_file(&File::open(path).unwrap(), 0, 300_000)?;
                producer.finish()
            });
            let error = consumer.unwrap().receive_file(&file, 0).unwrap_err();
            assert!(matches!(error, StreamError::File(_)), "{transport} {file:?}: {error}");
            assert!(sent.recv().unwrap().is_err());
        }
    }
}

#[test]
fn octets_flow_to_the_called_side_too() {
    let listener = listener();
    let (done, received) = std::sync::mpsc::channel();
    let work = move |consumer: Result<FlowConsumer, StreamError>| {
        let mut octets = Vec::new();
        consumer.unwrap().read_to_end(&mut octets).unwrap();
        done.send(octets).unwrap();
    };
    let (agreement, _) =
        listener.agree(&FlowRequest::connecting(0), FlowSpec::unsized_(), work).unwrap();
    let mut producer: FlowProducer = agreement.collect(&options()).unwrap();
    producer.write_all(b"up").unwrap();
    producer.finish().unwrap();
    assert_eq!(received.recv().unwrap(), b"up");
}

#[test]
fn the_called_side_connects_to_a_caller_that_listens() {
    let caller = listener();
    let called = Listener::builder().unix().reach(Reach::anywhere()).start().unwrap();
    let (endpoint, offer) = caller.offer::<FlowConsumer>(0, &["tcp"]).unwrap();
    let work = |producer: Result<FlowProducer, StreamError>| {
        let mut producer = producer.unwrap();
        producer.write_all(b"back").unwrap();
        producer.finish().unwrap();
    };
    let request = FlowRequest::listening(endpoint, 0).with_checksum(Checksum::Crc32);
    let (agreement, _) = called.agree(&request, FlowSpec::sized(4), work).unwrap();
    assert!(agreement.listens.is_empty());
    let mut text = String::new();
    offer.wait(agreement.spec).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "back");
}

#[test]
fn the_called_side_connects_to_nobody_for_a_caller_that_is_not_known() {
    let (caller, called) = (listener(), listener());
    let (endpoint, _offer) = caller.offer::<FlowConsumer>(0, &TRANSPORTS).unwrap();
    let work = |_: Result<FlowProducer, StreamError>| unreachable!("nothing is agreed on");
    let request = FlowRequest::listening(endpoint, 0);
    let refused = called.agree(&request, FlowSpec::sized(4), work).unwrap_err();
    assert!(refused.reason.contains("none of the 3 addresses"), "{}", refused.reason);
}

#[test]
fn connections_for_callers_that_listen_count_as_others_do() {
    let builder = Listener::builder().unix().max_connections(1).reach(Reach::anywhere());
    let (caller, called) = (listener(), builder.start().unwrap());
    let agree = || {
        let (endpoint, offer) = caller.offer::<FlowConsumer>(0, &["unix"]).unwrap();
        let (told, ended) = std::sync::mpsc::channel();
        let work = move |producer: Result<FlowProducer, _>| {
            told.send(producer.and_then(FlowProducer::finish)).unwrap();
        };
        let request = FlowRequest::listening(endpoint, 0);
        let agreed = called.agree(&request, FlowSpec::sized(0), work);
        agreed.map(|(agreement, _)| (offer, agreement, ended))
    };
    let (offer, agreement, ended) = agree().unwrap();
    assert!(agree().unwrap_err().reason.contains("as many flows as it may have"));
    let mut consumer = offer.wait(agreement.spec).unwrap();
    assert_eq!(consumer.read(&mut [0]).unwrap(), 0);
    ended.recv().unwrap().unwrap();
    while called.connections() > 0 {
        thread::yield_now();
    }
    assert!(agree().is_ok());
}

#[test]
fn a_rate_is_the_lower_of_both_and_octets_still_arrive() {
    let listener = listener();
    let spec = FlowSpec { rate: 1 << 30, ..FlowSpec::sized(50_000) };
    let request = over("tcp").with_rate(2_000_000);
    let (consumer, _) = flow(&listener, &request, spec, |mut producer| {
        assert_eq!(producer.spec().rate, 2_000_000);
        producer.write_all(&content(50_000)).unwrap();
        producer.finish()
    });
    let mut found = Vec::new();
    consumer.unwrap().read_to_end(&mut found).unwrap();
    assert_eq!(found, content(50_000));
}

#[test]
fn a_flow_goes_on_behind_what_an_earlier_one_brought() {
    let listener = listener();
    let octets = content(400_000);
    let digest = RunningChecksum::of(Checksum::Sha256, &octets);
    let spec = FlowSpec { digest, algorithm: Checksum::Sha256, ..FlowSpec::sized(400_000) };
    for transport in TRANSPORTS {
        // The first producer breaks off.
        let sending = octets.clone();
        let cut = move |mut producer: FlowProducer| {
            producer.write_all(&sending[..150_000]).unwrap();
            Err(StreamError::Cancelled)
        };
        let (consumer, _) = flow(&listener, &over(transport), spec.clone(), cut);
        let mut found = Vec::new();
        let error = consumer.unwrap().read_to_end(&mut found).unwrap_err();
        let at = StreamError::of(&error).unwrap().resumes_at().unwrap();
        assert_eq!((at, found.len()), (150_000, 150_000), "{transport}: {error}");

        let request = FlowRequest { offset: at, ..over(transport) };
        let sending = octets.clone();
        let rest = move |mut producer: FlowProducer| {
            let from = producer.spec().offset as usize;
            producer.write_all(&sending[from..]).unwrap();
            producer.finish()
        };
        let (consumer, sent) = flow(&listener, &request, spec.clone(), rest);
        let mut consumer = consumer.unwrap();
        let mut before = RunningChecksum::new(Checksum::Sha256);
        before.update(&found);
        consumer.continue_checksum(before);
        consumer.read_to_end(&mut found).unwrap();
        assert!(found == octets);
        assert_eq!(consumer.finish().unwrap().verified, spec.digest);
        assert_eq!(sent.recv().unwrap().unwrap().octets, 250_000);
    }
}

#[test]
fn a_cancelled_flow_ends_on_both_sides() {
    let listener = listener();
    for transport in TRANSPORTS {
        let (consumer, sent) =
            flow(&listener, &over(transport), FlowSpec::unsized_(), |mut producer| {
                loop {
                    if let Err(error) = producer.write_all(&[0; 4096]) {
                        return Err(error.downcast().unwrap());
                    }
                }
            });
        let mut consumer = consumer.unwrap();
        consumer.read_exact(&mut [0; 10_000]).unwrap();
        consumer.control().cancel();
        let error = consumer.read_exact(&mut [0; 1]).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cancelled)), "{error}");
        assert!(consumer.control().is_cancelled());
        let error = sent.recv().unwrap().unwrap_err();
        assert!(matches!(error, StreamError::Cut { .. }), "{error}");
    }
}

#[test]
fn a_stopped_flow_waits_until_it_is_started() {
    let listener = listener();
    let (sender, begun) = std::sync::mpsc::channel();
    let (consumer, sent) =
        flow(&listener, &over("unix"), FlowSpec::sized(8), move |mut producer| {
            let control = producer.control();
            control.stop();
            sender.send(control).unwrap();
            producer.write_all(b"pictures").unwrap();
            producer.finish()
        });
    let control = begun.recv().unwrap();
    assert_eq!((control.transferred(), control.ended()), (0, false));
    let starter = thread::spawn(move || {
        control.start();
        control
    });
    let mut text = String::new();
    consumer.unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "pictures");
    assert_eq!(sent.recv().unwrap().unwrap().octets, 8);
    let control = starter.join().unwrap();
    assert_eq!((control.transferred(), control.ended()), (8, true));
}

#[test]
fn damage_is_told_to_both_sides() {
    let listener = listener();
    let digest = RunningChecksum::of(Checksum::Crc32, b"right");
    let spec = FlowSpec { digest, algorithm: Checksum::Crc32, ..FlowSpec::sized(5) };
    let (consumer, sent) = flow(&listener, &over("tcp"), spec, |mut producer| {
        producer.write_all(b"wrong").unwrap();
        producer.finish()
    });
    let error = consumer.unwrap().read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(StreamError::of(&error), Some(StreamError::Damaged)), "{error}");
    assert!(matches!(sent.recv().unwrap(), Err(StreamError::Damaged)));
}

#[test]
fn a_producer_cannot_send_more_or_fewer_octets_than_agreed() {
    let listener = listener();
    let (consumer, sent) = flow(&listener, &over("tcp"), FlowSpec::sized(3), |mut producer| {
        producer.write_all(b"12").unwrap();
        let error = producer.send_file(&File::open("Cargo.toml").unwrap(), 0, 2).unwrap_err();
        assert!(matches!(error, StreamError::WrongSize { agreed: 3, .. }), "{error}");
        producer.finish()
    });
    let error = consumer.unwrap().read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { at: 2, .. })), "{error}");
    assert!(matches!(sent.recv().unwrap(), Err(StreamError::WrongSize { agreed: 3, .. })));
}

#[test]
fn a_side_without_a_common_transport_is_told_what_there_is() {
    let listener = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let work = |_: Result<FlowProducer, StreamError>| {};
    let refused = listener.agree(&over("unix"), FlowSpec::sized(1), work).unwrap_err();
    assert!(refused.reason.contains("tcp://127.0.0.1:"), "{}", refused.reason);
    assert!(refused.reason.contains("\"unix\""), "{}", refused.reason);

    let beyond = FlowRequest { offset: 2, ..over("tcp") };
    let refused = listener.agree(&beyond, FlowSpec::sized(1), work).unwrap_err();
    assert!(refused.reason.contains("cannot begin at 2"), "{}", refused.reason);
}

#[test]
fn an_unreachable_endpoint_names_what_was_tried() {
    let listener = listener();
    let (mut endpoint, _offer) = listener.offer::<FlowProducer>(0, &["tcp"]).unwrap();
    endpoint.r#where = vec!["unix:///nowhere/at/all".to_owned(), "carrier-pigeon".to_owned()];
    let tried = connect::<FlowConsumer>(&endpoint, &FlowSpec::default(), &options());
    let error = tried.unwrap_err().to_string();
    assert!(error.contains("/nowhere/at/all") && error.contains("carrier-pigeon"), "{error}");
}

#[test]
fn the_last_octets_go_with_the_end_of_the_flow() {
    let listener = listener();
    let from = Scratch::new("flow-last");
    for size in [0, 1, 16_383, 16_384, 16_385, 300_000] {
        let octets = content(size);
        fs::write(&from.0, &octets).unwrap();
        for transport in TRANSPORTS {
            for algorithm in [Checksum::None, Checksum::Crc32] {
                for (known, by_file) in [(true, true), (true, false), (false, true), (false, false)]
                {
                    let spec =
                        if known { FlowSpec::sized(size as u64) } else { FlowSpec::unsized_() };
                    let request = over(transport).with_checksum(algorithm);
                    let (path, sending) = (from.0.clone(), octets.clone());
                    let (consumer, sent) = flow(&listener, &request, spec, move |mut producer| {
                        let begun = size / 3;
                        producer.write_all(&sending[..begun])?;
                        match by_file {
                            true => {
                                let (file, rest) = (File::open(path).unwrap(), size - begun);
                                producer.finish_file(&file, begun as u64, rest as u64)
                            }
                            false => producer.finish_with(&sending[begun..]),
                        }
                    });
                    // A buffer of exactly its size, and one with room for more.
                    let mut found = vec![0; size];
                    let mut consumer = consumer.unwrap();
                    consumer.read_exact(&mut found).unwrap();
                    let what = format!("{transport} {size} {algorithm:?} {known} {by_file}");
                    assert_eq!(consumer.read(&mut [0; 100]).unwrap(), 0, "{what}");
                    assert!(found == octets, "{what}");
                    assert_eq!(sent.recv().unwrap().unwrap().octets, size as u64, "{what}");
                }
            }
        }
    }
}

#[test]
fn the_last_octets_must_be_the_last_ones() {
    let listener = listener();
    for (agreed, size) in [(3, 2), (3, 4)] {
        let (consumer, sent) =
            flow(&listener, &over("tcp"), FlowSpec::sized(agreed), move |producer| {
                producer.finish_with(&b"1234"[..size])
            });
        let error = consumer.unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { .. })), "{error}");
        assert!(matches!(sent.recv().unwrap(), Err(StreamError::WrongSize { agreed: 3, .. })));
    }
}
