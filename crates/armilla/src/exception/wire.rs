//! System exceptions in a reply (CORBA 3.4 Part 2, 9.4.3.2).

use super::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};

/// Writes the body of a reply that carries `exception`.
pub(crate) fn encode_system(exception: &SystemException, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(exception.kind().repository_id())?;
    out.put_u32(exception.minor().0);
    out.put_u32(exception.completed() as u32);
    Ok(())
}

/// Reads the body of a reply that carries a system exception.
pub(crate) fn decode_system(input: &mut Decoder<'_>) -> CdrResult<SystemException> {
    let repository_id = input.string()?;
    let minor = Minor(input.u32()?);
    let completed = match input.u32()? {
        0 => Completion::Yes,
        1 => Completion::No,
        _ => Completion::Maybe,
    };
    let kind = ExceptionKind::from_repository_id(&repository_id);
    Ok(SystemException::new(kind, minor, completed))
}
