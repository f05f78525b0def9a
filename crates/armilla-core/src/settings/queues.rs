//! The sizes of the queues of connections.

use std::str::FromStr;

/// The sizes of the send and the receive queue of connections over one transport, in octets. `None`
/// is [`Settings::socket_queue`](super::Settings::socket_queue).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    /// That of what this side sends.
    pub send: Option<usize>,
    /// That of what it receives.
    pub receive: Option<usize>,
}

impl FromStr for Queues {
    type Err = String;

    /// Reads `SEND,RECEIVE` in octets; 0 leaves a queue as it would be.
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?}: SEND,RECEIVE in octets is needed");
        let (send, receive) = text.split_once(',').ok_or_else(bad)?;
        let size = |text: &str| text.parse::<usize>().map_err(|_| bad());
        let [send, receive] = [size(send)?, size(receive)?].map(|size| (size > 0).then_some(size));
        Ok(Self { send, receive })
    }
}
