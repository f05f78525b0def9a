//! What a reader must know of the machine to judge the figures.

use rustix::net::sockopt;
use std::fs;
use std::net::TcpListener;
use std::sync::OnceLock;

/// The congestion control that every connection of the demonstration uses: cubic where the system
/// has it and lets this process choose, because BBR, which some systems prefer, paces large messages
/// over the loopback too; else `None`, the system's.
pub(super) fn congestion_control() -> Option<String> {
    static CHOICE: OnceLock<Option<&str>> = OnceLock::new();
    let choice = CHOICE.get_or_init(|| {
        // Nobody connects to this socket; it only shows whether the choice is allowed.
        let socket = TcpListener::bind(("127.0.0.1", 0)).ok()?;
        sockopt::set_tcp_congestion(&socket, "cubic").is_ok().then_some("cubic")
    });
    choice.map(str::to_owned)
}

/// The machine's processor, as it calls itself.
pub(super) fn processor() -> String {
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

/// How many CPUs the machine has.
pub(super) fn cpus() -> usize {
    let online = read("/proc/cpuinfo");
    online.lines().filter(|line| line.starts_with("processor")).count()
}

/// The release of the kernel.
pub(super) fn kernel() -> String {
    format!("Linux {}", read("/proc/sys/kernel/osrelease").trim())
}

/// A file of the kernel, empty where there is none.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
