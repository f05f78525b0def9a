//! The body of a reply that carries a system exception (CORBA 3.4 Part 2, 9.4.3.2). What the
//! exceptions are and mean is the ORB's.

use alloc::borrow::Cow;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The progress of an operation when a system exception was raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum CompletionStatus {
    /// It completed.
    Yes = 0,
    /// It never began.
    No,
    /// Unknown.
    Maybe,
}

/// A system exception on the wire.
///
/// ```
/// use armilla_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder};
/// use armilla_giop::{CompletionStatus, SystemExceptionBody};
///
/// let exception = SystemExceptionBody {
///     id: "IDL:omg.org/CORBA/TRANSIENT:1.0".into(),
///     minor: 2,
///     completed: CompletionStatus::No,
/// };
/// let mut out = Encoder::new(ByteOrder::NATIVE);
/// exception.encode(&mut out)?;
/// let octets = out.to_vec();
/// let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
/// assert_eq!(SystemExceptionBody::decode(&mut input)?, exception);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemExceptionBody<'b> {
    /// The repository id, such as `IDL:omg.org/CORBA/TRANSIENT:1.0`.
    pub id: Cow<'b, str>,
    /// The minor code, the cause of the exception. The upper 20 bits identify the vendor that
    /// assigned it.
    pub minor: u32,
    /// The progress of the operation.
    pub completed: CompletionStatus,
}

impl<'b> Decode<'b> for SystemExceptionBody<'b> {
    fn decode(input: &mut Decoder<'b>) -> CdrResult<Self> {
        let id = input.string()?;
        let minor = input.u32()?;
        let completed = match input.u32()? {
            0 => CompletionStatus::Yes,
            1 => CompletionStatus::No,
            2 => CompletionStatus::Maybe,
            number => return Err(input.invalid_enum("CORBA::completion_status", number)),
        };
        Ok(Self { id, minor, completed })
    }
}

impl Encode for SystemExceptionBody<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.id)?;
        out.put_u32(self.minor);
        out.put_u32(self.completed as u32);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_cdr::{ByteOrder, CdrErrorKind};

    const OCTETS: &[u8] = b"\0\0\0\x03UN\0\0\0\0\0\x07\0\0\0\x01";

    #[test]
    fn an_exception_is_written_and_read_as_the_specification_lays_it_out() {
        let (id, completed) = (Cow::Borrowed("UN"), CompletionStatus::No);
        let body = SystemExceptionBody { id, minor: 7, completed };
        let mut out = Encoder::new(ByteOrder::Big);
        body.encode(&mut out).unwrap();
        assert_eq!(out.to_vec(), OCTETS);
        assert_eq!(
            SystemExceptionBody::decode(&mut Decoder::new(OCTETS, ByteOrder::Big)),
            Ok(body)
        );
    }

    #[test]
    fn a_fourth_completion_status_and_every_truncation_are_refused() {
        let mut octets = OCTETS.to_vec();
        octets[15] = 3;
        let error = SystemExceptionBody::decode(&mut Decoder::new(&octets, ByteOrder::Big));
        assert!(matches!(error.unwrap_err().kind, CdrErrorKind::InvalidEnum { value: 3, .. }));
        for length in 0..OCTETS.len() {
            let mut cut = Decoder::new(&OCTETS[..length], ByteOrder::Big);
            assert!(SystemExceptionBody::decode(&mut cut).is_err());
        }
    }
}
