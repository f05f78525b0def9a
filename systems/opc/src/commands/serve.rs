//! `serve`

use super::account::credentials;
use armilla_opc::server::{CLASS, PROG_ID, PlantOptions, PlantServer};
use armilla_terminal::{Context, Outcome, on_interrupt, say};
use clap::Args;
use std::path::PathBuf;
use std::sync::mpsc;

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where to listen; clients that cannot be told a port want 135
    #[arg(default_value = "127.0.0.1:135", value_name = "ADDRESS:PORT")]
    address: String,
    /// Who may call, and as whom sinks are called
    #[arg(long, default_value = "operator")]
    user: String,
    /// A file whose first line is the password; else ARMILLA_OPC_PASSWORD has it
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// How many tanks the plant has
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    tanks: u16,
    /// How many counters it has, each of which counts ten times a second
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    counters: u16,
    /// Serve clients that activate at level connect, and call sinks without security
    #[arg(long)]
    allow_low_level: bool,
    /// The names or addresses by which clients reach this host; needed with 0.0.0.0
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
}

impl Serve {
    pub(super) fn run(self) -> Outcome {
        let credentials = credentials(&self.user, self.password_file.as_deref())?;
        let options = PlantOptions {
            tanks: self.tanks.into(),
            counters: self.counters.into(),
            allow_low_level: self.allow_low_level,
            names: self.name,
            ..PlantOptions::new(credentials)
        };
        let server = PlantServer::listen(options, &*self.address);
        let server = server.context(format_args!("cannot serve at {}", self.address))?;
        say!("ready opcda://{}/{PROG_ID} ({CLASS})", server.address())?;
        let (end, ended) = mpsc::channel::<()>();
        on_interrupt("clients are told", move || drop(end))?;
        // The sender is dropped by the signal.
        let _ = ended.recv();
        server.announce_end("it was stopped");
        Ok(())
    }
}
