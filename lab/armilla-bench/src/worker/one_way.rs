//! Datagrams in one direction: when the last of those that are sent together arrives, by the clock
//! that both processes share.

use super::answer::Answer;
use super::{Commands, Outcome, Worker};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, Write};
use std::net::UdpSocket;
use std::time::Duration;

/// How long the client waits for an answer.
const LIMIT: Duration = Duration::from_secs(2);

/// The largest datagram.
const LARGEST: usize = 9000;

/// The time since the start of the system.
fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Answers every datagram that begins with 1 with the time at which it came.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let socket = UdpSocket::bind((worker.place.as_str(), 0))?;
    println!("{}", socket.local_addr()?);
    io::stdout().flush()?;
    let mut buffer = [0; LARGEST];
    loop {
        let (_, sender) = socket.recv_from(&mut buffer)?;
        let came = now();
        if buffer[0] == 1 {
            let nanos = u64::try_from(came.as_nanos())?;
            socket.send_to(&nanos.to_ne_bytes(), sender)?;
        }
    }
}

/// The sender.
pub(super) struct Client {
    socket: UdpSocket,
}

impl Client {
    pub(super) fn connect(worker: &Worker) -> Outcome<Self> {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        socket.connect(&worker.place)?;
        socket.set_read_timeout(Some(LIMIT))?;
        Ok(Self { socket })
    }

    /// Sends `packets` together, and returns how long the last one took.
    fn send(&self, packets: u32, octets: usize) -> Outcome<Duration> {
        let mut data = vec![0; octets];
        let begun = now();
        for left in (0..packets).rev() {
            data[0] = u8::from(left == 0);
            self.socket.send(&data)?;
        }
        let mut came = [0; 8];
        self.socket.recv(&mut came)?;
        Ok(Duration::from_nanos(u64::from_ne_bytes(came)).saturating_sub(begun))
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        let ["one-way", packets, octets, count] = words else { return Ok(None) };
        let (packets, octets, count) = (packets.parse()?, octets.parse()?, count.parse()?);
        if !(1..=LARGEST).contains(&octets) {
            return Err(format!("a datagram has 1 to {LARGEST} octets").into());
        }
        let samples = (0..count).map(|_: u32| self.send(packets, octets));
        Ok(Answer::of_samples(samples.collect::<Outcome<_>>()?))
    }
}
