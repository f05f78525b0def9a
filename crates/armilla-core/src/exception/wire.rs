//! System exceptions in a reply (CORBA 3.4 Part 2, 9.4.3.2), and the service context in which a
//! server explains one in words.

use super::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use armilla_giop::{EXCEPTION_DETAIL_CONTEXT, ExceptionDetail, ServiceContexts};

/// How many characters of an explanation are sent, or shown.
const MAX_DETAIL: usize = 2_000;

/// Writes the body of a reply that carries `exception`.
pub fn encode_system(exception: &SystemException, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(exception.kind().repository_id())?;
    out.put_u32(exception.minor().0);
    out.put_u32(exception.completed() as u32);
    Ok(())
}

/// The data of the service context that explains `exception` in words; `None` when there are none.
pub fn encode_detail(exception: &SystemException) -> Option<Vec<u8>> {
    let detail: String = exception.reason()?.chars().take(MAX_DETAIL).collect();
    ExceptionDetail(detail).to_data().ok()
}

/// What the server says of an exception, cut to a limit and without control characters: some ORBs
/// send whole stack traces, and a server must not draw on the terminal of its client.
fn decode_detail(contexts: &ServiceContexts<'_>) -> Option<String> {
    let data = contexts.find(EXCEPTION_DETAIL_CONTEXT)?;
    let ExceptionDetail(detail) = ExceptionDetail::decode_data(data).ok()?;
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let detail: String = detail.trim().chars().take(MAX_DETAIL).map(printable).collect();
    (!detail.is_empty()).then_some(detail)
}

/// Reads the members of a system exception of this kind. A completion status that is none of the
/// specification's says nothing, so it counts as [`Completion::Maybe`].
#[cold]
pub fn decode_members(kind: ExceptionKind, input: &mut Decoder<'_>) -> CdrResult<SystemException> {
    let minor = Minor(input.u32()?);
    let completed = match input.u32()? {
        0 => Completion::Yes,
        1 => Completion::No,
        _ => Completion::Maybe,
    };
    Ok(SystemException::new(kind, minor, completed))
}

/// Reads the body of a reply that carries a system exception, with the explanation in `contexts`.
#[cold]
pub fn decode_system(
    contexts: &ServiceContexts<'_>,
    input: &mut Decoder<'_>,
) -> CdrResult<SystemException> {
    let kind = ExceptionKind::from_repository_id(&input.string()?);
    let exception = decode_members(kind, input)?.ending_call();
    Ok(match decode_detail(contexts) {
        Some(detail) => exception.with_reason(detail),
        None => exception,
    })
}
