//! Values as octets in CDR, with a byte order of their own.

use armilla_cdr::{ByteOrder, CdrError, CdrResult, Decode, Decoder, Encode, Encoder};

/// The octets of a value.
///
/// # Errors
/// When a length does not fit 32 bits.
pub(crate) fn encoded<T: Encode>(value: &T) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::new(ByteOrder::Little);
    value.encode(&mut out)?;
    Ok(out.to_vec())
}

/// The value of which these are the octets.
///
/// # Errors
/// When they are not.
pub(crate) fn decoded<'o, T: Decode<'o>>(octets: &'o [u8]) -> Result<T, CdrError> {
    T::decode(&mut Decoder::new(octets, ByteOrder::Little))
}
