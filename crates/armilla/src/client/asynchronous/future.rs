//! The future for the reply to an asynchronous call, and the functions that begin such calls.
//!
//! The call itself is in [`call`](super::call).

use super::call::AsyncCall;
use crate::client::connection::PendingReply;
use crate::client::reference::Object;
use crate::client::request::{OwnedOperation, Undeclared, user_exception};
use crate::exception::{Error, Raises, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use armilla_giop::ReplyStatus;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The future for the reply to an asynchronous call.
///
/// The call is under way when this is returned. The future works with any executor. A thread can
/// also [`wait`](Self::wait) for the reply, check [whether it has come](Self::is_ready), or
/// register a callback with [`on_reply`](Self::on_reply). Time limits, forwards and retries work as
/// in other calls. Dropping the future cancels the call: the client tells the server and discards
/// the reply.
///
/// ```
/// use armilla::{ReplyFuture, SystemException};
///
/// let reply: ReplyFuture<i32> = ReplyFuture::ready(Ok(42));
/// assert!(reply.is_ready());
/// assert_eq!(reply.wait()?, 42);
/// # Ok::<(), SystemException>(())
/// ```
///
/// Asynchronous calls share connections, as with
/// [`ConnectionPolicy::Multiplexed`](crate::ConnectionPolicy). A thread that waits for a reply
/// reads the replies for all. If no thread waits, the thread of the ORB's reactor reads them.
///
/// Calls of objects of this process stay in the process, whatever its addresses are. Threads of the
/// server serve them like those of any client. A servant of the single-thread model must therefore
/// not wait for the reply to a call of its own POA.
#[must_use = "dropping it cancels the call"]
#[doc(alias = "Poller")]
#[doc(alias = "Pollable")]
pub struct ReplyFuture<R, E = SystemException> {
    inner: Inner<R, E>,
}

enum Inner<R, E> {
    Ready(Result<R, E>),
    UnderWay(Arc<AsyncCall>, Finish<R, E>),
    /// The result was taken.
    Over,
}

type Finish<R, E> =
    Box<dyn FnOnce(ReplyStatus, &mut Decoder<'_>) -> CdrResult<Result<R, E>> + Send>;

/// No field is pinned.
impl<R, E> Unpin for ReplyFuture<R, E> {}

impl<R, E> ReplyFuture<R, E> {
    /// A future that is ready with `result`.
    pub const fn ready(result: Result<R, E>) -> Self {
        Self { inner: Inner::Ready(result) }
    }

    /// Whether the reply has come.
    #[doc(alias = "poll_response")]
    pub fn is_ready(&self) -> bool {
        match &self.inner {
            Inner::Ready(_) => true,
            Inner::UnderWay(call, _) => call.is_done(),
            Inner::Over => false,
        }
    }
}

impl<R, E: From<SystemException>> ReplyFuture<R, E> {
    /// Waits for the reply.
    ///
    /// # Errors
    /// The exception that the call ended with.
    #[doc(alias = "get_response")]
    pub fn wait(mut self) -> Result<R, E> {
        if let Inner::UnderWay(call, _) = &self.inner {
            call.wait(None);
        }
        self.take()
    }

    /// Waits for the reply for at most `limit`. If it does not come in time, returns the future,
    /// and the call continues.
    ///
    /// ```
    /// # use armilla::ReplyFuture;
    /// # use std::time::Duration;
    /// fn poll(mut reply: ReplyFuture<i32>) -> Result<i32, armilla::SystemException> {
    ///     loop {
    ///         match reply.wait_for(Duration::from_millis(100)) {
    ///             Ok(result) => return result,
    ///             Err(pending) => reply = pending, // Time for other work.
    ///         }
    ///     }
    /// }
    /// # assert_eq!(poll(ReplyFuture::ready(Ok(7)))?, 7);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// This future, when the reply has not come. The inner result is that of the call.
    pub fn wait_for(mut self, limit: Duration) -> Result<Result<R, E>, Self> {
        match &self.inner {
            Inner::UnderWay(call, _) if !call.wait(Some(limit)) => Err(self),
            _ => Ok(self.take()),
        }
    }

    /// Registers `callback` for the result. A thread of the ORB runs it, or the thread that reads the
    /// reply because it waits for one itself; never the calling thread within this function, however
    /// early the reply comes. Only where no call was begun, because it failed at once or the future
    /// was made [ready](Self::ready), the calling thread runs it here. The call can no longer be
    /// cancelled.
    ///
    /// It may make calls and wait for replies: another thread reads, sends and keeps time limits
    /// meanwhile. While it does other work, other replies may have to wait, so that it should be
    /// short and hand longer work to another thread. Up to 16 callbacks of an ORB run at once;
    /// further ones follow when one has ended. If it panics, that ends nothing else.
    ///
    /// ```
    /// # use armilla::{ReplyFuture, SystemException};
    /// # let reply: ReplyFuture<i32> = ReplyFuture::ready(Ok(7));
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// reply.on_reply(move |result: Result<i32, SystemException>| {
    ///     let _ = sender.send(result);
    /// });
    /// assert_eq!(receiver.recv().unwrap()?, 7);
    /// # Ok::<(), SystemException>(())
    /// ```
    #[doc(alias = "ReplyHandler")]
    pub fn on_reply(mut self, callback: impl FnOnce(Result<R, E>) + Send + 'static)
    where
        R: 'static,
        E: 'static,
    {
        match std::mem::replace(&mut self.inner, Inner::Over) {
            Inner::Ready(result) => callback(result),
            Inner::UnderWay(call, finish) => {
                call.then(Box::new(move |call| callback(result(call, finish))));
            }
            Inner::Over => {}
        }
    }

    /// Whether the reply has come. If not, `waker` is woken when it does.
    pub(super) fn poll_ready(&self, waker: &Waker) -> bool {
        match &self.inner {
            Inner::UnderWay(call, _) => call.poll(waker),
            Inner::Ready(_) | Inner::Over => true,
        }
    }

    /// The result. The reply must have come.
    fn take(&mut self) -> Result<R, E> {
        match std::mem::replace(&mut self.inner, Inner::Over) {
            Inner::Ready(result) => result,
            Inner::UnderWay(call, finish) => result(&call, finish),
            Inner::Over => panic!("the result of a ReplyFuture was taken twice"),
        }
    }
}

fn result<R, E: From<SystemException>>(call: &AsyncCall, finish: Finish<R, E>) -> Result<R, E> {
    call.decode(finish).unwrap_or_else(|exception| Err(exception.into()))
}

impl<R, E: From<SystemException>> Future for ReplyFuture<R, E> {
    type Output = Result<R, E>;

    /// # Panics
    /// When polled again after it was ready.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.poll_ready(context.waker()) {
            true => Poll::Ready(self.take()),
            false => Poll::Pending,
        }
    }
}

impl<R, E> Drop for ReplyFuture<R, E> {
    fn drop(&mut self) {
        if let Inner::UnderWay(call, _) = &self.inner {
            call.cancel();
        }
    }
}

impl<R, E> fmt::Debug for ReplyFuture<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyFuture").field("is_ready", &self.is_ready()).finish()
    }
}

