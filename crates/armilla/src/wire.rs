//! What client and server write alike: the numbers and names of every reference, and how an encoded
//! message is put onto a stream.

use armilla_cdr::{CodeSet, CodeSets, Encoder};
use armilla_giop::Fragments;
use armilla_ipc::{SendError, Stream};
use std::io::IoSlice;

/// The vendor number of `TAG_ORB_TYPE` in references of ours: "ARM" and a zero.
pub(crate) const ARMILLA_ORB_TYPE: u32 = 0x4152_4d00;

/// The code sets of octets that do not leave the process: those of Rust's own texts.
pub(crate) const CODE_SETS_HERE: CodeSets = CodeSets::with_utf_16(CodeSet::Utf8);

/// The repository id of the interface that every object has.
pub(crate) const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// Sends a whole message with one system call: from one buffer, or as the parts it consists of. One
/// of more than `fragment_size` octets leaves in fragments of that size, where it can.
#[inline(always)]
pub(crate) fn send(
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

/// Gives `use_them` a message as the parts that go onto the wire.
pub(crate) fn parts<T>(
    message: &Encoder<'_>,
    fragment_size: usize,
    use_them: impl FnOnce(&[IoSlice<'_>]) -> T,
) -> T {
    match message.as_contiguous() {
        Some(octets) if octets.len() <= fragment_size => use_them(&[IoSlice::new(octets)]),
        _ => {
            if let Some(fragments) = Fragments::of(message, fragment_size) {
                let parts: Vec<_> = fragments.iter().flatten().map(IoSlice::new).collect();
                return use_them(&parts);
            }
            let mut parts = [IoSlice::new(&[]); Encoder::MAX_PARTS];
            let count = message.list_parts(&mut parts, IoSlice::new);
            use_them(&parts[..count])
        }
    }
}
