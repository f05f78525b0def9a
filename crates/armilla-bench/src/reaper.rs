//! What takes away what a run leaves behind when it is killed and can do so no more: its programs, its
//! network namespaces and its files.
//!
//! It is a shell, so that who ends all processes of our name does not end it with them.

use std::fmt::Display;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads what is to be kept in mind and what no longer, until the run ends in whatever way; then takes
/// away what is left: process groups by their numbers, network namespaces by their names.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
held=
while read -r sign what; do
  case $sign in
    +) held="$held $what" ;;
    -) rest=
       for one in $held; do [ "$one" = "$what" ] || rest="$rest $one"; done
       held=$rest ;;
  esac
done
for one in $held; do
  case $one in
    [0-9]*) kill -s KILL -- "-$one" ;;
    *) ip netns delete "$one" ;;
  esac
done
rm -rf -- "$1"
"#;

/// The reaper of one run, which ends with this.
#[derive(Debug)]
pub(crate) struct Reaper {
    child: Child,
    orders: Mutex<Option<ChildStdin>>,
}

impl Reaper {
    /// Starts it; in the end it removes the directory `scratch`.
    ///
    /// # Errors
    /// When there is no shell.
    pub(crate) fn start(scratch: &Path) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "reaper"]).arg(scratch).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|error| io::Error::other(format!("sh: {error}")))?;
        let orders = Mutex::new(child.stdin.take());
        Ok(Self { child, orders })
    }

    /// Keeps a process group or a network namespace in mind.
    pub(crate) fn register(&self, what: impl Display) {
        self.order('+', &what);
    }

    /// It has gone by itself.
    pub(crate) fn unregister(&self, what: impl Display) {
        self.order('-', &what);
    }

    fn order(&self, sign: char, what: &dyn Display) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a reaper a run that is not killed goes on as well.
        orders.as_mut().map(|pipe| writeln!(pipe, "{sign} {what}"));
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        *self.orders.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn registered_processes_end_with_the_reaper_and_others_go_on() {
        let scratch = std::env::temp_dir().join(format!("armilla-reaper-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let reaper = Reaper::start(&scratch).unwrap();
        let sleeper = || {
            let child = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
            reaper.register(child.id());
            child
        };
        let (mut held, mut released) = (sleeper(), sleeper());
        reaper.unregister(released.id());
        drop(reaper);
        assert!(!held.wait().unwrap().success() && !scratch.exists());
        assert!(released.try_wait().unwrap().is_none(), "it goes on");
        released.kill().unwrap();
        released.wait().unwrap();
    }
}
