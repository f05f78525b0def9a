//! The side that connects.

use crate::carrier::{Carrier, transport};
use crate::flow::{FlowEnd, Part};
use crate::limits::FlowOptions;
use crate::listener::begin;
use crate::wire::{Answer, Greeting, Verdict, WireError};
use crate::{FlowControl, FlowEndPoint, FlowSpec, StreamError, Token};
use armilla_ipc::{Address, ShmConnector, StreamOptions, TcpConnector, UnixConnector, WithTimeout};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The transports over which this side can connect, by preference.
pub(crate) const TRANSPORTS: [&str; 3] = ["unix", "shm", "tcp"];

/// Collects an endpoint: connects to the first of its addresses that answers, shows the token, and
/// begins the flow that was agreed on. [`Listener`](crate::Listener) has an example.
///
/// # Errors
/// No address answers, the listening side refuses, or the endpoint is malformed.
pub fn connect<E: FlowEnd>(
    endpoint: &FlowEndPoint,
    spec: &FlowSpec,
    options: &FlowOptions,
) -> Result<E, StreamError> {
    connect_with(endpoint, spec, options, FlowControl::new())
}

/// The same with a control that exists already.
pub(crate) fn connect_with<E: FlowEnd>(
    endpoint: &FlowEndPoint,
    spec: &FlowSpec,
    options: &FlowOptions,
    control: FlowControl,
) -> Result<E, StreamError> {
    let token = Token::from_octets(&endpoint.token)
        .ok_or(StreamError::Protocol(WireError::Field("length of a token", 0)))?;
    let greeting = Greeting { token, offset: spec.offset };
    let mut tried = Vec::new();
    for text in &endpoint.r#where {
        match open(text, options) {
            Ok(carrier) => {
                greet(&carrier, &greeting, options.connect_timeout)?;
                return Ok(begin(Arc::new(carrier), control, options, spec.clone()));
            }
            Err(error) => tried.push(error.to_string()),
        }
    }
    let none = || "the endpoint names no address".to_owned();
    Err(StreamError::Unreachable(if tried.is_empty() { none() } else { tried.join("; ") }))
}

fn open(text: &str, options: &FlowOptions) -> io::Result<Carrier> {
    let address: Address = text.parse().map_err(io::Error::other)?;
    let limit = Some(options.connect_timeout);
    let stream: &StreamOptions = &options.stream;
    match transport(&address) {
        Some("unix") => {
            UnixConnector::new(stream.clone()).connect(&address, limit).map(Carrier::Unix)
        }
        Some("shm") => ShmConnector::new(stream.clone()).connect(&address, limit).map(Carrier::Shm),
        Some(_) => TcpConnector::new(stream.clone()).connect(&address, limit).map(Carrier::Tcp),
        None => {
            let what = format!("{address} is of a transport that carries no flows");
            Err(io::Error::new(io::ErrorKind::Unsupported, what))
        }
    }
}

fn greet(carrier: &Carrier, greeting: &Greeting, limit: Duration) -> Result<(), StreamError> {
    let cut = |source| StreamError::Cut { at: greeting.offset, source };
    let stream = WithTimeout::new(carrier.stream(), limit);
    let sent = Part::new(greeting.encode()).send(&mut |octets| stream.send(octets));
    let mut octets = [0; Answer::LENGTH];
    // A listener without room answers before it closes, so the answer is looked for in any case.
    let received = stream.recv_all(&mut octets);
    if let Err(error) = received {
        return Err(cut(sent.err().unwrap_or(error.source)));
    }
    match Answer::decode(&octets)? {
        Answer { verdict: Verdict::Welcome, offset, .. } if offset == greeting.offset => Ok(()),
        Answer { verdict: Verdict::Welcome, .. } => Err(StreamError::Refused(Verdict::WrongOffset)),
        Answer { verdict, .. } => Err(StreamError::Refused(verdict)),
    }
}
