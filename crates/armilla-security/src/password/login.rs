//! Logins with a name, a password and a code, as a page or a program asks for them.

use super::guard::{Guarded, Refused};
use super::{GuessLimits, PasswordFile, PasswordVerifier};
use armilla_giop::csi::ScopedName;
use armilla_ipc::Address;
use std::fmt;
use std::io;
use std::time::Duration;

/// Logs users of a [`PasswordFile`] in by password, and by the code of their second factor where they
/// have one. Guesses are limited by host and by user. Several threads may use it at once.
///
/// ```
/// use armilla_ipc::Address;
/// use armilla_security::{GuessLimits, LoginRefused, Logins, PasswordFile, Totp};
/// use std::time::SystemTime;
///
/// # let folder = std::env::temp_dir().join(format!("armilla-logins-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("passwords");
/// let ann = "ann@bank".parse()?;
/// let mut users = PasswordFile::create(&path)?;
/// users.set(&ann, b"correct horse")?;
/// let secret = Totp::generate()?;
/// users.set_second_factor(&ann, Some(secret.clone()))?;
///
/// let logins = Logins::new(users, GuessLimits::default())?;
/// let peer = Address::tcp("192.0.2.1", 4000);
/// let login = |password: &[u8], code| logins.check(&ann, password, code, &peer);
/// assert_eq!(login(b"correct horse", None), Err(LoginRefused::CodeNeeded));
/// let code = secret.code(SystemTime::now());
/// assert_eq!(login(b"correct horse", Some(&*code)), Ok(()));
/// assert_eq!(login(b"correct horse", Some(&*code)), Err(LoginRefused::WrongCode), "only once");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Logins {
    passwords: Guarded,
    file: PasswordFile,
}

/// Why somebody is not logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoginRefused {
    /// The user or the password is wrong; which of them is nobody's business.
    Wrong,
    /// The password is right, and the code of the second factor is needed too.
    CodeNeeded,
    /// The password is right, and the code is wrong, used, or one of too many.
    WrongCode,
    /// There were too many wrong passwords of late, from this host or for this user.
    TooManyGuesses,
}

impl fmt::Display for LoginRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrong => "the user or the password is wrong",
            Self::CodeNeeded => "the code of the second factor is needed",
            Self::WrongCode => "the code is wrong, or was used before",
            Self::TooManyGuesses => "there were too many wrong passwords of late; wait a minute",
        })
    }
}

impl std::error::Error for LoginRefused {}

/// Verifies passwords whatever second factor there is.
struct Alone(PasswordFile);

impl PasswordVerifier for Alone {
    fn verify(&self, user: &ScopedName, password: &[u8]) -> bool {
        self.0.verify_password(user, password)
    }

    fn generation(&self) -> u64 {
        self.0.generation()
    }
}

impl Logins {
    /// Logs users of this file in.
    ///
    /// # Errors
    /// When the operating system has no random numbers.
    pub fn new(file: PasswordFile, limits: GuessLimits) -> io::Result<Self> {
        // Nothing is remembered: a page asks once for a session.
        let passwords = Guarded::new(Box::new(Alone(file.clone())), limits, (0, Duration::ZERO))?;
        Ok(Self { passwords, file })
    }

    /// Checks what a user at `peer` has shown. The name has its domain. It takes as long as Argon2id
    /// does, and may wait for others.
    ///
    /// # Errors
    /// Why the user is not logged in.
    pub fn check(
        &self,
        user: &ScopedName,
        password: &[u8],
        code: Option<&str>,
        peer: &Address,
    ) -> Result<(), LoginRefused> {
        self.passwords.verify(user, password, peer).map_err(|refused| match refused {
            Refused::Wrong => LoginRefused::Wrong,
            Refused::TooManyGuesses => LoginRefused::TooManyGuesses,
        })?;
        match (self.file.has_second_factor(user), code) {
            (false, _) => Ok(()),
            (true, None) => Err(LoginRefused::CodeNeeded),
            (true, Some(code)) if self.file.verify_code(user, code.trim()) => Ok(()),
            (true, Some(_)) => Err(LoginRefused::WrongCode),
        }
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins").field("file", &self.file).finish_non_exhaustive()
    }
}
