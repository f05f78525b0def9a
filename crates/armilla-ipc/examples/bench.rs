//! Ping-pong and flood over typed streams, to be compared with `bench/plain.c`; see `bench/run`.
//!
//! ```text
//! bench tcp|unix|abstract|fifo|pipe|pty|shm [QUEUE]
//! ```
//!
//! Reads lines `ping-pong|flood BYTES COUNT`, plays each over a connection of its own, and answers
//! with the nanoseconds of one round trip, or of one message of the flood: those that passed, and
//! those for which the processor worked. `COUNT / 4` more, before that, warm up.

use armilla_ipc::{
    Acceptor, Address, Stream, StreamOptions, Transport, fifo::Fifo, pipe::Pipe, pty::Pty,
    shm::Shm, tcp::Tcp, unix::Unix,
};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::time::Duration;
use std::{env, io, thread};

/// What is measured.
#[derive(Clone, Copy)]
struct Run {
    flood: bool,
    bytes: usize,
    count: usize,
}

impl Run {
    fn warm_up(self) -> usize {
        self.count / 4
    }

    fn all(self) -> usize {
        self.warm_up() + self.count
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [transport, queue @ ..] = &args[..] else {
        return Err("usage: bench TRANSPORT [QUEUE]".into());
    };
    let queue = queue.first().map(|text| text.parse()).transpose()?;
    let options = StreamOptions {
        send_buffer: queue,
        recv_buffer: queue,
        congestion: Some("reno".into()),
        ..StreamOptions::default()
    };
    let path = env::temp_dir().join(format!("bench-{}", std::process::id()));
    match transport.as_str() {
        "tcp" => answer::<Tcp>(&Address::tcp("127.0.0.1", 0), &options),
        "unix" => answer::<Unix>(&Address::unix(path), &options),
        "abstract" => answer::<Unix>(&Address::abstract_name("bench"), &options),
        "fifo" => answer::<Fifo>(&Address::fifo(path), &options),
        "pipe" => answer::<Pipe>(&Address::pipe(path), &options),
        "pty" => answer::<Pty>(&Address::pty(path), &options),
        "shm" => answer::<Shm>(&Address::shm(path), &options),
        other => Err(format!("there is no transport {other:?}").into()),
    }
}

/// Plays what the lines of standard input say over connections of `T`.
fn answer<T: Transport>(address: &Address, options: &StreamOptions) -> Result<(), Box<dyn Error>> {
    let acceptor = T::listen(address, options)?;
    for line in io::stdin().lines() {
        let line = line?;
        let [mode, bytes, count] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err("a line must be: ping-pong|flood BYTES COUNT".into());
        };
        let run = Run { flood: mode == "flood", bytes: bytes.parse()?, count: count.parse()? };
        let (client, server) = connection::<T>(&acceptor, options)?;
        let [passed, worked] =
            play(&client, &server, run)?.map(|time| time.as_nanos() as f64 / run.count as f64);
        println!("{passed:.1} {worked:.1}");
    }
    Ok(())
}

/// Both ends of a new connection.
fn connection<T: Transport>(
    acceptor: &T::Acceptor,
    options: &StreamOptions,
) -> Result<(T::Stream, T::Stream), Box<dyn Error>> {
    // At the same time, because some transports connect only when the other side accepts.
    thread::scope(|scope| {
        let limit = Some(Duration::from_secs(5));
        let client = scope.spawn(move || T::connect(acceptor.local(), limit, options));
        let server = T::accept(acceptor)?.ok_or("the acceptor is closed")?;
        Ok((client.join().expect("connecting does not panic")?, server))
    })
}

/// Plays all rounds; tells how long they took together.
fn play<S: Stream>(client: &S, server: &S, run: Run) -> io::Result<[Duration; 2]> {
    thread::scope(|scope| {
        let server = scope.spawn(move || serve(server, run));
        let time = if run.flood { flood(client, run) } else { ping_pong(client, run) }?;
        server.join().expect("the server does not panic")?;
        Ok(time)
    })
}

/// A message, at the start of a page and in new memory for each turn, as in `plain.c`: what the
/// kernel's copying costs depends on where it lies, by a tenth and more.
struct Message {
    room: Vec<u8>,
    start: usize,
    bytes: usize,
}

/// So much memory the allocator fetches from the system, and gives back, every time.
const ROOM: usize = 33 << 20;

impl Message {
    fn new(bytes: usize) -> Self {
        let mut room = Vec::with_capacity(ROOM + bytes);
        room.resize(bytes + 4095, 1);
        let start = room.as_ptr().align_offset(4096);
        Self { room, start, bytes }
    }

    fn get(&mut self) -> &mut [u8] {
        &mut self.room[self.start..][..self.bytes]
    }
}

fn ping_pong(client: &impl Stream, run: Run) -> io::Result<[Duration; 2]> {
    let mut message = Message::new(run.bytes);
    let ball = message.get();
    let mut start = now();
    for round in 0..run.all() {
        if round == run.warm_up() {
            start = now();
        }
        client.send_all(ball)?;
        client.recv_all(ball)?;
    }
    Ok(since(start))
}

fn flood(client: &impl Stream, run: Run) -> io::Result<[Duration; 2]> {
    let mut message = Message::new(run.bytes);
    let bytes = message.get();
    let mut start = now();
    for round in 0..run.all() {
        if round == run.warm_up() {
            start = now();
        }
        client.send_all(bytes)?;
    }
    client.recv_all(&mut [0; 1])?;
    Ok(since(start))
}

fn serve(stream: &impl Stream, run: Run) -> io::Result<()> {
    let mut message = Message::new(run.bytes);
    let ball = message.get();
    for _ in 0..run.all() {
        stream.recv_all(ball)?;
        if !run.flood {
            stream.send_all(ball)?;
        }
    }
    if run.flood {
        stream.send_all(b"!")?;
    }
    Ok(())
}

/// The time, and the time for which the processor has worked for this process.
fn now() -> [Duration; 2] {
    [ClockId::Monotonic, ClockId::ProcessCPUTime].map(|clock| {
        let now = clock_gettime(clock);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    })
}

fn since([passed, worked]: [Duration; 2]) -> [Duration; 2] {
    let [passed_now, worked_now] = now();
    [passed_now - passed, worked_now - worked]
}
