//! Connections that carry one flow after another.

use crate::common::{content, flow, listener, options, over};
use armilla_stream::wire::{Answer, Greeting, Outcome, Receipt, Trailer, Verdict};
use armilla_stream::{
    Checksum, FlowConsumer, FlowEndPoint, FlowOptions, FlowProducer, FlowSpec, Listener,
    RunningChecksum, StreamError, Token, connect,
};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A listener of which every connection is over TCP, and its place.
fn tcp_listener(options: FlowOptions, most: usize) -> (Listener, String) {
    let builder = Listener::builder().tcp("127.0.0.1", 0).options(options);
    let listener = builder.max_connections(most).start().unwrap();
    let at = listener.addresses()[0].to_string().replace("tcp://", "");
    (listener, at)
}

/// Greets with an offer of "x" over a connection, takes the flow and gives the receipt.
fn collect_x(listener: &Listener, stream: &mut TcpStream, keep: bool) -> Answer {
    let (endpoint, offer) = listener.offer::<FlowProducer>(0, &["tcp"]).unwrap();
    let token = Token::from_octets(&endpoint.token).unwrap();
    stream.write_all(&Greeting { token, offset: 0, keep }.encode()).unwrap();
    let mut answer = [0; Answer::LENGTH];
    stream.read_exact(&mut answer).unwrap();
    let mut producer = offer.wait(FlowSpec::sized(1)).unwrap();
    producer.write_all(b"x").unwrap();
    let finished = thread::spawn(move || producer.finish().unwrap());
    let mut rest = [0; 1 + Trailer::LENGTH];
    stream.read_exact(&mut rest).unwrap();
    assert_eq!(rest[0], b'x');
    let receipt = Receipt { outcome: Outcome::Complete, count: 1 };
    stream.write_all(&receipt.encode()).unwrap();
    finished.join().unwrap();
    Answer::decode(&answer).unwrap()
}

/// Whether the other side has closed the connection, now or soon.
fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn flows_of_both_directions_and_framings_share_a_connection_and_nothing_else() {
    for transport in ["tcp", "unix"] {
        let listener = listener();
        for round in 0..24 {
            let octets = content(round * 4321);
            let digest = RunningChecksum::of(Checksum::Sha256, &octets);
            let size = octets.len() as u64;
            let spec = if round % 2 == 0 { FlowSpec::sized(size) } else { FlowSpec::unsized_() };
            let request = over(transport).with_checksum(Checksum::Sha256);
            if round % 3 == 0 {
                let (done, received) = std::sync::mpsc::channel();
                let work = move |consumer: Result<FlowConsumer, StreamError>| {
                    done.send(consumer.and_then(FlowConsumer::finish_reading)).unwrap();
                };
                let (agreement, _) = listener.agree(&request, spec, work).unwrap();
                let collected = agreement.collect::<FlowProducer>(&options());
                let mut producer = collected.unwrap();
                producer.write_all(&octets).unwrap();
                producer.finish().unwrap();
                assert_eq!(received.recv().unwrap().unwrap(), octets);
            } else {
                let sending = octets.clone();
                let (consumer, sent) = flow(&listener, &request, spec, move |mut producer| {
                    producer.write_all(&sending).unwrap();
                    producer.finish()
                });
                let mut consumer = consumer.unwrap();
                let mut found = Vec::new();
                consumer.read_to_end(&mut found).unwrap();
                assert_eq!(found, octets);
                assert_eq!(consumer.finish().unwrap().verified, digest);
                assert_eq!(sent.recv().unwrap().unwrap().octets, size);
            }
            assert_eq!(listener.connections(), 1, "{transport}, round {round}");
        }
    }
}

/// Reads a flow to its end.
trait FinishReading {
    fn finish_reading(self) -> Result<Vec<u8>, StreamError>;
}

impl FinishReading for FlowConsumer {
    fn finish_reading(mut self) -> Result<Vec<u8>, StreamError> {
        let mut octets = Vec::new();
        self.read_to_end(&mut octets)?;
        Ok(octets)
    }
}

#[test]
fn a_flow_that_is_not_complete_ends_its_connection() {
    let listener = listener();
    let (consumer, sent) = flow(&listener, &over("tcp"), FlowSpec::sized(2), |mut producer| {
        producer.write_all(b"1").unwrap();
        producer.finish()
    });
    drop(consumer);
    sent.recv().unwrap().unwrap_err();
    let (consumer, _sent) = flow(&listener, &over("tcp"), FlowSpec::sized(1), |mut producer| {
        producer.write_all(b"1").unwrap();
        producer.finish()
    });
    assert_eq!(consumer.unwrap().finish_reading().unwrap(), b"1");
}

