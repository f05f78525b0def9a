//! Two threads throw a message to and fro over a typed stream, and tell the mean round trip.
//!
//! ```text
//! cargo run --release --example ping_pong -- [tcp|unix|shm] [ROUNDS] [BYTES]
//! ```
//!
//! Under `strace -f -c` every round over a socket costs two `sendto` and two `recvfrom`, one of
//! each per side. Under `valgrind --tool=callgrind` the difference of two run lengths gives the
//! instructions per round, those of both sides together. Each side runs on the same CPU, as
//! `taskset -c 0` would do.

use armilla_ipc::shm::Shm;
use armilla_ipc::tcp::Tcp;
use armilla_ipc::unix::Unix;
use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, Transport, affinity};
use std::time::{Duration, Instant};
use std::{env, io, thread};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let transport = args.next().unwrap_or_else(|| "tcp".into());
    let rounds = args.next().map_or(Ok(100_000), |text| text.parse())?;
    let bytes = args.next().map_or(Ok(12), |text| text.parse())?;
    if let Some(&cpu) = affinity::allowed_cpus()?.first() {
        affinity::pin_process(&[cpu])?;
    }
    match transport.as_str() {
        "tcp" => play::<Tcp>(&Address::tcp("127.0.0.1", 0), rounds, bytes)?,
        "unix" => {
            let name = format!("ping-pong-{}", std::process::id());
            play::<Unix>(&Address::unix(env::temp_dir().join(name)), rounds, bytes)?;
        }
        "shm" => {
            let name = format!("ping-pong-{}", std::process::id());
            play::<Shm>(&Address::shm(env::temp_dir().join(name)), rounds, bytes)?;
        }
        other => return Err(format!("there is no transport {other:?}, only tcp, unix, shm").into()),
    }
    Ok(())
}

/// Plays all rounds over one connection of `T` and prints how long they took.
fn play<T: Transport>(address: &Address, rounds: u32, bytes: usize) -> io::Result<()> {
    let options = StreamOptions::default();
    let acceptor = T::listen(address, &options)?;
    let client = T::connect(acceptor.local(), Some(Duration::from_secs(5)), &options)?;
    let Some(server) = T::accept(&acceptor)? else { return Ok(()) };
    let pong = thread::spawn(move || serve(&server, bytes));

    let mut ball = vec![0; bytes];
    let start = Instant::now();
    for _ in 0..rounds {
        client.send_all(&ball)?;
        catch(&client, &mut ball)?;
    }
    let each = start.elapsed() / rounds.max(1);
    println!("{rounds} rounds of {bytes} bytes over {}: {each:?} each", acceptor.local());

    drop(client);
    pong.join().expect("the server does not panic")
}

/// Sends back every message of `bytes` bytes until the client has gone.
fn serve(stream: &impl Stream, bytes: usize) -> io::Result<()> {
    let mut ball = vec![0; bytes];
    while catch(stream, &mut ball)? {
        stream.send_all(&ball)?;
    }
    Ok(())
}

/// Fills `ball`; false at the end of the stream.
#[inline]
fn catch(stream: &impl Stream, ball: &mut [u8]) -> io::Result<bool> {
    let mut caught = 0;
    while caught < ball.len() {
        match stream.recv(&mut ball[caught..])? {
            0 => return Ok(false),
            count => caught += count,
        }
    }
    Ok(true)
}
