//! Opaque values: `custom` ones, which only their own type can read, and those of unknown types.
//! They are in chunks (CORBA 3.4 Part 2, 9.3.4.5), so that they can be passed on as they are.
//!
//! What is in their chunks has no known type, so it keeps its byte order, its code sets and its
//! alignment: what would have to be converted is refused, as far as it can be told, and so is what
//! lies in several fragments of GIOP 1.1 that are not aligned as if they were one. An indirection
//! in it is found by where it leads: eight octets that name a value which was met at exactly that
//! place.

use super::copy::Transcoder;
use super::values::Copied;
use crate::value::{NewValue, Part, ValueHandle};
use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use alloc::sync::Arc;

/// What an indirection begins with, in both byte orders.
const INDIRECTION: [u8; 4] = [0xff; 4];

impl<'c> Transcoder<'c> {
    /// Copies the value that begins at `head`, where one of the type `declared` is expected.
    pub(super) fn opaque<'a>(
        &mut self,
        declared: Option<&'c TypeCode>,
        head: &NewValue<'a>,
        input: &mut Decoder<'a>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let noted = input.registered_value(head);
        if let Some(handle) = noted.as_ref().filter(|handle| out.has_value(handle)) {
            // An indirection led to it before the input had come here.
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
                // Values that enclose this one have ends of their own.
                Part::End(ended) => out.end_parts(ended.max(before) - before + now),
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

/// Copies a chunk that was just read. Indirections in it are adapted to where values are in the
/// output.
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

/// Whether there is what looks like a string with characters beyond ASCII: a length, and so many
/// octets, of which the last is the only NUL.
fn has_text(octets: &[u8], order: ByteOrder) -> bool {
    octets.as_chunks().0.iter().enumerate().any(|(index, word)| {
        let length = match order {
            ByteOrder::Big => u32::from_be_bytes(*word),
            ByteOrder::Little => u32::from_le_bytes(*word),
        };
        let text = octets.get(index * 4 + 4..).and_then(|left| left.get(..length as usize));
        // A length that fits has a zero in it itself, so no octet is looked at for many of them.
        matches!(text, Some([text @ .., 0]) if !text.contains(&0) && !text.is_ascii())
    })
}

/// Where the next four octets are that may begin an indirection, which is aligned.
fn find_tag(octets: &[u8]) -> Option<usize> {
    octets.as_chunks().0.iter().position(|word| *word == INDIRECTION).map(|index| index * 4)
}

/// Where the output has the value to which `distance`, which stands at `here`, leads; `None` where
/// it leads to no value, so that it is no indirection.
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

/// The error for a value that cannot be written in this encoding; the output records the one that
/// it requires.
#[cold]
fn refused(kind: CdrErrorKind, input: &Decoder<'_>, out: &mut Encoder<'_>) -> CdrError {
    out.want(input.encoding());
    CdrError::new(kind)
}

#[cold]
const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
