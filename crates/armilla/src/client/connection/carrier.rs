//! A bidirectional connection, as the calls of one direction see it.

use super::multiplexed::MultiplexedConnection;
use armilla_giop::CodeSetContext;
use armilla_ipc::Stream;
use std::fmt;
use std::sync::Arc;

/// The sending half of a bidirectional connection, for the calls of one direction. The server side
/// reads the connection.
pub(crate) trait Carrier: Stream + fmt::Debug {
    /// The number of the connection, unique in its ORB.
    fn number(&self) -> u64;

    /// The client side of the connection; `make` creates it on first use. `None` when the
    /// connection has ended.
    fn link(
        &self,
        make: &mut dyn FnMut() -> Arc<MultiplexedConnection>,
    ) -> Option<Arc<MultiplexedConnection>>;

    /// The code sets that the originator of the connection has sent.
    fn stated_code_sets(&self) -> Option<CodeSetContext>;

    /// Whether the connection accepts more octets, as far as known.
    fn has_room(&self) -> bool;

    /// A count of what has arrived on the connection, in either direction.
    fn arrived(&self) -> u64;

    /// Closes the connection in order, if this end has made it: it is used no more.
    fn end(&self);
}
