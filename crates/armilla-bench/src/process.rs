//! A program at work: its two processes, placed, and the commands that its client answers.

use crate::machine::Placement;
use crate::network::Link;
use crate::peers::Peers;
use crate::program::{Kind, Program, Transport};
use armilla_ipc::affinity;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A program that takes longer for one command has hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// The server and the client of a program.
pub(crate) struct Running {
    server: Child,
    client: Child,
    commands: Option<ChildStdin>,
    answers: Receiver<String>,
}

/// What a program measured, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub(crate) total: f64,
    pub(crate) median: f64,
    pub(crate) p1: f64,
    pub(crate) p99: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// How a program is started.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Program,
    pub(crate) transport: Transport,
    pub(crate) placement: Placement,
    /// The size of the socket queues in octets, 0 for the system's.
    pub(crate) queue: usize,
    pub(crate) congestion: &'a str,
    /// The link between the two, if they are not on one machine.
    pub(crate) link: Option<&'a Link>,
    /// What the commands of server and client begin with: a program that observes them.
    pub(crate) prefixes: [Vec<String>; 2],
}

impl Running {
    /// Starts server and client.
    ///
    /// # Errors
    /// Says which program could not be started, and why.
    pub(crate) fn start(peers: &Peers, start: &Start<'_>) -> Result<Self, String> {
        let name = start.program.name;
        let failed = |what: &str| format!("{name} over {}: {what}", start.transport.name());
        let (server_cpu, client_cpu) = start.placement.cpus();
        let address = match (start.transport, start.link) {
            (_, Some(link)) => link.address().to_owned(),
            (Transport::Tcp, None) => "127.0.0.1".to_owned(),
            _ => socket_path(peers),
        };
        let mut server = spawn(peers, start, "server", &address, server_cpu)
            .map_err(|error| failed(&error.to_string()))?;
        let lines = lines_of(server.stdout.take());
        let place = lines.recv_timeout(PATIENCE);
        let client = match place {
            Ok(place) => spawn(peers, start, "client", &place, client_cpu),
            Err(_) => Err(io::Error::other("the server did not say where it is")),
        };
        let mut client = client.map_err(|error| {
            stop(&mut server);
            failed(&error.to_string())
        })?;
        let (commands, answers) = (client.stdin.take(), lines_of(client.stdout.take()));
        let running = Self { server, client, commands, answers };
        match running.answers.recv_timeout(PATIENCE).as_deref() {
            Ok("ready") => Ok(running),
            Ok(other) => Err(failed(other)),
            Err(_) => Err(failed("the client ended before it was ready")),
        }
    }

    /// Has the client carry out `command`; `None` when the program cannot do that.
    ///
    /// # Errors
    /// What the client says, or that it says nothing.
    pub(crate) fn carry_out(&mut self, command: &str) -> Result<Option<Measured>, String> {
        let sent = self.commands.as_mut().map(|pipe| writeln!(pipe, "{command}"));
        let answer = match sent {
            Some(Ok(())) => self.answers.recv_timeout(PATIENCE),
            _ => return Err(format!("{command:?}: the client has ended")),
        };
        let answer = answer.map_err(|_| format!("{command:?}: no answer"))?;
        let mut words = answer.split_whitespace();
        match words.next() {
            Some("no") => return Ok(None),
            Some("ok") => {}
            _ => return Err(format!("{command:?}: {answer}")),
        }
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [total, median, p1, p99, min, max] => {
                Ok(Some(Measured { total, median, p1, p99, min, max }))
            }
            _ => Err(format!("{command:?}: {answer}")),
        }
    }
}

impl Running {
    /// Ends both sides as they would end by themselves, so that who observes them can write what it
    /// has seen.
    pub(crate) fn finish(mut self) {
        self.commands = None;
        self.client.wait().ok();
        if let Some(group) = Pid::from_raw(self.server.id().cast_signed()) {
            kill_process_group(group, Signal::TERM).ok();
        }
        for _ in 0..100 {
            if matches!(self.server.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.commands = None;
        stop(&mut self.client);
        stop(&mut self.server);
    }
}

fn stop(child: &mut Child) {
    // A process that has ended already is what is wanted.
    child.kill().ok();
    child.wait().ok();
}

fn socket_path(peers: &Peers) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    peers.scratch().join(number.to_string()).display().to_string()
}

/// A program of ours, which is this very executable.
fn worker(which: &str) -> io::Result<Vec<OsString>> {
    Ok(vec![std::env::current_exe()?.into(), "bench-worker".into(), which.into()])
}

/// Starts one side on its processor, which a child inherits from the thread that starts it.
fn spawn(
    peers: &Peers,
    start: &Start<'_>,
    role: &str,
    place: &str,
    cpu: Option<usize>,
) -> io::Result<Child> {
    let program = match start.program.kind {
        Kind::Peer => vec![peers.binary(start.program.name).into_os_string()],
        Kind::Ipc => worker("ipc")?,
        Kind::Orb => worker("orb")?,
        Kind::Adapter => worker("adapter")?,
        Kind::Codec => worker("codec")?,
    };
    let server = role == "server";
    let namespace = start.link.map(|link| link.prefix(server)).unwrap_or_default();
    let words = namespace.into_iter().chain(start.prefixes[usize::from(!server)].clone());
    let mut words = words.map(OsString::from).chain(program);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    let queue = OsString::from(start.queue.to_string());
    command.args([role, start.transport.protocol(), place]).arg(queue).args(start.program.options);
    command.env("BENCH_CONGESTION", start.congestion);
    if start.program.kind == Kind::Peer && !start.program.is_raw() {
        command.env("LD_PRELOAD", peers.sockets()).env("BENCH_QUEUE", start.queue.to_string());
    }
    // Ctrl-C shall end the run, not the programs in the middle of it.
    command.process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let spawned = thread::scope(|scope| {
        let placed = scope.spawn(|| {
            cpu.map_or(Ok(()), affinity::pin_thread)?;
            command.spawn()
        });
        placed.join()
    });
    spawned.unwrap_or_else(|_| Err(io::Error::other("the starting thread panicked")))
}

/// The lines of a process, read by a thread so that they can be waited for with a limit.
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
