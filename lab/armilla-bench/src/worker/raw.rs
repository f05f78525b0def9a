//! Typed streams without a protocol: the work of `plain.c` over `armilla-ipc`.

use super::answer::Answer;
use super::pages::Pages;
use super::{Commands, Outcome, Worker};
use armilla_ipc::{Address, SendError, Stream, connect, listen};
use std::io::{self, IoSlice, Write};

/// The announcement of a client to the server: kind, count, octets of the request, octets of the
/// reply.
type Task = [u32; 4];

const FLOOD: u32 = 1;

/// Serves one connection after the other.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let acceptor = listen(&worker.transport.address(&worker.place), &worker.stream_options())?;
    println!("{}", acceptor.local());
    io::stdout().flush()?;
    while let Some(stream) = acceptor.accept()? {
        // A failed connection does not end the server.
        serve_one(&*stream).ok();
    }
    Ok(())
}

fn serve_one(stream: &dyn Stream) -> Outcome {
    let mut buffer = Pages::default();
    loop {
        let [kind, count, there, back] = receive_task(stream)?;
        let (there, back) = (there as usize, back as usize);
        buffer.resize(there.max(back), 0);
        if kind == FLOOD {
            let total = there as u64 * u64::from(count);
            let mut left = total;
            while left > 0 {
                let room = usize::try_from(left).unwrap_or(usize::MAX).min(there);
                match stream.recv(&mut buffer[..room])? {
                    0 => return Ok(()),
                    received => left -= received as u64,
                }
            }
            stream.send_all(&total.to_ne_bytes())?;
        } else {
            for _ in 0..count {
                stream.recv_all(&mut buffer[..there])?;
                stream.send_all(&buffer[..back])?;
            }
        }
    }
}

fn receive_task(stream: &dyn Stream) -> Outcome<Task> {
    let mut octets = [0; 16];
    stream.recv_all(&mut octets)?;
    let (numbers, _) = octets.as_chunks::<4>();
    let number = |place: usize| numbers.get(place).map_or(0, |n| u32::from_ne_bytes(*n));
    Ok([number(0), number(1), number(2), number(3)])
}

/// The length of a header, if header and payload are separate.
const HEADER: usize = 48;

/// How to send a request with a header and a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SendMode {
    /// As one buffer.
    Whole,
    /// Copied into one buffer.
    Copied,
    /// With one system call for both.
    Gathered,
    /// With one system call for each.
    TwoWrites,
}

/// The client.
pub(super) struct Client {
    stream: Box<dyn Stream>,
    mode: SendMode,
    buffer: Pages,
    whole: Vec<u8>,
}

impl Client {
    pub(super) fn connect(worker: &Worker) -> Outcome<Self> {
        let address: Address = worker.place.parse()?;
        let stream = connect(&address, None, &worker.stream_options())?;
        let mode = match worker.options.first().map(String::as_str) {
            None => SendMode::Whole,
            Some("copied") => SendMode::Copied,
            Some("gathered") => SendMode::Gathered,
            Some("two-writes") => SendMode::TwoWrites,
            Some(other) => return Err(format!("{other:?} is no send mode").into()),
        };
        Ok(Self { stream, mode, buffer: Pages::default(), whole: Vec::new() })
    }

    fn announce(&self, task: Task) -> Outcome {
        let octets: Vec<u8> = task.into_iter().flat_map(u32::to_ne_bytes).collect();
        Ok(self.stream.send_all(&octets)?)
    }

    fn exchange(&mut self, there: u32, back: u32, count: u32) -> Outcome<Answer> {
        let (request, reply) = (there as usize, back as usize);
        self.buffer.resize(request.max(reply), b'x');
        self.announce([0, count, there, back])?;
        Answer::of_each(count, |_| {
            self.send(request)?;
            Ok(self.stream.recv_all(&mut self.buffer[..reply])?)
        })
    }

    fn send(&mut self, request: usize) -> Result<(), SendError> {
        let (header, payload) = self.buffer[..request].split_at(HEADER.min(request));
        match self.mode {
            SendMode::Whole => self.stream.send_all(&self.buffer[..request]),
            SendMode::Copied => {
                self.whole.clear();
                self.whole.extend_from_slice(header);
                self.whole.extend_from_slice(payload);
                self.stream.send_all(&self.whole)
            }
            SendMode::Gathered => {
                self.stream.send_all_vectored(&[IoSlice::new(header), IoSlice::new(payload)])
            }
            SendMode::TwoWrites => {
                self.stream.send_all(header)?;
                self.stream.send_all(payload)
            }
        }
    }

    fn flood(&mut self, octets: u32, count: u32) -> Outcome<Answer> {
        self.buffer.resize(octets as usize, b'x');
        Answer::of_all(|| {
            self.announce([FLOOD, count, octets, 0])?;
            for _ in 0..count {
                self.stream.send_all(&self.buffer)?;
            }
            let mut confirmed = [0; 8];
            self.stream.recv_all(&mut confirmed)?;
            let expected = u64::from(octets) * u64::from(count);
            match u64::from_ne_bytes(confirmed) {
                total if total == expected => Ok(()),
                total => Err(format!("{total} octets arrived of {expected}").into()),
            }
        })
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        match *words {
            ["exchange", there, back, count] => {
                self.exchange(there.parse()?, back.parse()?, count.parse()?).map(Some)
            }
            ["flood", octets, count] => self.flood(octets.parse()?, count.parse()?).map(Some),
            _ => Ok(None),
        }
    }
}
