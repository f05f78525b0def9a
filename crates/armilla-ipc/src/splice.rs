//! Transfers that the kernel carries out between two descriptors (`splice`, `sendfile`), so that
//! the bytes never enter the process. This module holds what a stream provides for them; the
//! operations built on it are in `zero_copy`.

use rustix::fd::BorrowedFd;
use std::io;

/// One system call that moves bytes from or to the given descriptor; returns their count.
pub(crate) type SpliceCall<'a> = dyn FnMut(BorrowedFd<'_>) -> rustix::io::Result<usize> + 'a;

/// A stream over descriptors. Public only in name: it seals
/// [`Spliceable`](crate::zero_copy::Spliceable).
pub trait Splice {
    /// Makes `call` with the descriptor that is read, and waits for bytes as `recv` does.
    fn splice_read(&self, call: &mut SpliceCall<'_>) -> io::Result<usize>;

    /// Makes `call` with the descriptor that is written, and waits for room as `send` does.
    fn splice_write(&self, call: &mut SpliceCall<'_>) -> io::Result<usize>;
}

/// Implements [`Splice`] for a type that wraps a socket or a channel in its field.
macro_rules! delegate_splice {
    ($stream:ty, $field:ident) => {
        impl crate::splice::Splice for $stream {
            fn splice_read(
                &self,
                call: &mut crate::splice::SpliceCall<'_>,
            ) -> std::io::Result<usize> {
                self.$field.splice_read(call)
            }

            fn splice_write(
                &self,
                call: &mut crate::splice::SpliceCall<'_>,
            ) -> std::io::Result<usize> {
                self.$field.splice_write(call)
            }
        }
    };
}
pub(crate) use delegate_splice;