#[test]
fn the_control_of_a_flow_that_is_over_does_not_reach_the_next_one() {
    let listener = listener();
    let send = |mut producer: FlowProducer| {
        producer.write_all(b"1").unwrap();
        producer.finish()
    };
    let (consumer, sent) = flow(&listener, &over("tcp"), FlowSpec::sized(1), send);
    let consumer = consumer.unwrap();
    let control = consumer.control();
    consumer.finish_reading().unwrap();
    sent.recv().unwrap().unwrap();
    let (consumer, sent) = flow(&listener, &over("tcp"), FlowSpec::sized(1), send);
    assert_eq!(listener.connections(), 1);
    control.cancel();
    assert_eq!(consumer.unwrap().finish_reading().unwrap(), b"1");
    sent.recv().unwrap().unwrap();
}

#[test]
fn a_side_that_does_not_keep_is_not_kept() {
    let (listener, at) = tcp_listener(FlowOptions::default(), 256);
    let mut stream = TcpStream::connect(&at).unwrap();
    assert!(!collect_x(&listener, &mut stream, false).keep);
    assert!(is_closed(&mut stream));

    let (listener, at) = tcp_listener(FlowOptions { max_idle: 0, ..FlowOptions::default() }, 256);
    let mut stream = TcpStream::connect(&at).unwrap();
    assert!(!collect_x(&listener, &mut stream, true).keep);
    assert!(is_closed(&mut stream));
}

#[test]
fn what_is_no_greeting_ends_a_kept_connection_and_no_other() {
    let (listener, at) = tcp_listener(FlowOptions::default(), 256);
    let mut stream = TcpStream::connect(&at).unwrap();
    let mut other = TcpStream::connect(&at).unwrap();
    for _ in 0..3 {
        assert!(collect_x(&listener, &mut stream, true).keep);
        assert!(collect_x(&listener, &mut other, true).keep);
    }
    stream.write_all(&[b'G'; Greeting::LENGTH]).unwrap();
    assert!(is_closed(&mut stream));
    // A used token is as good as none.
    let token = Token::from_octets(&[7; Token::LENGTH]).unwrap();
    assert!(collect_x(&listener, &mut other, true).keep);
    other.write_all(&Greeting { token, offset: 0, keep: true }.encode()).unwrap();
    let mut answer = [0; Answer::LENGTH];
    other.read_exact(&mut answer).unwrap();
    assert_eq!(Answer::decode(&answer).unwrap().verdict, Verdict::UnknownToken);
    assert!(is_closed(&mut other));
}

#[test]
fn a_kept_connection_is_closed_when_its_time_is_over() {
    let idle_timeout = Duration::from_millis(20);
    let (listener, at) = tcp_listener(FlowOptions { idle_timeout, ..FlowOptions::default() }, 256);
    let mut stream = TcpStream::connect(&at).unwrap();
    assert!(collect_x(&listener, &mut stream, true).keep);
    assert!(is_closed(&mut stream));
}

#[test]
fn the_oldest_kept_connection_makes_room() {
    let (listener, at) = tcp_listener(FlowOptions { max_idle: 1, ..FlowOptions::default() }, 256);
    let mut streams = [(); 2].map(|()| TcpStream::connect(&at).unwrap());
    for stream in &mut streams {
        assert!(collect_x(&listener, stream, true).keep);
    }
    assert!(is_closed(&mut streams[0]));
    assert!(collect_x(&listener, &mut streams[1], true).keep);

    // … and for connections that begin.
    let (listener, at) = tcp_listener(FlowOptions::default(), 1);
    let mut kept = TcpStream::connect(&at).unwrap();
    assert!(collect_x(&listener, &mut kept, true).keep);
    let mut next = TcpStream::connect(&at).unwrap();
    assert_eq!(collect_x(&listener, &mut next, true).verdict, Verdict::Welcome);
    assert!(is_closed(&mut kept));
}

#[test]
fn kept_connections_end_with_their_listener() {
    let (listener, at) = tcp_listener(FlowOptions::default(), 256);
    let mut stream = TcpStream::connect(&at).unwrap();
    assert!(collect_x(&listener, &mut stream, true).keep);
    drop(listener);
    assert!(is_closed(&mut stream));
}

/// What a peer does on the next connection that it accepts.
type Script = fn(&TcpListener) -> TcpStream;

