//! The body of a reply that carries a system exception (CORBA 3.4 Part 2, 9.4.3.2). What the
//! exceptions are and mean is the ORB's.

use alloc::borrow::Cow;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// How far an operation came before a system exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum CompletionStatus {
    /// It completed.
    Yes = 0,
    /// It never began.
    No,
    /// Nobody knows.
    Maybe,
}

/// A system exception on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemExceptionBody<'b> {
    /// The repository id, such as `IDL:omg.org/CORBA/TRANSIENT:1.0`.
    pub id: Cow<'b, str>,
    /// The minor code: which of the exception's causes, numbered by whoever the upper 20 bits name.
    pub minor: u32,
    /// How far the operation came.
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
