//! The service context with the text of an exception (`ExceptionDetailMessage`, CORBA 3.4 Part 2,
//! 9.7).

use crate::ServiceContext;
use crate::encapsulation::{pack_wide, unpack_wide};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The id of the context with the text of an exception (`ExceptionDetailMessage`).
pub const EXCEPTION_DETAIL_CONTEXT: u32 = 14;

/// The text of an exception that a server raised: a wide string in UTF-16, independent of the code
/// sets of the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExceptionDetail(pub String);

impl ExceptionDetail {
    /// The data of the service context.
    ///
    /// # Errors
    /// When the text contains a NUL, or its length does not fit 32 bits.
    pub fn to_data(&self) -> CdrResult<Vec<u8>> {
        pack_wide(self)
    }

    /// A service context with `data`, which [`to_data`](Self::to_data) made.
    pub const fn service_context(data: &[u8]) -> ServiceContext<'_> {
        ServiceContext { id: EXCEPTION_DETAIL_CONTEXT, data }
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early, or is no text.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack_wide(data)
    }
}

impl<'a> Decode<'a> for ExceptionDetail {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.wstring().map(Self)
    }
}

impl Encode for ExceptionDetail {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_wstring(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the specification lays it out, big-endian: the octets of a string in UTF-16.
    const DATA: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 6, 0, b'f', 0, b'u', 0x20, 0xac];

    #[test]
    fn the_context_is_laid_out_as_specified() {
        let detail = ExceptionDetail::decode_data(&DATA).unwrap();
        assert_eq!(detail.0, "fu\u{20ac}");
        assert_eq!(ExceptionDetail::decode_data(&detail.to_data().unwrap()), Ok(detail));
    }

    #[test]
    fn data_that_ends_too_early_is_refused() {
        for end in 0..DATA.len() {
            assert!(ExceptionDetail::decode_data(&DATA[..end]).is_err(), "{end} octets");
        }
    }
}
