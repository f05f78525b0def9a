//! Ping-pong and flood over typed streams, to be compared with `bench/plain.c`; see `bench/run`.
//!
//! ```text
//! bench ping-pong|flood tcp|unix|abstract|fifo|pipe|pty|shm BYTES COUNT [QUEUE]
//! ```
//!
//! Prints the nanoseconds of one round trip, or of one message of the flood.

use armilla_ipc::{
    Acceptor, Address, Stream, StreamOptions, Transport, fifo::Fifo, pipe::Pipe, pty::Pty,
    tcp::Tcp, unix::Unix,
};
use std::time::{Duration, Instant};
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
        other => return Err(format!("there is no transport {other:?}").into()),
    }?;
    println!("{:.1}", each.as_nanos() as f64 / run.count as f64);
    Ok(())
}

/// Plays all rounds over one connection of `T`; tells how long they took together.
fn play<T: Transport>(
    address: &Address,
    options: &StreamOptions,
    run: Run,
) -> io::Result<Duration> {
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

fn ping_pong(client: &impl Stream, run: Run) -> io::Result<Duration> {
    let mut ball = vec![0; run.bytes];
    let start = Instant::now();
    for _ in 0..run.count {
        client.send_all(&ball)?;
        client.recv_all(&mut ball)?;
    }
    Ok(start.elapsed())
}

fn flood(client: &impl Stream, run: Run) -> io::Result<Duration> {
    let message = vec![0; run.bytes];
    let start = Instant::now();
    for _ in 0..run.count {
        client.send_all(&message)?;
    }
    client.recv_all(&mut [0; 1])?;
    Ok(start.elapsed())
}

fn serve(stream: &impl Stream, run: Run) -> io::Result<()> {
    let mut ball = vec![0; run.bytes];
    if run.flood {
        for _ in 0..run.count {
            stream.recv_all(&mut ball)?;
        }
        return Ok(stream.send_all(b"!")?);
    }
    while stream.recv_all(&mut ball).is_ok() {
        stream.send_all(&ball)?;
    }
    Ok(())
}
