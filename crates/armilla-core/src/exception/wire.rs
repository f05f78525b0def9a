//! System exceptions in a reply (CORBA 3.4 Part 2, 9.4.3.2), and the service context in which a
//! server explains one in words.

use super::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cdr::{CdrResult, Decoder, Encoder};
use armilla_giop::{EXCEPTION_DETAIL_CONTEXT, ExceptionDetail, ServiceContexts};

/// How many characters of an explanation are sent, or shown.
const MAX_DETAIL: usize = 2_000;

/// How many characters of a repository id are shown.
const MAX_ID: usize = 200;

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
    let detail = printable(detail.trim(), MAX_DETAIL);
    (!detail.is_empty()).then_some(detail)
}

/// The beginning of a text of the server, without control characters.
fn printable(text: &str, most: usize) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(most).map(printable).collect()
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
    let id = input.string()?;
    let kind = ExceptionKind::from_repository_id(&id);
    let mut exception = decode_members(kind, input)?.ending_call();
    if kind == ExceptionKind::Unknown && id != kind.repository_id() {
        exception = exception.with_unknown_id(printable(&id, MAX_ID));
    }
    Ok(match decode_detail(contexts) {
        Some(detail) => exception.with_reason(detail),
        None => exception,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_cdr::ByteOrder;

    /// What becomes of a system exception with this id and minor code.
    fn received(id: &str, minor: u32, detail: Option<&str>) -> SystemException {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.put_string(id).unwrap();
        out.put_u32(minor);
        out.put_u32(1);
        let octets = out.to_vec();
        let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
        let exception = decode_system(&ServiceContexts::EMPTY, &mut input).unwrap();
        match detail {
            Some(detail) => exception.with_reason(detail),
            None => exception,
        }
    }

    #[test]
    fn an_exception_of_an_unknown_kind_is_named_by_its_id() {
        let text = |id, minor, detail| {
            let exception = received(id, minor, detail);
            let attributed = exception.clone().attributed_to(&"host:1", "ping").to_string();
            (exception.to_string(), attributed)
        };
        let busy = "IDL:acme.com/BUSY:1.0";
        let known = "it raised IDL:acme.com/BUSY:1.0, which is no system exception known here";
        assert_eq!(
            text(busy, 0, None),
            (
                format!("UNKNOWN: {known} (not executed)"),
                format!("UNKNOWN: host:1 answered ping: {known} (not executed)")
            )
        );
        assert_eq!(
            text(busy, 7, Some("later")),
            (
                format!("UNKNOWN: {known}; it says: later (not executed)"),
                format!(
                    "UNKNOWN: host:1 answered ping: {known}: minor code 0x00000007; it says: later \
                     (not executed)"
                )
            )
        );
        let (plain, _) = text(ExceptionKind::Unknown.repository_id(), 0, None);
        let meaning = ExceptionKind::Unknown.meaning();
        assert_eq!(plain, format!("UNKNOWN: {meaning} (not executed)"));
        let (plain, _) = text("IDL:omg.org/CORBA/TIMEOUT:1.0", 0, None);
        assert!(!plain.contains("IDL:"), "{plain}");
    }

    #[test]
    fn an_id_draws_nothing_and_is_cut() {
        let long = format!("IDL:\u{1b}]0;title\u{7}{}:1.0", "x".repeat(5_000));
        let text = received(&long, 0, None).to_string();
        assert!(text.len() < 400 && !text.contains('\u{1b}'), "{text}");
    }
}
