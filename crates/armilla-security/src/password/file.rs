//! A file of users with the Argon2id hashes of their passwords.
//!
//! A line has a user and a hash in the PHC format: `ann@bank:$argon2id$v=19$m=19456,t=2,p=1$…$…`,
//! and behind it, for a user with a second factor, `$totp=` and its secret in Base32. Lines that
//! begin with `#` are comments.

use super::PasswordVerifier;
use super::attempts::{Attempts, GuessLimits};
use super::phc::Hash;
use super::totp::{self, Totp};
use super::used::UsedCodes;
use crate::watched::Watched;
use armilla_giop::csi::{MAX_PASSWORD, ScopedName};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use zeroize::Zeroizing;

/// The longest password: that of a token, in which the code of a second factor may stand behind it.
const LONGEST: usize = MAX_PASSWORD - 6;

/// How the texts of those begin who are no users.
const OTHERS: [&str; 4] = ["uid:", "dn:", "group:", "role:"];

/// The longest file that is read.
const MAX_FILE: u64 = 16 << 20;
/// What stands before the secret of a second factor.
const SECOND: &str = "$totp=";
/// How many wrong codes of a user are taken.
const CODES: GuessLimits = GuessLimits {
    per_host: 0,
    per_user: 5,
    window: Duration::from_secs(300),
    remembered: 4096,
    at_once: 0,
};

/// What is wrong with a file of passwords, and where.
#[derive(Debug)]
pub struct PasswordFileError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 if the whole file is meant.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for PasswordFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.what),
            line => write!(f, "{}:{line}: {}", self.file.display(), self.what),
        }
    }
}

impl std::error::Error for PasswordFileError {}

/// A file of users and hashes of their passwords, a [`PasswordVerifier`]. A change of the file takes
/// effect within a second; one that cannot be read is logged, and what was read before stays.
/// `armilla passwd` edits such files. Clones share the file.
///
/// ```
/// use armilla_security::{PasswordFile, PasswordVerifier};
///
/// # let folder = std::env::temp_dir().join(format!("armilla-passwords-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("passwords");
/// let mut users = PasswordFile::create(&path)?;
/// users.set(&"ann@bank".parse()?, b"correct horse")?;
/// assert!(users.verify(&"ann@bank".parse()?, b"correct horse"));
/// assert!(!users.verify(&"ann@bank".parse()?, b"battery staple"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PasswordFile(Arc<File>);

struct File {
    users: Watched<Users, PasswordFileError>,
    used: UsedCodes,
    /// Wrong codes.
    guesses: Mutex<Attempts<ScopedName>>,
}

type Users = BTreeMap<ScopedName, User>;

/// What the file has of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
struct User {
    hash: Hash,
    /// The secret of the second factor, if the user needs one.
    second: Option<Totp>,
}

