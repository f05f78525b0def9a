//! Ends for tasks: `AsyncRead` and `AsyncWrite` of `futures-io`, under any executor. One thread of
//! the process waits for all of them; it moves no octets, it only wakes tasks.

use crate::carrier::Carrier;
use crate::flow::{FlowSummary, Link};
use crate::reactor::reactor;
use crate::{FlowConsumer, FlowControl, FlowProducer, FlowSpec, StreamError};
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token};
use futures_io::{AsyncRead, AsyncWrite};
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// The end of a flow that receives, for a task. As [`FlowConsumer`], but for time limits, which are
/// the executor's.
#[derive(Debug)]
pub struct AsyncFlowConsumer {
    /// Dropped first: the connection may be watched for the next flow afterwards.
    readiness: Readiness,
    consumer: FlowConsumer,
}

/// The end of a flow that sends, for a task. As [`FlowProducer`], but for time limits, which are the
/// executor's. `poll_close` finishes the flow: it is ready when the consumer has everything.
#[derive(Debug)]
pub struct AsyncFlowProducer {
    /// Dropped first: the connection may be watched for the next flow afterwards.
    readiness: Readiness,
    producer: FlowProducer,
    summary: Option<FlowSummary>,
}

impl FlowConsumer {
    /// Makes this the end of a task.
    ///
    /// # Errors
    /// The flow runs over shared memory, which no descriptor tells of; let the caller of
    /// [`FlowRequest`](crate::FlowRequest) not connect over it.
    pub fn into_async(self) -> Result<AsyncFlowConsumer, StreamError> {
        let readiness = Readiness::new(self.link())?;
        Ok(AsyncFlowConsumer { readiness, consumer: self })
    }
}

impl FlowProducer {
    /// Makes this the end of a task.
    ///
    /// # Errors
    /// As [`FlowConsumer::into_async`]; a rate was agreed on, which only a thread keeps to.
    pub fn into_async(self) -> Result<AsyncFlowProducer, StreamError> {
        if self.is_paced() {
            let why = "a task does not keep to a rate: agree to 0, or send from a thread";
            return Err(StreamError::NoTransport(why.to_owned()));
        }
        let readiness = Readiness::new(self.link())?;
        Ok(AsyncFlowProducer { readiness, producer: self, summary: None })
    }
}

impl AsyncFlowConsumer {
    /// What was agreed on.
    pub const fn spec(&self) -> &FlowSpec {
        self.consumer.spec()
    }

    /// Watches and controls this flow.
    pub fn control(&self) -> FlowControl {
        self.consumer.control()
    }
}

impl AsyncFlowProducer {
    /// What was agreed on.
    pub const fn spec(&self) -> &FlowSpec {
        self.producer.spec()
    }

    /// Watches and controls this flow.
    pub fn control(&self) -> FlowControl {
        self.producer.control()
    }

    /// Ends the flow, and waits until the consumer has everything.
    ///
    /// # Errors
    /// As [`FlowProducer::finish`].
    pub async fn finish(mut self) -> Result<FlowSummary, StreamError> {
        poll_fn(|cx| self.poll_finish(cx)).await.map_err(StreamError::from)
    }

    fn poll_finish(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<FlowSummary>> {
        if let Some(summary) = &self.summary {
            return Poll::Ready(Ok(summary.clone()));
        }
        let carrier = Arc::clone(&self.producer.link().carrier);
        let producer = &mut self.producer;
        let polled = self.readiness.poll(cx, Interest::READ | Interest::WRITE, || {
            let mut send = |parts: &[IoSlice<'_>]| carrier.stream().try_send_vectored(parts);
            producer.advance_end(&mut send, &mut |octets| carrier.stream().try_recv(octets))
        });
        if let Poll::Ready(Ok(summary)) = &polled {
            self.summary = Some(summary.clone());
        }
        polled
    }
}

impl AsyncRead for AsyncFlowConsumer {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.consumer.link().control.poll_to_go(cx).is_pending() {
            return Poll::Pending;
        }
        let carrier = Arc::clone(&this.consumer.link().carrier);
        let consumer = &mut this.consumer;
        // The receipt may have to wait for room.
        this.readiness.poll(cx, Interest::READ, || {
            let mut recv = |octets: &mut [u8]| carrier.stream().try_recv(octets);
            let mut send = |parts: &[IoSlice<'_>]| carrier.stream().try_send_vectored(parts);
            consumer.advance(buffer, &mut recv, &mut send)
        })
    }
}

impl AsyncWrite for AsyncFlowProducer {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.producer.link().control.poll_to_go(cx).is_pending() {
            return Poll::Pending;
        }
        let carrier = Arc::clone(&this.producer.link().carrier);
        let producer = &mut this.producer;
        this.readiness.poll(cx, Interest::WRITE, || {
            producer.advance(octets, &mut |parts| carrier.stream().try_send_vectored(parts))
        })
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let carrier = Arc::clone(&this.producer.link().carrier);
        let producer = &mut this.producer;
        this.readiness.poll(cx, Interest::WRITE, || {
            producer.send_rest(&mut |parts| carrier.stream().try_send_vectored(parts))
        })
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_finish(cx).map_ok(drop)
    }
}

/// Wakes a task when its carrier may go on.
#[derive(Debug)]
struct Readiness {
    watch: Arc<Watch>,
    token: Token,
}

#[derive(Debug)]
struct Watch {
    carrier: Arc<Carrier>,
    task: Mutex<Option<Waker>>,
}

impl Readiness {
    fn new(link: &Link) -> Result<Self, StreamError> {
        if !link.carrier.is_watchable() {
            let why = "a task cannot wait for shared memory: connect over unix or tcp";
            return Err(StreamError::NoTransport(why.to_owned()));
        }
        let carrier = Arc::clone(&link.carrier);
        let watch = Arc::new(Watch { carrier, task: Mutex::default() });
        let reactor = reactor().map_err(StreamError::System)?;
        let token = reactor.register(Arc::clone(&watch) as Arc<dyn Handler>);
        Ok(Self { watch, token: token.map_err(StreamError::System)? })
    }

    /// Goes on with `step`; while that would block, the task is woken when `interest` is ready.
    fn poll<T>(
        &self,
        cx: &Context<'_>,
        interest: Interest,
        step: impl FnOnce() -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        match step() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut task = self.watch.task.lock().unwrap_or_else(PoisonError::into_inner);
                *task = Some(cx.waker().clone());
                drop(task);
                // Readiness that came meanwhile counts: the kernel reports it at once.
                match reactor()?.resume(self.token, interest) {
                    Ok(_) => Poll::Pending,
                    Err(error) => Poll::Ready(Err(error)),
                }
            }
            done => Poll::Ready(done),
        }
    }
}

impl Drop for Readiness {
    fn drop(&mut self) {
        if let Ok(reactor) = reactor() {
            reactor.deregister(self.token);
        }
    }
}

impl Handler for Watch {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.carrier.descriptor()
    }

    fn interest(&self) -> Interest {
        Interest::NONE
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.wake();
        }
        Next::Pause
    }
}
