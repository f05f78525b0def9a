//! Compares stream endpoints with plain sockets: the same octets, from one process to another.
//!
//! ```text
//! cargo run --release -p armilla-stream --example bulk [ROUNDS]
//! ```
//!
//! For each size it prints medians in MiB/s, over TCP: plain sockets on a connection that stays and
//! on a new one each time; a stream endpoint from memory, with connections that are kept and with new
//! ones, from a file, with a checksum, and over a Unix-domain socket. Programs take turns round by
//! round, each round from another one on. The last column is the median of the ratios to plain
//! sockets in the same round.

use armilla_ipc::StreamOptions;
use armilla_stream::{
    Checksum, FlowAgreement, FlowConsumer, FlowEndPoint, FlowOptions, FlowProducer, FlowRequest,
    FlowSpec, Listener, StreamCtrlRef, StreamError,
};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

type Done = Result<(), Box<dyn Error>>;

const SIZES: [usize; 3] = [10 << 20, 20 << 20, 40 << 20];
const PROGRAMS: [&str; 7] = [
    "plain",
    "plain, new connection",
    "stream",
    "stream, new connection",
    "stream, file",
    "stream, CRC-32",
    "stream, unix",
];

fn main() -> Done {
    match std::env::args().nth(1).as_deref() {
        Some("serve") => serve(),
        rounds => measure(rounds.map_or(Ok(21), str::parse)?),
    }
}

/// The other process: plain sockets at one port, agreements at another.
fn serve() -> Done {
    let octets: Arc<Vec<u8>> = Arc::new((0..SIZES[2]).map(|at| at as u8).collect());
    let path = std::env::temp_dir().join(format!("armilla-bulk-{}", std::process::id()));
    std::fs::write(&path, &*octets)?;
    let file = Arc::new(File::open(&path)?);
    std::fs::remove_file(&path)?;
    let (plain, signalling) =
        (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    println!("{} {}", plain.local_addr()?.port(), signalling.local_addr()?.port());
    let sending = Arc::clone(&octets);
    std::thread::spawn(move || {
        for stream in plain.incoming().flatten() {
            let sending = Arc::clone(&sending);
            std::thread::spawn(move || serve_plain(stream, &sending));
        }
    });
    let (stream, _) = signalling.accept()?;
    let options = FlowOptions { stream: options(), ..FlowOptions::default() };
    let listener = Listener::builder().tcp("127.0.0.1", 0).unix().options(options).start()?;
    let mut answers = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let answer = agree(&listener, &line?, &octets, &file)?;
        // In one piece: the rest would wait for an acknowledgement.
        answers.write_all(format!("{answer}\n").as_bytes())?;
    }
    Ok(())
}

fn serve_plain(mut stream: TcpStream, octets: &[u8]) -> std::io::Result<()> {
    let mut size = [0; 8];
    while stream.read_exact(&mut size).is_ok() {
        stream.write_all(&octets[..u64::from_be_bytes(size) as usize])?;
    }
    Ok(())
}

