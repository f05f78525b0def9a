//! Ping-pong and flood over typed streams, to be compared with `bench/plain.c`; see `bench/run`.
//!
//! ```text
//! bench ping-pong|flood tcp|unix|abstract|fifo|pipe|pty|shm BYTES COUNT [QUEUE]
//! ```
//!
//! Prints the nanoseconds of one round trip, or of one message of the flood: those that passed, and
//! those for which the processor worked.

use armilla_ipc::{
    Acceptor, Address, Stream, StreamOptions, Transport, fifo::Fifo, pipe::Pipe, pty::Pty,
    shm::Shm, tcp::Tcp, unix::Unix,
};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;
use std::{env, io, thread};

/// What is measured.
#[derive(Clone, Copy)]
struct Run {
    flood: bool,
    bytes: usize,
    count: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [mode, transport, bytes, count, queue @ ..] = &args[..] else {
        return Err("usage: bench ping-pong|flood TRANSPORT BYTES COUNT [QUEUE]".into());
    };
    let run = Run { flood: mode == "flood", bytes: bytes.parse()?, count: count.parse()? };
    let queue = queue.first().map(|text| text.parse()).transpose()?;
    let options = StreamOptions {
        send_buffer: queue,
        recv_buffer: queue,
        congestion: Some("reno".into()),
        ..StreamOptions::default()
    };
    let path = env::temp_dir().join(format!("bench-{}", std::process::id()));
    let each = match transport.as_str() {
        "tcp" => play::<Tcp>(&Address::tcp("127.0.0.1", 0), &options, run),
        "unix" => play::<Unix>(&Address::unix(path), &options, run),
        "abstract" => play::<Unix>(&Address::abstract_name("bench"), &options, run),
        "fifo" => play::<Fifo>(&Address::fifo(path), &options, run),
        "pipe" => play::<Pipe>(&Address::pipe(path), &options, run),
        "pty" => play::<Pty>(&Address::pty(path), &options, run),
        "shm" => play::<Shm>(&Address::shm(path), &options, run),
        other => return Err(format!("there is no transport {other:?}").into()),
    }?;
    let [passed, worked] = each.map(|time| time.as_nanos() as f64 / run.count as f64);
    println!("{passed:.1} {worked:.1}");
    Ok(())
}

/// Plays all rounds over one connection of `T`; tells how long they took together.
fn play<T: Transport>(
    address: &Address,
    options: &StreamOptions,
    run: Run,
) -> io::Result<[Duration; 2]> {
    let acceptor = T::listen(address, options)?;
    thread::scope(|scope| {
        let server = scope.spawn(|| match T::accept(&acceptor)? {
            Some(server) => serve(&server, run),
            None => Ok(()),
        });
        let client = T::connect(acceptor.local(), Some(Duration::from_secs(5)), options)?;
        let time = if run.flood { flood(&client, run) } else { ping_pong(&client, run) }?;
        drop(client);
        server.join().expect("the server does not panic")?;
        Ok(time)
    })
}

/// A message, at the start of a page as in `plain.c`: what the kernel's copying costs depends on it.
struct Message {
    room: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Message {
    fn new(bytes: usize) -> Self {
        let room = vec![0; bytes + 4095];
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
    let start = now();
    for _ in 0..run.count {
        client.send_all(ball)?;
        client.recv_all(ball)?;
    }
    Ok(since(start))
}

fn flood(client: &impl Stream, run: Run) -> io::Result<[Duration; 2]> {
    let mut message = Message::new(run.bytes);
    let bytes = message.get();
    let start = now();
    for _ in 0..run.count {
        client.send_all(bytes)?;
    }
    client.recv_all(&mut [0; 1])?;
    Ok(since(start))
}

fn serve(stream: &impl Stream, run: Run) -> io::Result<()> {
    let mut message = Message::new(run.bytes);
    let ball = message.get();
    if run.flood {
        for _ in 0..run.count {
            stream.recv_all(ball)?;
        }
        return Ok(stream.send_all(b"!")?);
    }
    while stream.recv_all(ball).is_ok() {
        stream.send_all(ball)?;
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
