//! The role of a stream: what the stream of every transport can do. The errors of transfers that
//! stop half way are in `partial`.

mod std_io;
mod with_timeout;

pub(crate) use std_io::{impl_read, impl_write};
#[cfg(feature = "zero-copy")]
pub(crate) use with_timeout::TransferDeadline;
pub use with_timeout::WithTimeout;

use crate::interest::Interest;
use crate::partial::{self, RecvError, SendError};
use crate::{Address, Credentials, Protection};
use rustix::fd::BorrowedFd;
use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

/// A connected pair of byte flows, one each way.
///
/// All methods take `&self`, so that one thread may receive while another sends. The bytes of two
/// threads that send at once, or receive at once, interleave: the caller must serialise them.
///
/// `recv` and `send` move what one system call moves; the `_all` forms, classically `recv_n` and
/// `send_n`, move everything or say how much they moved. The provided methods are correct for every
/// transport; those of this crate replace them by cheaper ones.
pub trait Stream: Send + Sync + fmt::Debug {
    /// Receives what has arrived, at least one byte, into `buffer`; waits if nothing has.
    ///
    /// Returns the count, 0 at the end of the stream (or if `buffer` is empty).
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the time set by [`set_recv_timeout`]; whatever the
    /// transport reports when the peer vanished, such as [`io::ErrorKind::ConnectionReset`].
    ///
    /// [`set_recv_timeout`]: Self::set_recv_timeout
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Receives what has arrived into `parts` in order, as if they were one buffer.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        match parts.iter_mut().find(|part| !part.is_empty()) {
            Some(part) => self.recv(part),
            None => Ok(0),
        }
    }

    /// Receives what has arrived, as [`recv`](Self::recv), into the spare capacity of `buffer`,
    /// behind the bytes that it has. Sockets fill memory that was never written before.
    ///
    /// # Errors
    /// As [`recv`](Self::recv); `buffer` is as before then.
    fn recv_append(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        partial::recv_append(buffer, |space| self.recv(space))
    }

    /// Receives until `buffer` is full.
    ///
    /// The timeout set by [`set_recv_timeout`](Self::set_recv_timeout) limits each wait. The
    /// transports of this crate also limit the whole call to about twice that time.
    ///
    /// # Errors
    /// [`RecvError`] says how many bytes have arrived; they are in `buffer`. An end of the
    /// stream before the buffer is full is [`io::ErrorKind::UnexpectedEof`].
    #[doc(alias = "recv_n")]
    fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        partial::recv_all(buffer, |rest| self.recv(rest))
    }

    /// Receives until every one of `parts` is full. The slices are advanced over what has arrived.
    ///
    /// # Errors
    /// As [`recv_all`](Self::recv_all); the count is over all parts.
    #[doc(alias = "recv_n")]
    fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        partial::recv_all_vectored(parts, |rest| self.recv_vectored(rest))
    }

    /// Sends what the transport takes of `bytes` in one system call, at least one byte; waits if it
    /// takes none.
    ///
    /// Returns the count. A program that ignores it loses bytes; most programs want
    /// [`send_all`](Self::send_all).
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the time set by
    /// [`set_send_timeout`](Self::set_send_timeout) without a byte sent; otherwise as `send_all`.
    fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        partial::first_count(self.send_all(bytes), bytes.len())
    }

    /// Sends what the transport takes of `parts` in one system call, as [`send`](Self::send).
    ///
    /// # Errors
    /// As [`send`](Self::send).
    fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let total = parts.iter().map(|part| part.len()).sum();
        partial::first_count(self.send_all_vectored(parts), total)
    }

    /// Sends all of `bytes`: one system call, unless the transport takes only a part of them.
    ///
    /// # Errors
    /// [`SendError`] says how many bytes were sent. After an error do not send on this stream
    /// again, because the peer may have received a part.
    #[doc(alias = "send_n")]
    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError>;

    /// Sends all bytes of all `parts` in order, as if they were one buffer.
    ///
    /// # Errors
    /// As [`send_all`](Self::send_all); the count is over all parts.
    #[doc(alias = "send_n")]
    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError>;

    /// The same stream with a timeout for each call: `stream.with_timeout(limit).recv_all(b)`.
    ///
    /// For a boxed stream write `WithTimeout::new(&*stream, limit)`.
    fn with_timeout(&self, limit: Duration) -> WithTimeout<'_, Self>
    where
        Self: Sized,
    {
        WithTimeout::new(self, limit)
    }

    /// Limits the time that [`recv`](Self::recv) waits; `None` waits forever.
    ///
    /// Costs a system call only if the value differs from the last one. The kernel counts in clock
    /// ticks (1 to 10 ms) and rounds up; a zero duration is taken as the shortest possible.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Limits the time that a send waits for a peer that does not take the bytes; `None` waits
    /// forever. Otherwise as [`set_recv_timeout`](Self::set_recv_timeout).
    ///
    /// # Errors
    /// As [`set_recv_timeout`](Self::set_recv_timeout).
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Checks without waiting whether bytes or the end of the stream have arrived. Receives
    /// nothing.
    ///
    /// Meant for an idle stream that is about to be used again.
    ///
    /// # Errors
    /// An error of the stream other than the peer having gone.
    fn readiness(&self) -> io::Result<Readiness>;

    /// Receives what has arrived, as [`recv`](Self::recv), without waiting for more. It does not
    /// wait if no other thread receives at the same time.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if nothing has arrived; otherwise as `recv`.
    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.readiness()? {
            Readiness::Idle => Err(io::ErrorKind::WouldBlock.into()),
            Readiness::Data | Readiness::Closed => self.recv(buffer),
        }
    }

    /// Sends what the transport takes of `bytes` at this moment, as
    /// [`try_send_vectored`](Self::try_send_vectored).
    ///
    /// # Errors
    /// As there.
    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_send_vectored(&[IoSlice::new(bytes)])
    }

    /// Sends what the transport takes of `parts` at this moment, without waiting. What is provided
    /// here waits as [`send_vectored`](Self::send_vectored) does, and is replaced by every
    /// transport of this crate.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if it takes nothing; otherwise as `send_vectored`.
    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_vectored(parts)
    }

    /// The descriptor that a [reactor](crate::reactor) watches for arriving bytes and for room to
    /// send. `None` for a stream whose bytes do not pass through one descriptor.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Whether bytes have arrived that the stream holds itself, so that its
    /// [descriptor](Self::descriptor) does not tell of them: those that a transport has decrypted
    /// and that no call has received yet. Whoever is about to wait for the descriptor asks first.
    fn has_buffered(&self) -> bool {
        false
    }

    /// The descriptor by which a reactor waits for a stream without a [descriptor](Self::descriptor)
    /// of its bytes. It has to be watched for what [`watch_for`](Self::watch_for) says each time.
    /// Shared memory has one; no thread may block in a transfer meanwhile.
    fn doorbell(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// What the [descriptor](Self::descriptor) or the [doorbell](Self::doorbell) must be watched for,
    /// once, to learn when what is `wanted` may be the case. At a doorbell any event may mean
    /// anything that was wanted, or nothing. Threads that call this for one stream take turns.
    fn watch_for(&self, wanted: Interest) -> Interest {
        wanted
    }

    /// Ends one or both directions; a thread blocked in that direction wakes at once.
    ///
    /// A stream whose peer has gone already is no error.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    fn shutdown(&self, how: Shutdown) -> io::Result<()>;

    /// Gives memory back that an idle stream does not need. Shared memory does: what is beyond some
    /// KiB, of its own direction. A stream in use loses nothing, and may have to take it again.
    fn release_memory(&self) {}

    /// The other end, as the operating system knows it: numeric, not the name that was resolved.
    fn peer(&self) -> &Address;

    /// This end.
    fn local(&self) -> &Address;

    /// The process and the user at the other end, for which the kernel vouches. `None` if the
    /// transport does not tell; Unix-domain sockets and shared memory do, with one system call.
    fn credentials(&self) -> Option<Credentials> {
        None
    }

    /// How the stream is protected on its way, and by which certificates the peer has proved who it
    /// is. `None` for a transport that does not encrypt.
    fn protection(&self) -> Option<Arc<Protection>> {
        None
    }
}

