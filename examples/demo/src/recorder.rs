//! A relay between a client and a server that records the last request and the last reply, so that
//! the plain sockets can exchange the same octets as the ORB.

use armilla::{Ior, Object, Orb};
use armilla_giop::ior::{IiopProfile, TAG_INTERNET_IOP};
use armilla_giop::{HEADER_LEN, MessageHeader};
use armilla_terminal::{Context, Failure, Outcome};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// A request and its reply, from the first octet of their headers to the last of their bodies.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) request: Vec<u8>,
    pub(crate) reply: Vec<u8>,
}

/// Records the messages of one `call` of `object` that is not the first on its connection.
pub(crate) fn record(object: &Object, call: impl Fn(&Object) -> Outcome) -> Outcome<Exchange> {
    let ior = object.ior();
    let profile = ior.iiop_profiles().next();
    let profile =
        profile.ok_or_else(|| Failure::because("the reference has no IIOP profile"))??;
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no port for the relay")?;
    let port = listener.local_addr()?.port();
    let relay = thread::spawn(move || relay(&listener, &profile));

    // An ORB of its own: its shutdown closes the connection, which ends the relay.
    let orb = Orb::new()?;
    let relayed = orb.string_to_object(&via_relay(&ior, port)?.to_text()?)?;
    for _ in 0..3 {
        call(&relayed)?;
    }
    orb.shutdown();
    let recorded = relay.join().map_err(|_| Failure::because("the relay failed"))?;
    recorded.context("the relay failed")
}

/// The same reference with the address of the relay.
fn via_relay(ior: &Ior, port: u16) -> Outcome<Ior> {
    let mut ior = ior.clone();
    for profile in ior.profiles.iter_mut().filter(|profile| profile.id == TAG_INTERNET_IOP) {
        let mut address = IiopProfile::decode_data(&profile.data)?;
        (address.host, address.port) = ("127.0.0.1".to_owned(), port);
        *profile = address.to_tagged()?;
    }
    Ok(ior)
}

/// Relays requests and replies in turn, until the client closes the connection.
fn relay(listener: &TcpListener, server: &IiopProfile) -> io::Result<Exchange> {
    let (mut client, _) = listener.accept()?;
    let mut server = TcpStream::connect((server.host.as_str(), server.port))?;
    let mut last = Exchange::default();
    while let Some(request) = read_message(&mut client)? {
        server.write_all(&request)?;
        let Some(reply) = read_message(&mut server)? else { break };
        client.write_all(&reply)?;
        last = Exchange { request, reply };
    }
    Ok(last)
}

/// The next GIOP message with all its fragments, `None` at the end of the stream.
fn read_message(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut message = Vec::new();
    loop {
        let mut header = [0; HEADER_LEN];
        match stream.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let decoded = MessageHeader::decode(&header).map_err(io::Error::other)?;
        message.extend(header);
        stream.take(decoded.size.into()).read_to_end(&mut message)?;
        if !decoded.more_fragments {
            return Ok(Some(message));
        }
    }
}
