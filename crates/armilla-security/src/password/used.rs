//! The codes of second factors that were accepted. They are kept in a file beside that of the users,
//! `FILE.codes`, so that a server which is started again accepts none of them.
//!
//! A line has the step of a code, the server that has accepted it, and the user:
//! `59873412 naming ann@bank`. Servers with other names have other lines: a client that resolves a name
//! shows one code to the naming service and to the server behind it.

use super::file::{lock, replace};
use super::totp::{SKEW, step};
use armilla_giop::csi::ScopedName;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The longest file that is read.
const MAX_FILE: u64 = 16 << 20;

/// The steps of the codes that were accepted last: none of them or before is accepted again.
pub(super) struct UsedCodes {
    /// What the server is called in the file.
    server: String,
    /// The first step whose codes cannot have been accepted before the process was started.
    fresh: u64,
    steps: Mutex<BTreeMap<ScopedName, u64>>,
}

/// The last steps of each server and user.
type Steps = BTreeMap<(String, ScopedName), u64>;

impl UsedCodes {
    /// Those of a server with this name, or that of the program, which is started at this time.
    pub(super) fn new(server: Option<&str>, started: SystemTime) -> Self {
        let program = || env::current_exe().ok()?.file_name().map(OsStr::to_owned);
        let server = server.map(str::to_owned).or_else(|| program()?.into_string().ok());
        // A name is a word of a line.
        let server = server.unwrap_or_default().replace(char::is_whitespace, "-");
        let server = if server.is_empty() { "server".to_owned() } else { server };
        let fresh = step(started).saturating_add(SKEW + 1);
        Self { server, fresh, steps: Mutex::default() }
    }

    /// Whether this is the first code of the user with this step or a later one; it is used then. If
    /// that cannot be kept beside the file of passwords, it must be one that cannot have been accepted
    /// before the process was started. `is_known` tells of which users anything is kept.
    pub(super) fn accept(
        &self,
        passwords: &Path,
        user: &ScopedName,
        step: u64,
        is_known: impl Fn(&ScopedName) -> bool,
    ) -> bool {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.get(user).is_some_and(|last| *last >= step) {
            return false;
        }
        let accepted = self.keep(passwords, user, step, is_known).unwrap_or_else(|error| {
            let file = file_of(passwords);
            let accepted = step >= self.fresh;
            tracing::warn!(
                %error,
                file = %file.display(),
                accepted,
                "used codes of second factors cannot be kept: in the first minute of the process none \
                 is accepted"
            );
            accepted
        });
        if accepted {
            steps.insert(user.clone(), step);
        }
        accepted
    }

    /// Notes in the file that a code is used; false if it says so already.
    fn keep(
        &self,
        passwords: &Path,
        user: &ScopedName,
        step: u64,
        is_known: impl Fn(&ScopedName) -> bool,
    ) -> io::Result<bool> {
        // Who changes either file has locked that of the passwords.
        let locked = lock(passwords)?;
        let file = file_of(passwords);
        let mut all = read(&file)?;
        let key = (self.server.clone(), user.clone());
        if all.get(&key).is_some_and(|last| *last >= step) {
            return Ok(false);
        }
        all.retain(|(_, user), _| is_known(user));
        all.insert(key, step);
        replace(&file, &locked, write(&all).as_bytes())?;
        Ok(true)
    }
}

/// The file beside that of the passwords.
fn file_of(passwords: &Path) -> PathBuf {
    let mut file = passwords.as_os_str().to_owned();
    file.push(".codes");
    file.into()
}

