//! A simulated link between two machines: two network namespaces, each with a TUN interface, and a
//! forwarder that takes as long with every packet as the line would.

mod forwarder;

use crate::line::Line;
use crate::reaper::Reaper;
use forwarder::Forwarder;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tun_rs::{DeviceBuilder, SyncDevice};

/// The addresses of the server and of the client.
const ENDS: [&str; 2] = ["10.213.77.1", "10.213.77.2"];

/// The link, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    line: Line,
    delay: Duration,
    /// The namespaces of server and client.
    names: [String; 2],
    reaper: Arc<Reaper>,
    forwarder: Option<Forwarder>,
}

impl Link {
    /// Creates the namespaces and the interfaces, and starts the forwarder. Every packet takes its
    /// time on the wire and `delay`.
    ///
    /// # Errors
    /// The command that failed; usually it needs root.
    pub(crate) fn make(reaper: &Arc<Reaper>, line: Line, delay: Duration) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let names = ["s", "c"].map(|end| format!("armilla-{}-{}{end}", id.0, id.1));
        names.iter().for_each(|name| reaper.register(name));
        let mut link = Self { line, delay, names, reaper: reaper.clone(), forwarder: None };
        let interfaces = ["s", "c"].map(|end| format!("a{}{end}{}", id.0, id.1));
        let devices = [link.end(0, &interfaces[0])?, link.end(1, &interfaces[1])?];
        link.forwarder = Some(Forwarder::start(devices, line, delay)?);
        Ok(link)
    }

    /// Creates one namespace and its interface.
    fn end(&self, end: usize, interface: &str) -> Result<SyncDevice, String> {
        let name = self.names[end].as_str();
        run(&["ip", "netns", "add", name])?;
        let device = DeviceBuilder::new().name(interface).enable(false).build_sync();
        let device = device.map_err(|error| format!("cannot create a TUN interface: {error}"))?;
        run(&["ip", "link", "set", interface, "netns", name])?;
        let inside = ["ip", "netns", "exec", name, "ip"];
        let (network, mtu) = (format!("{}/24", ENDS[end]), self.line.mtu().to_string());
        let commands: [&[&str]; 4] = [
            &["addr", "add", &network, "dev", interface],
            // Without IPv6 nothing but the programs uses the line.
            &["link", "set", interface, "mtu", &mtu, "addrgenmode", "none"],
            &["link", "set", interface, "up"],
            &["link", "set", "lo", "up"],
        ];
        commands.iter().try_for_each(|command| run(&[&inside[..], command].concat()))?;
        Ok(device)
    }

    /// The addresses of server and client.
    pub(crate) const fn ends(&self) -> [&'static str; 2] {
        ENDS
    }

    /// The address of the server.
    pub(crate) const fn address(&self) -> &'static str {
        ENDS[0]
    }

    /// The line.
    pub(crate) const fn line(&self) -> Line {
        self.line
    }

    /// The delay of each direction.
    pub(crate) const fn delay(&self) -> Duration {
        self.delay
    }

    /// The prefix of a command that runs in the namespace of the server or the client.
    pub(crate) fn prefix(&self, server: bool) -> Vec<String> {
        let name = &self.names[usize::from(!server)];
        ["ip", "netns", "exec", name].map(str::to_owned).to_vec()
    }

    /// Why the forwarder has ended, if it has.
    pub(crate) fn failure(&self) -> Option<String> {
        self.forwarder.as_ref().and_then(Forwarder::failure)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Before its interfaces disappear with their namespaces.
        self.forwarder = None;
        for name in &self.names {
            // Ignore namespaces that were never created.
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
