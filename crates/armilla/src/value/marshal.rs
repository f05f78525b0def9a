//! Encoding and decoding of values, and the choice of the type of a received value.

use super::shared::{Kind, Shared};
use super::{Value, Valuetype, cycles, stack};
use crate::runtime::Orb;
use armilla_cdr::value::{NewValue, Nullable, ValueHandle, ValueHead};
use armilla_cdr::{
    CdrError, CdrErrorKind, CdrResult, DEPTH_LIMIT, Decoder, Encoder, TypeCode, Typed,
};
use std::any::TypeId;
use std::sync::Arc;

impl<T: Valuetype + ?Sized> Nullable for Value<T> {
    fn encode_nullable<'p>(value: Option<&'p Self>, out: &mut Encoder<'p>) -> CdrResult {
        match value {
            Some(value) => {
                stack::with_stack_budget(0, |_| encode(&value.shared, T::REPOSITORY_ID, out))
            }
            None => {
                out.put_null_value();
                Ok(())
            }
        }
    }

    fn decode_nullable(input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        let expected =
            Expected { ty: TypeId::of::<T>(), repository_id: T::REPOSITORY_ID, family: T::FAMILY };
        let decoded = stack::with_stack_budget(input.stack_used(), |moved| match moved {
            Some(room) => input.on_another_stack(room, |input| expected.decode(input)),
            None => expected.decode(input),
        });
        Ok(decoded?.map(Value::of))
    }
}

impl<T: Typed + ?Sized> Typed for Value<T> {
    fn type_code() -> TypeCode {
        T::type_code()
    }

    fn dynamic_type_code(&self) -> TypeCode {
        (self.shared.kind.type_code)()
    }
}

fn encode(shared: &Arc<Shared>, declared: &str, out: &mut Encoder<'_>) -> CdrResult {
    let Some(state) = shared.state() else {
        return Err(invalid("a value cannot be encoded while it is being decoded"));
    };
    let handle: ValueHandle = shared.clone();
    let (ids, ty) = (state.ids(), shared.kind.type_code);
    let Some(mut inner) = out.begin_value(&handle, declared, ids, state.is_custom(), ty)? else {
        return Ok(());
    };
    let encoded = state.encode(&mut inner);
    out.end_value(inner, encoded)
}

/// The declared type of a value that is being decoded.
#[derive(Clone, Copy)]
struct Expected {
    ty: TypeId,
    repository_id: &'static str,
    family: &'static [Kind],
}

impl Expected {
    fn decode(self, input: &mut Decoder<'_>) -> CdrResult<Option<Arc<Shared>>> {
        let head = match input.value_head()? {
            ValueHead::Null => return Ok(None),
            ValueHead::Known(handle) => match handle.downcast::<Shared>() {
                Ok(shared) => return self.known(shared).map(Some),
                // The value was decoded within an `any`, which keeps only its octets.
                Err(_) => return input.reread_value(|input| self.decode(input)),
            },
            ValueHead::New(head) => head,
        };
        let (kind, truncated) = self.choose(&head, input)?;
        let shared = Arc::new(Shared::without_state(kind));
        input.register_value(&head, shared.clone());
        let limit = input.context::<Orb>().map_or(u32::from(DEPTH_LIMIT), Orb::value_depth);
        let state = input.deep_value_state(&head, truncated, limit, kind.decode)?;
        shared.set(state);
        Ok(Some(shared))
    }

    /// A value to which the message refers again.
    fn known(self, shared: Arc<Shared>) -> CdrResult<Arc<Shared>> {
        if shared.state().is_none() {
            cycles::add_candidate(&shared);
        }
        match shared.is(self.ty) {
            true => Ok(shared),
            false => Err(invalid("an indirection leads to a value of another type")),
        }
    }

    /// The first known type among those that the message names for the value, and whether decoding
    /// as that type truncates the value.
    fn choose(self, head: &NewValue<'_>, input: &Decoder<'_>) -> CdrResult<(Kind, bool)> {
        let ids = match head.ids() {
            [] => &[self.repository_id.as_bytes()],
            ids => ids,
        };
        let orb: Option<&Orb> = input.context();
        for (index, id) in ids.iter().enumerate() {
            let family = self.family.iter().find(|kind| kind.repository_id.as_bytes() == *id);
            let kind = family.copied().or_else(|| self.registered(orb?, id));
            match kind {
                Some(kind) if index == 0 || head.can_be_truncated() => {
                    return Ok((kind, index > 0));
                }
                _ => {}
            }
        }
        Err(CdrError::new(CdrErrorKind::UnknownValueType))
    }

    /// A type that the program has registered.
    fn registered(self, orb: &Orb, id: &[u8]) -> Option<Kind> {
        let kind = orb.value_kind(std::str::from_utf8(id).ok()?)?;
        Shared::without_state(kind).is(self.ty).then_some(kind)
    }
}

const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
