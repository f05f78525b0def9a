//! Shared memory against the sockets: round trips of two threads over every transport in turn, so
//! that whatever else the machine does meets all of them alike.
//!
//! ```text
//! cargo run --release -p armilla-ipc --example shm_race -- [TURNS]
//! ```
//!
//! Prints the median over all turns of each turn's median round trip. *One CPU* has both sides on
//! the same CPU, so that each must sleep for the other to run; *two CPUs* gives each its own.
//! Spinning makes sense, and is measured, only there. Over shared memory as it comes a stream finds
//! out by itself which of the two is the case.

use armilla_ipc::{Address, Stream, StreamOptions, affinity, connect, listen};
use std::time::{Duration, Instant};
use std::{env, error::Error, io, thread};

/// How long a spinning stream looks before it sleeps: longer than any answer takes.
const SPIN: Duration = Duration::from_millis(1);

#[derive(Clone, Copy)]
enum Means {
    Tcp,
    Unix,
    Shm,
    Sleeping,
    Spinning,
}

/// What is measured: the means, its name, the message's size and the number of rounds in a turn.
const RACES: [(usize, u32); 3] = [(12, 4000), (4096, 2000), (1 << 20, 40)];

const MEANS: [(Means, &str); 5] = [
    (Means::Tcp, "tcp"),
    (Means::Unix, "unix"),
    (Means::Shm, "shm as it comes"),
    (Means::Sleeping, "shm, sleeping"),
    (Means::Spinning, "shm, spinning"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let turns = env::args().nth(1).map_or(Ok(9), |text| text.parse::<usize>())?;
    let cpus = affinity::allowed_cpus()?;
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    for (what, pins) in [("one CPU", [first, first]), ("two CPUs", [first, last])] {
        for (bytes, rounds) in RACES {
            let mut medians = MEANS.map(|_| Vec::new());
            for _ in 0..turns {
                for ((means, _), medians) in MEANS.into_iter().zip(&mut medians) {
                    let spins = matches!(means, Means::Spinning);
                    if !spins || pins[0] != pins[1] {
                        medians.push(handle_events(means, bytes, rounds, pins)?);
                    }
                }
            }
            for ((_, name), medians) in MEANS.into_iter().zip(&mut medians) {
                if !medians.is_empty() {
                    println!("{what}, {bytes:>7} bytes, {name:<15}  {:>9.2?}", median(medians));
                }
            }
        }
    }
    Ok(())
}

/// Plays `rounds` over a new connection, and returns their median.
fn handle_events(
    means: Means,
    bytes: usize,
    rounds: u32,
    pins: [usize; 2],
) -> io::Result<Duration> {
    let [client, server] = pair(means)?;
    let pong = thread::spawn(move || {
        affinity::pin_thread(pins[1])?;
        let mut ball = vec![0; bytes];
        while server.recv_all(&mut ball).is_ok() {
            server.send_all(&ball)?;
        }
        io::Result::Ok(())
    });
    let ping = thread::spawn(move || {
        affinity::pin_thread(pins[0])?;
        let mut ball = vec![0; bytes];
        let mut times = Vec::with_capacity(rounds as usize);
        for round in 0..rounds + rounds / 10 {
            let start = Instant::now();
            client.send_all(&ball)?;
            client.recv_all(&mut ball)?;
            // The first tenth warms up.
            if round >= rounds / 10 {
                times.push(start.elapsed());
            }
        }
        io::Result::Ok(median(&mut times))
    });
    let time = ping.join().expect("the client does not panic")?;
    pong.join().expect("the server does not panic")?;
    Ok(time)
}

/// Both ends of a connection.
fn pair(means: Means) -> io::Result<[Box<dyn Stream>; 2]> {
    let path = env::temp_dir().join(format!("shm-race-{}", std::process::id()));
    let (address, spin) = match means {
        Means::Tcp => (Address::tcp("127.0.0.1", 0), None),
        Means::Unix => (Address::unix(path), None),
        Means::Shm => (Address::shm(path), None),
        Means::Sleeping => (Address::shm(path), Some(Duration::ZERO)),
        Means::Spinning => (Address::shm(path), Some(SPIN)),
    };
    let options = StreamOptions { busy_poll: spin, ..StreamOptions::default() };
    let acceptor = listen(&address, &options)?;
    let client = connect(acceptor.local(), None, &options)?;
    let server = acceptor.accept()?.ok_or(io::ErrorKind::NotConnected)?;
    Ok([client, server])
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
