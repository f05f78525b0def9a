//! Where the request came from that a thread is serving. Nothing is noted for it with each request: whose
//! requests a thread serves lies on its status, and those that do not come from there are noted here.

use super::connection::Connection;
use super::worker_status::WorkerStatus;
use crate::runtime::Orb;
use crate::server::poa::{PoaError, serving_depth};
use crate::transport::is_here;
use armilla_ipc::Address;
use std::cell::RefCell;
use std::sync::Arc;

/// How many requests the thread was serving when another one began, and by what that came; by nothing where
/// it is no request that the thread is busy with.
type Origin = (usize, Option<Arc<Connection>>);

thread_local! {
    /// Where requests came from that this thread does not serve for its status, the innermost last.
    static ORIGINS: RefCell<Vec<Origin>> = const { RefCell::new(Vec::new()) };
}

/// Serves a request that came by `connection`; without one it does something else.
pub(super) fn serve_from<R>(connection: Option<&Arc<Connection>>, serve: impl FnOnce() -> R) -> R {
    struct PopOrigin;
    impl Drop for PopOrigin {
        fn drop(&mut self) {
            let over = ORIGINS.try_with(|origins| origins.borrow_mut().pop());
            drop(over);
        }
    }
    let origin = (serving_depth(), connection.cloned());
    let noted = ORIGINS.try_with(|origins| origins.borrow_mut().push(origin)).is_ok();
    let _over = noted.then_some(PopOrigin);
    serve()
}

/// What the innermost request came by that was not called for directly.
fn origin() -> Option<Origin> {
    let noted = ORIGINS.try_with(|origins| origins.borrow().last().cloned());
    noted
        .ok()
        .flatten()
        .or_else(|| WorkerStatus::connection_served_here().map(|connection| (0, Some(connection))))
}

impl Orb {
    /// The address of the client whose request for an object of this ORB the thread is serving, as the
    /// operating system knows it; `None` where this process calls itself. Servant managers are told too.
    /// Of a network with address translation it is what that makes of it.
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
    /// `NoContext` when the thread serves none.
    pub fn caller(&self) -> Result<Option<Address>, PoaError> {
        if !self.is_serving() {
            return Err(PoaError::NoContext);
        }
        // What is deeper than the request was called by what serves that.
        let outermost = origin().filter(|(before, _)| serving_depth() == before + 1);
        let connection = outermost.and_then(|(_, connection)| connection);
        let own = connection.filter(|from| from.orb.incarnation() == self.incarnation());
        Ok(own.map(|from| from.stream.peer().clone()).filter(|peer| !is_here(peer)))
    }
}