/// Begins a call of an operation without user exceptions.
pub(crate) fn invoke_async<'p, R>(
    object: &Object,
    operation: OwnedOperation,
    arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
) -> ReplyFuture<R> {
    let finish: Finish<R, SystemException> = Box::new(|status, input| match status {
        ReplyStatus::NoException => results(input).map(Ok),
        _ => Ok(Err(match user_exception::<Undeclared>(input)? {
            Error::System(exception) => exception,
            Error::User(undeclared) => match undeclared {},
        })),
    });
    begin(object, operation, arguments, finish)
}

/// Begins a call of an operation that raises `E`.
pub(crate) fn invoke_raises_async<'p, R, E: Raises>(
    object: &Object,
    operation: OwnedOperation,
    arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
) -> ReplyFuture<R, Error<E>> {
    let finish: Finish<R, Error<E>> = Box::new(|status, input| match status {
        ReplyStatus::NoException => results(input).map(Ok),
        _ => user_exception(input).map(Err),
    });
    begin(object, operation, arguments, finish)
}

/// Begins a call. `finish` converts the reply into the result.
pub(crate) fn begin<'p, R, E: From<SystemException>>(
    object: &Object,
    operation: OwnedOperation,
    arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    finish: Finish<R, E>,
) -> ReplyFuture<R, E> {
    match AsyncCall::begin(object, operation, arguments) {
        Ok(call) => ReplyFuture { inner: Inner::UnderWay(call, finish) },
        Err(exception) => ReplyFuture::ready(Err(exception.into())),
    }
}
