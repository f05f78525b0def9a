//! A link between two machines that one machine plays: two network namespaces with a pair of
//! virtual interfaces, whose rate is limited.

use crate::reaper::Reaper;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The rate of the link in both directions, as `tc` takes it.
const RATE: &str = "100mbit";

/// What `tc` is told beside the rate: how much may leave at once, how long it may wait.
const BUCKET: [&str; 4] = ["burst", "32kb", "latency", "50ms"];

/// The address of the server's end, and of the client's.
const ENDS: [&str; 2] = ["10.213.77.1", "10.213.77.2"];

/// The link, which is taken down when this is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    /// The namespaces of server and client.
    names: [String; 2],
    reaper: Arc<Reaper>,
}

impl Link {
    /// Makes the namespaces and what connects them.
    ///
    /// # Errors
    /// What cannot be done; most often it needs root.
    pub(crate) fn make(reaper: &Arc<Reaper>) -> Result<Self, String> {
        let id = std::process::id();
        let names = ["s", "c"].map(|end| format!("armilla-{id}-{end}"));
        names.iter().for_each(|name| reaper.register(name));
        let link = Self { names, reaper: reaper.clone() };
        let interfaces = ["s", "c"].map(|end| format!("arm{id}{end}"));
        let [server, client] = &interfaces;
        for name in &link.names {
            run(&["ip", "netns", "add", name])?;
        }
        run(&["ip", "link", "add", server, "type", "veth", "peer", "name", client])?;
        for ((name, interface), address) in link.names.iter().zip(&interfaces).zip(ENDS) {
            run(&["ip", "link", "set", interface, "netns", name])?;
            let inside = ["ip", "netns", "exec", name];
            let network = format!("{address}/24");
            run(&[&inside[..], &["ip", "addr", "add", &network, "dev", interface]].concat())?;
            run(&[&inside[..], &["ip", "link", "set", interface, "up"]].concat())?;
            run(&[&inside[..], &["ip", "link", "set", "lo", "up"]].concat())?;
            let limit = ["tc", "qdisc", "add", "dev", interface, "root", "tbf", "rate", RATE];
            run(&[&inside[..], &limit, &BUCKET].concat())?;
        }
        Ok(link)
    }

    /// The address of the server.
    pub(crate) const fn address(&self) -> &'static str {
        ENDS[0]
    }

    /// What a command of the server or the client begins with.
    pub(crate) fn prefix(&self, server: bool) -> Vec<String> {
        let name = &self.names[usize::from(!server)];
        ["ip", "netns", "exec", name].map(str::to_owned).to_vec()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        for name in &self.names {
            // What was never made need not be removed; the interfaces go with their namespaces.
            run(&["ip", "netns", "delete", name]).ok();
            self.reaper.unregister(name);
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    let [program, arguments @ ..] = words else { return Ok(()) };
    // Ctrl-C shall end the run, not what makes a link or takes it away.
    let output =
        Command::new(program).args(arguments).stdin(Stdio::null()).process_group(0).output();
    let output = output.map_err(|error| format!("apt install iproute2; {program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or("failed").to_owned();
            let words = words.join(" ");
            Err(match rustix::process::geteuid().is_root() {
                true => format!("a network namespace cannot be made; {words}: {said}"),
                false => format!("network namespaces need root: run it with sudo; {words}: {said}"),
            })
        }
    }
}
