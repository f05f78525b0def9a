//! Bodies of requests and answers that are too large for memory, in pieces: a thread that may wait
//! reads or writes them, while the console moves the octets.

use axum::body::{Body, BodyDataStream, Bytes};
use futures_core::Stream;
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How long a peer may take nothing of an answer.
const STALL: Duration = Duration::from_secs(30);

/// How many pieces of a request wait to be read.
const PIECES: usize = 4;

/// How many octets of an answer wait for the peer, at most, and how many are one piece.
const WAITING: usize = 1 << 20;
const PIECE: usize = 64 << 10;

/// The body of a request as octets that come. It is read in a thread that may wait
/// ([`spawn_blocking`](crate::spawn_blocking)). A peer that sends too slowly
/// ([`ConsoleLimits::body`](crate::ConsoleLimits::body)), one that breaks off, and a body beyond the
/// limit of its route are errors.
#[derive(Debug)]
pub struct BodyReader {
    pieces: Receiver<io::Result<Bytes>>,
    piece: Bytes,
}

impl BodyReader {
    /// The octets of a body. It is called by a handler, in the thread of the console.
    pub fn new(body: Body) -> Self {
        let (sender, pieces) = mpsc::channel(PIECES);
        tokio::spawn(pump(body.into_data_stream(), sender));
        Self { pieces, piece: Bytes::new() }
    }
}

async fn pump(mut body: BodyDataStream, to: Sender<io::Result<Bytes>>) {
    loop {
        let next = poll_fn(|context| Pin::new(&mut body).poll_next(context));
        let piece = match next.await {
            Some(Ok(piece)) => Ok(piece),
            Some(Err(error)) => Err(broken_off(&error)),
            None => Ok(Bytes::new()),
        };
        // An empty piece is the end.
        let ended = piece.as_ref().map_or(true, Bytes::is_empty);
        if to.send(piece).await.is_err() || ended {
            return;
        }
    }
}

fn broken_off(error: &axum::Error) -> io::Error {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            let what = "the body is larger than what is taken here";
            return io::Error::new(ErrorKind::FileTooLarge, what);
        }
        if let Some(error) = error.downcast_ref::<io::Error>()
            && error.kind() == ErrorKind::TimedOut
        {
            return io::Error::new(ErrorKind::TimedOut, error.to_string());
        }
        cause = error.source();
    }
    io::Error::new(ErrorKind::ConnectionAborted, format!("the body was broken off: {error}"))
}

impl Read for BodyReader {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        if self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => return Err(error),
                None => return Ok(0),
            }
            // The end, also if it is read once more.
            if self.piece.is_empty() {
                self.pieces.close();
                return Ok(0);
            }
        }
        let count = self.piece.len().min(octets.len());
        octets[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}

/// Where an answer is written by a thread that may wait. At most 1 MiB waits for the peer; one that
/// takes nothing for 30 seconds, or goes away, is an error.
pub struct BodyWriter {
    pipe: Arc<Pipe>,
    piece: Vec<u8>,
    ended: bool,
}

/// An answer that `work` writes, in a thread where it may wait. Its error, and a panic, break the
/// answer off, so that the peer sees that it is not complete. It is called by a handler, in the
/// thread of the console.
pub fn written_body(work: impl FnOnce(&mut BodyWriter) -> io::Result<()> + Send + 'static) -> Body {
    let pipe = Arc::new(Pipe::default());
    let mut writer = BodyWriter { pipe: Arc::clone(&pipe), piece: Vec::new(), ended: false };
    tokio::task::spawn_blocking(move || {
        let done = work(&mut writer).and_then(|()| writer.flush());
        writer.ended = true;
        writer.pipe.end(done.err());
    });
    Body::from_stream(Pieces(pipe))
}

impl Write for BodyWriter {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(octets);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.piece.is_empty() {
            true => Ok(()),
            false => self.pipe.push(std::mem::take(&mut self.piece).into()),
        }
    }
}

impl Drop for BodyWriter {
    fn drop(&mut self) {
        if !self.ended {
            self.pipe.end(Some(io::Error::other("the answer was broken off")));
        }
    }
}

impl fmt::Debug for BodyWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyWriter").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// Octets on their way from a thread that waits to a task.
#[derive(Default)]
struct Pipe {
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<io::Result<Bytes>>,
    octets: usize,
    /// Nothing comes any more.
    ended: bool,
    /// Nobody reads any more.
    closed: bool,
    reader: Option<Waker>,
}

impl Pipe {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, piece: Bytes) -> io::Result<()> {
        let full = |state: &mut State| state.octets >= WAITING && !state.closed;
        let waited = self.room.wait_timeout_while(self.state(), STALL, full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if waited.timed_out() {
            return Err(io::Error::new(ErrorKind::TimedOut, "the peer takes no more"));
        }
        state.octets += piece.len();
        state.pieces.push_back(Ok(piece));
        wake(state);
        Ok(())
    }

    fn end(&self, error: Option<io::Error>) {
        let mut state = self.state();
        state.ended = true;
        state.pieces.extend(error.map(Err));
        wake(state);
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

/// The end that the console reads.
struct Pieces(Arc<Pipe>);

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut state = self.0.state();
        if let Some(piece) = state.pieces.pop_front() {
            state.octets -= piece.as_ref().map_or(0, Bytes::len);
            self.0.room.notify_one();
            return Poll::Ready(Some(piece));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.room.notify_one();
    }
}
