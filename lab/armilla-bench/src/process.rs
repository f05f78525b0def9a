//! A running program: its two processes, their placement, and the commands to its client.

use crate::machine::Placement;
use crate::network::Link;
use crate::peers::Peers;
use crate::program::{Kind, Program, Transport};
use crate::reaper::Reaper;
use armilla_ipc::affinity;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time limits of a start and of a command. A program that takes longer hangs.
const START: Duration = Duration::from_secs(60);
const COMMAND: Duration = Duration::from_secs(120);

/// How often a waiting thread checks whether the run has been stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The server and the client of a program.
pub(crate) struct Running {
    // In this order, so that the client is dropped first.
    client: Side,
    server: Side,
    commands: Option<ChildStdin>,
    /// Whether it did not answer in time.
    hung: bool,
}

/// A process, and the lines that it prints. It is killed when this is dropped.
pub(crate) struct Side {
    child: Child,
    lines: Receiver<String>,
    reaper: Arc<Reaper>,
    stop: Arc<AtomicBool>,
}

/// Why a process did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoAnswer {
    Ended,
    TimedOut(Duration),
    /// The run was stopped.
    Stopped,
}

/// The measurements of a program, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub(crate) total: f64,
    pub(crate) median: f64,
    pub(crate) p1: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// The parameters of a start.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Program,
    pub(crate) transport: Transport,
    pub(crate) placement: Placement,
    /// The size of the socket queues in octets, 0 for the system's.
    pub(crate) queue: usize,
    pub(crate) congestion: &'a str,
    /// The link between the processes, if they are in two network namespaces.
    pub(crate) link: Option<&'a Link>,
    /// The prefixes of the commands of server and client: a profiler.
    pub(crate) prefixes: [Vec<String>; 2],
}

impl Running {
    /// Starts server and client.
    ///
    /// # Errors
    /// The program that failed to start, and the reason.
    pub(crate) fn start(peers: &Peers, start: &Start<'_>) -> Result<Self, String> {
        let name = start.program.name;
        let failed = |what: String| format!("{name} over {}: {what}", start.transport.name());
        let (server_cpu, client_cpu) = start.placement.cpus();
        let address = match (start.transport, start.link) {
            (_, Some(link)) => link.address().to_owned(),
            (Transport::Tcp | Transport::SameHost, None) => "127.0.0.1".to_owned(),
            _ => socket_path(peers),
        };
        let spawn = |role, place: &str, cpu| {
            spawn(peers, start, role, place, cpu).map_err(|error| failed(error.to_string()))
        };
        let server = spawn("server", &address, server_cpu)?;
        let silent = |side: &str, no_answer| failed(format!("the {side} {no_answer}"));
        let place = server.line(START).map_err(|no_answer| silent("server", no_answer))?;
        let mut client = spawn("client", &place, client_cpu)?;
        match client.line(START) {
            Ok(line) if line == "ready" => {}
            Ok(other) => return Err(failed(other)),
            Err(no_answer) => return Err(silent("client", no_answer)),
        }
        let commands = client.child.stdin.take();
        Ok(Self { client, server, commands, hung: false })
    }

    /// Lets the client carry out `command`; `None` if the program does not support it.
    ///
    /// # Errors
    /// The error of the client, or the reason for no answer.
    pub(crate) fn carry_out(&mut self, command: &str) -> Result<Option<Measured>, String> {
        let sent = self.commands.as_mut().map(|pipe| writeln!(pipe, "{command}"));
        let answer = match sent {
            Some(Ok(())) => self.client.line(COMMAND),
            _ => Err(NoAnswer::Ended),
        };
        let answer = answer.map_err(|no_answer| {
            self.commands = None;
            self.hung = matches!(no_answer, NoAnswer::TimedOut(_));
            format!("{command:?}: the client {no_answer}")
        })?;
        let mut words = answer.split_whitespace();
        match words.next() {
            Some("no") => return Ok(None),
            Some("ok") => {}
            _ => return Err(format!("{command:?}: {answer}")),
        }
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [total, median, p1, p99, p999, min, max] => {
                Ok(Some(Measured { total, median, p1, p99, p999, min, max }))
            }
            _ => Err(format!("{command:?}: {answer}")),
        }
    }

    /// Whether the client has ended or hangs, and accepts no more commands.
    pub(crate) const fn has_ended(&self) -> bool {
        self.commands.is_none()
    }

    /// Whether it did not answer in time.
    pub(crate) const fn has_hung(&self) -> bool {
        self.hung
    }

    /// The processes of server and client.
    pub(crate) fn processes(&self) -> [u32; 2] {
        [self.server.child.id(), self.client.child.id()]
    }

    /// Ends both sides in an orderly way, so that a profiler can write its results.
    pub(crate) fn finish(mut self) {
        self.commands = None;
        self.client.child.wait().ok();
        let server = &mut self.server.child;
        if let Some(group) = Pid::from_raw(server.id().cast_signed()) {
            kill_process_group(group, Signal::TERM).ok();
        }
        for _ in 0..100 {
            if matches!(server.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Side {
    /// Starts a process on its processor.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(
        peers: &Peers,
        command: &mut Command,
        cpu: Option<usize>,
    ) -> io::Result<Self> {
        // Ctrl-C must end the run, not the programs.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = spawn_on(cpu, command)?;
        let (reaper, stop) = (peers.reaper().clone(), peers.stop().clone());
        reaper.register(child.id());
        let lines = lines_of(child.stdout.take());
        Ok(Self { child, lines, reaper, stop })
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The first line that it prints.
    ///
    /// # Errors
    /// It has ended, hangs, or the run was stopped.
    pub(crate) fn greeting(&self) -> Result<String, String> {
        self.line(START).map_err(|no_answer| no_answer.to_string())
    }

    /// Its answer to a line.
    ///
    /// # Errors
    /// It has ended, hangs, or the run was stopped.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String, String> {
        let told = self.child.stdin.as_mut().is_some_and(|pipe| writeln!(pipe, "{line}").is_ok());
        let answer = if told { self.line(COMMAND) } else { Err(NoAnswer::Ended) };
        answer.map_err(|no_answer| no_answer.to_string())
    }

    /// The next line that the process prints within `limit`.
    fn line(&self, limit: Duration) -> Result<String, NoAnswer> {
        let started = Instant::now();
        loop {
            match self.lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(NoAnswer::Ended),
                Err(_) if self.stop.load(Ordering::Relaxed) => return Err(NoAnswer::Stopped),
                Err(_) if started.elapsed() > limit => return Err(NoAnswer::TimedOut(limit)),
                Err(_) => {}
            }
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // Kill the group, because the child may be a profiler that runs the program.
        if let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            // Ignore a group that has ended.
            kill_process_group(group, Signal::KILL).ok();
        }
        self.child.wait().ok();
        self.reaper.unregister(self.child.id());
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("has ended"),
            Self::TimedOut(limit) => write!(f, "did not answer within {limit:?}"),
            Self::Stopped => f.write_str("was stopped"),
        }
    }
}

