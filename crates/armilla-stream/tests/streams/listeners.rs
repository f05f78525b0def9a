//! Endpoints: who may collect them, and what becomes of those that nobody collects.

use crate::common::{listener, options};
use armilla_stream::wire::{Answer, Greeting, Verdict};
use armilla_stream::{
    FlowConsumer, FlowEndPoint, FlowOptions, FlowProducer, FlowSpec, Listener, StreamError, Token,
    connect,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn collect(endpoint: &FlowEndPoint, offset: u64) -> Result<FlowConsumer, StreamError> {
    collect_of(endpoint, FlowSpec { offset, ..FlowSpec::sized(10) })
}

fn collect_of(endpoint: &FlowEndPoint, spec: FlowSpec) -> Result<FlowConsumer, StreamError> {
    connect(endpoint, &spec, &options())
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn refusal(result: Result<FlowConsumer, StreamError>) -> Verdict {
    match result {
        Err(StreamError::Refused(verdict)) => verdict,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_wrong_token_is_refused_and_the_right_one_still_works() {
    let listener = listener();
    for transport in crate::common::TRANSPORTS {
        let (endpoint, offer) = listener.offer::<FlowProducer>(0, &[transport]).unwrap();
        let mut wrong = endpoint.clone();
        wrong.token[31] ^= 1;
        assert_eq!(refusal(collect(&wrong, 0)), Verdict::UnknownToken);
        assert!(collect(&endpoint, 0).is_ok());
        assert!(offer.wait(FlowSpec::sized(10)).is_ok());
    }
}

#[test]
fn a_token_is_of_use_once() {
    let listener = listener();
    let (endpoint, _offer) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    let _first = collect(&endpoint, 0).unwrap();
    assert_eq!(refusal(collect(&endpoint, 0)), Verdict::UnknownToken);
}

#[test]
fn a_token_of_the_wrong_length_is_not_sent() {
    let listener = listener();
    let (mut endpoint, _offer) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    endpoint.token.pop();
    assert!(matches!(collect(&endpoint, 0), Err(StreamError::Protocol(_))));
}

#[test]
fn a_flow_begins_where_it_was_agreed_to() {
    let listener = listener();
    let (endpoint, offer) = listener.offer::<FlowProducer>(5, &["tcp"]).unwrap();
    assert_eq!(refusal(collect(&endpoint, 4)), Verdict::WrongOffset);
    assert!(matches!(offer.wait(FlowSpec::sized(10)), Err(StreamError::NotCollected)));
}

#[test]
fn an_endpoint_that_nobody_collects_is_given_up() {
    let listener = Listener::builder().unix().offer_lifetime(Duration::ZERO).start().unwrap();
    let (endpoint, offer) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    assert_eq!(endpoint.lifetime, 0);
    assert!(matches!(offer.wait(FlowSpec::sized(10)), Err(StreamError::NotCollected)));
    assert_eq!(refusal(collect(&endpoint, 0)), Verdict::UnknownToken);
    assert_eq!(listener.offers(), 0);
}

#[test]
fn an_offer_that_is_dropped_is_withdrawn() {
    let listener = listener();
    let (endpoint, offer) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    drop(offer);
    assert_eq!(listener.offers(), 0);
    assert_eq!(refusal(collect(&endpoint, 0)), Verdict::UnknownToken);
}

#[test]
fn no_more_endpoints_are_offered_than_may_wait() {
    let listener = Listener::builder().unix().max_offers(2).start().unwrap();
    let first = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    let _second = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    let third = listener.offer::<FlowProducer>(0, &["unix"]);
    assert!(matches!(third, Err(StreamError::TooManyOffers(2))));
    drop(first);
    assert!(listener.offer::<FlowProducer>(0, &["unix"]).is_ok());
}

#[test]
fn a_connection_too_many_is_told_so() {
    let listener = Listener::builder().unix().max_connections(1).start().unwrap();
    let (first, _one) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    let (second, _two) = listener.offer::<FlowProducer>(0, &["unix"]).unwrap();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let hold = move |_: Result<FlowProducer, StreamError>| {
        stopped.recv().ok();
    };
    let request = armilla_stream::FlowRequest::connecting(0);
    let (held, _) = listener.agree(&request, FlowSpec::sized(10), hold).unwrap();
    let _connected: FlowConsumer = held.collect(&options()).unwrap();
    assert_eq!(refusal(collect(&first, 0)), Verdict::Busy);
    assert_eq!(refusal(collect(&second, 0)), Verdict::Busy);
    drop(stop);
}

#[test]
fn who_connects_and_says_nothing_keeps_nobody_out() {
    let builder = Listener::builder().tcp("127.0.0.1", 0).max_connections(2);
    let patient = FlowOptions { connect_timeout: Duration::from_secs(600), ..options() };
    let listener = builder.options(patient).start().unwrap();
    let at = listener.addresses()[0].to_string().replace("tcp://", "");
    let mut silent: Vec<_> = (0..2).map(|_| TcpStream::connect(&at).unwrap()).collect();
    // One of them begins, and says no more.
    silent[0].write_all(b"AFLG").unwrap();
    until("both have the places", || listener.connections() == 2);
    for _ in 0..3 {
        let (endpoint, offer) = listener.offer::<FlowProducer>(0, &["tcp"]).unwrap();
        let sent = std::thread::spawn(move || offer.wait(FlowSpec::sized(0)).unwrap().finish());
        let consumer = collect_of(&endpoint, FlowSpec::sized(0)).unwrap();
        assert_eq!(consumer.finish().unwrap().octets, 0);
        sent.join().unwrap().unwrap();
        silent.push(TcpStream::connect(&at).unwrap());
    }
    for stream in &mut silent[..2] {
        assert_eq!(stream.read(&mut [0; 64]).unwrap_or(0), 0, "they made room");
    }
}

#[test]
fn many_who_say_nothing_hold_a_bounded_number_of_connections() {
    let builder = Listener::builder().tcp("127.0.0.1", 0).max_connections(4);
    let patient = FlowOptions { connect_timeout: Duration::from_secs(600), ..options() };
    let listener = builder.options(patient).start().unwrap();
    let at = listener.addresses()[0].to_string().replace("tcp://", "");
    let silent: Vec<_> = (0..100).map(|_| TcpStream::connect(&at).unwrap()).collect();
    for stream in &silent {
        stream.set_nonblocking(true).unwrap();
    }
    let is_open = |stream: &&TcpStream| {
        let peeked = stream.peek(&mut [0]);
        peeked.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    until("the others are closed", || silent.iter().filter(is_open).count() <= 4);
    assert!(listener.connections() <= 8);
    drop(silent);
    until("nobody is left", || listener.connections() == 0);
}

#[test]
fn strangers_are_sent_away_and_others_go_on() {
    let listener = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let at = listener.addresses()[0].to_string().replace("tcp://", "");
    // Another protocol: the connection is closed without an answer.
    let mut browser = TcpStream::connect(&at).unwrap();
    browser.write_all(&[b'G'; Greeting::LENGTH]).unwrap();
    assert_eq!(browser.read(&mut [0; 64]).unwrap_or(0), 0);
    // A guess.
    let mut guess = TcpStream::connect(&at).unwrap();
    let token = Token::from_octets(&[7; Token::LENGTH]).unwrap();
    guess.write_all(&Greeting { token, offset: 0, keep: false }.encode()).unwrap();
    let mut answer = [0; Answer::LENGTH];
    guess.read_exact(&mut answer).unwrap();
    assert_eq!(Answer::decode(&answer).unwrap().verdict, Verdict::UnknownToken);
    assert_eq!(guess.read(&mut [0; 64]).unwrap_or(0), 0);
    // One who says nothing, and one who is invited.
    let _silent = TcpStream::connect(&at).unwrap();
    let (endpoint, _offer) = listener.offer::<FlowProducer>(0, &["tcp"]).unwrap();
    assert!(collect(&endpoint, 0).is_ok());
}

#[test]
fn sockets_of_a_listener_are_removed_with_it() {
    let listener = Listener::builder().unix().start().unwrap();
    let at = listener.addresses()[0].to_string();
    let path = at.strip_prefix("unix://").unwrap();
    let directory = std::path::Path::new(path).parent().unwrap();
    assert!(directory.exists());
    drop(listener);
    assert!(!directory.exists());
}

#[test]
fn a_token_is_not_shown() {
    let token = Token::from_octets(&[7; Token::LENGTH]).unwrap();
    assert_eq!(format!("{token:?}"), "Token(…)");
}
