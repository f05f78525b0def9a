//! Putting an encoded message onto a stream.

use armilla_cdr::Encoder;
use armilla_ipc::{SendError, Stream};
use std::io::IoSlice;

/// Sends a whole message with one system call: from one buffer, or as the parts it consists of.
#[inline]
pub(crate) fn send(stream: &dyn Stream, message: &Encoder<'_>) -> Result<(), SendError> {
    match message.as_contiguous() {
        Some(octets) => stream.send_all(octets),
        None => send_parts(stream, message),
    }
}

fn send_parts(stream: &dyn Stream, message: &Encoder<'_>) -> Result<(), SendError> {
    let parts: Vec<_> = message.parts().map(IoSlice::new).collect();
    stream.send_all_vectored(&parts)
}
