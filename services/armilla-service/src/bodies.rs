//! Bodies on their way through a console: those of requests come in time, those of answers tell
//! when they are sent.

use crate::limits::ConsoleLimits;
use axum::BoxError;
use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// The body of a request. It fails when the peer sends too slowly. Only the time counts in which
/// octets are waited for, not that in which nobody reads.
pub(crate) struct TimedBody<B> {
    body: B,
    first: Duration,
    rate: u32,
    octets: u64,
    waited: Duration,
    /// Since when octets are waited for, and until when.
    waits: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<B> TimedBody<B> {
    pub(crate) fn new(body: B, limits: &ConsoleLimits) -> Self {
        let (first, rate) = (limits.body, limits.body_rate.max(1));
        Self { body, first, rate, octets: 0, waited: Duration::ZERO, waits: None }
    }

    /// How long octets may be waited for, those that have come considered.
    fn allowed(&self) -> Duration {
        self.first + Duration::from_millis(self.octets.saturating_mul(1000) / u64::from(self.rate))
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for TimedBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            if let Some((since, _)) = this.waits.take() {
                this.waited += since.elapsed();
            }
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            this.octets += data.map_or(0, |data| data.len() as u64);
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let left = this.allowed().saturating_sub(this.waited);
        let (_, timer) = this.waits.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + left)))
        });
        ready!(timer.as_mut().poll(context));
        let slow = io::Error::new(ErrorKind::TimedOut, "the peer sends too slowly, or no more");
        Poll::Ready(Some(Err(slow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, which keeps something until it is sent or given up.
pub(crate) struct KeepingBody<B, K> {
    pub(crate) body: B,
    pub(crate) _kept: K,
}

impl<B: Body + Unpin, K: Unpin> Body for KeepingBody<B, K> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
