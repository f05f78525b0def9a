//! Opaque values: `custom` values, which only their own type can read, and values of unknown types.
//! They are in chunks (CORBA 3.4 Part 2, 9.3.4.5), so that they can be passed on unchanged.
//!
//! The types in their chunks are unknown, so a chunk keeps its byte order, code sets and alignment.
//! A chunk that needs a conversion is refused, as far as this is detectable, and so is one in
//! several fragments of GIOP 1.1 whose alignment differs from that of a single message.
//! Indirections in a chunk are detected by their targets: eight octets that refer to the exact
//! position of a known value.

use super::copy::Transcoder;
use super::values::Copied;
use crate::value::{NewValue, Part, ValueHandle};
use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use alloc::sync::Arc;

/// The tag of an indirection, in both byte orders.
const INDIRECTION: [u8; 4] = [0xff; 4];

impl<'c> Transcoder<'c> {
    /// Copies the value that begins at `head`, where a value of the type `declared` is expected.
    pub(super) fn opaque<'a>(
        &mut self,
        declared: Option<&'c TypeCode>,
        head: &NewValue<'a>,
        input: &mut Decoder<'a>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let noted = input.registered_value(head);
        if let Some(handle) = noted.as_ref().filter(|handle| out.has_value(handle)) {
            // An indirection has led here before.
            out.begin_dynamic_value(handle, &[], false, None)?;
            return input.value_parts(head, |_, _| Ok(()));
        }
        if self.skipping {
            return input.value_parts(head, |_, _| Ok(()));
        }
        if input.order() != out.order() {
            return Err(refused(CdrErrorKind::OtherByteOrder, input, out));
        }
        let declared = declared.and_then(TypeCode::id);
        begin(head, noted, declared, input, out)?;
        let (before, now) = (input.value_level(), out.value_level());
        let mut fragment = input.fragment();
        input.value_parts(head, |input, part| {
            match part {
                Part::Null => out.put_null_value(),
                Part::Chunk(octets) => {
                    if !input.is_aligned_since(fragment) {
                        return Err(invalid(
                            "a value of an unknown or custom type came in fragments of GIOP 1.1; \
                             its alignment is unknown",
                        ));
                    }
                    fragment = input.fragment();
                    chunk(octets, input, out)?;
                }
                Part::Value(head) => {
                    let noted = input.registered_value(&head);
                    begin(&head, noted, None, input, out)?;
                }
                // The enclosing values have their own end tags.
                Part::End(ended) => out.end_parts(ended.max(before) - before + now),
                Part::EndOfBase(ended) => out.end_base(ended - before + now),
            }
            Ok(())
        })?;
        out.leave_parts();
        Ok(())
    }
}

fn begin<'a>(
    head: &NewValue<'a>,
    noted: Option<ValueHandle>,
    declared: Option<&str>,
    input: &mut Decoder<'a>,
    out: &mut Encoder<'_>,
) -> CdrResult {
    let handle = match noted {
        Some(handle) if out.has_value(&handle) => {
            return Err(invalid(
                "a value of an unknown or custom type contains one that is shared",
            ));
        }
        Some(handle) => handle,
        None => {
            let handle: ValueHandle = Arc::new(Copied::default());
            input.register_value(head, handle.clone());
            handle
        }
    };
    let body = input.position().next_multiple_of(4);
    out.begin_parts(&handle, head.codebase(), head.ids(), declared, body)
}

/// Copies a chunk, and adapts the indirections in it to the positions of values in the output.
fn chunk(octets: &[u8], input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
    let same_texts = input.encoding().code_sets.char == out.code_sets.char;
    if !same_texts && has_text(octets, input.order()) {
        return Err(refused(CdrErrorKind::OtherCodeSet, input, out));
    }
    out.put_length(octets.len())?;
    let start = input.place() - octets.len();
    let (mut copied, mut at) = (0, 0);
    while let Some(Some(found)) = octets.get(at..).map(find_tag) {
        at += found + 4;
        let distance = octets.get(at..).and_then(|left| left.first_chunk());
        let Some(place) = distance.map(|octets| target(*octets, start + at, input, out)) else {
            break;
        };
        if let Some(place) = place? {
            out.copy_raw(octets.get(copied..at - 4).unwrap_or_default());
            out.put_indirection(place)?;
            at += 4;
            copied = at;
        }
    }
    out.copy_raw(octets.get(copied..).unwrap_or_default());
    Ok(())
}

/// Whether the octets contain an apparent string with characters beyond ASCII: a length, and as
/// many octets, of which only the last is NUL.
fn has_text(octets: &[u8], order: ByteOrder) -> bool {
    octets.as_chunks().0.iter().enumerate().any(|(index, word)| {
        let length = match order {
            ByteOrder::Big => u32::from_be_bytes(*word),
            ByteOrder::Little => u32::from_le_bytes(*word),
        };
        let text = octets.get(index * 4 + 4..).and_then(|left| left.get(..length as usize));
        // A valid length contains a zero octet, so each octet is checked for few lengths only.
        matches!(text, Some([text @ .., 0]) if !text.contains(&0) && !text.is_ascii())
    })
}

/// The next aligned position of four octets that may begin an indirection.
fn find_tag(octets: &[u8]) -> Option<usize> {
    octets.as_chunks().0.iter().position(|word| *word == INDIRECTION).map(|index| index * 4)
}

/// The position in the output of the value to which the indirection at `here` with this `distance`
/// refers. `None` if there is no such value, so that it is not an indirection.
fn target(
    distance: [u8; 4],
    here: usize,
    input: &mut Decoder<'_>,
    out: &Encoder<'_>,
) -> CdrResult<Option<usize>> {
    let distance = match input.order() {
        ByteOrder::Big => i32::from_be_bytes(distance),
        ByteOrder::Little => i32::from_le_bytes(distance),
    };
    let target = isize::try_from(distance).ok().and_then(|d| here.checked_add_signed(d));
    let Some(value) = target.and_then(|target| input.value_at(target)) else { return Ok(None) };
    let place = value.and_then(|handle| out.value_place(&handle));
    place.map(Some).ok_or_else(|| {
        invalid("a value of an unknown or custom type refers to a value outside its any")
    })
}

/// The error for a value that cannot be written in this encoding. The output records the required
/// one.
#[cold]
fn refused(kind: CdrErrorKind, input: &Decoder<'_>, out: &mut Encoder<'_>) -> CdrError {
    out.want(input.encoding());
    CdrError::new(kind)
}

#[cold]
const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
