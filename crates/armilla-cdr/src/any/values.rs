//! Copies valuetypes from one encoding to another, guided by their TypeCode.
//!
//! The handle of a value only identifies it. The output associates the handle with a position, so
//! values that the input shares are shared in the output.

use super::copy::{Transcoder, reference};
use super::types::CUSTOM;
use crate::encoding::Encoding;
use crate::type_code::{TypeIndex, ValueCode};
use crate::value::{NewValue, ValueHandle, ValueHead};
use crate::{CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A value that was copied. It is not zero-sized, so each has its own address.
#[derive(Debug, Default)]
#[allow(dead_code)] // Types without a size share their addresses.
pub(super) struct Copied(u8);

/// `VM_ABSTRACT`.
const ABSTRACT: i16 = 2;

/// The type of a value.
struct Actual<'c> {
    code: &'c TypeCode,
    /// Whether the TypeCode of the whole does not describe the type.
    is_dynamic: bool,
}

impl<'c> Transcoder<'c> {
    /// Copies a value of an abstract interface: a reference, or a valuetype.
    pub(super) fn abstraction(
        &mut self,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let is_reference = input.bool()?;
        out.put_bool(is_reference);
        match is_reference {
            true => reference(input, out),
            false => self.valuetype(None, input, out),
        }
    }

    /// Copies a value where the type `declared` is expected.
    pub(super) fn valuetype(
        &mut self,
        declared: Option<&'c TypeCode>,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let head = match input.value_head()? {
            ValueHead::Null => {
                out.put_null_value();
                return Ok(());
            }
            ValueHead::Known(_) if self.skipping => {
                out.put_null_value();
                return Ok(());
            }
            ValueHead::Known(handle) if out.has_value(&handle) => {
                // Writes an indirection, because the output contains the value.
                return out.begin_dynamic_value(&handle, &[], false, None).map(|_| ());
            }
            // The value is outside of this `any`, which must contain a copy.
            ValueHead::Known(_) => {
                return input.reread_value(|input| self.valuetype(declared, input, out));
            }
            ValueHead::New(head) => head,
        };
        let Some(Actual { code, is_dynamic }) = self.actual(declared, &head, input)? else {
            return self.opaque(declared, &head, input, out);
        };
        let noted = input.registered_value(&head);
        let handle: ValueHandle = noted.clone().unwrap_or_else(|| Arc::new(Copied::default()));
        let ty = is_dynamic.then(|| code.clone());
        let chunked = head.can_be_truncated() || code.type_modifier() == Some(CUSTOM);
        // What an `any` holds may be taken out, or written as an argument, where another type is
        // declared than its TypeCode says.
        let is_bare = out.in_any && out.is_empty() && head.ids().is_empty();
        let own = code.id().filter(|id| is_bare && !id.is_empty());
        let ids = own.as_ref().map(|id| id.as_bytes());
        let ids = ids.as_ref().map_or(head.ids(), core::slice::from_ref);
        let begun = out.begin_dynamic_value(&handle, ids, chunked, ty)?;
        let Some(mut state) = begun else {
            // An indirection has led here before.
            return self.pass_over(code, &head, input);
        };
        if noted.is_none() {
            input.register_value(&head, handle);
        }
        self.enclosing.push(code);
        let copied = input.value_state(&head, false, |input| self.state(code, input, &mut state));
        self.enclosing.pop();
        out.end_value(state, copied)
    }

    /// Skips the state of a value that the output contains already.
    fn pass_over<'a>(
        &mut self,
        code: &'c TypeCode,
        head: &NewValue<'a>,
        input: &mut Decoder<'a>,
    ) -> CdrResult {
        let before = core::mem::replace(&mut self.skipping, true);
        let mut nowhere = Encoder::in_form(Encoding::NATIVE);
        self.enclosing.push(code);
        let passed = input.value_state(head, false, |input| self.state(code, input, &mut nowhere));
        self.enclosing.pop();
        self.skipping = before;
        passed
    }

    /// The type of a value. `None` if the value is opaque.
    fn actual(
        &mut self,
        declared: Option<&'c TypeCode>,
        head: &NewValue<'_>,
        input: &Decoder<'_>,
    ) -> CdrResult<Option<Actual<'c>>> {
        let found = match head.ids() {
            [] => declared.map(|code| Actual { code, is_dynamic: false }),
            [id, ..] => self.named(declared, core::str::from_utf8(id).unwrap_or_default(), input),
        };
        match found {
            Some(actual) if actual.code.type_modifier() != Some(CUSTOM) => Ok(Some(actual)),
            _ if head.can_be_truncated() => Ok(None),
            None => Err(CdrError::new(CdrErrorKind::UnknownValueType)),
            custom => Ok(custom),
        }
    }

    /// The valuetype with this repository id, where the type `declared` is expected.
    fn named(
        &mut self,
        declared: Option<&'c TypeCode>,
        id: &str,
        input: &Decoder<'_>,
    ) -> Option<Actual<'c>> {
        let declared = declared.filter(|code| code.id() == Some(id));
        if let Some(code) = declared.or_else(|| self.find(id)).filter(|code| code.is_valuetype()) {
            let is_dynamic = declared.is_none() && self.dynamic_types.has(id);
            return Some(Actual { code, is_dynamic });
        }
        let code = self.dynamic_types.learn(id, input)?;
        self.index.get_or_insert_default().add(code);
        Some(Actual { code, is_dynamic: true })
    }

    /// A type within the whole or a dynamic type, by its repository id.
    pub(super) fn find(&mut self, id: &str) -> Option<&'c TypeCode> {
        let (root, dynamic_types) = (self.root, self.dynamic_types);
        let index = self.index.get_or_insert_with(|| {
            let mut index = TypeIndex::new(root);
            dynamic_types.iter().for_each(|code| index.add(code));
            index
        });
        index.find(id)
    }

    fn state(
        &mut self,
        code: &'c TypeCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        match code {
            TypeCode::ValueBox(code) => self.value(&code.ty, input, out),
            TypeCode::Value(code) | TypeCode::Event(code) if code.modifier == CUSTOM => {
                let any_context = input.any_context();
                let copied = any_context.and_then(|all| all.copy_custom(&code.id, input, out));
                copied.unwrap_or_else(|| {
                    Err(invalid("the type of a custom value without chunks is unknown"))
                })
            }
            TypeCode::Value(code) | TypeCode::Event(code) => {
                if code.modifier == ABSTRACT {
                    return Err(invalid("a value is of an abstract type"));
                }
                let parts = self.parts(code)?;
                parts.iter().rev().try_for_each(|part| {
                    part.members.iter().try_for_each(|member| self.value(&member.ty, input, out))
                })
            }
            _ => Err(invalid("the type of a value is not a valuetype")),
        }
    }

    /// A valuetype and its bases, the most derived type first.
    fn parts(&mut self, code: &'c ValueCode) -> CdrResult<Vec<&'c ValueCode>> {
        let mut parts = alloc::vec![code];
        let mut next = &code.base;
        loop {
            match next.resolved() {
                TypeCode::Null => return Ok(parts),
                TypeCode::Value(base) | TypeCode::Event(base) => {
                    parts.push(base);
                    next = &base.base;
                }
                TypeCode::Recursive(id)
                    if parts.len() <= crate::type_code::TYPE_CODE_DEPTH_LIMIT =>
                {
                    let found = self.find(id).filter(|code| code.is_valuetype());
                    next = found.ok_or_else(|| invalid("the base of a valuetype is unknown"))?;
                }
                _ => return Err(invalid("the base of a valuetype is not a valuetype")),
            }
        }
    }
}

#[cold]
const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
