//! Peers that do nothing, end or are killed in the middle of a flow, and limits of time.

use crate::common::{TRANSPORTS, content, flow, listener, options, over};
use armilla_stream::{
    FlowConsumer, FlowEndPoint, FlowOptions, FlowProducer, FlowRequest, FlowSpec, Listener,
    StreamError, connect,
};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(20);

/// Sends for ever.
fn endless(mut producer: FlowProducer) -> Result<armilla_stream::FlowSummary, StreamError> {
    loop {
        producer.write_all(&[7; 65_536])?;
    }
}

#[test]
fn a_peer_that_does_nothing_is_given_up_on_either_side() {
    let patient = || Listener::builder().tcp("127.0.0.1", 0).unix().shared_memory();
    let limited = FlowOptions { stall_timeout: SHORT, ..options() };
    for transport in TRANSPORTS {
        // Nobody reads.
        let listener = patient().options(limited.clone()).start().unwrap();
        let (consumer, sent) = flow(&listener, &over(transport), FlowSpec::unsized_(), endless);
        let consumer = consumer.unwrap();
        let error = sent.recv().unwrap().unwrap_err();
        let at = consumer.control().transferred();
        assert!(matches!(error, StreamError::TimedOut { at: sent } if sent > at), "{error}");

        // Nobody sends.
        let listener = patient().start().unwrap();
        let (stop, stopped) = channel::<()>();
        let work = move |_producer: Result<FlowProducer, StreamError>| {
            stopped.recv().ok();
        };
        let (agreement, _) = listener.agree(&over(transport), FlowSpec::sized(5), work).unwrap();
        let mut consumer: FlowConsumer = agreement.collect(&limited).unwrap();
        let error = consumer.read(&mut [0]).unwrap_err();
        assert!(
            matches!(StreamError::of(&error), Some(StreamError::TimedOut { at: 0 })),
            "{error}"
        );
        drop(stop);
    }
}

#[test]
fn a_deadline_counts_from_the_beginning_and_one_that_has_passed_ends_the_flow() {
    for transport in TRANSPORTS {
        for deadline in [Duration::ZERO, SHORT] {
            let late = FlowOptions { deadline: Some(deadline), ..options() };
            let (stop, stopped) = channel::<()>();
            let work = move |producer: Result<FlowProducer, StreamError>| {
                let mut producer = producer.unwrap();
                producer.write_all(b"slow").ok();
                stopped.recv().ok();
            };
            let listener = listener();
            let (agreement, _) =
                listener.agree(&over(transport), FlowSpec::sized(5), work).unwrap();
            let mut consumer: FlowConsumer = agreement.collect(&late).unwrap();
            let error = consumer.read_to_end(&mut Vec::new()).unwrap_err();
            let timed_out = matches!(StreamError::of(&error), Some(StreamError::TimedOut { .. }));
            assert!(timed_out, "{transport}: {error}");
            drop(stop);
        }
    }
}

#[test]
fn a_flow_that_is_cancelled_before_it_begins_moves_nothing() {
    let listener = listener();
    for transport in TRANSPORTS {
        let (told, tells) = channel();
        let work = move |producer: Result<FlowProducer, StreamError>| {
            let sent = producer.and_then(|mut producer| {
                producer.write_all(b"octets")?;
                producer.finish()
            });
            told.send(sent).unwrap();
        };
        let (agreement, control) =
            listener.agree(&over(transport), FlowSpec::sized(6), work).unwrap();
        control.cancel();
        let mut octets = Vec::new();
        let collected: Result<FlowConsumer, _> = agreement.collect(&options());
        let read = collected.map(|mut consumer| consumer.read_to_end(&mut octets));
        assert!(!matches!(read, Ok(Ok(_))) && octets.is_empty(), "{transport}");
        assert!(matches!(tells.recv().unwrap(), Err(StreamError::Cancelled)), "{transport}");
        // It is over: nothing more happens.
        control.cancel();
        assert!(control.ended() && control.transferred() == 0);
    }
}

/// The rest of a process that collects an endpoint, reads a little, and waits to be killed.
#[test]
fn child() {
    let Ok(text) = std::env::var("ARMILLA_STREAM_CHILD") else { return };
    let (at, token) = text.split_once(' ').unwrap();
    let octet = |at: usize| u8::from_str_radix(&token[at..at + 2], 16).unwrap();
    let token = (0..token.len()).step_by(2).map(octet).collect();
    let endpoint = FlowEndPoint { r#where: vec![at.to_owned()], token, lifetime: 0 };
    let mut consumer: FlowConsumer =
        connect(&endpoint, &FlowSpec::sized(1 << 30), &FlowOptions::default()).unwrap();
    consumer.read_exact(&mut [0; 10_000]).unwrap();
    println!("\nreading");
    std::thread::sleep(Duration::from_secs(600));
}

fn begin_child(endpoint: &FlowEndPoint) -> Child {
    let token: String = endpoint.token.iter().map(|octet| format!("{octet:02x}")).collect();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stalls::child", "--nocapture"])
        .env("ARMILLA_STREAM_CHILD", format!("{} {token}", endpoint.r#where[0]))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "reading"));
    child
}

#[test]
fn a_peer_that_is_killed_cuts_the_flow() {
    let listener = listener();
    for transport in TRANSPORTS {
        let (told, tells) = channel();
        let work = move |producer: Result<FlowProducer, StreamError>| {
            told.send(producer.and_then(endless)).unwrap();
        };
        let spec = FlowSpec::sized(1 << 30);
        let (agreement, _) = listener.agree(&over(transport), spec, work).unwrap();
        let mut child = begin_child(&agreement.listens[0]);
        child.kill().unwrap();
        child.wait().unwrap();
        let error = tells.recv().unwrap().unwrap_err();
        assert!(matches!(error, StreamError::Cut { .. }), "{transport}: {error}");
    }
}

#[test]
fn what_lies_beyond_four_gibibytes_is_sent_and_received() {
    const BEYOND: u64 = (4 << 30) + 12_345;
    let octets = content(300_000);
    let path = |name: &str| {
        std::env::temp_dir().join(format!("armilla-beyond-{name}-{}", std::process::id()))
    };
    let (from, to) = (path("from"), path("to"));
    let file = std::fs::File::create_new(&from).unwrap();
    // All before it is a hole.
    std::os::unix::fs::FileExt::write_all_at(&file, &octets, BEYOND).unwrap();
    let listener = listener();
    for transport in TRANSPORTS {
        let path = from.clone();
        let size = BEYOND + octets.len() as u64;
        let request = FlowRequest { offset: BEYOND, ..over(transport) };
        let (consumer, sent) =
            flow(&listener, &request, FlowSpec::sized(size), move |mut producer| {
                let file = std::fs::File::open(path).unwrap();
                let (offset, size) = (producer.spec().offset, producer.spec().size);
                producer.send_file(&file, offset, size - offset)?;
                producer.finish()
            });
        let file = std::fs::File::create(&to).unwrap();
        let summary = consumer.unwrap().receive_file(&file, BEYOND).unwrap();
        assert_eq!(summary.octets, octets.len() as u64);
        sent.recv().unwrap().unwrap();
        let mut found = vec![0; octets.len()];
        let file = std::fs::File::open(&to).unwrap();
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut found, BEYOND).unwrap();
        assert!(found == octets && file.metadata().unwrap().len() == size, "{transport}");
    }
    std::fs::remove_file(from).unwrap();
    std::fs::remove_file(to).unwrap();
}
