//! A transfer over a stream of `armilla-ipc`, whatever its transport. The data travel in frames: a
//! length of four octets, and as many octets. A frame of length 0 is the end; the receiver answers
//! with the count of octets that it wrote. Without these, the end of a sender that was killed would
//! look like the end of its data.

use crate::options::Options;
use crate::{Transferred, read_some};
use armilla_ipc::{Address, Stream, StreamOptions};
use std::io::{IoSlice, Read, Write};
use std::time::Instant;

/// The most octets in a frame.
const MAX_FRAME: usize = 256 << 10;

/// Sends all of `input`.
pub(crate) fn send(
    to: &Address,
    options: &Options,
    input: &mut dyn Read,
) -> Result<Transferred, String> {
    let stream = armilla_ipc::connect(to, Some(options.idle), &StreamOptions::default());
    let stream = stream.map_err(|error| error.to_string())?;
    limit(&*stream, options)?;
    let (begun, mut octets) = (Instant::now(), 0);
    let mut buffer = vec![0; MAX_FRAME];
    loop {
        let data = read_some(input, &mut buffer)?;
        let length = u32::try_from(data.len()).unwrap_or(0).to_be_bytes();
        let sent = stream.send_all_vectored(&[IoSlice::new(&length), IoSlice::new(data)]);
        sent.map_err(|error| broken(to, "receiver", octets, &error.source))?;
        octets += data.len() as u64;
        if data.is_empty() {
            break;
        }
    }
    let mut written = [0; 8];
    let answer = stream.recv_all(&mut written);
    answer.map_err(|error| broken(to, "receiver", octets, &error.source))?;
    match u64::from_be_bytes(written) {
        written if written == octets => Ok(Transferred::since(begun, octets)),
        written => Err(format!("{to}: the receiver wrote {written} octets of {octets}")),
    }
}

/// Waits for a sender and writes what it sends.
pub(crate) fn receive(
    at: &Address,
    options: &Options,
    output: &mut dyn Write,
) -> Result<Transferred, String> {
    let acceptor = armilla_ipc::listen(at, &StreamOptions::default());
    let acceptor = acceptor.map_err(|error| error.to_string())?;
    eprintln!("relay: listening at {}", acceptor.local());
    let stream = acceptor.accept().map_err(|error| format!("{at}: {error}"))?;
    let stream = stream.ok_or("the acceptor is closed")?;
    // One sender; a second one is refused.
    acceptor.close();
    limit(&*stream, options)?;
    let from = stream.peer();
    let (begun, mut octets) = (Instant::now(), 0);
    let mut buffer = vec![0; MAX_FRAME];
    loop {
        let mut length = [0; 4];
        stream
            .recv_all(&mut length)
            .map_err(|error| broken(from, "sender", octets, &error.source))?;
        let length = u32::from_be_bytes(length) as usize;
        let Some(data) = buffer.get_mut(..length) else {
            return Err(format!("{from}: a frame of {length} octets; this is no `relay send`"));
        };
        if length == 0 {
            break;
        }
        stream.recv_all(data).map_err(|error| broken(from, "sender", octets, &error.source))?;
        output.write_all(data).map_err(|error| format!("cannot write: {error}"))?;
        octets += length as u64;
    }
    output.flush().map_err(|error| format!("cannot write: {error}"))?;
    let answered = stream.send_all(&octets.to_be_bytes());
    answered.map_err(|error| broken(from, "sender", octets, &error.source))?;
    let transferred = Transferred::since(begun, octets);
    // Until the sender has gone: the end of a terminal takes with it what nobody has read yet.
    stream.recv(&mut [0]).ok();
    Ok(transferred)
}

/// A peer that neither gives nor takes anything for this long is an error.
fn limit(stream: &dyn Stream, options: &Options) -> Result<(), String> {
    let limited = stream.set_recv_timeout(Some(options.idle));
    limited.and(stream.set_send_timeout(Some(options.idle))).map_err(|error| error.to_string())
}

fn broken(at: &Address, peer: &str, octets: u64, error: &std::io::Error) -> String {
    format!("{at}: the {peer} failed after {octets} octets: {error}")
}
