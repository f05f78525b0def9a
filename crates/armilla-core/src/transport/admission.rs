//! Who decides whose connections are taken.

use armilla_ipc::Address;
use std::fmt;

/// Decides whose connections a server takes, before anything of them is read. Any thread may call the
/// methods at any time; they should not wait.
///
/// An initializer hands it to the ORB, which asks it for each connection and gives it to the
/// [transports](super::Transport::admit_by).
pub trait Admission: Send + Sync + fmt::Debug {
    /// Whether connections of this peer are taken at all. A transport asks before it begins a
    /// handshake, so it may be asked more than once for a connection. The default says that they are.
    fn is_welcome(&self, peer: &Address) -> bool {
        let _ = peer;
        true
    }

    /// Whether a connection that is about to be served is. It is asked once for each, and the
    /// connection is closed where it is not.
    fn admit(&self, peer: &Address) -> bool;

    /// The peer has sent what is no message, or let one stop halfway; or its handshake was none.
    fn broke_protocol(&self, peer: &Address);
}
