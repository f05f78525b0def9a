//! The reaper: cleans up after a run that was killed: its processes, its network namespaces and its
//! files.
//!
//! It is a shell, so that killing all processes with the name of this program does not kill it.

use std::fmt::Display;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads registrations (`+`) and removals (`-`) until the run ends, for whatever reason; then kills
/// the registered process groups (numbers) and deletes the registered network namespaces (names).
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

/// The reaper of one run, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Reaper {
    child: Child,
    orders: Mutex<Option<ChildStdin>>,
}

impl Reaper {
    /// Starts the reaper, which removes the directory `scratch` at the end.
    ///
    /// # Errors
    /// There is no shell.
    pub(crate) fn start(scratch: &Path) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "reaper"]).arg(scratch).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|error| io::Error::other(format!("sh: {error}")))?;
        let orders = Mutex::new(child.stdin.take());
        Ok(Self { child, orders })
    }

    /// Registers a process group or a network namespace.
    pub(crate) fn register(&self, what: impl Display) {
        self.order('+', &what);
    }

    /// Removes a registration after an orderly end.
    pub(crate) fn unregister(&self, what: impl Display) {
        self.order('-', &what);
    }

    fn order(&self, sign: char, what: &dyn Display) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        // The run works without a reaper, too, so ignore errors.
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
