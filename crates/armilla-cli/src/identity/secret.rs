//! Passwords from a terminal, from standard input or from a file. None stands on the command line,
//! where other users of the host see it.

use armilla_security::Secret;
use armilla_terminal::{Context, Failure, Outcome};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The longest line that is read as a password, in octets.
const MAX_LINE: u64 = 64 << 10;

/// A line of standard input, which a terminal does not show.
pub(crate) fn ask(prompt: &str) -> Outcome<Secret> {
    let input = io::stdin();
    let _hidden = input.is_terminal().then(|| {
        io::stderr().write_all(prompt.as_bytes()).ok();
        Hidden::new()
    });
    first_line(&mut input.lock())
}

/// The first line of a file that only its owner may read, or of what another program writes to a
/// descriptor, such as `/dev/fd/3`; `-` is standard input. With a code, that is in the second line,
/// and stands behind the password.
pub(crate) fn from_file(path: &Path, with_code: bool) -> Outcome<Secret> {
    let read = |input: &mut dyn BufRead| match with_code {
        true => Ok(behind(first_line(&mut *input)?, first_line(input)?)),
        false => first_line(input),
    };
    if path == Path::new("-") {
        return read(&mut io::stdin().lock());
    }
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).context(cannot())?;
    let metadata = file.metadata().context(cannot())?;
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        return Err(Failure::because(format_args!(
            "others may read {0}, which has a password\n  hint: chmod 600 {0}",
            path.display()
        )));
    }
    read(&mut BufReader::new(file))
}

/// A password with the code of a second factor behind it, as one field has both.
pub(crate) fn behind(password: Secret, code: Secret) -> Secret {
    let code: String = code.reveal().chars().filter(|it| !it.is_whitespace()).collect();
    Secret::from(format!("{}{code}", password.reveal()))
}

fn first_line(input: &mut dyn BufRead) -> Outcome<Secret> {
    let mut line = String::new();
    Read::take(&mut *input, MAX_LINE).read_line(&mut line).context("cannot read the password")?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    let secret = Secret::from(line);
    match secret.reveal().is_empty() {
        true => Err(Failure::because("an empty password is none")),
        false => Ok(secret),
    }
}

/// As long as this lives, the terminal does not show what is typed.
struct Hidden(Option<Termios>);

impl Hidden {
    fn new() -> Self {
        let before = tcgetattr(io::stdin()).ok();
        if let Some(before) = &before {
            let mut hidden = before.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            tcsetattr(io::stdin(), OptionalActions::Now, &hidden).ok();
        }
        Self(before)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            tcsetattr(io::stdin(), OptionalActions::Now, before).ok();
            io::stderr().write_all(b"\n").ok();
        }
    }
}
