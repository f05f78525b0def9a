//! The client of the request that a thread is serving.
//!
//! A worker thread finds it through its status, so that an ordinary request records nothing.
//! Requests that a thread serves in another way are recorded here.

use crate::runtime::Orb;
use crate::server::poa::{PoaError, serving_depth};
use crate::server::reply::sink::LateSink;
use crate::server::threads::worker_status::WorkerStatus;
use crate::transport::is_here;
use armilla_ipc::{Address, Credentials, Protection, host};
use std::cell::RefCell;
use std::sync::Arc;

/// How many requests the thread was already serving when this one began, and who has sent it;
/// `None` for work that is not a request.
type Origin = (usize, Option<Requester>);

/// Who has sent a request.
#[derive(Clone)]
pub(in crate::server) enum Requester {
    /// This process, to the ORB with this incarnation.
    ThisProcess(u64),
    /// The client that is answered there.
    Other(LateSink),
}

impl Requester {
    /// Whether the request was sent to this ORB.
    fn is_of(&self, orb: &Orb) -> bool {
        let asked = match self {
            Self::ThisProcess(incarnation) => *incarnation,
            Self::Other(client) => client.orb().incarnation(),
        };
        asked == orb.incarnation()
    }
}

thread_local! {
    /// The origins of what this thread serves and its status does not show, the innermost last.
    static ORIGINS: RefCell<Vec<Origin>> = const { RefCell::new(Vec::new()) };
}

/// Runs `serve` as a request of `requester`, or with `None` as work that is not a request.
pub(in crate::server) fn serve_from<R>(
    requester: Option<Requester>,
    serve: impl FnOnce() -> R,
) -> R {
    struct PopOrigin;
    impl Drop for PopOrigin {
        fn drop(&mut self) {
            let over = ORIGINS.try_with(|origins| origins.borrow_mut().pop());
            drop(over);
        }
    }
    let origin = (serving_depth(), requester);
    let noted = ORIGINS.try_with(|origins| origins.borrow_mut().push(origin)).is_ok();
    let _over = noted.then_some(PopOrigin);
    serve()
}

/// The origin of the innermost request that was not a direct call within the process.
fn origin() -> Option<Origin> {
    let noted = ORIGINS.try_with(|origins| origins.borrow().last().cloned());
    noted
        .ok()
        .flatten()
        .or_else(|| current_client().map(|client| (0, Some(Requester::Other(client)))))
}

impl Orb {
    /// Whether the ORB has called the code that asks: an operation of a servant, a callback, or what
    /// else a program may have in the thread of a request, such as the `Drop` of a servant. It must
    /// not wait for what itself has to end first.
    pub(crate) fn is_entered(&self) -> bool {
        let noted = ORIGINS.try_with(|origins| {
            origins.borrow().iter().flat_map(|(_, from)| from).any(|from| from.is_of(self))
        });
        self.is_serving()
            || self.is_in_callback()
            || noted.unwrap_or(false)
            || current_client().is_some_and(|client| Requester::Other(client).is_of(self))
    }

    /// The address of the client whose request for an object of this ORB the calling thread is
    /// serving, as the operating system reports it. `None` for a call from this process. Works in
    /// servants and in servant managers. Behind network address translation it is the translated
    /// address.
    ///
    /// ```
    /// # use armilla::{Orb, PoaError};
    /// # fn example(orb: &Orb) -> Result<(), PoaError> {
    /// match orb.caller()? {
    ///     Some(address) => println!("called from {address}"),
    ///     None => println!("called from this process"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NoContext` when the thread serves no request of this ORB.
    pub fn caller(&self) -> Result<Option<Address>, PoaError> {
        Ok(self.client_of_call()?.map(|client| client.peer().clone()))
    }

