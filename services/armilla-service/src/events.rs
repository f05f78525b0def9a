//! Changes for open pages, as server-sent events.

use crate::limits::Place;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

/// How many events may wait for a page. One that misses some is told to load anew.
const WAITING: usize = 1024;

/// The events of a server. Clones share them; any thread may send.
#[derive(Debug, Clone)]
pub struct Events(Sender<Arc<str>>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::channel(WAITING).0)
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
        if self.0.receiver_count() > 0 {
            // Browsers pass over an event without data.
            let what = if what.is_empty() { "{}" } else { what };
            // An error means that the last page was closed just now.
            self.0.send(what.into()).ok();
        }
    }

    /// How many pages are open.
    pub fn readers(&self) -> usize {
        self.0.receiver_count()
    }

    /// The answer to a page that reads events, until `ended`.
    pub(crate) fn answer(
        &self,
        place: Place,
        ended: impl Future<Output = ()> + Send + 'static,
    ) -> Response {
        let next = Box::pin(receive(self.0.subscribe()));
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
