//! Hosts: where processes are started, watched and ended.
//!
//! `local` is this host, `remote` one with an activator, `logs` the files of what processes write.

mod local;
mod logs;
mod remote;

pub(crate) use local::LocalHost;
pub use logs::LogLimits;
pub(crate) use remote::RemoteHost;

use crate::model::{Definition, Ending, RunId};
use armilla_ipc::process::EndSignal;
use std::sync::Arc;

/// What a process is started with.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) run: RunId,
    pub(crate) definition: Arc<Definition>,
    /// `HOST:PORT` of the repository.
    pub(crate) repository: String,
}

/// A process that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launched {
    pub(crate) process: u32,
    /// When it was started, in ticks since its host was.
    pub(crate) started: u64,
    /// Where it will listen if it does not register.
    pub(crate) address: Option<String>,
}

/// A stream to which a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// Is told of the ends of processes.
pub(crate) type OnEnd = Arc<dyn Fn(RunId, Ending) + Send + Sync>;

/// A host that starts processes. Any thread may call it.
pub(crate) trait Host: Send + Sync {
    /// The name of the host.
    fn name(&self) -> String;

    /// Starts a process in a session of its own, and reports its end when it comes.
    fn start(&self, launch: &Launch) -> Result<Launched, String>;

    /// Signals a process and all that it has started. One that has ended is ignored.
    fn signal(&self, run: RunId, signal: EndSignal);

    /// The end of what a server has written, at most `limit` octets.
    fn log(&self, name: &str, stream: LogStream, limit: usize) -> Result<Vec<u8>, String>;

    /// Watches a process that was started before the repository was. Returns whether it still
    /// runs; if so, its end is reported.
    fn watch(&self, run: RunId, name: &str, process: u32, started: u64) -> bool;
}
