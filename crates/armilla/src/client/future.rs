//! The reply to a call that goes on while the program does something else.

use super::asynchronous::AsyncCall;
use super::operation::OwnedOperation;
use super::reference::Object;
use super::reply::{Undeclared, user_exception};
use crate::exception::{Error, Raises, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use armilla_giop::ReplyStatus;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The reply to an asynchronous call.
///
/// The call is under way when this is returned. It is a future, for any executor; a thread can
/// [`wait`](Self::wait) for it as well, look [whether it is there](Self::is_ready) now and then, or leave
/// a function to be called with it, by [`on_reply`](Self::on_reply). Limits of time, forwards and
/// repetitions are as with other calls. Dropping it cancels the call: the server is told, and its reply
/// discarded.
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
/// Asynchronous calls share connections, as with [`ConnectionPolicy::Multiplexed`](crate::ConnectionPolicy). Replies are read
/// by whichever thread waits for one of them, and by one thread of the ORB when none does. Those to
/// objects of this process stay in it, whatever its addresses are, and are served by threads of the server
/// as those of any client, so that a servant of the single-thread model must not wait for the reply to a
/// call of its own POA.
#[must_use = "dropping it cancels the call"]
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

/// Nothing in it is pinned.
impl<R, E> Unpin for ReplyFuture<R, E> {}

impl<R, E> ReplyFuture<R, E> {
    /// A reply that is there already.
    pub const fn ready(result: Result<R, E>) -> Self {
        Self { inner: Inner::Ready(result) }
    }

    /// Whether the reply is there.
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
    /// What the call ended with.
    pub fn wait(mut self) -> Result<R, E> {
        if let Inner::UnderWay(call, _) = &self.inner {
            call.wait(None);
        }
        self.take()
    }

    /// Waits for the reply for at most `limit`, and gives itself back if it has not come. The call goes
    /// on then.
    ///
    /// # Errors
    /// The same future, when the reply has not come. The inner result is that of the call.
    pub fn wait_for(mut self, limit: Duration) -> Result<Result<R, E>, Self> {
        match &self.inner {
            Inner::UnderWay(call, _) if !call.wait(Some(limit)) => Err(self),
            _ => Ok(self.take()),
        }
    }

    /// Calls `callback` with the result, when it comes: by the thread that reads the reply, or by the
    /// calling thread if it is there already. The call is no longer cancelled by dropping anything.
    ///
    /// While it runs the replies to other asynchronous calls may have to wait, so it should not take
    /// long; what does belongs to another thread. It may make calls.
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

    /// Whether the reply is there; otherwise `waker` hears of it.
    pub(super) fn tells(&self, waker: &Waker) -> bool {
        match &self.inner {
            Inner::UnderWay(call, _) => call.poll(waker),
            Inner::Ready(_) | Inner::Over => true,
        }
    }

    /// The result, which is there.
    fn take(&mut self) -> Result<R, E> {
        match std::mem::replace(&mut self.inner, Inner::Over) {
            Inner::Ready(result) => result,
            Inner::UnderWay(call, finish) => result(&call, finish),
            Inner::Over => panic!("a reply was asked for again after it had been taken"),
        }
    }
}

fn result<R, E: From<SystemException>>(call: &AsyncCall, finish: Finish<R, E>) -> Result<R, E> {
    call.take(finish).unwrap_or_else(|exception| Err(exception.into()))
}

impl<R, E: From<SystemException>> Future for ReplyFuture<R, E> {
    type Output = Result<R, E>;

    /// # Panics
    /// When it is polled again after it was ready.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.tells(context.waker()) {
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

/// Begins a call; `finish` makes its outcome of the reply.
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
