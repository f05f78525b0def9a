//! The two ways in which the ORB's own compound operations, such as resolving a name, wait for
//! their calls. Each operation is written once, as an `async` function of the way to wait.

use crate::client::asynchronous::{invoke_async, invoke_raises_async};
use crate::client::reference::Object;
use crate::client::request::{Operation, OwnedOperation, Signatures};
use crate::client::synchronous::{invoke, invoke_raises};
use crate::exception::{Error, Raises, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// How an operation waits for the replies to its calls.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Waiting {
    /// The calling thread waits. A future that waits in this way is ready at its first poll.
    Thread,
    /// The task waits: no thread is blocked.
    Task,
}

impl Waiting {
    /// Calls an operation without user exceptions.
    pub(super) async fn invoke<'p, R: 'static>(
        self,
        object: &Object,
        (name, signatures): (&'static str, Signatures),
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
    ) -> Result<R, SystemException> {
        let reply = match self {
            Self::Thread => {
                return invoke(object, Operation::of_idl(name, signatures), &arguments, results);
            }
            Self::Task => {
                let operation = OwnedOperation::of_idl(name, signatures);
                invoke_async(object, operation, &arguments, results)
            }
        };
        drop(arguments);
        reply.await
    }

    /// Calls an operation that raises `E`.
    pub(crate) async fn invoke_raises<'p, R: 'static, E: Raises>(
        self,
        object: &Object,
        (name, signatures): (&'static str, Signatures),
        arguments: impl Fn(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R> + Send + 'static,
    ) -> Result<R, Error<E>> {
        let reply = match self {
            Self::Thread => {
                let operation = Operation::of_idl(name, signatures);
                return invoke_raises(object, operation, &arguments, results);
            }
            Self::Task => {
                let operation = OwnedOperation::of_idl(name, signatures);
                invoke_raises_async(object, operation, &arguments, results)
            }
        };
        drop(arguments);
        reply.await
    }

    /// The result of an operation that waits as [`Thread`](Self::Thread).
    pub(crate) fn blocking<F: Future>(operation: impl FnOnce(Self) -> F) -> F::Output {
        let mut future = pin!(operation(Self::Thread));
        let mut context = Context::from_waker(Waker::noop());
        loop {
            // Every call inside has ended when it returns, so the first poll gives the result.
            if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
                return result;
            }
        }
    }
}