impl PasswordFile {
    /// Reads a file for a server that is called as the program is.
    ///
    /// # Errors
    /// When it cannot be read, anybody but its owner may read it, or a line is malformed.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, PasswordFileError> {
        Self::open_as(None, path.into())
    }

    /// Reads a file for the server with this name, where a program is one of several. A code of a
    /// second factor is accepted once by all servers of a name that have the file; which ones were, is
    /// kept beside it in `FILE.codes`, also while no server runs. Where that cannot be written, the log
    /// says so, and in the first minute of a process none is accepted.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_for(server: &str, path: impl Into<PathBuf>) -> Result<Self, PasswordFileError> {
        Self::open_as(Some(server), path.into())
    }

    fn open_as(server: Option<&str>, path: PathBuf) -> Result<Self, PasswordFileError> {
        let users = Watched::open("passwords", path, read)?;
        let used = UsedCodes::new(server, SystemTime::now());
        Ok(Self(Arc::new(File { users, used, guesses: Mutex::default() })))
    }

    /// Reads a file, or makes an empty one that only its owner may read.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when it cannot be made.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, PasswordFileError> {
        let path = path.into();
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(failed(&path, &error))
            }
            _ => Self::open(path),
        }
    }

    /// Its users, in order.
    pub fn users(&self) -> Vec<ScopedName> {
        self.0.users.current().keys().cloned().collect()
    }

    /// Sets the password of a user, who is added if there is no such user, and replaces the file as
    /// a whole. Hashing takes some ten milliseconds and 19 MiB.
    ///
    /// # Errors
    /// When the password is empty or longer than a client can show, the name begins as that of somebody
    /// who is no user, or the file cannot be replaced.
    pub fn set(&mut self, user: &ScopedName, password: &[u8]) -> Result<(), PasswordFileError> {
        let wrong =
            |what: String| PasswordFileError { file: self.path().to_owned(), line: 0, what };
        if password.is_empty() {
            return Err(wrong("an empty password is none".to_owned()));
        }
        if password.len() > LONGEST {
            return Err(wrong(format!(
                "a password has {LONGEST} octets at most: no client shows more"
            )));
        }
        if let Some(start) = OTHERS.iter().find(|start| user.user.starts_with(**start)) {
            let what = "begins the text of somebody else in rules and records";
            return Err(wrong(format!("{user} is no name for a user: {start} {what}")));
        }
        let hash = Hash::new(password).map_err(|error| wrong(error.to_string()))?;
        self.change(|users| {
            let second = users.remove(user).and_then(|before| before.second);
            users.insert(user.clone(), User { hash, second });
            true
        })
        .map(|_| ())
    }

    /// Gives a user a second factor, or takes it away. Returns whether there is such a user.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn set_second_factor(
        &mut self,
        user: &ScopedName,
        secret: Option<Totp>,
    ) -> Result<bool, PasswordFileError> {
        self.change(|users| match users.get_mut(user) {
            Some(known) => {
                known.second = secret;
                true
            }
            None => false,
        })
    }

    /// Whether the user needs a code beside the password.
    pub fn has_second_factor(&self, user: &ScopedName) -> bool {
        self.0.users.current().get(user).is_some_and(|user| user.second.is_some())
    }

    /// Whether this is the password of the user, whatever second factor there is. It takes as long
    /// as [`verify`](PasswordVerifier::verify).
    pub fn verify_password(&self, user: &ScopedName, password: &[u8]) -> bool {
        let users = self.0.users.current();
        match users.get(user).map(|user| &user.hash) {
            Some(hash) => hash.is_of(password),
            None => {
                // As much work as for a user who is known, so that the time tells nothing.
                Hash::unknown().is_of(password);
                false
            }
        }
    }

    /// Whether this is the code of the user now; a code is accepted once, and none that is older
    /// than the last one accepted, also by a process before ([`open_for`](Self::open_for)). After five wrong codes in five minutes no code of the user is
    /// accepted. Ask it behind [`verify_password`](Self::verify_password), so that strangers lock
    /// nobody out.
    pub fn verify_code(&self, user: &ScopedName, code: &str) -> bool {
        self.verify_code_at(user, code, SystemTime::now(), Instant::now())
    }

    fn verify_code_at(&self, user: &ScopedName, code: &str, at: SystemTime, now: Instant) -> bool {
        let users = self.0.users.current();
        let Some(secret) = users.get(user).and_then(|user| user.second.as_ref()) else {
            return false;
        };
        let mut guesses = self.0.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        if guesses.is_full(user, CODES.per_user, CODES.window, now) {
            return false;
        }
        let has_codes = |user: &ScopedName| users.get(user).is_some_and(|it| it.second.is_some());
        let is_first = |step| self.0.used.accept(self.path(), user, step, has_codes);
        let accepted = secret.step_of(code, at).is_some_and(is_first);
        if !accepted {
            guesses.note(user.clone(), &CODES, now);
        }
        accepted
    }

    /// Removes a user. Returns whether there was one.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn remove(&mut self, user: &ScopedName) -> Result<bool, PasswordFileError> {
        self.change(|users| users.remove(user).is_some())
    }

    /// Replaces the file if `change` has changed the users. Programs that do so at once take turns.
    fn change(&self, change: impl FnOnce(&mut Users) -> bool) -> Result<bool, PasswordFileError> {
        let path = self.path();
        let locked = lock(path).map_err(|error| failed(path, &error))?;
        let mut users = read(path)?;
        if !change(&mut users) {
            return Ok(false);
        }
        let mut text = String::from("# Users and Argon2id hashes; `armilla passwd` edits it.\n");
        for (name, user) in &users {
            // A string takes every character.
            let _ = writeln!(text, "{name}:{}", user.to_line().as_str());
        }
        let text = Zeroizing::new(text);
        replace(path, &locked, text.as_bytes()).map_err(|error| failed(path, &error))?;
        self.0.users.look();
        Ok(true)
    }

    /// Reads the file again now, as a program may on a signal.
    ///
    /// # Errors
    /// When it cannot be read, or a line is malformed: what was read before stays.
    pub fn reload(&self) -> Result<(), PasswordFileError> {
        self.0.users.reload()
    }

    /// What is wrong with the file now, if something is: what was read before is in use.
    pub fn fault(&self) -> Option<String> {
        self.0.users.fault()
    }

    fn path(&self) -> &Path {
        self.0.users.path().unwrap_or(Path::new(""))
    }
}

