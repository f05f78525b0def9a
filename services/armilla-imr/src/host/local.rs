//! This host: processes of its own, and those that an earlier repository has started.

use super::logs::{LogLimits, Logs};
use super::{Host, Launch, Launched, LogStream, OnEnd};
use crate::model::{Definition, Ending, PORT, RunId};
use armilla_ipc::process::{self, EndSignal};
use std::collections::HashMap;
use std::io;
use std::net::TcpListener;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many octets of standard error an ending tells.
const TOLD: usize = 2048;

/// The stack of a thread that waits for the end of a process, in octets.
const STACK: usize = 128 << 10;

/// The variables that tell a server how it was started.
const RUN: &str = "ARMILLA_IMR_RUN";
const SERVER: &str = "ARMILLA_IMR_SERVER";

/// This host.
#[derive(Clone)]
pub(crate) struct LocalHost(Arc<Inner>);

struct Inner {
    name: String,
    logs: Logs,
    running: Mutex<HashMap<RunId, Process>>,
    on_end: OnEnd,
}

/// A process that runs: its number, and when it was started.
#[derive(Debug, Clone, Copy)]
struct Process {
    number: u32,
    started: u64,
}

impl LocalHost {
    pub(crate) fn new(name: String, logs: PathBuf, limits: LogLimits, on_end: OnEnd) -> Self {
        let (logs, running) = (Logs::new(logs, limits), Mutex::default());
        Self(Arc::new(Inner { name, logs, running, on_end }))
    }

    /// Cuts files that have become too large.
    pub(crate) fn rotate_logs(&self, names: impl IntoIterator<Item = String>) {
        for name in names {
            for stream in [LogStream::Output, LogStream::Errors] {
                if let Err(error) = self.0.logs.rotate(&name, stream) {
                    tracing::warn!(server = name, %error, "a log file cannot be cut");
                }
            }
        }
    }

    fn add(&self, run: RunId, process: Process) {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner).insert(run, process);
    }

    fn end(&self, run: RunId, ending: Ending) {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
        (self.0.on_end)(run, ending);
    }

    /// Waits in a thread for a process of this one, and reports its end.
    fn await_child(&self, run: RunId, name: String, from: u64, mut child: Child) {
        let host = self.clone();
        let wait = move || {
            let status = child.wait();
            // What the process has left behind ends with it.
            process::signal_group(child.id(), EndSignal::Kill).ok();
            let ending = match status {
                Ok(status) => host.ending(&name, from, status),
                Err(error) => Ending { success: false, what: format!("it is lost: {error}") },
            };
            host.end(run, ending);
        };
        self.in_thread(run, wait);
    }

    fn in_thread(&self, run: RunId, wait: impl FnOnce() + Send + 'static) {
        let thread = thread::Builder::new().name("armilla-imr-wait".to_owned()).stack_size(STACK);
        if let Err(error) = thread.spawn(wait) {
            let what = format!("it cannot be watched: no thread ({error})");
            self.end(run, Ending { success: false, what });
        }
    }

    /// How a process has ended, with the last lines that it wrote to standard error.
    fn ending(&self, name: &str, from: u64, status: ExitStatus) -> Ending {
        let mut what = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => status.to_string(),
        };
        let told = self.0.logs.tail(name, LogStream::Errors, from, TOLD).unwrap_or_default();
        let told = String::from_utf8_lossy(&told);
        let lines: Vec<&str> = told.lines().rev().take(5).collect();
        if !lines.is_empty() {
            what.push_str(", and wrote: ");
            what.push_str(&lines.into_iter().rev().collect::<Vec<_>>().join(" | "));
        }
        Ending { success: status.success(), what }
    }
}

impl Host for LocalHost {
    fn name(&self) -> String {
        self.0.name.clone()
    }

    fn start(&self, launch: &Launch) -> Result<Launched, String> {
        let definition = &launch.definition;
        let port = if needs_port(definition) { Some(free_port().map_err(text)?) } else { None };
        let place = |text: &str| {
            let text = text.replace("{imr}", &launch.repository);
            port.map_or(text.clone(), |port| text.replace(PORT, &port.to_string()))
        };
        let name = &definition.name;
        let (program, arguments) = definition.command.split_first().ok_or("it has no command")?;
        let (output, _) = self.0.logs.open(name, LogStream::Output).map_err(text)?;
        let (errors, from) = self.0.logs.open(name, LogStream::Errors).map_err(text)?;
        let mut command = Command::new(place(program));
        command.args(arguments.iter().map(|argument| place(argument)));
        if let Some(user) = &definition.user {
            let Account { name, uid, gid, home } = account(user)?;
            command.uid(uid).gid(gid);
            command.env("HOME", home).env("USER", &name).env("LOGNAME", &name);
        }
        command.envs(definition.environment.iter().map(|(name, value)| (name, place(value))));
        command.env(RUN, launch.run.0.to_string()).env(SERVER, name);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        if let Some(directory) = &definition.directory {
            command.current_dir(directory);
        }
        let limits = limits(definition);
        let child = process::spawn(&mut command, limits)
            .map_err(|error| unstarted(definition, &command, &error))?;
        let number = child.id();
        // It is there until it is waited for.
        let started = process::started_at(number).unwrap_or_default();
        self.add(launch.run, Process { number, started });
        self.await_child(launch.run, name.clone(), from, child);
        let address = definition.address.as_deref().map(place);
        Ok(Launched { process: number, started, address })
    }

