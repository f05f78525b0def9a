//! Files that commands write.

use armilla_store::disk;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file, so that after a failure, of the power too, the old one or the new one is there.
/// What is no regular file (`/dev/stdout`, a FIFO) is written as it is.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(path: &Path, octets: impl AsRef<[u8]>) -> io::Result<()> {
    let octets = octets.as_ref();
    let is_new = !path.exists();
    // A new file gets the permissions that the user wants for files.
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    if !file.metadata()?.is_file() {
        return file.write_all(octets);
    }
    let written = disk::replace(path, octets).or_else(|error| match error.kind() {
        // The directory may belong to others, or the file may be mounted alone.
        io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy => {
            file.write_all(octets)?;
            file.set_len(octets.len() as u64)?;
            file.sync_all()
        }
        _ => Err(error),
    });
    // Report the first error, not that of the removal.
    written.inspect_err(|_| drop(is_new.then(|| fs::remove_file(path))))
}

#[cfg(test)]
mod tests {
    use super::write;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    #[test]
    fn a_file_is_replaced_and_anything_else_is_written() {
        let directory = std::env::temp_dir().join(format!("armilla-output-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let (file, link) = (directory.join("file"), directory.join("link"));
        write(&file, "long text").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, "text").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"text");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.is_symlink(), "a link stays one");
        write(Path::new("/dev/null"), "text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let beside = directory.join("file.armilla-new");
        fs::create_dir_all(beside.join("full")).unwrap();
        write(&file, "other").unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"text", "a failure keeps the file");
        write(&directory.join("none").join("file"), "").unwrap_err();
        fs::remove_dir_all(directory).unwrap();
    }
}
