//! The processes of the members, which are killed and started again.

use crate::options::Options;
use armilla::Orb;
use armilla_replication::corba::{Member as _, MemberRef};
use armilla_replication::model::{MemberInfo, View};
use armilla_replication::{EtcdRegistry, ViewRegistry};
use std::collections::BTreeMap;
use std::io;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The names of the members.
const NAMES: [&str; 3] = ["a", "b", "c"];

/// For how long a primary is stopped.
const STOP: Duration = Duration::from_millis(900);

/// How long a group may take to have all members, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The members of the bank. They end with it.
pub(crate) struct Members<'o> {
    options: &'o Options,
    registry: &'o EtcdRegistry,
    orb: &'o Orb,
    processes: BTreeMap<&'static str, Child>,
}

impl<'o> Members<'o> {
    /// Starts all members.
    pub(crate) fn start(
        options: &'o Options,
        registry: &'o EtcdRegistry,
        orb: &'o Orb,
    ) -> io::Result<Self> {
        let mut members = Self { options, registry, orb, processes: BTreeMap::new() };
        NAMES.into_iter().try_for_each(|name| members.start_one(name))?;
        Ok(members)
    }

    fn start_one(&mut self, name: &'static str) -> io::Result<()> {
        let process = Command::new(std::env::current_exe()?)
            .args(["--member", name, "--number", &self.options.number.to_string()])
            .args(["--style", self.options.style_name()])
            .arg(&self.options.etcd)
            .stdin(Stdio::piped())
            .spawn()?;
        self.processes.insert(name, process);
        Ok(())
    }

    /// Whether a member has the state of the group.
    fn has_state(&self, member: &MemberInfo) -> bool {
        let asked = self.orb.string_to_object(&member.peer).and_then(|peer| {
            let peer: MemberRef = peer.assume();
            peer.with_timeout(Duration::from_secs(1)).get_status()
        });
        asked.is_ok_and(|status| status.role != "newcomer")
    }

    /// Waits until the group has all members, and each has the state: the bank outlives any of its
    /// members, but not all of those that know it.
    pub(crate) fn wait(&self) -> Result<View, String> {
        let begun = Instant::now();
        loop {
            let view = self.registry.read(&self.options.group()).ok().flatten();
            match view {
                Some(view)
                    if view.members.len() == NAMES.len()
                        && view.members.iter().all(|member| self.has_state(member)) =>
                {
                    return Ok(view);
                }
                view if begun.elapsed() > PATIENCE => {
                    return Err(format!("the group does not get all members: {view:?}"));
                }
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Kills a member, the primary two times of three, and starts it again. Returns whether it was the
    /// primary.
    pub(crate) fn kill(&mut self, round: u64) -> Result<bool, String> {
        let view = self.wait()?;
        let is_primary = !round.is_multiple_of(3);
        let victim = view.members.get(usize::from(!is_primary)).map(|member| &*member.name);
        let name = NAMES.into_iter().find(|name| Some(*name) == victim);
        let name = name.ok_or("a member that nobody has started")?;
        if let Some(mut process) = self.processes.remove(name) {
            process.kill().and_then(|()| process.wait()).map_err(|error| error.to_string())?;
        }
        self.start_one(name).map_err(|error| error.to_string())?;
        Ok(is_primary)
    }
}

impl Members<'_> {
    /// Stops the primary for a while in the middle of what it does, for longer than the others wait.
    pub(crate) fn stop(&self) -> Result<(), String> {
        let view = self.wait()?;
        let name = view.members.first().map_or("", |member| &*member.name);
        let Some(process) = self.processes.get(name) else { return Ok(()) };
        let signal = |signal: &str| {
            let sent = Command::new("kill").args([signal, &process.id().to_string()]).status();
            sent.map_err(|error| error.to_string())
        };
        signal("-STOP")?;
        thread::sleep(STOP);
        signal("-CONT").map(drop)
    }
}

impl Drop for Members<'_> {
    fn drop(&mut self) {
        for process in self.processes.values_mut() {
            process.kill().ok();
            process.wait().ok();
        }
    }
}