/// Takes a greeting, welcomes, sends "x", and takes the receipt.
fn serve_x(stream: &mut TcpStream, keep: bool) {
    take_greeting(stream);
    let answer = Answer { verdict: Verdict::Welcome, offset: 0, size: 1, keep };
    stream.write_all(&answer.encode()).unwrap();
    let trailer = Trailer { outcome: Outcome::Complete, count: 1, digest: Vec::new() };
    stream.write_all(&[b"x".as_slice(), &trailer.encode()].concat()).unwrap();
    stream.read_exact(&mut [0; Receipt::LENGTH]).unwrap();
}

fn take_greeting(stream: &mut TcpStream) {
    let mut greeting = [0; Greeting::LENGTH];
    stream.read_exact(&mut greeting).unwrap();
    assert!(Greeting::decode(&greeting).unwrap().keep);
}

/// A listening side as `script` has it, and its endpoint.
fn peer(script: Script) -> (FlowEndPoint, JoinHandle<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("tcp://{}", listener.local_addr().unwrap());
    let endpoint = FlowEndPoint { r#where: vec![at], token: vec![1; 32], lifetime: 0 };
    (endpoint, thread::spawn(move || script(&listener)))
}

fn fetch_x(endpoint: &FlowEndPoint) {
    let spec = FlowSpec::sized(1);
    let consumer = connect::<FlowConsumer>(endpoint, &spec, &options()).unwrap();
    assert_eq!(consumer.finish_reading().unwrap(), b"x");
}

#[test]
fn the_next_flow_takes_the_connection_that_both_keep() {
    let (endpoint, serving) = peer(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        (0..3).for_each(|_| serve_x(&mut stream, true));
        stream
    });
    (0..3).for_each(|_| fetch_x(&endpoint));
    serving.join().unwrap();
}

#[test]
fn a_peer_that_does_not_keep_gets_a_new_connection() {
    let (endpoint, serving) = peer(|listener| {
        let (mut first, _) = listener.accept().unwrap();
        serve_x(&mut first, false);
        assert!(is_closed(&mut first));
        let (mut second, _) = listener.accept().unwrap();
        serve_x(&mut second, false);
        second
    });
    (0..2).for_each(|_| fetch_x(&endpoint));
    serving.join().unwrap();
}

#[test]
fn a_peer_that_closes_gets_a_new_connection() {
    let (endpoint, serving) = peer(|listener| {
        let (mut first, _) = listener.accept().unwrap();
        serve_x(&mut first, true);
        // At the moment at which the next flow begins.
        take_greeting(&mut first);
        drop(first);
        let (mut second, _) = listener.accept().unwrap();
        serve_x(&mut second, true);
        drop(second);
        let (mut third, _) = listener.accept().unwrap();
        serve_x(&mut third, true);
        third
    });
    (0..3).for_each(|_| fetch_x(&endpoint));
    serving.join().unwrap();
}

#[test]
fn a_peer_that_speaks_out_of_turn_gets_a_new_connection() {
    let (endpoint, serving) = peer(|listener| {
        let (mut first, _) = listener.accept().unwrap();
        take_greeting(&mut first);
        let answer = Answer { verdict: Verdict::Welcome, offset: 0, size: 1, keep: true };
        let trailer = Trailer { outcome: Outcome::Complete, count: 1, digest: Vec::new() };
        let more = answer.encode();
        let all = [&more[..], b"x", &trailer.encode(), &more].concat();
        first.write_all(&all).unwrap();
        let (mut second, _) = listener.accept().unwrap();
        serve_x(&mut second, true);
        second
    });
    (0..2).for_each(|_| fetch_x(&endpoint));
    serving.join().unwrap();
}

#[test]
fn a_kept_connection_that_is_cut_when_the_token_has_arrived_is_a_cut() {
    let (endpoint, serving) = peer(|listener| {
        let (mut first, _) = listener.accept().unwrap();
        serve_x(&mut first, true);
        take_greeting(&mut first);
        drop(first);
        // The token was used.
        let (mut second, _) = listener.accept().unwrap();
        take_greeting(&mut second);
        let verdict = Verdict::UnknownToken;
        let answer = Answer { verdict, offset: 0, size: 0, keep: false };
        second.write_all(&answer.encode()).unwrap();
        second
    });
    fetch_x(&endpoint);
    let again = connect::<FlowConsumer>(&endpoint, &FlowSpec::sized(1), &options());
    let error = again.unwrap_err();
    assert!(matches!(error, StreamError::Cut { at: 0, .. }), "{error}");
    serving.join().unwrap();
}
