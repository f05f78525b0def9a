//! Receiving into a file (`splice`).

use super::{CHUNK, Spliceable};
use crate::partial::RecvError;
use rustix::fd::AsFd;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use std::io;

/// Receives `count` bytes from `stream` into `file` from `offset` on, by way of a pipe within the
/// kernel. The receive timeout of the stream limits each wait. The position of the file does not
/// matter and does not change.
///
/// ```
/// use armilla_ipc::{Stream, UnixStream, zero_copy::receive_file};
///
/// let (near, far) = UnixStream::pair()?;
/// # let path = std::env::temp_dir().join(format!("armilla-receive-doc-{}", std::process::id()));
/// let file = std::fs::File::create(&path)?;
/// near.send_all(b"hello")?;
/// receive_file(&far, &file, 0, 5)?;
/// assert_eq!(std::fs::read(&path)?, b"hello");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Stream::recv_all`](crate::Stream::recv_all), or the error of writing the file. `received`
/// counts what is in the file.
pub fn receive_file<S: Spliceable>(
    stream: &S,
    file: impl AsFd,
    mut offset: u64,
    count: u64,
) -> Result<(), RecvError> {
    let failed = |received: u64, source: io::Error| RecvError {
        received: usize::try_from(received).unwrap_or(usize::MAX),
        source,
    };
    let (input, output) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| failed(0, error.into()))?;
    // Larger steps; where the system does not grant them, smaller ones do.
    let _ = fcntl_setpipe_size(&output, CHUNK);
    let mut received = 0_u64;
    while received < count {
        let wanted = usize::try_from(count - received).unwrap_or(CHUNK).min(CHUNK);
        let taken = stream.splice_read(&mut |source| {
            splice(source, None, &output, None, wanted, SpliceFlags::MOVE)
        });
        let mut taken = match taken {
            Ok(0) => return Err(RecvError::end(usize::try_from(received).unwrap_or(usize::MAX))),
            Ok(taken) => taken,
            Err(error) => return Err(failed(received, error)),
        };
        while taken > 0 {
            match splice(&input, None, &file, Some(&mut offset), taken, SpliceFlags::MOVE) {
                Ok(0) => return Err(failed(received, io::ErrorKind::WriteZero.into())),
                Ok(moved) => {
                    taken -= moved;
                    received += moved as u64;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(received, error.into())),
            }
        }
    }
    Ok(())
}
