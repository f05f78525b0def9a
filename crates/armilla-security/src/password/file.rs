//! A file of users with the Argon2id hashes of their passwords.
//!
//! A line has a user and a hash in the PHC format: `ann@bank:$argon2id$v=19$m=19456,t=2,p=1$…$…`.
//! Lines that begin with `#` are comments.

use super::PasswordVerifier;
use crate::secret::same;
use argon2::{Algorithm, Argon2, Params, Version};
use armilla_giop::csi::ScopedName;
use base64ct::{Base64Unpadded, Encoding};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

/// The longest file that is read.
const MAX_FILE: u64 = 16 << 20;
/// The most memory that a hash in the file may ask for, in KiB.
const MAX_MEMORY: u32 = 1 << 20;
/// The most passes that a hash in the file may ask for.
const MAX_PASSES: u32 = 64;
/// How often the file is looked at for changes.
const LOOK: Duration = Duration::from_secs(1);

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
    path: PathBuf,
    users: RwLock<BTreeMap<ScopedName, Hash>>,
    generation: AtomicU64,
    seen: Mutex<(Option<Stamp>, Instant)>,
}

/// What tells whether a file was changed.
type Stamp = (SystemTime, u64, u64);

/// A hash of a password, and how it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hash {
    memory: u32,
    passes: u32,
    lanes: u32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl PasswordFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, anybody but its owner may read it, or a line is malformed.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, PasswordFileError> {
        let path = path.into();
        let (users, stamp) = read(&path)?;
        let seen = Mutex::new((Some(stamp), Instant::now()));
        let generation = AtomicU64::new(0);
        Ok(Self(Arc::new(File { path, users: RwLock::new(users), generation, seen })))
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
        self.0.users.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Sets the password of a user, who is added if there is no such user, and replaces the file as
    /// a whole. Hashing takes some ten milliseconds and 19 MiB.
    ///
    /// # Errors
    /// When the password is empty, or the file cannot be replaced.
    pub fn set(&mut self, user: &ScopedName, password: &[u8]) -> Result<(), PasswordFileError> {
        let wrong = |what: String| PasswordFileError { file: self.0.path.clone(), line: 0, what };
        if password.is_empty() {
            return Err(wrong("an empty password is none".to_owned()));
        }
        let hash = Hash::new(password).map_err(|error| wrong(error.to_string()))?;
        self.change(|users| {
            users.insert(user.clone(), hash);
            true
        })
        .map(|_| ())
    }

    /// Removes a user. Returns whether there was one.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn remove(&mut self, user: &ScopedName) -> Result<bool, PasswordFileError> {
        self.change(|users| users.remove(user).is_some())
    }

    /// Replaces the file if `change` has changed the users. Two programs that do so at once: the
    /// last one wins.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<ScopedName, Hash>) -> bool,
    ) -> Result<bool, PasswordFileError> {
        let path = &self.0.path;
        let (mut users, _) = read(path)?;
        if !change(&mut users) {
            return Ok(false);
        }
        let mut text = String::from("# Users and Argon2id hashes; `armilla passwd` edits it.\n");
        for (user, hash) in &users {
            // A string takes every character.
            let _ = writeln!(text, "{user}:{hash}");
        }
        replace(path, text.as_bytes()).map_err(|error| failed(path, &error))?;
        self.reload();
        Ok(true)
    }

    /// Reads the file again if it was changed. What cannot be read is logged.
    fn reload(&self) {
        let File { path, users, generation, seen } = &*self.0;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.1 = Instant::now();
        let stamp = fs::metadata(path).ok().map(|metadata| stamp(&metadata));
        if stamp == seen.0 {
            return;
        }
        seen.0 = stamp;
        match read(path) {
            Ok((read, _)) => {
                *users.write().unwrap_or_else(PoisonError::into_inner) = read;
                generation.fetch_add(1, Ordering::Release);
                tracing::info!(file = %path.display(), "the passwords were read again");
            }
            Err(error) => {
                tracing::error!(%error, "the passwords stay as they were read before");
            }
        }
    }
}

impl fmt::Debug for PasswordFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PasswordFile").field("path", &self.0.path).finish_non_exhaustive()
    }
}

impl PasswordVerifier for PasswordFile {
    fn verify(&self, user: &ScopedName, password: &[u8]) -> bool {
        let users = self.0.users.read().unwrap_or_else(PoisonError::into_inner);
        let known = users.get(user).cloned();
        drop(users);
        match known {
            Some(hash) => hash.is_of(password),
            None => {
                // As much work as for a user who is known, so that the time tells nothing.
                Hash::unknown().is_of(password);
                false
            }
        }
    }

    fn generation(&self) -> u64 {
        let due = {
            let seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.1.elapsed() >= LOOK
        };
        if due {
            self.reload();
        }
        self.0.generation.load(Ordering::Acquire)
    }
}

impl Hash {
    const LENGTH: usize = 32;

