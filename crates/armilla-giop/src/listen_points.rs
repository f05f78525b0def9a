//! The service context of bidirectional GIOP (CORBA 3.4 Part 2, 9.8; since 1.2), by which a client
//! offers its connection for calls in the other direction.

use crate::ServiceContext;
use crate::encapsulation::{pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The id of the context with the addresses for which a connection may be used (`BI_DIR_IIOP`).
pub const BIDIRECTIONAL_CONTEXT: u32 = 5;

/// An address at which the originator of a connection listens. Calls to objects whose references
/// carry it may use that connection instead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListenPoint {
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl<'a> Decode<'a> for ListenPoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { host: input.string()?.into_owned(), port: input.u16()? })
    }
}

impl Encode for ListenPoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.host)?;
        out.put_u16(self.port);
        Ok(())
    }
}

/// All addresses at which the originator of a connection listens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListenPoints(pub Vec<ListenPoint>);

impl ListenPoints {
    /// The data of the service context.
    ///
    /// # Errors
    /// When a host contains a NUL, or a length does not fit 32 bits.
    pub fn to_data(&self) -> CdrResult<Vec<u8>> {
        pack(self)
    }

    /// A service context with `data`, which [`to_data`](Self::to_data) made.
    pub const fn service_context(data: &[u8]) -> ServiceContext<'_> {
        ServiceContext { id: BIDIRECTIONAL_CONTEXT, data }
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early, or a host is no text.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack(data)
    }
}

impl<'a> Decode<'a> for ListenPoints {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Vec::decode(input).map(Self)
    }
}

impl Encode for ListenPoints {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the specification lays it out, big-endian: a count, and for each a string and a port.
    const DATA: [u8; 26] = [
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12, b'1', b'9', b'2', b'.', b'0', b'.', b'2', b'.', b'1',
        b'2', b'3', 0, 0x0a, 0xf9,
    ];

    #[test]
    fn the_context_is_laid_out_as_specified() {
        let points = ListenPoints::decode_data(&DATA).unwrap();
        assert_eq!(points.0, [ListenPoint { host: "192.0.2.123".into(), port: 2809 }]);
        assert_eq!(ListenPoints::decode_data(&points.to_data().unwrap()), Ok(points));
    }

    #[test]
    fn a_count_without_points_behind_it_is_refused_before_it_costs_anything() {
        for end in 0..DATA.len() {
            assert!(ListenPoints::decode_data(&DATA[..end]).is_err(), "{end} octets");
        }
        assert!(ListenPoints::decode_data(&[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0]).is_err());
    }
}