impl fmt::Debug for PasswordFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PasswordFile").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl PasswordVerifier for PasswordFile {
    /// A user with a second factor shows the password with the six digits of the code behind it.
    fn verify(&self, user: &ScopedName, password: &[u8]) -> bool {
        if !self.has_second_factor(user) {
            return self.verify_password(user, password);
        }
        let at = password.len().saturating_sub(totp::DIGITS);
        let (password, code) = password.split_at(at);
        let right = self.verify_password(user, password);
        right && std::str::from_utf8(code).is_ok_and(|code| self.verify_code(user, code))
    }

    fn reload(&self) -> Result<(), String> {
        PasswordFile::reload(self).map_err(|error| error.to_string())
    }

    fn generation(&self) -> u64 {
        self.0.users.generation()
    }
}

impl User {
    /// What stands behind the name.
    fn to_line(&self) -> Zeroizing<String> {
        Zeroizing::new(match &self.second {
            Some(secret) => format!("{}{SECOND}{}", self.hash, secret.to_base32().reveal()),
            None => self.hash.to_string(),
        })
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let (hash, second) = match text.split_once(SECOND) {
            Some((hash, secret)) => (hash, Some(secret.parse()?)),
            None => (text, None),
        };
        Ok(Self { hash: Hash::parse(hash)?, second })
    }
}

fn failed(path: &Path, error: &io::Error) -> PasswordFileError {
    PasswordFileError { file: path.to_owned(), line: 0, what: error.to_string() }
}

fn read(path: &Path) -> Result<Users, PasswordFileError> {
    let wrong = |line, what: String| PasswordFileError { file: path.to_owned(), line, what };
    let metadata = fs::metadata(path).map_err(|error| failed(path, &error))?;
    if metadata.mode() & 0o077 != 0 {
        let what = "others may read or write it; `chmod 600` it".to_owned();
        return Err(wrong(0, what));
    }
    if metadata.len() > MAX_FILE {
        return Err(wrong(0, format!("it has more than {MAX_FILE} octets")));
    }
    let text = fs::read_to_string(path).map_err(|error| failed(path, &error))?;
    parse(&text).map_err(|(line, what)| wrong(line, what))
}

fn parse(text: &str) -> Result<Users, (usize, String)> {
    let mut users = Users::new();
    // Some editors put a byte order mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, line) in text.lines().enumerate() {
        let (at, line) = (at + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A name may have a colon; a hash has none.
        let parts = line.rsplit_once(':').ok_or((at, "a line is USER:HASH".to_owned()))?;
        let name: ScopedName = parts.0.parse().map_err(|error| (at, format!("{error}")))?;
        let user = User::parse(parts.1).map_err(|what| (at, what.to_owned()))?;
        if let Some(_twice) = users.insert(name, user) {
            return Err((at, "the user stands in an earlier line, too".to_owned()));
        }
    }
    Ok(users)
}

/// Checks a text as that of a file of passwords, for fuzzing.
#[doc(hidden)]
pub fn check_text(text: &str) {
    if let Ok(users) = parse(text) {
        for user in users.values() {
            assert_eq!(User::parse(&user.to_line()).as_ref(), Ok(user));
        }
    }
}

/// The file with this name, which nobody else changes until it is closed.
pub(super) fn lock(path: &Path) -> io::Result<fs::File> {
    loop {
        let file = fs::File::open(path)?;
        file.lock()?;
        let (locked, named) = (file.metadata()?, fs::metadata(path)?);
        // Whoever had the lock before has put another file in its place.
        if (locked.dev(), locked.ino()) == (named.dev(), named.ino()) {
            return Ok(file);
        }
    }
}

