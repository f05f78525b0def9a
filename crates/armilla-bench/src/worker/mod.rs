//! Our own programs as the harness starts them: a server and a client, over the typed streams alone
//! through the ORB, or within a part of it. They keep to the commands of `peers/README.md`.

mod answer;
mod caller;
mod codec;
mod demux;
mod dynamic;
mod many;
mod orb;
mod raw;
mod servants;
mod variation;

pub use servants::{LibraryServant, Sink};

use crate::program::Transport;
use armilla_ipc::StreamOptions;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::thread;

/// What can go wrong in a worker; it is told to the harness and ends the worker.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Which program, which side of it, and over what.
#[derive(Debug, Clone)]
pub struct Worker {
    /// `ipc`, `orb`, `adapter` or `codec`.
    pub program: String,
    /// `server` or `client`.
    pub role: String,
    /// Over what.
    pub transport: Transport,
    /// The address to listen at, or where the server is.
    pub place: String,
    /// The size of the socket queues in octets, 0 for the system's.
    pub queue: usize,
    /// Variations of the program, and options of the ORB.
    pub options: Vec<String>,
}

impl Worker {
    /// Reads the arguments that the harness starts a worker with.
    ///
    /// # Errors
    /// When they are not what the harness gives.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let [program, role, transport, place, queue, options @ ..] = words else {
            return Err("usage: PROGRAM server|client TRANSPORT PLACE QUEUE [OPTION…]".into());
        };
        Ok(Self {
            program: program.clone(),
            role: role.clone(),
            transport: Transport::parse(transport)
                .ok_or_else(|| format!("{transport:?} is no transport"))?,
            place: place.clone(),
            queue: queue.parse().map_err(|_| format!("{queue:?} is no size"))?,
            options: options.to_vec(),
        })
    }

    /// Serves until killed, or answers commands until they end.
    ///
    /// # Errors
    /// Whatever keeps it from that.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        match (self.program.as_str(), self.role.as_str()) {
            ("ipc", "server") => raw::serve(self),
            ("ipc", "client") => answer_all(&mut raw::Client::connect(self)?),
            ("orb", "server") => orb::serve(self),
            ("orb", "client") => answer_all(&mut orb::Client::connect(self)?),
            ("adapter" | "codec", "server") => wait(),
            ("codec", "client") => answer_all(&mut codec::Client::new(self)?),
            ("adapter", "client") => answer_all(&mut demux::Client::new(self)?),
            (program, role) => Err(format!("there is no {role} of {program:?}").into()),
        }
    }

    /// The options of every socket.
    fn stream_options(&self) -> StreamOptions {
        let queue = (self.queue > 0).then_some(self.queue);
        StreamOptions {
            send_buffer: queue,
            recv_buffer: queue,
            congestion: std::env::var("BENCH_CONGESTION").ok(),
            ..StreamOptions::default()
        }
    }
}

/// A server of those whose client has everything in itself.
fn wait() -> Outcome {
    println!("memory");
    io::stdout().flush()?;
    loop {
        thread::park();
    }
}

/// Carries out one command; `None` when it cannot.
trait Commands {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<answer::Answer>>;
}

fn answer_all(client: &mut dyn Commands) -> Outcome {
    let mut out = io::stdout().lock();
    writeln!(out, "ready")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match client.carry_out(&words) {
            Ok(Some(answer)) => writeln!(out, "{answer}")?,
            Ok(None) => writeln!(out, "no such command here")?,
            Err(error) => writeln!(out, "error {}", error.to_string().replace('\n', " "))?,
        }
        out.flush()?;
    }
    Ok(())
}
