//! `armilla idl fmt`: formats IDL files.

use armilla_store::disk;
use armilla_terminal::{Context, Failure, Outcome, print_bytes, say};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The arguments of `armilla idl fmt`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fmt {
    /// Change no file; list the files that would change, and exit with status 1 if there are any
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Change no file; write the formatted text to standard output
    #[arg(long)]
    stdout: bool,
    /// The IDL files; - formats standard input to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Formats every file. A failure does not keep the following files from being formatted.
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
    if bad { Err(Failure::Reported) } else { Ok(()) }
}

/// Formats one file; returns whether it was formatted already.
fn format(file: &Path, fmt: &Fmt) -> Outcome<bool> {
    let is_input = file.as_os_str() == "-";
    let before = if is_input { read_input() } else { armilla_idl::read_file(file) };
    let before = before.context(format_args!("cannot read {}", file.display()))?;
    let after = formatted(file, &before)?;
    let unchanged = before == after;
    if fmt.check {
        if !unchanged {
            say!("{}", file.display())?;
        }
    } else if is_input || fmt.stdout {
        print_bytes(&after)?;
    } else if !unchanged {
        replace(file, &after).context(format_args!("cannot write {}", file.display()))?;
    }
    Ok(unchanged)
}

/// Replaces the contents of the file with `after`, so that a failure loses nothing.
fn replace(file: &Path, after: &[u8]) -> io::Result<()> {
    if fs::metadata(file)?.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    disk::replace(file, after)
}

/// More octets than a source may have.
const MOST_INPUT: u64 = (16 << 20) + 1;

fn read_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // As much as shows that it is too large for a source.
    io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The formatted text in the encoding of the file: ISO 8859-1 if it is not valid UTF-8.
fn formatted(file: &Path, bytes: &[u8]) -> Outcome<Vec<u8>> {
    let name = file.display().to_string();
    let format = |text: &str| {
        armilla_idl::format(&name, text).map_err(|errors| {
            errors.print();
            Failure::Reported
        })
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(format(text)?.into_bytes()),
        Err(_) => {
            let text: String = bytes.iter().copied().map(char::from).collect();
            // The formatter adds blanks and line ends only, so every character still fits an octet.
            Ok(format(&text)?.chars().map(|c| c as u8).collect())
        }
    }
}