/// Replaces a file as a whole, by one that only its owner may read: the owner is that of the locked
/// file, where an administrator changes the file of a service.
pub(super) fn replace(path: &Path, locked: &fs::File, octets: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let written = (|| {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        let (before, made) = (locked.metadata()?, file.metadata()?);
        if (before.uid(), before.gid()) != (made.uid(), made.gid()) {
            fchown(&file, Some(before.uid()), Some(before.gid()))?;
        }
        file.write_all(octets)?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    if written.is_err() {
        fs::remove_file(&new).ok();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `echo -n password | argon2 somesalt -id -t 2 -m 8 -p 1`: little memory, so that the test is
    /// fast.
    const LINE: &str = "ann@bank:$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$\
        nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

    #[test]
    fn a_hash_of_the_reference_program_is_verified() {
        let users = parse(LINE).unwrap();
        let hash = &users.values().next().unwrap().hash;
        assert!(hash.is_of(b"password") && !hash.is_of(b"Password"));
        assert_eq!(format!("ann@bank:{hash}"), LINE);
    }

    #[test]
    fn a_code_is_accepted_once_and_wrong_ones_are_counted() {
        let folder = std::env::temp_dir().join(format!("armilla-totp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("users");
        fs::write(&path, format!("{LINE}$totp=GEZDGNBVGY3TQOJQ\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let users = PasswordFile::open(&path).unwrap();
        let (ann, eve): (ScopedName, ScopedName) =
            ("ann@bank".parse().unwrap(), "eve@bank".parse().unwrap());
        let secret: Totp = "GEZDGNBVGY3TQOJQ".parse().unwrap();
        let (now, at) = (Instant::now(), SystemTime::UNIX_EPOCH + Duration::from_secs(90_000));
        let step = Duration::from_secs(30);
        let code = secret.code(at);
        assert!(users.has_second_factor(&ann) && !users.has_second_factor(&eve));
        assert!(users.verify_code_at(&ann, &code, at, now));
        assert!(!users.verify_code_at(&ann, &code, at, now), "it was used");
        assert!(!users.verify_code_at(&ann, &secret.code(at - step), at, now), "it is older");
        assert!(users.verify_code_at(&ann, &secret.code(at + step), at, now));
        assert!(!users.verify_code_at(&eve, &code, at, now), "she has none");
        for _ in 0..3 {
            assert!(!users.verify_code_at(&ann, "x", at, now));
        }
        let (later, next) = (at + step * 9, secret.code(at + step * 9));
        assert!(!users.verify_code_at(&ann, &next, later, now), "five were wrong");
        assert!(users.verify_code_at(&ann, &next, later, now + CODES.window));

        // Where there is one field alone, the code stands behind the password.
        let mut users = PasswordFile::open(&path).unwrap();
        assert!(users.verify_password(&ann, b"password"));
        assert!(!users.verify(&ann, b"password") && !users.verify(&ann, b"pass"));
        let mut both = b"password".to_vec();
        both.extend(secret.code(SystemTime::now()).bytes());
        assert!(users.verify(&ann, &both) && !users.verify(&ann, &both), "once");
        let again = PasswordFile::open(&path).unwrap();
        assert!(!again.verify(&ann, &both), "the process before has accepted it");
        let other = PasswordFile::open_for("other", &path).unwrap();
        assert!(other.verify(&ann, &both), "another server has not");
        users.set_second_factor(&ann, None).unwrap();
        assert!(users.verify(&ann, b"password"));
        assert!(!users.set_second_factor(&eve, None).unwrap(), "nobody has this name");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn changes_of_programs_that_make_them_at_once_are_all_kept() {
        let folder = std::env::temp_dir().join(format!("armilla-writers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("users");
        // As an editor may have left it.
        fs::write(&path, format!("\u{feff}# Users\r\n{LINE}\r\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        // Only an administrator may give a file to somebody else.
        let owner = fchown(fs::File::open(&path).unwrap(), Some(7), Some(7)).is_ok();
        let user = |number| format!("user{number}@bank").parse::<ScopedName>().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (path, user) = (&path, user(number));
                scope.spawn(move || {
                    let known = parse(LINE).unwrap().into_values().next().unwrap();
                    let users = PasswordFile::open(path).unwrap();
                    users.change(|all| all.insert(user, known).is_none()).unwrap();
                });
            }
        });
        let users = PasswordFile::open(&path).unwrap().users();
        assert_eq!(users.len(), 9, "{users:?}");
        assert!(users.contains(&"ann@bank".parse().unwrap()) && users.contains(&user(7)));
        let metadata = fs::metadata(&path).unwrap();
        assert!(!owner || (metadata.uid(), metadata.gid()) == (7, 7));
        assert_eq!(metadata.mode() & 0o777, 0o600);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_wrong_line_is_named() {
        let high = LINE.replace("m=256", "m=4000000000");
        let twice = format!("{LINE}\n{LINE}");
        let short = format!("{LINE}$totp=AAAA");
        for (text, line) in
            [("ann", 1), (&high, 1), (&twice, 2), ("#\n\nann:$2y$x", 3), (&short, 1)]
        {
            assert_eq!(parse(text).unwrap_err().0, line, "{text}");
        }
    }
}
