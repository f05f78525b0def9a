//! What channels of a multicast group send one another.

use armilla_events::EventDatagram;

pub(crate) fn check(data: &[u8]) {
    let Ok(datagram) = EventDatagram::decode(data) else { return };
    // What is read can be passed on, and is the same then.
    let octets = datagram.encode().unwrap();
    let again = EventDatagram::decode(&octets).unwrap();
    assert_eq!(again.encode().unwrap(), octets);
}