    /// The process and the user whose request for an object of this ORB the calling thread is
    /// serving, for which the operating system vouches. `None` for a call from this process, and
    /// over a transport that does not tell: Unix-domain sockets and shared memory do. The process
    /// is the one that has connected; what access is decided by is the user.
    ///
    /// ```
    /// # use armilla::{Orb, PoaError};
    /// # fn example(orb: &Orb) -> Result<bool, PoaError> {
    /// let caller = orb.caller_credentials()?;
    /// Ok(caller.is_some_and(|caller| caller.user == 0))
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NoContext` when the thread serves no request of this ORB.
    pub fn caller_credentials(&self) -> Result<Option<Credentials>, PoaError> {
        Ok(self.client_of_call()?.and_then(|client| client.credentials()))
    }

    /// How the connection is protected over which the request came that the calling thread is
    /// serving for an object of this ORB, and the certificates with which the client has proved who
    /// it is. `None` for a call from this process, and over a transport that does not encrypt.
    ///
    /// ```
    /// # use armilla::{Orb, PoaError};
    /// # fn example(orb: &Orb) -> Result<bool, PoaError> {
    /// let protection = orb.caller_protection()?;
    /// Ok(protection.is_some_and(|protection| protection.is_authenticated()))
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NoContext` when the thread serves no request of this ORB.
    pub fn caller_protection(&self) -> Result<Option<Arc<Protection>>, PoaError> {
        Ok(self.client_of_call()?.and_then(|client| client.protection()))
    }

    /// The client, if it is another process.
    fn client_of_call(&self) -> Result<Option<LateSink>, PoaError> {
        if !self.is_serving() {
            return Err(PoaError::NoContext);
        }
        Ok(requesting_client().filter(|client| client.orb().incarnation() == self.incarnation()))
    }
}

/// The client of the request that this thread serves as a worker.
fn current_client() -> Option<LateSink> {
    WorkerStatus::current_connection().map(|connection| -> LateSink { connection })
}

/// The client of the innermost request, if it is another process.
fn requesting_client() -> Option<LateSink> {
    // Requests above this depth were called by the servant of that request, within the process.
    let outermost = origin().filter(|(before, _)| serving_depth() == before + 1);
    match outermost.and_then(|(_, requester)| requester)? {
        Requester::ThisProcess(_) => None,
        Requester::Other(client) => (!is_here(client.peer())).then_some(client),
    }
}

/// The client of the request that a thread is serving, for what a servant calls without handing it
/// an ORB. [`Orb::caller`] tells of one ORB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Its address, as the operating system reports it; `None` for a call from this process.
    pub address: Option<Address>,
    /// Its process and user, where the transport tells.
    pub credentials: Option<Credentials>,
    /// How its connection is protected, and the certificates with which it has proved who it is;
    /// `None` where the transport does not encrypt.
    pub protection: Option<Arc<Protection>>,
}

impl Caller {
    /// The client of the request that the calling thread is serving for an object of any ORB of this
    /// process; `None` when it is serving none.
    ///
    /// ```
    /// // A thread that serves no request:
    /// assert_eq!(armilla::Caller::current(), None);
    /// ```
    pub fn current() -> Option<Self> {
        if serving_depth() == 0 {
            return None;
        }
        let client = requesting_client();
        let address = client.as_ref().map(|client| client.peer().clone());
        let credentials = client.as_ref().and_then(|client| client.credentials());
        let protection = client.and_then(|client| client.protection());
        Some(Self { address, credentials, protection })
    }

    /// A client at this address of whom nothing else is known.
    pub const fn at(address: Address) -> Self {
        Self { address: Some(address), credentials: None, protection: None }
    }

    /// Whether the client is on this host: in this process, over a transport that does not leave
    /// the host, or at an address that [is one of this host](host::is_local_address).
    ///
    /// ```
    /// use armilla::Caller;
    /// use armilla_ipc::Address;
    ///
    /// let at = |host| Caller::at(Address::tcp(host, 4000));
    /// assert!(at("127.0.0.1").is_on_this_host());
    /// assert!(!at("192.0.2.1").is_on_this_host());
    /// ```
    pub fn is_on_this_host(&self) -> bool {
        match &self.address {
            Some(at @ Address::Tcp { .. }) => at.ip().is_some_and(host::is_local_address),
            Some(_) | None => true,
        }
    }
}
