//! The standard library's `Read` and `Write` for streams and one-way ends, and for shared
//! references to them: one thread may read while another writes.

use super::Stream;

/// Implements [`Read`] for the type and for shared references to it, by its methods `recv…`.
macro_rules! impl_read {
    ($reader:ty) => {
        $crate::stream::impl_read!(@ &$reader);
        $crate::stream::impl_read!(@ $reader);
    };
    (@ $reader:ty) => {
        #[allow(unused_imports)] // The one-way ends have methods of their own.
        const _: () = {
            use $crate::Stream as _;
            impl std::io::Read for $reader {
                #[inline]
                fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                    self.recv(buffer)
                }

                #[inline]
                fn read_vectored(
                    &mut self,
                    parts: &mut [std::io::IoSliceMut<'_>],
                ) -> std::io::Result<usize> {
                    self.recv_vectored(parts)
                }

                #[inline]
                fn read_exact(&mut self, buffer: &mut [u8]) -> std::io::Result<()> {
                    Ok(self.recv_all(buffer)?)
                }
            }
        };
    };
}
pub(crate) use impl_read;

/// Implements [`Write`] for the type and for shared references to it, by its methods `send…`.
/// Nothing is buffered, so there is nothing to flush.
macro_rules! impl_write {
    ($writer:ty) => {
        $crate::stream::impl_write!(@ &$writer);
        $crate::stream::impl_write!(@ $writer);
    };
    (@ $writer:ty) => {
        #[allow(unused_imports)] // The one-way ends have methods of their own.
        const _: () = {
            use $crate::Stream as _;
            impl std::io::Write for $writer {
                #[inline]
                fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                    self.send(bytes)
                }

                #[inline]
                fn write_vectored(&mut self, parts: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                    self.send_vectored(parts)
                }

                #[inline]
                fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
                    Ok(self.send_all(bytes)?)
                }

                #[inline]
                fn flush(&mut self) -> std::io::Result<()> {
                    Ok(())
                }
            }
        };
    };
}
pub(crate) use impl_write;

// A `Box<dyn Stream>` reads and writes through these.
impl_read!(dyn Stream + '_);
impl_write!(dyn Stream + '_);
