//! The side that connects.

use crate::carrier::{Carrier, Connection, Keep, transport};
use crate::flow::FlowEnd;
use crate::idle::{GRACE, Idle, Watched};
use crate::limits::FlowOptions;
use crate::listener::begin;
use crate::protected::is_in_clear;
use crate::wire::{Answer, Greeting, Verdict, WireError};
use crate::{FlowControl, FlowEndPoint, FlowSpec, StreamError, Token};
use armilla_ipc::{Address, ShmConnector, StreamOptions, TcpConnector, UnixConnector};
use std::io;
use std::sync::{Arc, LazyLock};

/// The transports over which this side can connect, by preference.
pub(crate) const TRANSPORTS: [&str; 3] = ["unix", "shm", "tcp"];

/// How many addresses of an endpoint are tried: each may take the connect timeout.
const MOST_ADDRESSES: usize = 8;

/// Collects an endpoint: connects to the first of its addresses that answers (at most 8 are tried),
/// shows the token, and begins the flow that was agreed on. [`Listener`](crate::Listener) has an example.
///
/// # Errors
/// No address answers, the listening side refuses, or the endpoint is malformed.
pub fn connect<E: FlowEnd>(
    endpoint: &FlowEndPoint,
    spec: &FlowSpec,
    options: &FlowOptions,
) -> Result<E, StreamError> {
    connect_with(endpoint, spec, (options, None), FlowControl::new())
}

/// The same with a control that exists already. Over what the kernel tells the user of, only to one
/// who listens as `user`, if there is one.
pub(crate) fn connect_with<E: FlowEnd>(
    endpoint: &FlowEndPoint,
    spec: &FlowSpec,
    (options, user): (&FlowOptions, Option<u32>),
    control: FlowControl,
) -> Result<E, StreamError> {
    let token = Token::from_octets(&endpoint.token)
        .ok_or(StreamError::Protocol(WireError::Field("length of a token", 0)))?;
    let keep = options.max_idle > 0;
    let greeting = Greeting { token, offset: spec.offset, keep };
    let (mut tried, mut cut) = (Vec::new(), None);
    for text in endpoint.r#where.iter().take(MOST_ADDRESSES) {
        let way = (text.to_owned(), user, options.stream.clone());
        match take_kept(&way, &greeting, options) {
            Some(Ok(connection)) => return Ok(begin(connection, control, options, spec.clone())),
            Some(Err(error @ StreamError::Cut { .. })) => cut = Some(error),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        match open(text, options).and_then(|carrier| of_user(carrier, user)) {
            Ok(carrier) => {
                let greeted = greet(Arc::new(carrier), way, &greeting, options);
                let connection = greeted.map_err(|error| match (error, cut) {
                    // The kept connection was cut when the token had arrived.
                    (StreamError::Refused(Verdict::UnknownToken), Some(cut)) => cut,
                    (error, _) => error,
                })?;
                return Ok(begin(connection, control, options, spec.clone()));
            }
            Err(error) => tried.push(error.to_string()),
        }
    }
    let none = || "the endpoint names no address".to_owned();
    Err(StreamError::Unreachable(if tried.is_empty() { none() } else { tried.join("; ") }))
}

/// Where a kept connection leads, who has to listen there, and the options with which it was made.
type Way = (String, Option<u32>, StreamOptions);

/// The connections of this process that wait for their next flow. A peer that sends something before
/// it is greeted does not keep to the protocol: then, as when it closes, its connection is dropped.
static KEPT: LazyLock<Idle<Way>> = LazyLock::new(|| Idle::new(GRACE, |_, _| ()));

/// Greets over a kept connection, if there is one. It is cut if the peer closes it at this moment,
/// mostly without having seen the token.
fn take_kept(
    way: &Way,
    greeting: &Greeting,
    options: &FlowOptions,
) -> Option<Result<Connection, StreamError>> {
    KEPT.take(|kept| kept == way).map(|carrier| greet(carrier, way.clone(), greeting, options))
}

