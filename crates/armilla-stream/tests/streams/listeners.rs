//! Endpoints: who may collect them, and what becomes of those that nobody collects.

use crate::common::{listener, options};
use armilla_stream::wire::{Answer, Greeting, Verdict};
use armilla_stream::{
    FlowConsumer, FlowEndPoint, FlowProducer, FlowSpec, Listener, StreamError, Token, connect,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn collect(endpoint: &FlowEndPoint, offset: u64) -> Result<FlowConsumer, StreamError> {
    let spec = FlowSpec { offset, ..FlowSpec::sized(10) };
    connect(endpoint, &spec, &options())
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
