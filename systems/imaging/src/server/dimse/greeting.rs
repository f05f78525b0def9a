//! The first octets of a connection, looked at before `dicom_ul` reads them. It takes a connection
//! that ends too early for the beginning of a TLS handshake, and asks for the rest again and again:
//! whoever connects and goes would keep a processor busy for ever.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::server::Acceptor;
use std::io::{Error, ErrorKind, Result};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The first octet of A-ASSOCIATE-RQ (PS3.8, 9.3.2).
const ASSOCIATE_REQUEST: u8 = 1;

/// The first octet of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// How many octets the first message of a TLS client has at most.
const MOST: usize = 1 << 14;

/// How long it takes at most to see that more has come.
const ROUND: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Waits until a request for an association begins to come.
///
/// # Errors
/// Nothing has come within `limit`, the peer has gone, or it says something else.
pub(super) fn await_request(socket: &TcpStream, limit: Duration) -> Result<()> {
    socket.set_read_timeout(Some(limit))?;
    let mut first = [0];
    let wrong = match (socket.peek(&mut first)?, first) {
        (0, _) => return Err(gone()),
        (_, [ASSOCIATE_REQUEST]) => return Ok(()),
        (_, [HANDSHAKE]) => "it speaks TLS, and this port takes none",
        _ => "it does not ask for an association",
    };
    Err(Error::new(ErrorKind::InvalidData, wrong))
}

/// Waits until the first message of a TLS client is there, or what cannot become one.
///
/// # Errors
/// It is not there within `limit`, or is too long, or the peer has gone.
pub(super) fn await_hello(socket: &TcpStream, limit: Duration) -> Result<()> {
    socket.set_read_timeout(Some(limit))?;
    let end = Instant::now() + limit;
    let mut octets = vec![0; MOST];
    loop {
        match socket.peek(&mut octets)? {
            0 => return Err(gone()),
            there if is_decided(&octets[..there])? => return Ok(()),
            MOST => {
                return Err(Error::new(ErrorKind::InvalidData, "its first message is too long"));
            }
            _ => {}
        }
        if Instant::now() >= end {
            return Err(Error::new(ErrorKind::TimedOut, "its first message does not end"));
        }
        // Readable it is already.
        let mut socket = [PollFd::new(socket, PollFlags::RDHUP)];
        if poll(&mut socket, Some(&ROUND))? > 0 {
            return Err(gone());
        }
    }
}

/// Whether these octets are a whole first message, or none.
fn is_decided(mut octets: &[u8]) -> Result<bool> {
    let mut acceptor = Acceptor::default();
    while !octets.is_empty() {
        acceptor.read_tls(&mut octets)?;
        if !matches!(acceptor.accept(), Ok(None)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn gone() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the peer has gone before it said what it wants")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    const SHORT: Duration = Duration::from_millis(50);

    /// What a look at a connection says over which the peer has sent `octets`, and which it has
    /// closed if `ends`.
    fn look(octets: &[u8], ends: bool, look: fn(&TcpStream, Duration) -> Result<()>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = listener.accept().unwrap().0;
        peer.write_all(octets).unwrap();
        let _open = (!ends).then_some(peer);
        look(&socket, SHORT).map_or_else(|error| error.kind().to_string(), |()| "go on".to_owned())
    }

    #[test]
    fn a_request_begins_with_its_type() {
        assert_eq!(look(&[1], false, await_request), "go on");
        assert_eq!(look(&[], true, await_request), "unexpected end of file");
        assert_eq!(look(&[0x16, 3, 1], true, await_request), "invalid data");
        assert_eq!(look(b"GET /", false, await_request), "invalid data");
    }

    #[test]
    fn the_first_message_of_a_tls_client_is_awaited_no_longer_than_it_can_come() {
        let half = [0x16, 3, 1, 0x40, 0, 1, 0, 0x3f];
        assert_eq!(look(&half, false, await_hello), "timed out");
        assert_eq!(look(&half, true, await_hello), "unexpected end of file");
        assert_eq!(look(&[], true, await_hello), "unexpected end of file");
        assert_eq!(look(b"no handshake", true, await_hello), "go on", "an alert says why");
        let endless = [&[0x16, 3, 1, 0x3f, 0xfb, 1, 0, 0xff, 0xff][..], &[0; MOST]].concat();
        assert_eq!(look(&endless, false, await_hello), "invalid data");
    }
}