fn socket_path(peers: &Peers) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    peers.scratch().join(number.to_string()).display().to_string()
}

/// The command of an Armilla program: this executable, even if its file has been replaced.
pub(crate) fn worker(which: &str) -> io::Result<Vec<OsString>> {
    let named = std::env::current_exe()?;
    let running = || format!("/proc/{}/exe", std::process::id()).into();
    let executable = if named.exists() { named.into() } else { running() };
    Ok(vec![executable, "bench-worker".into(), which.into()])
}

/// Starts one side on its processor. A child inherits the affinity of the thread that starts it.
fn spawn(
    peers: &Peers,
    start: &Start<'_>,
    role: &str,
    place: &str,
    cpu: Option<usize>,
) -> io::Result<Side> {
    let program = match start.program.kind {
        Kind::Peer => vec![peers.binary(start.program.peer()).into_os_string()],
        Kind::Ipc => worker("ipc")?,
        Kind::Orb => worker("orb")?,
        Kind::Dcom => worker("dcom")?,
        Kind::Adapter => worker("adapter")?,
        Kind::Codec => worker("codec")?,
        Kind::OneWay => worker("one-way")?,
    };
    let server = role == "server";
    let namespace = start.link.map(|link| link.prefix(server)).unwrap_or_default();
    let words = namespace.into_iter().chain(start.prefixes[usize::from(!server)].clone());
    let mut words = words.map(OsString::from).chain(program);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    let queue = OsString::from(start.queue.to_string());
    command
        .args([role, start.transport.protocol_of(start.program.kind), place])
        .arg(queue)
        .args(start.program.options);
    command.env("BENCH_CONGESTION", start.congestion);
    if !start.prefixes[usize::from(!server)].is_empty() {
        command.env("BENCH_WHOLE", "1");
    }
    if start.program.kind == Kind::Peer && !start.program.is_raw() {
        preload(&mut command, &peers.sockets());
        command.env("BENCH_QUEUE", start.queue.to_string());
    }
    Side::start(peers, &mut command, cpu)
}

/// Starts a process on a processor: a child begins where the thread runs that starts it.
pub(crate) fn spawn_on(cpu: Option<usize>, command: &mut Command) -> io::Result<Child> {
    let spawned = thread::scope(|scope| {
        let placed = scope.spawn(|| {
            cpu.map_or(Ok(()), affinity::pin_thread)?;
            command.spawn()
        });
        placed.join()
    });
    spawned.unwrap_or_else(|_| Err(io::Error::other("the starting thread panicked")))
}

/// Preloads `library` into a program. LD_PRELOAD separates names with blanks and colons, so the
/// name is relative to the directory of the library.
pub(crate) fn preload(command: &mut Command, library: &Path) {
    if let (Some(place), Some(name)) = (library.parent(), library.file_name()) {
        command.current_dir(place).env("LD_PRELOAD", Path::new(".").join(name));
    }
}

/// The lines of a process. A thread reads them, so that a wait can have a time limit.
fn lines_of(output: Option<ChildStdout>) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines());
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn a_library_is_preloaded_from_any_path() {
        let mut command = Command::new("true");
        preload(&mut command, Path::new("/a b:c/sockets"));
        assert_eq!(command.get_current_dir(), Some(Path::new("/a b:c")));
        let preloaded = command.get_envs().find(|(name, _)| *name == "LD_PRELOAD");
        assert_eq!(preloaded.and_then(|(_, value)| value), Some(OsStr::new("./sockets")));
    }
}
