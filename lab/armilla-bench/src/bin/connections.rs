//! `connections [half] [IDLE [ACTIVE [SECONDS]]] [-ORB…]` holds many connections to a server of its own,
//! of which few are active, and prints what that costs: latencies against those of the active ones
//! alone, threads, and memory for each connection. By default 9,900, 100 and 6; the options are the
//! server's. With `half`, the others have sent half a request and say no more.
//!
//! Fails when one of the bars is missed: a p99 of more than twice that of the active ones alone,
//! more than 16 KiB resident for a connection, or threads that come with connections.

use armilla::{Ior, Orb, SystemException, Version};
use armilla_bench::{Sink, ttcp_sequence};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    HEADER_LEN, MessageHeader, OutgoingRequest, ResponseFlags, TargetAddress, begin_request,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What else the machine does makes calls slower, never faster: of so many slices of time the one
/// with the best p99 counts.
const SLICES: u32 = 12;

/// How long an active connection rests between two calls.
const REST: Duration = Duration::from_millis(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("serve") => serve(&arguments).map(|()| true).map_err(Into::into),
        _ => measure(&arguments),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!("usage: connections [half] [IDLE [ACTIVE [SECONDS]]] [-ORB…]");
            ExitCode::from(2)
        }
    }
}

fn serve(arguments: &[String]) -> Result<(), SystemException> {
    let builder = Orb::builder().settings(|settings| settings.max_connections = 1 << 20);
    let orb =
        builder.listen("iiop://127.0.0.1:0")?.arguments(arguments.iter().cloned())?.build()?;
    let sink = orb.root_poa().activate(ttcp_sequence::tie(Sink))?;
    println!("{}", orb.object_to_string(&sink)?);
    orb.run()
}

fn measure(arguments: &[String]) -> Outcome<bool> {
    let half = arguments.first().is_some_and(|word| word == "half");
    let arguments = &arguments[usize::from(half)..];
    let options = arguments.iter().position(|word| word.starts_with("-ORB"));
    let (numbers, options) = arguments.split_at(options.unwrap_or(arguments.len()));
    let number = |index: usize, default| match numbers.get(index) {
        Some(text) => text.parse::<usize>(),
        None => Ok(default),
    };
    let (idle, active) = (number(0, 9_900)?, number(1, 100)?);
    let seconds = Duration::from_secs(number(2, 6)? as u64);
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;

    let server = Server::start(options)?;
    let mut lively = server.connections(active)?;
    let alone = best(&mut lively, seconds);
    let before = server.status()?;
    println!("{active:6} connections: {alone}; {before}");
    let mut waiting = server.connections(idle)?;
    if half {
        waiting.iter_mut().try_for_each(Client::begin_call)?;
    }
    let after = server.status()?;
    let crowded = best(&mut lively, seconds);
    println!("{:6} connections: {crowded}; {after}", active + waiting.len());
    let times = crowded.p99.as_secs_f64() / alone.p99.as_secs_f64();
    let grown = after.resident.saturating_sub(before.resident) * 1024;
    let octets = grown / idle.max(1);
    let threads = after.threads.saturating_sub(before.threads);
    println!("{times:.2} times the p99 (bar 2.00)");
    println!("{octets} octets resident for a connection that waits (bar 16384)");
    println!("{threads} more threads for them (bar 64, those of the first connections)");
    Ok(times <= 2.0 && octets <= 16_384 && threads <= 64)
}

/// A server in a process of its own.
struct Server {
    child: Child,
    address: (String, u16),
    request: Vec<u8>,
}

/// What the system says of it.
struct Status {
    threads: usize,
    /// KiB.
    resident: usize,
}

impl Server {
    fn start(options: &[String]) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.arg("serve").args(options).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().ok_or("no output")?).read_line(&mut line)?;
        let ior: Ior = line.trim().parse()?;
        let profile = ior.iiop_profiles().next().ok_or("no profile")??;
        let request = OutgoingRequest {
            request_id: 1,
            response: ResponseFlags::Target,
            target: TargetAddress::Key(&profile.object_key),
            operation: "sendNoParams_2way",
            contexts: &[],
        };
        let mut out = Encoder::new(ByteOrder::NATIVE);
        begin_request(&mut out, Version::V1_2, &request)?;
        MessageHeader::finish(&mut out)?;
        Ok(Self { child, address: (profile.host, profile.port), request: out.to_vec() })
    }

    /// So many connections, over each of which a call was made.
    fn connections(&self, count: usize) -> Outcome<Vec<Client>> {
        let (host, port) = &self.address;
        let connect = |_| {
            let stream = TcpStream::connect((host.as_str(), *port))?;
            stream.set_nodelay(true)?;
            let mut client = Client { stream, request: self.request.clone() };
            client.call()?;
            Ok(client)
        };
        (0..count).map(connect).collect()
    }

    fn status(&self) -> Outcome<Status> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let field = |name| -> Outcome<usize> {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("no field")?;
            Ok(line.split_whitespace().next().ok_or("no value")?.parse()?)
        };
        Ok(Status { threads: field("Threads:")?, resident: field("VmRSS:")? })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} threads, {} KiB resident", self.threads, self.resident)
    }
}

/// One connection.
struct Client {
    stream: TcpStream,
    request: Vec<u8>,
}

impl Client {
    /// Sends half a request.
    fn begin_call(&mut self) -> std::io::Result<()> {
        self.stream.write_all(&self.request[..self.request.len() / 2])
    }

    fn call(&mut self) -> Outcome<()> {
        self.stream.write_all(&self.request)?;
        let mut header = [0; HEADER_LEN];
        self.stream.read_exact(&mut header)?;
        let mut body = vec![0; MessageHeader::decode(&header)?.size as usize];
        Ok(self.stream.read_exact(&mut body)?)
    }
}

/// How long calls took.
struct Latencies {
    calls: usize,
    p50: Duration,
    p99: Duration,
}

impl std::fmt::Display for Latencies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { calls, p50, p99 } = self;
        write!(f, "{calls} calls, p50 {p50:.1?}, p99 {p99:.1?}")
    }
}

/// The best of the slices of `length`.
fn best(clients: &mut [Client], length: Duration) -> Latencies {
    let slices = (0..SLICES).map(|_| latencies(clients, length / SLICES));
    slices.min_by_key(|slice| slice.p99).expect("there are slices")
}

/// Calls over each of the connections now and then, all at the same time.
fn latencies(clients: &mut [Client], length: Duration) -> Latencies {
    let started = Instant::now();
    let mut all: Vec<Duration> = thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(number, client)| {
                scope.spawn(move || {
                    // They do not all begin at the same moment.
                    thread::sleep(REST * (number as u32 % 16) / 16);
                    let mut times = Vec::new();
                    while started.elapsed() < length {
                        let sent = Instant::now();
                        client.call().expect("the server answers");
                        times.push(sent.elapsed());
                        thread::sleep(REST);
                    }
                    times
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    all.sort_unstable();
    let at = |share: f64| all[((all.len() - 1) as f64 * share) as usize];
    Latencies { calls: all.len(), p50: at(0.5), p99: at(0.99) }
}
