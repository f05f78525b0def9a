//! `armilla demo`: a server process and a client process call each other through generated code,
//! then measure what a call costs beside a plain socket. This file starts the two processes and sees
//! that they end; what they do is in `server` and `client`.

pub(crate) mod client;
mod facts;
mod measure;
mod plain;
mod report;
pub(crate) mod server;
mod story;
mod tap;

/// The Rust that the IDL compiler made of `idl/demo.idl` and `idl/ttcp.idl`.
mod generated {
    armilla::include_idl!("demo");
}

use crate::failure::{Doing, Failure, Outcome};
use crate::output::say;
use armilla_ipc::affinity;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What `armilla demo` may be told.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Write the figures to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure so little that the figures mean nothing
    #[arg(long, hide = true)]
    quick: bool,
}

pub(crate) fn run(demo: &Demo) -> Outcome {
    // The last CPU, because the first serves most of the machine's interrupts.
    let cpu = affinity::allowed_cpus()?.last().copied().map(|cpu| cpu.to_string());
    let server = Server::start(cpu.as_deref())?;
    let mut client = command("demo-client", cpu.as_deref())?;
    client.arg("--telescope").arg(&server.telescope).arg("--probe").arg(&server.probe);
    if let Some(json) = &demo.json {
        client.arg("--json").arg(json);
    }
    if demo.quick {
        client.arg("--quick");
    }
    let mut client = client.stdin(Stdio::piped()).spawn().doing("cannot start the client")?;
    say!("server process {}, client process {}", server.process.id(), client.id())?;
    say!("the server published {}", server.telescope)?;
    // Waiting must not close the pipe, which tells the client that this process lives.
    let alive = client.stdin.take();
    let status = client.wait().doing("cannot wait for the client")?;
    drop(alive);
    server.end()?;
    match status.success() {
        true => Ok(()),
        false if status.code().is_some() => Err(Failure::Told),
        false => Err(Failure::because(format!("the client process ended by {status}"))),
    }
}

/// This executable again, as one of the two processes.
fn command(role: &str, cpu: Option<&str>) -> Outcome<Command> {
    let myself = std::env::current_exe().doing("cannot find this executable")?;
    let mut command = Command::new(myself);
    command.arg(role);
    if let Some(cpu) = cpu {
        command.arg("--cpu").arg(cpu);
    }
    Ok(command)
}

/// Ends this process, the server or the client, in its own way when the process that started it
/// ends for whatever reason: then standard input does.
fn when_abandoned(end: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        let mut nothing = [0];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        end();
    });
}

/// Binds this process to a CPU if it may; says which it is bound to.
fn bind(cpu: Option<usize>) -> Option<usize> {
    cpu.filter(|&cpu| affinity::pin_process(cpu).is_ok())
}

/// The server process. It is ended when this value goes.
struct Server {
    process: Child,
    alive: Option<ChildStdin>,
    telescope: String,
    probe: String,
}

impl Server {
    /// How long the server has to end in order.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// Starts it, and reads the references that it hands over on its standard output.
    fn start(cpu: Option<&str>) -> Outcome<Self> {
        let mut command = command("demo-server", cpu)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().doing("cannot start the server")?;
        let alive = process.stdin.take();
        let output = process.stdout.take();
        let (telescope, probe) = (String::new(), String::new());
        let mut server = Self { process, alive, telescope, probe };
        let mut lines = BufReader::new(output.ok_or(Failure::Told)?).lines();
        for reference in [&mut server.telescope, &mut server.probe] {
            let Some(line) = lines.next() else {
                return Err(Failure::because("the server process ended before it was ready"));
            };
            *reference = line.doing("cannot hear from the server")?;
        }
        Ok(server)
    }

    /// Asks it to end, and waits until it has.
    fn end(mut self) -> Outcome {
        self.stop().doing("cannot end the server")
    }

    fn stop(&mut self) -> std::io::Result<()> {
        self.alive = None;
        let asked = Instant::now();
        while self.process.try_wait()?.is_none() {
            if asked.elapsed() > Self::PATIENCE {
                self.process.kill()?;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nobody is left to be told; a server that ended before has nothing to say either.
        let _ = self.stop();
    }
}
