//! The decoder of TypeCodes (CORBA 3.4 Part 2, 9.3.5.1).
//!
//! An indirection to a complete part shares that part. An indirection to an enclosing type becomes
//! [`TypeCode::Recursive`]. So decoding takes time linear in the input. A shared part counts
//! towards the depth limit each time, because a traversal of the type visits it each time.

use super::encode::{INDIRECTION, bad_discriminator};
use super::{
    AliasCode, CaseCode, EnumCode, MemberCode, NamedCode, StateCode, StructCode,
    TYPE_CODE_DEPTH_LIMIT, TypeCode, TypeCodeKind, UnionCode, ValueCode,
};
use crate::key_table::KeyTable;
use crate::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<'a> Decode<'a> for TypeCode {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Reader::default().read(input, 0)
    }
}

/// The state of the decoder. Offsets are relative to the start of the outermost message or
/// encapsulation.
#[derive(Default)]
struct Reader {
    complete: KeyTable<Complete>,
    /// The enclosing types, the outermost first.
    open: Vec<Open>,
    /// The largest depth that a part of the innermost enclosing type has reached.
    deepest: usize,
}

struct Open {
    start: usize,
    /// The repository id; `None` before it is read, and for types without one.
    id: Option<Arc<str>>,
}

struct Complete {
    code: TypeCode,
    /// The number of nesting levels, including the type itself.
    height: usize,
}

impl Reader {
    /// Reads a code. `base` is the offset at which the octets of `input` begin.
    fn read(&mut self, input: &mut Decoder<'_>, base: usize) -> CdrResult<TypeCode> {
        let number = input.u32()?;
        // Computed after reading, because the header of a value's chunk may precede the number.
        let start = base + input.place() - size_of::<u32>();
        if number == INDIRECTION {
            return self.follow(input, base);
        }
        let Some(kind) = TypeCodeKind::from_number(number) else {
            return Err(input.invalid_enum("CORBA::TCKind", number));
        };
        if let Some(simple) = TypeCode::simple(kind) {
            return Ok(simple);
        }
        match kind {
            TypeCodeKind::String => Ok(TypeCode::String(input.u32()?)),
            TypeCodeKind::WString => Ok(TypeCode::WString(input.u32()?)),
            TypeCodeKind::Fixed => {
                Ok(TypeCode::Fixed { digits: input.u16()?, scale: input.i16()? })
            }
            _ => self.complex(kind, input, base, start),
        }
    }

    fn follow(&mut self, input: &mut Decoder<'_>, base: usize) -> CdrResult<TypeCode> {
        let place = base + input.place();
        let offset = input.i32()?;
        let lost = |input: &Decoder<'_>, what| Err(input.error(CdrErrorKind::Invalid(what)));
        let Some(target) = place.checked_add_signed(offset as isize) else {
            return lost(input, "an indirection leads to no TypeCode");
        };
        if let Some(Complete { code, height }) = self.complete.get(target) {
            let reach = self.open.len() + height;
            self.deepest = self.deepest.max(reach);
            return match reach <= TYPE_CODE_DEPTH_LIMIT {
                true => Ok(code.clone()),
                false => Err(too_deep(input)),
            };
        }
        let found = self.open.iter().rposition(|open| open.start == target);
        let found = found.and_then(|at| Some((self.open.get(at)?.id.as_ref()?, at)));
        let Some((id, at)) = found else {
            return lost(input, "an indirection leads to no TypeCode");
        };
        if self.open.iter().skip(at + 1).any(|inner| inner.id.as_ref() == Some(id)) {
            return lost(input, "an indirection leads past a type of the same repository id");
        }
        Ok(TypeCode::Recursive(id.clone()))
    }

    fn complex(
        &mut self,
        kind: TypeCodeKind,
        input: &mut Decoder<'_>,
        base: usize,
        start: usize,
    ) -> CdrResult<TypeCode> {
        if self.open.len() == TYPE_CODE_DEPTH_LIMIT {
            return Err(too_deep(input));
        }
        let mut inner = input.encapsulation()?;
        let base = base + input.place() - (inner.position() + inner.remaining());
        self.open.push(Open { start, id: None });
        let outside = core::mem::replace(&mut self.deepest, self.open.len());
        let code = self.parameters(kind, &mut inner, base)?;
        self.open.pop();
        let height = self.deepest - self.open.len();
        self.deepest = self.deepest.max(outside);
        self.complete.insert(start, Complete { code: code.clone(), height });
        Ok(code)
    }

