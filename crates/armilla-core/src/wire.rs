//! What the client and the server share on the wire: constants of references, and sending an
//! encoded message over a stream.

use armilla_cdr::{CodeSet, CodeSets, Encoder};
use armilla_giop::Fragments;
use armilla_ipc::{SendError, Stream};
use std::io::IoSlice;

/// The value of `TAG_ORB_TYPE` in references of this ORB: "ARM" and a zero.
pub const ARMILLA_ORB_TYPE: u32 = 0x4152_4d00;

/// The code sets for data that does not leave the process: UTF-8, as in Rust strings, and UTF-16.
pub const CODE_SETS_HERE: CodeSets = CodeSets::with_utf_16(CodeSet::Utf8);

/// The repository id of the interface that every object has.
pub const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// Sends a message with one system call: from one buffer, or from the parts of which it consists. A
/// message of more than `fragment_size` octets is sent in fragments of that size, if it can be
/// fragmented.
#[inline(always)]
pub fn send(
    stream: &dyn Stream,
    message: &Encoder<'_>,
    fragment_size: usize,
) -> Result<(), SendError> {
    match message.as_contiguous() {
        Some(octets) if octets.len() <= fragment_size => stream.send_all(octets),
        _ => send_parts(stream, message, fragment_size),
    }
}

#[inline(never)]
fn send_parts(
    stream: &dyn Stream,
    message: &Encoder<'_>,
    fragment_size: usize,
) -> Result<(), SendError> {
    parts(message, fragment_size, |parts| stream.send_all_vectored(parts))
}

/// Passes the parts of a message to `send`, in the form in which they are sent.
pub fn parts<T>(
    message: &Encoder<'_>,
    fragment_size: usize,
    send: impl FnOnce(&[IoSlice<'_>]) -> T,
) -> T {
    match message.as_contiguous() {
        Some(octets) if octets.len() <= fragment_size => send(&[IoSlice::new(octets)]),
        _ => {
            if let Some(fragments) = Fragments::of(message, fragment_size) {
                let parts: Vec<_> = fragments.iter().flatten().map(IoSlice::new).collect();
                return send(&parts);
            }
            let mut parts = [IoSlice::new(&[]); Encoder::MAX_PARTS];
            let count = message.list_parts(&mut parts, IoSlice::new);
            send(&parts[..count])
        }
    }
}
