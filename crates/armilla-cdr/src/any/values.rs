//! Valuetypes from one encoding into another, led by their TypeCode.
//!
//! The handle of a value says no more than that it is one: what the output knows of it is where it
//! stands there, so that what the input shares the output shares too.

use super::copy::{Copy, reference};
use crate::type_code::{TypeIndex, ValueCode};
use crate::value::{NewValue, ValueHandle, ValueHead};
use crate::{CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A value that was copied. It has an address of its own.
#[derive(Debug)]
#[allow(dead_code)] // Types without a size share their addresses.
struct Copied(u8);

/// `VM_CUSTOM`.
pub(super) const CUSTOM: i16 = 1;

/// `VM_ABSTRACT`.
const ABSTRACT: i16 = 2;

/// The type that a value is read as.
struct Actual<'c> {
    code: &'c TypeCode,
    /// How many of its repository ids stand for types that are not known.
    skipped: usize,
    /// Whether the TypeCode of the whole does not describe it.
    is_beyond: bool,
}

impl<'c> Copy<'c> {
    /// What stands where an abstract interface is expected: a reference, or a value of any type.
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

    /// What stands where a value of the type `declared` is expected.
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
            ValueHead::Known(_) if self.passing => {
                out.put_null_value();
                return Ok(());
            }
            ValueHead::Known(handle) if out.has_value(&handle) => {
                // An indirection, since it is there.
                return out.begin_dynamic_value(&handle, &[], false, None).map(|_| ());
            }
            // It stands outside of this `any`, which must have it all.
            ValueHead::Known(_) => {
                return input.value_again(|input| self.valuetype(declared, input, out));
            }
            ValueHead::New(head) => head,
        };
        let Actual { code, skipped, is_beyond } = self.actual(declared, &head, input)?;
        let noted = input.noted_value(&head);
        let handle: ValueHandle = noted.clone().unwrap_or_else(|| Arc::new(Copied(0)));
        let ids = head.ids().get(skipped..).unwrap_or_default();
        let ty = is_beyond.then(|| code.clone());
        let begun = out.begin_dynamic_value(&handle, ids, head.can_be_truncated(), ty)?;
        let Some(mut state) = begun else {
            // An indirection led to it before the input had come here.
            return self.pass_over(code, &head, skipped > 0, input);
        };
        if noted.is_none() {
            input.note_value(&head, handle);
        }
        self.enclosing.push(code);
        let copied =
            input.value_state(&head, skipped > 0, |input| self.state(code, input, &mut state));
        self.enclosing.pop();
        out.end_value(state, copied)
    }

    /// Reads over the state of a value that the output refers to already.
    fn pass_over<'a>(
        &mut self,
        code: &'c TypeCode,
        head: &NewValue<'a>,
        truncated: bool,
        input: &mut Decoder<'a>,
    ) -> CdrResult {
        let before = core::mem::replace(&mut self.passing, true);
        let mut nowhere = Encoder::native(Vec::new());
        self.enclosing.push(code);
        let passed =
            input.value_state(head, truncated, |input| self.state(code, input, &mut nowhere));
        self.enclosing.pop();
        self.passing = before;
        passed
    }

    /// The type of a value. What types that are not known have more than the known one is left out, if
    /// the value allows that.
    fn actual(
        &mut self,
        declared: Option<&'c TypeCode>,
        head: &NewValue<'_>,
        input: &Decoder<'_>,
    ) -> CdrResult<Actual<'c>> {
        if let ([], Some(code)) = (head.ids(), declared) {
            return Ok(Actual { code, skipped: 0, is_beyond: false });
        }
        for (skipped, id) in head.ids().iter().enumerate() {
            let Ok(id) = core::str::from_utf8(id) else { continue };
            if skipped > 0 && !head.can_be_truncated() {
                break;
            }
            let declared = declared.filter(|code| code.id() == Some(id));
            if let Some(code) = declared.or_else(|| self.find(id)).filter(|c| c.is_valuetype()) {
                let is_beyond = declared.is_none() && self.beyond.has(id);
                return Ok(Actual { code, skipped, is_beyond });
            }
            if let Some(code) = self.beyond.learn(id, input) {
                self.index.get_or_insert_default().add(code);
                return Ok(Actual { code, skipped, is_beyond: true });
            }
        }
        Err(CdrError::new(CdrErrorKind::UnknownValueType))
    }

    /// A type within the whole or beyond, by its repository id.
    pub(super) fn find(&mut self, id: &str) -> Option<&'c TypeCode> {
        let (root, beyond) = (self.root, self.beyond);
        let index = self.index.get_or_insert_with(|| {
            let mut index = TypeIndex::new(root);
            beyond.iter().for_each(|code| index.add(code));
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
            TypeCode::Value(code) | TypeCode::Event(code) => {
                if code.modifier == CUSTOM {
                    return Err(invalid("only its own type can read a custom valuetype"));
                }
                if code.modifier == ABSTRACT {
                    return Err(invalid("a value is of an abstract type"));
                }
                let parts = self.parts(code)?;
                parts.iter().rev().try_for_each(|part| {
                    part.members.iter().try_for_each(|member| self.value(&member.ty, input, out))
                })
            }
            _ => Err(invalid("a value is of a type that is no valuetype")),
        }
    }

    /// A valuetype and those that it inherits from, the most special one first.
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
                _ => return Err(invalid("the base of a valuetype is none")),
            }
        }
    }
}

#[cold]
const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
