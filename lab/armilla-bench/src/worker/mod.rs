//! Workers: the Armilla programs that the harness starts. A server and a client communicate over
//! typed streams, through the ORB, or within a part of it. `peers/README.md` describes the
//! commands.

mod answer;
mod caller;
mod codec;
mod dcom;
mod demux;
mod dynamic;
mod imaging;
mod many;
mod one_way;
mod orb;
mod pages;
mod raw;
mod realtime;
mod servants;
mod variation;

pub use servants::{LibraryServant, Sink};

use crate::program::Transport;
use armilla_ipc::StreamOptions;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::thread;

/// The result in a worker. An error is reported to the harness and ends the worker.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// One side of a program.
#[derive(Debug, Clone)]
pub struct Worker {
    /// `ipc`, `orb`, `dcom`, `adapter`, `codec`, `one-way`, `imaging` or `realtime`.
    pub program: String,
    /// `server` or `client`; of `realtime`, `server`, `high`, `load`,
    /// `cockpit`, `releases` or `mutex`.
    pub role: String,
    /// The transport.
    pub transport: Transport,
    /// The address to listen at, or that of the server.
    pub place: String,
    /// The size of the socket queues in octets, 0 for the system's.
    pub queue: usize,
    /// Variations of the program, and options of the ORB.
    pub options: Vec<String>,
}

impl Worker {
    /// Parses the arguments from the harness.
    ///
    /// # Errors
    /// The arguments are invalid.
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

    /// Serves until killed, or answers commands until standard input closes.
    ///
    /// # Errors
    /// The error that ends the worker.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        match (self.program.as_str(), self.role.as_str()) {
            ("ipc", "server") => raw::serve(self),
            ("ipc", "client") => answer_all(&mut raw::Client::connect(self)?),
            ("orb", "server") => orb::serve(self),
            ("orb", "client") => answer_all(&mut orb::Client::connect(self)?),
            ("dcom", "server") => dcom::serve(self),
            ("dcom", "client") => answer_all(&mut dcom::Client::connect(self)?),
            ("one-way", "server") => one_way::serve(self),
            ("one-way", "client") => answer_all(&mut one_way::Client::connect(self)?),
            ("imaging", _) => imaging::run(self),
            ("realtime", _) => realtime::run(self),
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

/// The server of a program whose client does all the work.
fn wait() -> Outcome {
    println!("memory");
    io::stdout().flush()?;
    loop {
        thread::park();
    }
}

/// Carries out one command; `None` if it is not supported.
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
