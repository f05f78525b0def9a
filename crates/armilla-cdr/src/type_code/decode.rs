//! Octets into TypeCodes (CORBA 3.4 Part 2, 9.3.5.1).
//!
//! An indirection to a part that is complete shares that part; one to a type that is still being
//! read becomes [`TypeCode::Recursive`]. So reading takes time linear in the input.

use super::encode::{INDIRECTION, bad_discriminator};
use super::{
    AliasCode, CaseCode, EnumCode, MemberCode, NamedCode, StateCode, StructCode,
    TYPE_CODE_DEPTH_LIMIT, TypeCode, TypeCodeKind, UnionCode, ValueCode,
};
use crate::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<'a> Decode<'a> for TypeCode {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Reader { seen: BTreeMap::new(), depth: 0 }.read(input, 0)
    }
}

/// What was read, by its offset from the start of the outermost message or encapsulation.
struct Reader {
    seen: BTreeMap<usize, Seen>,
    depth: usize,
}

enum Seen {
    /// Still being read; its repository id, once that is known.
    Open(Option<Arc<str>>),
    Complete(TypeCode),
}

impl Reader {
    /// Reads a code; `base` is where the octets of `input` begin.
    fn read(&mut self, input: &mut Decoder<'_>, base: usize) -> CdrResult<TypeCode> {
        let number = input.u32()?;
        // Known afterwards: a chunk of a value may begin before it.
        let start = base + input.position() - size_of::<u32>();
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

    fn follow(&self, input: &mut Decoder<'_>, base: usize) -> CdrResult<TypeCode> {
        let place = base + input.position();
        let offset = input.i32()?;
        let target = place.checked_add_signed(offset as isize);
        match target.and_then(|target| self.seen.get(&target)) {
            Some(Seen::Complete(code)) => Ok(code.clone()),
            Some(Seen::Open(Some(id))) => Ok(TypeCode::Recursive(id.clone())),
            _ => Err(input.error(CdrErrorKind::Invalid("an indirection leads to no TypeCode"))),
        }
    }

    fn complex(
        &mut self,
        kind: TypeCodeKind,
        input: &mut Decoder<'_>,
        base: usize,
        start: usize,
    ) -> CdrResult<TypeCode> {
        if self.depth == TYPE_CODE_DEPTH_LIMIT {
            let limit = TYPE_CODE_DEPTH_LIMIT as u16;
            return Err(input.error(CdrErrorKind::TooDeep { limit }));
        }
        let mut inner = input.encapsulation()?;
        let base = base + input.position() - (inner.position() + inner.remaining());
        self.depth += 1;
        self.seen.insert(start, Seen::Open(None));
        let code = self.parameters(kind, &mut inner, base, start)?;
        self.seen.insert(start, Seen::Complete(code.clone()));
        self.depth -= 1;
        Ok(code)
    }

    fn parameters(
        &mut self,
        kind: TypeCodeKind,
        input: &mut Decoder<'_>,
        base: usize,
        start: usize,
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
        self.seen.insert(start, Seen::Open(Some(id.as_str().into())));
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
            // What is left of the kinds with parameters.
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
                true => i64::from(input.u8()?),
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

/// A value of the type of a discriminator, as a number.
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
const fn no_default() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("the default case of a union does not exist"))
}
