//! The service contexts of requests to object groups: `FT_GROUP_VERSION` and `FT_REQUEST` (CORBA
//! 3.0.3, 23.2.7 and 23.2.8).

use crate::encapsulation::{pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The version of the group's membership that the client's reference was made from
/// (`FTGroupVersionServiceContext`). A server that knows a newer one forwards the client for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(alias = "FTGroupVersionServiceContext")]
pub struct FtGroupVersion(pub u32);

impl FtGroupVersion {
    /// The id of the context.
    pub const ID: u32 = 12;

    /// The data of the service context.
    pub fn to_data(self) -> CdrResult<Vec<u8>> {
        pack(&self)
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack(data)
    }
}

impl<'a> Decode<'a> for FtGroupVersion {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.u32().map(Self)
    }
}

impl Encode for FtGroupVersion {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

/// Which request this is (`FTRequestServiceContext`): requests with the same client and retention
/// id are the same one, sent again. Until it expires the server executes it once, and answers it
/// from its log otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[doc(alias = "FTRequestServiceContext")]
pub struct FtRequest {
    /// The client, by a name that no other has.
    pub client_id: String,
    /// The number of the request among those of the client.
    pub retention_id: i32,
    /// Until when the server remembers the request: 100 ns units since 1582-10-15
    /// (`TimeBase::TimeT`).
    pub expiration_time: u64,
}

impl FtRequest {
    /// The id of the context.
    pub const ID: u32 = 13;

    /// The data of the service context.
    ///
    /// # Errors
    /// When the client's name contains a NUL, or its length does not fit 32 bits.
    pub fn to_data(&self) -> CdrResult<Vec<u8>> {
        pack(self)
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack(data)
    }
}

impl<'a> Decode<'a> for FtRequest {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            client_id: input.string()?.into_owned(),
            retention_id: input.i32()?,
            expiration_time: input.u64()?,
        })
    }
}

impl Encode for FtRequest {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.client_id)?;
        out.put_i32(self.retention_id);
        out.put_u64(self.expiration_time);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Big-endian, laid out by hand: byte order, padding, string, padding, long, `TimeT`.
    const REQUEST: [u8; 24] =
        [0, 0, 0, 0, 0, 0, 0, 3, b'm', b'e', 0, 0, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 1, 0];

    #[test]
    fn contexts_are_laid_out_as_specified() {
        let request = FtRequest::decode_data(&REQUEST).unwrap();
        let expected = FtRequest { client_id: "me".into(), retention_id: -2, expiration_time: 256 };
        assert_eq!(request, expected);
        assert_eq!(FtRequest::decode_data(&expected.to_data().unwrap()), Ok(expected));
        let version = [0, 0, 0, 0, 0, 0, 0, 9];
        assert_eq!(FtGroupVersion::decode_data(&version), Ok(FtGroupVersion(9)));
        for end in 0..REQUEST.len() {
            assert!(FtRequest::decode_data(&REQUEST[..end]).is_err(), "{end} octets");
        }
        for end in 0..version.len() {
            assert!(FtGroupVersion::decode_data(&version[..end]).is_err(), "{end} octets");
        }
    }
}