fn read(file: &Path) -> io::Result<Steps> {
    match fs::metadata(file) {
        Ok(found) if found.len() > MAX_FILE => {
            return Err(io::Error::other(format!("it has more than {MAX_FILE} octets")));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Steps::new()),
        _ => {}
    }
    let text = fs::read_to_string(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let read = lines.map(|(at, line)| {
        let wrong = || io::Error::other(format!("line {} is no STEP SERVER USER", at + 1));
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().ok_or_else(wrong);
        let step = word()?.parse().map_err(|_| wrong())?;
        let server = word()?.to_owned();
        let user = word()?.parse().map_err(|_| wrong())?;
        Ok(((server, user), step))
    });
    read.collect()
}

fn write(all: &Steps) -> String {
    let mut text = String::from("# Codes that were accepted last: none of them is again.\n");
    for ((server, user), step) in all {
        // A string takes every character.
        let _ = writeln!(text, "{step} {server} {user}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    struct Folder(PathBuf);

    impl Folder {
        /// With a file of passwords, whatever it says.
        fn new(name: &str) -> Self {
            let folder = env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()));
            fs::remove_dir_all(&folder).ok();
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("users"), "").unwrap();
            Self(folder)
        }

        fn passwords(&self) -> PathBuf {
            self.0.join("users")
        }

        fn codes(&self) -> PathBuf {
            self.0.join("users.codes")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    fn user(name: &str) -> ScopedName {
        name.parse().unwrap()
    }

    #[test]
    fn a_server_that_is_started_again_knows_what_was_used() {
        let folder = Folder::new("used-codes");
        let accept = |used: &UsedCodes, name: &str, step| {
            used.accept(&folder.passwords(), &user(name), step, |_| true)
        };
        let start = |server| UsedCodes::new(Some(server), SystemTime::now());
        let (before, after) = (start("naming"), start("naming"));
        assert!(accept(&before, "ann@bank", 100) && !accept(&before, "ann@bank", 100));
        assert!(!accept(&after, "ann@bank", 100) && !accept(&after, "ann@bank", 99));
        assert!(accept(&after, "zoe of@bank", 100), "of somebody else");
        assert!(accept(&start("events"), "ann@bank", 100), "of another server");
        assert!(accept(&after, "ann@bank", 101) && !accept(&before, "ann@bank", 101));
        let text = fs::read_to_string(folder.codes()).unwrap();
        let lines = ["100 events ann@bank", "101 naming ann@bank", "100 naming zoe of@bank"];
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), lines);
        let mode = fs::metadata(folder.codes()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn of_users_who_are_gone_nothing_is_kept() {
        let folder = Folder::new("used-codes-of-users");
        let used = UsedCodes::new(Some("naming"), SystemTime::now());
        let accept = |name: &str, known: &[&str]| {
            let known = |user: &ScopedName| known.contains(&&*user.to_string());
            used.accept(&folder.passwords(), &user(name), 7, known)
        };
        assert!(accept("ann@bank", &["ann@bank"]) && accept("zoe@bank", &["zoe@bank"]));
        let text = fs::read_to_string(folder.codes()).unwrap();
        assert!(text.contains("7 naming zoe@bank\n") && !text.contains("ann"), "{text}");
    }

    #[test]
    fn what_cannot_be_kept_is_accepted_if_it_is_of_this_process() {
        let folder = Folder::new("codes-not-kept");
        // Nobody, not even an administrator, writes a file where there is a folder.
        fs::create_dir(folder.codes()).unwrap();
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(3000);
        let used = UsedCodes::new(Some("naming"), started);
        let accept = |step| used.accept(&folder.passwords(), &user("ann@bank"), step, |_| true);
        // Those of steps 99 to 101 may have been accepted right before.
        assert!(!accept(100) && !accept(101));
        assert!(accept(102) && !accept(102) && accept(103));
        fs::remove_dir(folder.codes()).unwrap();
        for text in ["x naming ann@bank", "7", "7 naming", "-1 naming ann"] {
            fs::write(folder.codes(), text).unwrap();
            assert!(read(&folder.codes()).is_err(), "{text}");
            assert!(!UsedCodes::new(Some("naming"), started).accept(
                &folder.passwords(),
                &user("ann@bank"),
                101,
                |_| true
            ));
        }
    }
}