    /// The hash of a password with a new salt, as OWASP advises: 19 MiB, two passes.
    fn new(password: &[u8]) -> io::Result<Self> {
        let mut salt = Vec::with_capacity(16);
        for _ in 0..2 {
            salt.extend(armilla_ipc::random::number()?.get().to_ne_bytes());
        }
        let mut new = Self { salt, ..Self::unknown() };
        new.hash = new.made_of(password).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(new)
    }

    /// That of nobody.
    fn unknown() -> Self {
        let (salt, hash) = (vec![0; 16], vec![0; Self::LENGTH]);
        Self { memory: 19_456, passes: 2, lanes: 1, salt, hash }
    }

    fn made_of(&self, password: &[u8]) -> Option<Vec<u8>> {
        let params =
            Params::new(self.memory, self.passes, self.lanes, Some(self.hash.len())).ok()?;
        let mut made = vec![0; self.hash.len()];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(password, &self.salt, &mut made)
            .ok()?;
        Some(made)
    }

    fn is_of(&self, password: &[u8]) -> bool {
        self.made_of(password).is_some_and(|made| same(&made, &self.hash))
    }

    /// Reads the PHC format of Argon2id.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let parts: Vec<&str> = text.split('$').collect();
        let ["", "argon2id", "v=19", costs, salt, hash] = parts[..] else {
            return Err("a hash begins with $argon2id$v=19$");
        };
        let cost = |name: &str| -> Result<u32, &'static str> {
            let found = costs.split(',').find_map(|cost| cost.strip_prefix(name));
            let number = found.and_then(|number| number.strip_prefix('=')?.parse().ok());
            number.ok_or("the costs of a hash are m=…,t=…,p=…")
        };
        let (memory, passes, lanes) = (cost("m")?, cost("t")?, cost("p")?);
        if !(8..=MAX_MEMORY).contains(&memory) || !(1..=MAX_PASSES).contains(&passes) {
            return Err("the costs of a hash are too high, or none");
        }
        let octets = |text| Base64Unpadded::decode_vec(text).map_err(|_| "a hash is in Base64");
        let (salt, hash) = (octets(salt)?, octets(hash)?);
        if !(8..=64).contains(&salt.len()) || !(16..=64).contains(&hash.len()) {
            return Err("a salt has 8 to 64 octets, a hash 16 to 64");
        }
        match Params::new(memory, passes, lanes, Some(hash.len())) {
            Ok(_) if lanes <= 16 => Ok(Self { memory, passes, lanes, salt, hash }),
            _ => Err("the costs of a hash do not fit each other"),
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, passes, lanes, salt, hash } = self;
        let (salt, hash) =
            (Base64Unpadded::encode_string(salt), Base64Unpadded::encode_string(hash));
        write!(f, "$argon2id$v=19$m={memory},t={passes},p={lanes}${salt}${hash}")
    }
}

fn failed(path: &Path, error: &io::Error) -> PasswordFileError {
    PasswordFileError { file: path.to_owned(), line: 0, what: error.to_string() }
}

fn stamp(metadata: &fs::Metadata) -> Stamp {
    (metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), metadata.ino())
}

fn read(path: &Path) -> Result<(BTreeMap<ScopedName, Hash>, Stamp), PasswordFileError> {
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
    parse(&text).map(|users| (users, stamp(&metadata))).map_err(|(line, what)| wrong(line, what))
}

fn parse(text: &str) -> Result<BTreeMap<ScopedName, Hash>, (usize, String)> {
    let mut users = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let (at, line) = (at + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A name may have a colon; a hash has none.
        let parts = line.rsplit_once(':').ok_or((at, "a line is USER:HASH".to_owned()))?;
        let user: ScopedName = parts.0.parse().map_err(|error| (at, format!("{error}")))?;
        let hash = Hash::parse(parts.1).map_err(|what| (at, what.to_owned()))?;
        if let Some(_twice) = users.insert(user, hash) {
            return Err((at, "the user stands in an earlier line, too".to_owned()));
        }
    }
    Ok(users)
}

/// Checks a text as that of a file of passwords, for fuzzing.
#[doc(hidden)]
pub fn check_text(text: &str) {
    if let Ok(users) = parse(text) {
        for hash in users.values() {
            assert_eq!(Hash::parse(&hash.to_string()).as_ref(), Ok(hash));
        }
    }
}

/// Replaces a file as a whole, by one that only its owner may read.
fn replace(path: &Path, octets: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let written = (|| {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
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
        let hash = users.values().next().unwrap();
        assert!(hash.is_of(b"password") && !hash.is_of(b"Password"));
        assert_eq!(format!("ann@bank:{hash}"), LINE);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let high = LINE.replace("m=256", "m=4000000000");
        let twice = format!("{LINE}\n{LINE}");
        for (text, line) in [("ann", 1), (&high, 1), (&twice, 2), ("#\n\nann:$2y$x", 3)] {
            assert_eq!(parse(text).unwrap_err().0, line, "{text}");
        }
    }
}
