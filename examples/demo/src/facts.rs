//! The properties of the machine that a reader needs to judge the figures.

use rustix::net::sockopt;
use std::fs;
use std::net::TcpListener;
use std::sync::OnceLock;

/// The congestion control of every connection of the demonstration: cubic if the system has it and
/// allows it, because BBR, the default of some systems, paces large messages even over the
/// loopback; else `None` for the system's.
pub(crate) fn congestion_control() -> Option<String> {
    static CHOICE: OnceLock<Option<&str>> = OnceLock::new();
    let choice = CHOICE.get_or_init(|| {
        // This socket only shows whether the system allows the choice.
        let socket = TcpListener::bind(("127.0.0.1", 0)).ok()?;
        sockopt::set_tcp_congestion(&socket, "cubic").is_ok().then_some("cubic")
    });
    choice.map(str::to_owned)
}

/// The model name of the processor.
pub(crate) fn processor() -> String {
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

/// The number of CPUs.
pub(crate) fn cpus() -> usize {
    let online = read("/proc/cpuinfo");
    online.lines().filter(|line| line.starts_with("processor")).count()
}

/// The release of the kernel.
pub(crate) fn kernel() -> String {
    format!("Linux {}", read("/proc/sys/kernel/osrelease").trim())
}

/// The contents of a file of the kernel; empty if there is none.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
