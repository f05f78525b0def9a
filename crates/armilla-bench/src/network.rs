//! A simulated link between two machines: two network namespaces with a pair of virtual interfaces,
//! whose rate is limited.

use crate::reaper::Reaper;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The rate of the link in both directions, as `tc` takes it.
const RATE: &str = "100mbit";

/// Further options of `tc`: the burst and the latency.
const BUCKET: [&str; 4] = ["burst", "32kb", "latency", "50ms"];

/// The addresses of the server and of the client.
const ENDS: [&str; 2] = ["10.213.77.1", "10.213.77.2"];

/// The link, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    /// The namespaces of server and client.
    names: [String; 2],
    reaper: Arc<Reaper>,
}

impl Link {
    /// Creates the namespaces and the interfaces.
    ///
    /// # Errors
    /// The command that failed; usually it needs root.
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

    /// The prefix of a command that runs in the namespace of the server or the client.
    pub(crate) fn prefix(&self, server: bool) -> Vec<String> {
        let name = &self.names[usize::from(!server)];
        ["ip", "netns", "exec", name].map(str::to_owned).to_vec()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        for name in &self.names {
            // Ignore namespaces that were never created. The interfaces disappear with their
            // namespaces.
            run(&["ip", "netns", "delete", name]).ok();
            self.reaper.unregister(name);
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    let [program, arguments @ ..] = words else { return Ok(()) };
    // Ctrl-C must not end the commands that create or remove a link.
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
                true => format!("cannot create a network namespace; {words}: {said}"),
                false => format!("network namespaces need root: run it with sudo; {words}: {said}"),
            })
        }
    }
}
