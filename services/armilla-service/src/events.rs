//! Changes for open pages, as server-sent events.

use crate::limits::Place;
use crate::rounds::{Pause, Rounds};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

/// How many events may wait for a page. One that misses some is told to load anew.
const WAITING: usize = 1024;

/// The events of a server. Clones share them; any thread may send.
#[derive(Debug, Clone)]
pub struct Events {
    sender: Sender<Arc<str>>,
    /// Those that look for changes while somebody reads.
    watches: Arc<Mutex<Vec<Pause>>>,
}

impl Default for Events {
    fn default() -> Self {
        Self { sender: broadcast::channel(WAITING).0, watches: Arc::default() }
    }
}

impl Events {
    /// Events without a page that reads them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells all open pages of a change, as the event `change`, upon which they load anew. `what` is for
    /// other readers, often JSON. It never waits.
    pub fn change(&self, what: &str) {
        if self.readers() > 0 {
            // Browsers pass over an event without data.
            let what = if what.is_empty() { "{}" } else { what };
            // An error means that the last page was closed just now.
            self.sender.send(what.into()).ok();
        }
    }

    /// How many pages are open.
    pub fn readers(&self) -> usize {
        self.sender.receiver_count()
    }

    /// Tells open pages when what they show has changed: looks at `picture`, a number that changes with
    /// it, once in an `interval` in a thread of its own, which sleeps while no page is open. `None` is no
    /// change.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn watch(
        &self,
        name: &str,
        interval: Duration,
        mut picture: impl FnMut() -> Option<u64> + Send + 'static,
    ) -> io::Result<Rounds> {
        let (events, mut shown) = (self.clone(), 0);
        let rounds = Rounds::start(name, interval, move |pause| {
            if !pause.until(|| events.readers() > 0) {
                return false;
            }
            if let Some(now) = picture()
                && std::mem::replace(&mut shown, now) != now
            {
                events.change("");
            }
            true
        })?;
        self.watches().push(rounds.pause().clone());
        // A page may have been opened meanwhile.
        rounds.pause().wake();
        Ok(rounds)
    }

    fn watches(&self) -> MutexGuard<'_, Vec<Pause>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a page that reads events, until `ended`.
    pub(crate) fn answer(
        &self,
        place: Place,
        ended: impl Future<Output = ()> + Send + 'static,
    ) -> Response {
        let next = Box::pin(receive(self.sender.subscribe()));
        self.watches().retain(Pause::wake);
        let stream = Reading { next, ended: Box::pin(ended), _place: place };
        Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
    }
}

type Received = Result<Arc<str>, RecvError>;
type Receiving = Pin<Box<dyn Future<Output = (Received, Receiver<Arc<str>>)> + Send>>;

/// The events of one page.
struct Reading {
    next: Receiving,
    /// Is over when the page may hear no more.
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
    _place: Place,
}

async fn receive(mut receiver: Receiver<Arc<str>>) -> (Received, Receiver<Arc<str>>) {
    let received = receiver.recv().await;
    (received, receiver)
}

impl Stream for Reading {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let Poll::Ready((received, receiver)) = self.next.as_mut().poll(cx) else {
            return Poll::Pending;
        };
        self.next = Box::pin(receive(receiver));
        Poll::Ready(match received {
            Ok(what) => Some(Ok(Event::default().event("change").data(what))),
            Err(RecvError::Lagged(_)) => Some(Ok(Event::default().event("reload").data("missed"))),
            Err(RecvError::Closed) => None,
        })
    }
}
