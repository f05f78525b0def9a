//! How source files are read: no more than a file may have, and what a source names only if it is a
//! file. A pipe that nobody writes to never ends, and neither does a device.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a source file, in bytes.
pub(crate) const MAX_FILE_SIZE: usize = 16 << 20;

/// Reads a file as the compiler reads what is included: a regular file, of which no more comes than
/// shows that it is too large to be a source. It never waits for a writer. Any thread may call it.
///
/// # Errors
/// Those of the file system; [`InvalidInput`](io::ErrorKind::InvalidInput) for a directory, a pipe,
/// a socket or a device.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // To open a device may do something already.
    check_regular(&std::fs::metadata(path)?)?;
    let file = open_at_once(path)?;
    // Another one may have taken its place.
    check_regular(&file.metadata()?)?;
    read_limited(file)
}

/// Reads a source that the user names, which may be a pipe: one octet more at most than a source may
/// have.
pub(crate) fn read_limited(file: File) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    file.take(MAX_FILE_SIZE as u64 + 1).read_to_end(&mut octets)?;
    Ok(octets)
}

fn check_regular(found: &Metadata) -> io::Result<()> {
    let what = match found.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "it is a directory, not a file",
        _ => "it is a pipe, a socket or a device; a source is read from a regular file only",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Opens a file without waiting for whoever writes to it, should it be a pipe.
fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(all(
        target_os = "linux",
        any(
            target_arch = "x86",
            target_arch = "x86_64",
            target_arch = "arm",
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "powerpc64",
            target_arch = "s390x",
        )
    ))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // `O_NONBLOCK`, which these architectures share.
        options.custom_flags(0o4000);
    }
    options.open(path)
}
