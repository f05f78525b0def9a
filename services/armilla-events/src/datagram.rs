//! Events in datagrams: what channels of a multicast group send one another.
//!
//! A datagram is the octets `AEVT`, the version of the format (1), the byte order (0 big, 1 little)
//! and two zeros; then, in CDR from the beginning of the datagram on, the number of the sender, the
//! number of the datagram among those of its sender, and the `RtEvents::Event`.

use crate::corba::Event;
use armilla::{ByteOrder, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// An event in a datagram.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDatagram {
    /// A random number of the sender, new with each start.
    pub sender: u64,
    /// The number of the datagram among those of its sender, from 1 on.
    pub number: u64,
    /// The event.
    pub event: Event,
}

const MAGIC: [u8; 4] = *b"AEVT";
const VERSION: u8 = 1;

impl EventDatagram {
    /// The octets of the datagram.
    ///
    /// # Errors
    /// When the data of the event cannot be encoded.
    pub fn encode(&self) -> CdrResult<Vec<u8>> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        let head = [VERSION, ByteOrder::NATIVE.flag(), 0, 0];
        MAGIC.into_iter().chain(head).for_each(|octet| out.put_u8(octet));
        out.put_u64(self.sender);
        out.put_u64(self.number);
        self.event.encode(&mut out)?;
        Ok(out.to_vec())
    }

    /// Reads a datagram.
    ///
    /// # Errors
    /// When it is none, is of another version, or ends too early.
    pub fn decode(octets: &[u8]) -> CdrResult<Self> {
        let mut head = Decoder::new(octets, ByteOrder::Big);
        for expected in MAGIC.into_iter().chain([VERSION]) {
            if head.u8()? != expected {
                let what = "a datagram of events begins with AEVT and the version 1";
                return Err(head.error(CdrErrorKind::Invalid(what)));
            }
        }
        let order = ByteOrder::from_flag(head.u8()?);
        let mut input = Decoder::at(octets, 8, order);
        let (sender, number) = (input.u64()?, input.u64()?);
        Ok(Self { sender, number, event: Event::decode(&mut input)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_a_datagram() {
        let event = Event::new(7, 20, "up").unwrap().with_priority(9).with_hops(3);
        let datagram = EventDatagram { sender: u64::MAX, number: 1, event };
        let octets = datagram.encode().unwrap();
        assert_eq!(EventDatagram::decode(&octets).unwrap(), datagram);
        for length in 0..octets.len() {
            assert!(EventDatagram::decode(&octets[..length]).is_err(), "{length}");
        }
        for (place, octet) in [(0, b'B'), (4, 2)] {
            let mut wrong = octets.clone();
            wrong[place] = octet;
            assert!(EventDatagram::decode(&wrong).is_err(), "{place}");
        }
    }
}
