//! Sending without copying the bytes through the process, or within the kernel.
//!
//! - [`send_file`] sends a part of a file (`sendfile`): the bytes never enter the process.
//! - [`receive_file`] receives into a file (`splice`).
//! - [`Relay`] moves bytes from one stream to another (`splice`).
//! - [`ZeroCopy`] sends buffers that the network card reads in place (`MSG_ZEROCOPY`). It pays from
//!   some ten kilobytes on a real card and never on the loopback, where the kernel copies after all
//!   and says so: see [`ZeroCopy::was_copied`].
//!
//! The example `zero_copy` compares them with plain sends. Over the loopback of a machine with two
//! cores, for messages of 1 MiB: a file takes 130 µs instead of 175, a relay 237 instead of 276, a
//! buffer in place 210 instead of 154. Below 64 KiB only the relay pays.
//!
//! The first three work with every stream whose bytes the kernel can move, see [`Spliceable`]. If the
//! peer has gone they fail as a send does. The operating system then also signals `SIGPIPE`: a Rust
//! program ignores it from the start, and a library in another program must see that it is ignored.

mod file;
mod msg_zerocopy;
mod receive;
mod relay;

pub use file::send_file;
pub use msg_zerocopy::ZeroCopy;
pub use receive::receive_file;
pub use relay::Relay;

use crate::Stream;
use crate::splice::Splice;

/// What one call moves at most, and the size of the pipe of a [`Relay`].
const CHUNK: usize = 1 << 20;

/// A stream whose bytes pass through descriptors, so that the kernel can move them (`splice`,
/// `sendfile`). A stream over shared memory is not one, nor is a stream of another crate.
pub trait Spliceable: Stream + Splice {}

impl<S: Stream + Splice> Spliceable for S {}