/// Refuses a connection to a socket on which another user listens.
fn of_user(carrier: Carrier, user: Option<u32>) -> io::Result<Carrier> {
    let found = match (&carrier, user) {
        (Carrier::Tcp(_) | Carrier::Protected(_), _) | (_, None) => return Ok(carrier),
        (Carrier::Unix(stream), Some(_)) => stream.peer_credentials()?.user,
        (Carrier::Shm(stream), Some(_)) => stream.peer_credentials()?.user,
    };
    if user == Some(found) {
        return Ok(carrier);
    }
    let what =
        format!("{} is served by the user {found}, not by the caller", carrier.stream().peer());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

fn open(text: &str, options: &FlowOptions) -> io::Result<Carrier> {
    if let Some(protected) = &options.protected {
        if protected.has(text) {
            let stream = protected.connect(text, options.connect_timeout)?;
            return Carrier::protected(stream);
        }
        if protected.is_required() && is_in_clear(text) {
            let what = format!("{text} is in clear, which this side forbids (-ORBTls required=1)");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        }
    }
    let address: Address = text.parse().map_err(io::Error::other)?;
    let limit = Some(options.connect_timeout);
    let stream = options.of_connections();
    match transport(&address) {
        Some("unix") => UnixConnector::new(stream).connect(&address, limit).map(Carrier::Unix),
        Some("shm") => {
            ShmConnector::new(stream).connect(&address, limit).map(Box::new).map(Carrier::Shm)
        }
        Some(_) => TcpConnector::new(stream).connect(&address, limit).map(Carrier::Tcp),
        None => {
            let what = format!("{address} is of a transport that carries no flows");
            Err(io::Error::new(io::ErrorKind::Unsupported, what))
        }
    }
}

/// Shows the token and takes the answer.
fn greet(
    carrier: Arc<Carrier>,
    way: Way,
    greeting: &Greeting,
    options: &FlowOptions,
) -> Result<Connection, StreamError> {
    let cut = |source| StreamError::Cut { at: greeting.offset, source };
    let limit = options.connect_timeout;
    let sent = carrier.send_message(&greeting.encode(), limit);
    let mut octets = [0; Answer::LENGTH];
    // A listener without room answers before it closes, so the answer is looked for in any case.
    if let Err(error) = carrier.receive_message(&mut octets, limit, false) {
        return Err(cut(sent.err().unwrap_or(error)));
    }
    match Answer::decode(&octets)? {
        Answer { verdict: Verdict::Welcome, offset, .. } if offset != greeting.offset => {
            Err(StreamError::Refused(Verdict::WrongOffset))
        }
        Answer { verdict: Verdict::Welcome, keep, .. } => {
            let keep = keep && greeting.keep && carrier.is_watchable();
            Ok(Connection { keep: keep.then(|| keep_for(way, options)), carrier })
        }
        Answer { verdict, .. } => Err(StreamError::Refused(verdict)),
    }
}

fn keep_for(way: Way, options: &FlowOptions) -> Keep {
    let limits = (options.max_idle, options.idle_timeout);
    Keep::new(move |carrier| {
        KEPT.keep(carrier, way, limits, Watched::Soon);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FlowConsumer, FlowProducer, Listener};

    #[test]
    fn a_socket_of_another_user_than_the_caller_gets_no_token() {
        let listener = Listener::builder().unix().shared_memory().start().unwrap();
        let (options, own) = (FlowOptions::default(), rustix::process::geteuid().as_raw());
        let spec = FlowSpec::sized(0);
        for transport in ["unix", "shm"] {
            let (endpoint, _offer) = listener.offer::<FlowProducer>(0, &[transport]).unwrap();
            let connect = |user| {
                let control = FlowControl::new();
                connect_with::<FlowConsumer>(&endpoint, &spec, (&options, user), control)
            };
            let refused = connect(Some(own + 1)).unwrap_err().to_string();
            assert!(refused.contains("not by the caller"), "{refused}");
            // The token was not shown, and so is of use.
            connect(Some(own)).unwrap();
        }
    }
}
