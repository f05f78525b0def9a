//! Sending without copying the bytes through the process, or within the kernel.
//!
//! - [`send_file`] sends a part of a file (`sendfile`): the bytes never enter the process.
//! - [`Relay`] moves bytes from one stream to another (`splice`).
//! - [`ZeroCopy`] sends buffers that the network card reads in place (`MSG_ZEROCOPY`). It pays from
//!   some ten kilobytes on a real card and never on the loopback, where the kernel copies after all
//!   and says so: see [`ZeroCopy::was_copied`].
//!
//! What they cost beside plain sends is measured by `examples/zero_copy.rs`. Over the loopback of a
//! machine with two cores, for messages of 1 MiB: a file 130 µs instead of 175, a relay 237 instead
//! of 276, a buffer in place 210 instead of 154. Below 64 KiB none of them is worth its trouble but
//! the relay.
//!
//! The first two work with every stream whose bytes are the kernel's to move, see [`Spliceable`].
//! To a peer that has gone they fail as a send does; but the operating system then also signals
//! `SIGPIPE`, which a Rust program ignores from the start, and a library in another program must
//! have ignored.

mod file;
mod msg_zerocopy;
mod relay;

pub use file::send_file;
pub use msg_zerocopy::ZeroCopy;
pub use relay::Relay;

use crate::Stream;
use crate::splice::Splice;

/// What one call moves at most, and the size of the pipe of a [`Relay`].
const CHUNK: usize = 1 << 20;

/// A stream whose bytes pass through descriptors, so that the kernel can move them by itself. That
/// of shared memory is none, nor is one that another crate puts over a descriptor.
pub trait Spliceable: Stream + Splice {}

impl<S: Stream + Splice> Spliceable for S {}
