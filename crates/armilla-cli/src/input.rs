//! Texts that a user names, read whole: not more of them than such a text may have.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most octets of rules, definitions and tables that people write.
pub(crate) const WRITTEN: u64 = 16 << 20;

/// The most octets of what a program has written, such as all names of a naming service.
pub(crate) const RECORDED: u64 = 1 << 30;

/// Reads a file, or standard input for `-`.
pub(crate) fn read_text(file: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    let from: &mut dyn Read = match file.as_os_str() == "-" {
        true => &mut io::stdin().lock(),
        false => &mut File::open(file)?,
    };
    from.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let what = format!("it has more than the {} MiB that are read", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        // A device whose octets are text.
        let error = read_text(Path::new("/dev/zero"), 1 << 20).unwrap_err().to_string();
        assert!(error.contains("more than the 1 MiB"), "{error}");
        assert!(read_text(Path::new("Cargo.toml"), WRITTEN).unwrap().contains("armilla-cli"));
    }
}
