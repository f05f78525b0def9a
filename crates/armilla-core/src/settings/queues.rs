//! The sizes of the queues of connections.

/// The sizes of the send and the receive queue of connections over one transport, in octets. `None`
/// is [`Settings::socket_queue`](super::Settings::socket_queue).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    /// That of what this side sends.
    pub send: Option<usize>,
    /// That of what it receives.
    pub receive: Option<usize>,
}
