//! The demonstration: a client process calls a server process through generated code, then measures
//! the cost of a call against a plain socket.
//!
//! [`demonstrate`] starts both processes and waits for their end. Each is this executable once more,
//! which hands its arguments to [`run_process`] first. `server` and `client` hold their code.

#![forbid(unsafe_code)]

mod allocations;
mod calls;
mod client;
mod facts;
mod measure;
mod plain;
mod recorder;
mod report;
mod server;

/// The Rust generated from `idl/demo.idl` and `idl/ttcp.idl`.
mod generated {
    armilla::include_idl!("demo");
}

use armilla_ipc::affinity;
use armilla_terminal::{Context, Failure, Outcome, say};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a demonstration does beyond printing its calls and figures.
#[derive(Debug, Default)]
pub struct Demo {
    /// Also writes the figures to this file, as JSON.
    pub json: Option<PathBuf>,
    /// Measures too little for meaningful figures, as tests do.
    pub quick: bool,
}

/// Runs the demonstration. Returns whether it succeeded; the reason of a failure is on standard
/// error.
pub fn demonstrate(demo: &Demo) -> bool {
    reported(run(demo))
}

/// Runs one of the two processes, if `arguments` (without the name of the program) ask for one.
/// Returns whether it succeeded. A program that calls [`demonstrate`] has to call this before it
/// looks at its arguments.
pub fn run_process(arguments: &[OsString]) -> Option<bool> {
    let (role, options) = arguments.split_first()?;
    match role.to_str()? {
        SERVER => Some(reported(server::run(cpu_of(options)))),
        CLIENT => Some(reported(client::Arguments::read(options).and_then(client::run))),
        _ => None,
    }
}

/// The first arguments of the two processes.
const SERVER: &str = "demo-server";
const CLIENT: &str = "demo-client";

fn reported(outcome: Outcome) -> bool {
    outcome.map_err(Failure::report).is_ok()
}

/// The value of an option of one of the processes.
fn option<'a>(options: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    let at = options.iter().position(|option| option == name)?;
    options.get(at + 1).map(OsString::as_os_str)
}

/// The CPU to run on.
fn cpu_of(options: &[OsString]) -> Option<usize> {
    option(options, "--cpu")?.to_str()?.parse().ok()
}

fn run(demo: &Demo) -> Outcome {
    // The last CPU, because the first serves most of the machine's interrupts.
    let cpu = affinity::allowed_cpus()?.last().copied().map(|cpu| cpu.to_string());
    let server = Server::start(cpu.as_deref())?;
    let mut client = command(CLIENT, cpu.as_deref())?;
    client.arg("--telescope").arg(&server.telescope).arg("--probe").arg(&server.probe);
    if let Some(json) = &demo.json {
        client.arg("--json").arg(json);
    }
    if demo.quick {
        client.arg("--quick");
    }
    let mut client = client.stdin(Stdio::piped()).spawn().context("cannot start the client")?;
    say!("server process {}, client process {}", server.process.id(), client.id())?;
    say!("the server published {}", server.telescope)?;
    // The client exits when this pipe closes; `wait` would close it.
    let pipe = client.stdin.take();
    let status = client.wait().context("cannot wait for the client")?;
    drop(pipe);
    server.end()?;
    match status.success() {
        true => Ok(()),
        false if status.code().is_some() => Err(Failure::Reported),
        false => Err(Failure::because(format!("the client process ended with {status}"))),
    }
}

/// A command that starts this executable as one of the two processes.
fn command(role: &str, cpu: Option<&str>) -> Outcome<Command> {
    let myself = std::env::current_exe().context("cannot find this executable")?;
    let mut command = Command::new(myself);
    command.arg(role);
    if let Some(cpu) = cpu {
        command.arg("--cpu").arg(cpu);
    }
    Ok(command)
}

/// Calls `end` when the parent process has ended, for whatever reason: its end closes standard
/// input.
fn on_parent_exit(end: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        let mut discarded = [0];
        while matches!(std::io::stdin().read(&mut discarded), Ok(1..)) {}
        end();
    });
}

/// Binds this process to a CPU if allowed; returns the CPU.
fn bind(cpu: Option<usize>) -> Option<usize> {
    cpu.filter(|&cpu| affinity::pin_process(&[cpu]).is_ok())
}

/// The server process, which ends when this value is dropped.
struct Server {
    process: Child,
    /// The server exits when this pipe closes.
    pipe: Option<ChildStdin>,
    telescope: String,
    probe: String,
}

impl Server {
    /// How long the server has for an orderly shutdown.
    const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

    /// Starts the server and reads the references that it prints.
    fn start(cpu: Option<&str>) -> Outcome<Self> {
        let mut command = command(SERVER, cpu)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start the server")?;
        let pipe = process.stdin.take();
        let output = process.stdout.take();
        let (telescope, probe) = (String::new(), String::new());
        let mut server = Self { process, pipe, telescope, probe };
        let mut lines = BufReader::new(output.ok_or(Failure::Reported)?).lines();
        for reference in [&mut server.telescope, &mut server.probe] {
            let Some(line) = lines.next() else {
                return Err(Failure::because("the server process ended before it was ready"));
            };
            *reference = line.context("cannot read from the server")?;
        }
        Ok(server)
    }

    /// Shuts the server down and waits for its end.
    fn end(mut self) -> Outcome {
        self.stop().context("cannot end the server")
    }

    fn stop(&mut self) -> std::io::Result<()> {
        self.pipe = None;
        let asked = Instant::now();
        while self.process.try_wait()?.is_none() {
            if asked.elapsed() > Self::SHUTDOWN_TIMEOUT {
                self.process.kill()?;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // There is no caller to report an error to. A server that ended before is no error.
        let _ = self.stop();
    }
}
