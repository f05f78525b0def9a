//! The time that peers have. The timeouts of a socket begin anew with each octet, so one that sends
//! an octet at a time would hold its place for ever: here a whole PDU has a time, and a message one
//! that grows with what has come. A thread closes the sockets of those that are late.

use super::PATIENCE;
use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many octets of a message must come or go in a second, once [`PATIENCE`] is over.
const SLOWEST: u32 = 1024;

/// Closes sockets whose time is over. Clones share the thread.
#[derive(Clone)]
pub(super) struct Deadlines(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    numbers: u64,
    sockets: HashMap<u64, Limited>,
    /// Until when the thread sleeps; `None` for ever.
    sleeps: Option<Instant>,
}

/// A socket, and when it is closed.
struct Limited {
    socket: TcpStream,
    end: Option<Instant>,
}

/// The time of one socket, which ends when this is dropped.
pub(super) struct Timer {
    shared: Arc<Shared>,
    number: u64,
}

impl Deadlines {
    /// Starts the thread, which lasts as long as the process.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn start() -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("dicom-deadlines".to_owned());
        thread.spawn(move || of_thread.close_late())?;
        Ok(Self(shared))
    }

    /// Watches a socket. It has all the time until a limit is set.
    ///
    /// # Errors
    /// The system has no descriptor.
    pub(super) fn watch(&self, socket: &TcpStream) -> io::Result<Timer> {
        let socket = socket.try_clone()?;
        let mut state = self.0.state();
        state.numbers += 1;
        let number = state.numbers;
        state.sockets.insert(number, Limited { socket, end: None });
        Ok(Timer { shared: Arc::clone(&self.0), number })
    }
}

impl Timer {
    /// The socket is closed after this time, unless another limit is set before.
    pub(super) fn limit(&self, limit: Duration) {
        let end = Instant::now().checked_add(limit);
        let mut state = self.shared.state();
        if let Some(limited) = state.sockets.get_mut(&self.number) {
            limited.end = end;
        }
        if end.is_some_and(|end| state.sleeps.is_none_or(|until| end < until)) {
            self.shared.changed.notify_one();
        }
    }

    /// The socket has all the time again.
    pub(super) fn rest(&self) {
        if let Some(limited) = self.shared.state().sockets.get_mut(&self.number) {
            limited.end = None;
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.shared.state().sockets.remove(&self.number);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close_late(&self) {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            for limited in state.sockets.values_mut() {
                if limited.end.is_some_and(|end| end <= now) {
                    limited.end = None;
                    tracing::info!("a peer was too slow; its association is closed");
                    // An error means that the peer has gone.
                    limited.socket.shutdown(Shutdown::Both).ok();
                }
            }
            state.sleeps = state.sockets.values().filter_map(|limited| limited.end).min();
            state = match state.sleeps {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let pause = until.saturating_duration_since(now);
                    let waited = self.changed.wait_timeout(state, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// How fast a message comes.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// How long its octets were waited for, and how many have come.
    waited: Duration,
    octets: u64,
}

impl Pace {
    /// How long the next PDU may take.
    pub(super) fn limit(&self) -> Duration {
        let earned = Duration::from_millis(self.octets.saturating_mul(1000) / u64::from(SLOWEST));
        PATIENCE.min((PATIENCE + earned).saturating_sub(self.waited))
    }

    /// So many octets more have come after this time.
    pub(super) fn came(&mut self, octets: usize, waited: Duration) {
        self.octets += octets as u64;
        self.waited += waited;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpListener;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    #[test]
    fn a_socket_is_closed_although_octets_go_on_to_come() {
        let deadlines = Deadlines::start().unwrap();
        let ((mut near, mut far), (mut other, mut stays)) = (pair(), pair());
        let (timer, patient) = (deadlines.watch(&near).unwrap(), deadlines.watch(&other).unwrap());
        patient.limit(PATIENCE * 100);
        timer.limit(Duration::from_millis(50));
        let dribble = thread::spawn(move || {
            while far.write_all(b"a").is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        // An octet that comes after the end resets the connection, perhaps before it is read.
        let ended = near.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
        assert!(matches!(ended, Ok(_) | Err(ErrorKind::ConnectionReset)), "{ended:?}");
        drop((near, timer));
        dribble.join().unwrap();
        patient.rest();
        stays.write_all(b"a").unwrap();
        other.read_exact(&mut [0]).unwrap();
    }

    #[test]
    fn a_message_that_dribbles_has_less_and_less_time() {
        let (mut slow, mut fast) = (Pace::default(), Pace::default());
        let second = Duration::from_secs(1);
        for _ in 0..60 {
            assert_eq!(fast.limit(), PATIENCE);
            fast.came(10 * SLOWEST as usize, second);
            slow.came(1, second);
        }
        assert!(slow.limit() < second, "{:?}", slow.limit());
    }
}