/// The state of a stream, see [`Stream::readiness`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// The stream is open and nothing has arrived.
    Idle,
    /// Bytes have arrived; the end may follow them.
    Data,
    /// The peer has closed or reset the stream and nothing is left to receive.
    Closed,
}

/// Implements [`Stream`] for a type that wraps the channel in its field, by handing every call on.
/// The credentials of the peer are what the type itself says.
macro_rules! delegate_stream {
    ($stream:ty, $field:ident $(, $credentials:expr)?) => {
        crate::stream::impl_read!($stream);
        crate::stream::impl_write!($stream);

        impl crate::Stream for $stream {
            #[inline]
            fn recv(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.$field.recv(buffer)
            }

            fn recv_append(&self, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
                self.$field.recv_append(buffer)
            }

            #[inline]
            fn recv_vectored(
                &self,
                parts: &mut [std::io::IoSliceMut<'_>],
            ) -> std::io::Result<usize> {
                self.$field.recv_vectored(parts)
            }

            #[inline]
            fn recv_all(&self, buffer: &mut [u8]) -> Result<(), crate::RecvError> {
                self.$field.recv_all(buffer)
            }

            #[inline]
            fn recv_all_vectored(
                &self,
                parts: &mut [std::io::IoSliceMut<'_>],
            ) -> Result<(), crate::RecvError> {
                self.$field.recv_all_vectored(parts)
            }

            #[inline]
            fn send(&self, bytes: &[u8]) -> std::io::Result<usize> {
                self.$field.send(bytes)
            }

            #[inline]
            fn send_vectored(&self, parts: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.$field.send_vectored(parts)
            }

            #[inline]
            fn send_all(&self, bytes: &[u8]) -> Result<(), crate::SendError> {
                self.$field.send_all(bytes)
            }

            #[inline]
            fn send_all_vectored(
                &self,
                parts: &[std::io::IoSlice<'_>],
            ) -> Result<(), crate::SendError> {
                self.$field.send_all_vectored(parts)
            }

            #[inline]
            fn set_recv_timeout(
                &self,
                timeout: Option<std::time::Duration>,
            ) -> std::io::Result<()> {
                self.$field.set_recv_timeout(timeout)
            }

            #[inline]
            fn set_send_timeout(
                &self,
                timeout: Option<std::time::Duration>,
            ) -> std::io::Result<()> {
                self.$field.set_send_timeout(timeout)
            }

            fn readiness(&self) -> std::io::Result<crate::Readiness> {
                self.$field.readiness()
            }

            fn try_recv(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.$field.try_recv(buffer)
            }

            #[inline]
            fn try_send_vectored(&self, parts: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                self.$field.try_send_vectored(parts)
            }

            fn descriptor(&self) -> Option<rustix::fd::BorrowedFd<'_>> {
                self.$field.descriptor()
            }

            fn shutdown(&self, how: std::net::Shutdown) -> std::io::Result<()> {
                self.$field.shutdown(how)
            }

            fn peer(&self) -> &crate::Address {
                self.$field.peer()
            }

            fn local(&self) -> &crate::Address {
                self.$field.local()
            }
            $(
                fn credentials(&self) -> Option<crate::Credentials> {
                    let credentials: fn(&Self) -> Option<crate::Credentials> = $credentials;
                    credentials(self)
                }
            )?
        }
    };
}
pub(crate) use delegate_stream;
