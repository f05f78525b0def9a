//! The server of `src/bin/probe.rs` as a separate process.

use crate::gate::eventually;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

/// A server process that serves.
#[derive(Debug)]
pub struct Process {
    child: Child,
    id: u32,
    /// Where its `Probe::Everything` is.
    pub url: String,
}

impl Process {
    /// Starts `command`, which runs `probe serve`, and waits until it serves and handles signals.
    ///
    /// # Panics
    /// When it does not.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (id, url) = line.trim().split_once(' ').unwrap();
        let id = id.parse().unwrap();
        eventually("the process awaits signals", || catches_interrupts(id));
        Self { child, id, url: url.to_owned() }
    }

    /// Host and port.
    ///
    /// # Panics
    /// When the URL is not of the usual form.
    pub fn address(&self) -> (&str, u16) {
        let place = self.url.strip_prefix("corbaloc::").unwrap();
        let (host, port) = place.split_once('/').unwrap().0.split_once(':').unwrap();
        (host, port.parse().unwrap())
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Sends a signal to it.
    ///
    /// # Panics
    /// When it is not there any more.
    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.id.try_into().unwrap()).unwrap();
        kill_process(process, signal).unwrap();
    }

    /// Stops it, and waits until each of its threads stands still: a thread on another processor
    /// may answer after the signal was sent.
    ///
    /// # Panics
    /// When it is not there any more.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
        eventually("the process stands still", || stands_still(self.id));
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// When it does not end.
    pub fn await_end(&mut self) -> ExitStatus {
        let mut ended = None;
        eventually("the process ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Of a process that has ended nothing is left to kill.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Whether each thread of the process is stopped, as the system sees it.
fn stands_still(id: u32) -> bool {
    fs::read_dir(format!("/proc/{id}/task")).unwrap().all(|thread| {
        // The state follows the name, which is in parentheses and may hold any character.
        let stat = fs::read_to_string(thread.unwrap().path().join("stat")).unwrap();
        stat.rsplit(") ").next().unwrap().starts_with('T')
    })
}

/// Whether the process has a handler for SIGINT, as the system sees it.
fn catches_interrupts(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
    mask >> (Signal::INT.as_raw() - 1) & 1 != 0
}
