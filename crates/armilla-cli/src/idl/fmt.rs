//! `armilla idl fmt`: brings IDL files into one layout.

use crate::failure::{Doing, Failure, Outcome};
use crate::output::{print_bytes, say};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What `armilla idl fmt` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Fmt {
    /// Change no file; name those that would change, and end with status 1 if there are any
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Change no file; write the formatted text to standard output
    #[arg(long)]
    stdout: bool,
    /// The IDL files; - for standard input, which is written to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Every file is tried; the first failure does not keep the others from being formatted.
pub(super) fn run(fmt: &Fmt) -> Outcome {
    let mut bad = false;
    for file in &fmt.files {
        match format(file, fmt) {
            Ok(unchanged) => bad |= fmt.check && !unchanged,
            Err(Failure::Failed(what)) => {
                eprintln!("error: {what}");
                bad = true;
            }
            Err(_) => bad = true,
        }
    }
    if bad { Err(Failure::Told) } else { Ok(()) }
}

/// Formats one file; tells whether it was formatted already.
fn format(file: &Path, fmt: &Fmt) -> Outcome<bool> {
    let is_input = file.as_os_str() == "-";
    let before = if is_input { read_input() } else { fs::read(file) };
    let before = before.doing(format_args!("cannot read {}", file.display()))?;
    let after = formatted(file, &before)?;
    let unchanged = before == after;
    if fmt.check {
        if !unchanged {
            say!("{}", file.display())?;
        }
    } else if is_input || fmt.stdout {
        print_bytes(&after)?;
    } else if !unchanged {
        replace(file, &after).doing(format_args!("cannot write {}", file.display()))?;
    }
    Ok(unchanged)
}

/// Puts `after` in the place of what is in the file. It is written beside it first, so that nothing is
/// lost where that fails.
fn replace(file: &Path, after: &[u8]) -> io::Result<()> {
    let file = fs::canonicalize(file)?;
    let permissions = fs::metadata(&file)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut beside = file.clone().into_os_string();
    beside.push(".armilla-fmt");
    let written = fs::write(&beside, after)
        .and_then(|()| fs::set_permissions(&beside, permissions))
        .and_then(|()| fs::rename(&beside, &file));
    // The first error is the one to tell.
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn read_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The formatted text in the encoding of the file: what is not valid UTF-8 is ISO 8859-1.
fn formatted(file: &Path, bytes: &[u8]) -> Outcome<Vec<u8>> {
    let name = file.display().to_string();
    let format = |text: &str| {
        armilla_idl::format(&name, text).map_err(|errors| {
            errors.print();
            Failure::Told
        })
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(format(text)?.into_bytes()),
        Err(_) => {
            let text: String = bytes.iter().copied().map(char::from).collect();
            // The formatter adds blanks and line ends only, so every character is still an octet.
            Ok(format(&text)?.chars().map(|c| c as u8).collect())
        }
    }
}