    fn parameters(
        &mut self,
        kind: TypeCodeKind,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> CdrResult<TypeCode> {
        if matches!(kind, TypeCodeKind::Sequence | TypeCodeKind::Array) {
            let element = Arc::new(self.read(input, base)?);
            let length = input.u32()?;
            return Ok(match kind {
                TypeCodeKind::Sequence => TypeCode::Sequence(element, length),
                _ => TypeCode::Array(element, length),
            });
        }
        let id: String = input.string()?.into();
        let name: String = input.string()?.into();
        if let Some(open) = self.open.last_mut() {
            open.id = Some(id.as_str().into());
        }
        let named = |id, name| Arc::new(NamedCode { id, name });
        Ok(match kind {
            TypeCodeKind::Struct => TypeCode::Struct(self.structure(id, name, input, base)?),
            TypeCodeKind::Exception => TypeCode::Exception(self.structure(id, name, input, base)?),
            TypeCodeKind::Union => TypeCode::Union(self.union(id, name, input, base)?),
            TypeCodeKind::Value => TypeCode::Value(self.value(id, name, input, base)?),
            TypeCodeKind::Event => TypeCode::Event(self.value(id, name, input, base)?),
            TypeCodeKind::Alias => TypeCode::Alias(self.alias(id, name, input, base)?),
            TypeCodeKind::ValueBox => TypeCode::ValueBox(self.alias(id, name, input, base)?),
            TypeCodeKind::Enum => {
                let enumerators = input.sequence()?;
                TypeCode::Enum(Arc::new(EnumCode { id, name, enumerators }))
            }
            TypeCodeKind::Native => TypeCode::Native(named(id, name)),
            TypeCodeKind::AbstractInterface => TypeCode::AbstractInterface(named(id, name)),
            TypeCodeKind::LocalInterface => TypeCode::LocalInterface(named(id, name)),
            TypeCodeKind::Component => TypeCode::Component(named(id, name)),
            TypeCodeKind::Home => TypeCode::Home(named(id, name)),
            // The other kinds have a repository id and a name.
            _ => TypeCode::ObjectReference(named(id, name)),
        })
    }

    fn structure(
        &mut self,
        id: String,
        name: String,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> CdrResult<Arc<StructCode>> {
        let members = input.sequence_with(|input| {
            let name = input.string()?.into();
            Ok(MemberCode { name, ty: self.read(input, base)? })
        })?;
        Ok(Arc::new(StructCode { id, name, members }))
    }

    fn union(
        &mut self,
        id: String,
        name: String,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> CdrResult<Arc<UnionCode>> {
        let discriminator = self.read(input, base)?;
        let default = u32::try_from(input.i32()?).ok();
        let mut index = 0;
        let cases: Vec<_> = input.sequence_with(|input| {
            let label = match default == Some(index) {
                true => default_label(&discriminator, input)?,
                false => read_label(&discriminator, input)?,
            };
            index += 1;
            let name = input.string()?.into();
            Ok(CaseCode { label, name, ty: self.read(input, base)? })
        })?;
        if default.is_some_and(|default| default as usize >= cases.len()) {
            return Err(no_default());
        }
        Ok(Arc::new(UnionCode::new(id, name, discriminator, default, cases)))
    }

    fn value(
        &mut self,
        id: String,
        name: String,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> CdrResult<Arc<ValueCode>> {
        let modifier = input.i16()?;
        let parent = self.read(input, base)?;
        let members = input.sequence_with(|input| {
            let name = input.string()?.into();
            let ty = self.read(input, base)?;
            Ok(StateCode { name, ty, public: input.i16()? != 0 })
        })?;
        Ok(Arc::new(ValueCode { id, name, modifier, base: parent, members }))
    }

    fn alias(
        &mut self,
        id: String,
        name: String,
        input: &mut Decoder<'_>,
        base: usize,
    ) -> CdrResult<Arc<AliasCode>> {
        Ok(Arc::new(AliasCode { id, name, ty: self.read(input, base)? }))
    }
}

/// Reads the label of a default case: the octet 0. omniORB writes a value of the discriminator's
/// type instead. Both differ in size for types of eight octets, where the seven octets that follow
/// decide: they cannot all be zero if they belong to the length of the name.
fn default_label(discriminator: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<i64> {
    if matches!(discriminator.resolved(), TypeCode::LongLong | TypeCode::ULongLong) {
        let here = input.checkpoint();
        if input.i64() == Ok(0) {
            return Ok(0);
        }
        input.rewind(here);
    }
    input.u8().map(i64::from)
}

/// Reads a value of the discriminator's type, as a number.
pub(crate) fn read_label(ty: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<i64> {
    Ok(match ty.resolved() {
        TypeCode::Short => input.i16()?.into(),
        TypeCode::UShort => input.u16()?.into(),
        TypeCode::Long => input.i32()?.into(),
        TypeCode::ULong => input.u32()?.into(),
        TypeCode::Enum(code) => {
            let number = input.u32()?;
            if number as usize >= code.enumerators.len() {
                return Err(input.invalid_enum("the discriminator of a union", number));
            }
            number.into()
        }
        TypeCode::LongLong => input.i64()?,
        // Two's complement: the same 64 bits.
        TypeCode::ULongLong => input.u64()? as i64,
        TypeCode::WChar => u32::from(input.wchar()?).into(),
        TypeCode::Boolean => input.bool()?.into(),
        TypeCode::Char | TypeCode::Octet => input.u8()?.into(),
        _ => return Err(bad_discriminator()),
    })
}

#[cold]
fn too_deep(input: &Decoder<'_>) -> CdrError {
    input.error(CdrErrorKind::TooDeep { limit: TYPE_CODE_DEPTH_LIMIT as u16 })
}

#[cold]
const fn no_default() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("the default case of a union does not exist"))
}