    fn signal(&self, run: RunId, signal: EndSignal) {
        let running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = running.get(&run)
            && process::is_alive(process.number, Some(process.started))
            && let Err(error) = process::signal_group(process.number, signal)
        {
            tracing::warn!(process = process.number, %error, "a process cannot be signalled");
        }
    }

    fn log(&self, name: &str, stream: LogStream, limit: usize) -> Result<Vec<u8>, String> {
        self.0.logs.tail(name, stream, 0, limit).map_err(text)
    }

    fn watch(&self, run: RunId, _name: &str, process: u32, started: u64) -> bool {
        if !process::is_alive(process, Some(started)) {
            return false;
        }
        self.add(run, Process { number: process, started });
        let host = self.clone();
        self.in_thread(run, move || {
            let waited = process::await_end(process, started);
            process::signal_group(process, EndSignal::Kill).ok();
            // Its exit status went to whoever became its parent.
            let ending = match waited {
                Ok(()) => Ending { success: true, what: "it has ended".to_owned() },
                Err(error) => Ending { success: false, what: format!("it is lost: {error}") },
            };
            host.end(run, ending);
        });
        true
    }
}

/// Why a program cannot be started. The system does not tell whether it means the directory.
fn unstarted(definition: &Definition, command: &Command, error: &io::Error) -> String {
    let program = command.get_program().display();
    match &definition.directory {
        None => format!("{program}: {error}"),
        Some(directory) if Path::new(directory).is_dir() => {
            format!("{program} in {directory}: {error}")
        }
        Some(directory) => format!("its directory, {directory}, is not there"),
    }
}

fn text(error: io::Error) -> String {
    error.to_string()
}

fn needs_port(definition: &Definition) -> bool {
    let values = definition.environment.values().chain(&definition.address);
    definition.command.iter().chain(values).any(|text| text.contains(PORT))
}

/// A port at which nobody listens. The server opens it itself, so that another program may be
/// faster; the start then fails, and is repeated with another port.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("0.0.0.0", 0))?.local_addr()?.port())
}

fn limits(definition: &Definition) -> process::ResourceLimits {
    let limits = definition.limits;
    process::ResourceLimits {
        open_files: limits.open_files,
        address_space: limits.address_space,
        cpu_seconds: limits.cpu_seconds,
        processes: limits.processes,
        core: limits.core,
    }
}

/// A user of this host.
#[derive(Debug, PartialEq)]
struct Account {
    name: String,
    uid: u32,
    gid: u32,
    home: String,
}

/// The user with this name or number.
fn account(user: &str) -> Result<Account, String> {
    if !rustix::process::geteuid().is_root() {
        return Err(format!("only an activator that runs as root can start it as user {user:?}"));
    }
    let table = std::fs::read_to_string("/etc/passwd").map_err(text)?;
    find_account(&table, user).ok_or_else(|| format!("this host has no user {user:?}"))
}

/// A user in the text of `/etc/passwd`.
fn find_account(table: &str, user: &str) -> Option<Account> {
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, uid, gid, _, home, ..] = fields[..] else { return None };
        if name != user && uid != user {
            return None;
        }
        let (uid, gid) = (uid.parse().ok()?, gid.parse().ok()?);
        Some(Account { name: name.to_owned(), uid, gid, home: home.to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_name_and_number() {
        let table = "root:x:0:0:root:/root:/bin/bash\nbroken:x\nbird:x:77:8::/home/bird:/bin/sh\n";
        let bird = find_account(table, "bird").unwrap();
        assert_eq!((bird.uid, bird.gid, bird.home.as_str()), (77, 8, "/home/bird"));
        assert_eq!(find_account(table, "77"), Some(bird));
        assert_eq!(find_account(table, "broken"), None);
        assert_eq!(find_account(table, "8"), None);
    }
}