/// One line in place of a call: a program and a size in, an endpoint out.
fn agree(
    listener: &Listener,
    line: &str,
    octets: &Arc<Vec<u8>>,
    file: &Arc<File>,
) -> Result<String, Box<dyn Error>> {
    let (program, size) = line.rsplit_once(' ').ok_or("a program and a size")?;
    let (size, from_file) = (size.parse::<usize>()?, program.ends_with("file"));
    let (octets, file) = (Arc::clone(octets), Arc::clone(file));
    let work = move |producer: Result<FlowProducer, StreamError>| {
        let send = |mut producer: FlowProducer| {
            match from_file {
                true => producer.send_file(&file, 0, size as u64)?,
                false => producer.write_all(&octets[..size])?,
            }
            producer.finish()
        };
        if let Err(error) = producer.and_then(send) {
            eprintln!("{error}");
        }
    };
    let request = request(program);
    let (agreement, _) = listener.agree(&request, FlowSpec::sized(size as u64), work)?;
    let endpoint = &agreement.listens[0];
    let token: String = endpoint.token.iter().map(|octet| format!("{octet:02x}")).collect();
    Ok(format!("{} {token}", endpoint.r#where[0]))
}

fn request(program: &str) -> FlowRequest {
    let transport = if program.ends_with("unix") { "unix" } else { "tcp" };
    let algorithm = if program.ends_with("32") { Checksum::Crc32 } else { Checksum::None };
    FlowRequest { connects: vec![transport.to_owned()], algorithm, ..FlowRequest::default() }
}

/// The same for all programs: the default may be made for other networks than the loopback.
fn options() -> StreamOptions {
    StreamOptions::default()
}

fn measure(rounds: usize) -> Done {
    let mut server = Command::new(std::env::current_exe()?);
    let mut server = server.arg("serve").stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let (plain, signalling) = line.trim().split_once(' ').ok_or("two ports")?;
    let mut plain = Plain { at: format!("127.0.0.1:{plain}"), stream: None };
    let mut calls = Calls::new(TcpStream::connect(format!("127.0.0.1:{signalling}"))?)?;
    let mut buffer = vec![0; 256 << 10];
    for size in SIZES {
        let mut times = PROGRAMS.map(|_| Vec::new());
        for round in 0..rounds {
            for at in (0..PROGRAMS.len()).map(|at| (at + round) % PROGRAMS.len()) {
                let (program, begin) = (PROGRAMS[at], Instant::now());
                match program.starts_with("plain") {
                    true => plain.fetch(program.ends_with("connection"), size, &mut buffer)?,
                    false => calls.fetch(program, size, &mut buffer)?,
                }
                times[at].push(begin.elapsed().as_secs_f64());
            }
        }
        println!("{} MiB", size >> 20);
        for (program, own) in PROGRAMS.iter().zip(&times) {
            let rate = (size >> 20) as f64 / median(own.clone());
            let ratio = median(times[0].iter().zip(own).map(|(plain, own)| plain / own).collect());
            println!("  {program:<24} {rate:>7.0} MiB/s  {ratio:.2}");
        }
    }
    drop(calls);
    server.wait()?;
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

struct Plain {
    at: String,
    stream: Option<TcpStream>,
}

impl Plain {
    fn fetch(&mut self, anew: bool, size: usize, buffer: &mut [u8]) -> Done {
        let mut stream = match self.stream.take() {
            Some(stream) if !anew => stream,
            kept => {
                self.stream = kept;
                TcpStream::connect(&self.at)?
            }
        };
        stream.write_all(&(size as u64).to_be_bytes())?;
        let mut left = size;
        while left > 0 {
            let most = left.min(buffer.len());
            left -= stream.read(&mut buffer[..most])?;
        }
        if !anew {
            self.stream = Some(stream);
        }
        Ok(())
    }
}

struct Calls {
    requests: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Calls {
    fn new(stream: TcpStream) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { requests: stream.try_clone()?, answers: BufReader::new(stream) })
    }

    fn fetch(&mut self, program: &str, size: usize, buffer: &mut [u8]) -> Done {
        self.requests.write_all(format!("{program} {size}\n").as_bytes())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let (at, token) = line.trim().split_once(' ').ok_or("an address and a token")?;
        let octet = |at| u8::from_str_radix(&token[at..at + 2], 16);
        let token = (0..token.len()).step_by(2).map(octet).collect::<Result<_, _>>()?;
        let endpoint = FlowEndPoint { r#where: vec![at.to_owned()], token, lifetime: 0 };
        let spec = FlowSpec::sized(size as u64).agreed(&request(program))?;
        let agreement =
            FlowAgreement { spec, listens: vec![endpoint], control: StreamCtrlRef::nil() };
        let max_idle = if program.ends_with("connection") { 0 } else { 4 };
        let options = FlowOptions { stream: options(), max_idle, ..FlowOptions::default() };
        let mut consumer: FlowConsumer = agreement.collect(&options)?;
        while consumer.read(buffer)? > 0 {}
        Ok(())
    }
}
