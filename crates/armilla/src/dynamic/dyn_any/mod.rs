//! Dynamic values: trees that a program builds and inspects at run time (CORBA 3.4 Part 1, 9).
//!
//! * `tree`: the content of a [`DynAny`], and default values.
//! * `decode`, `encode`: the interpreting marshaller.
//! * `cursor`, `basic`, `sequences`: the operations of every dynamic value.
//! * `views`, `union`, `value`: the operations of structs, unions, valuetypes and other kinds.
//! * `shared`: the state that the handles of a valuetype share.
//! * `comparison`: equality of values.
//! * `types`: the resolution of recursive types.
//! * `json`: the conversion from and to JSON.

mod basic;
mod comparison;
mod cursor;
mod decode;
mod encode;
mod error;
#[cfg(feature = "json")]
mod json;
mod sequences;
mod shared;
mod tree;
mod types;
mod union;
mod value;
mod views;

pub use cursor::Component;
pub use error::DynAnyError;
pub use value::{DynValue, ValueIdentity};
pub use views::{DynArray, DynEnum, DynFixed, DynSequence, DynStruct, DynUnion};

use armilla_cdr::{
    Any, CdrError, CdrErrorKind, CdrResult, DEPTH_LIMIT, Decoder, Encoder, TypeCode,
};
use std::fmt;
use tree::Content;
use types::Types;

/// A value of a type that the program learns at run time, as a tree: `DynAny`.
///
/// A constructed value has components, which are `DynAny`s themselves: the members of a struct, the
/// elements of a sequence, the discriminator and the member of a union, the members of a valuetype.
/// A cursor moves through the components. [`as_struct`](Self::as_struct) and similar methods return
/// the views that CORBA calls `DynStruct`, `DynUnion` and so on.
///
/// [`new`](Self::new) and [`from_any`](Self::from_any) take the place of `DynAnyFactory`; `destroy`
/// is not needed. Clones are copies, but share valuetypes; [`copy`](Self::copy) copies these too. A
/// cycle of valuetypes is freed only when the program breaks it.
///
/// ```
/// use armilla::dynamic::DynAny;
/// use armilla::{Any, TypeCode};
///
/// let members = [("x", TypeCode::Double), ("tags", TypeCode::sequence(TypeCode::String(0), 0))];
/// let mut point = DynAny::new(&TypeCode::structure("IDL:Point:1.0", "Point", members))?;
/// point.insert_double(2.5)?;
/// point.next();
/// point.current_component()?.unwrap().as_sequence()?.set_elements(&[Any::new("first")?])?;
/// let any: Any = point.to_any()?;
/// assert_eq!(DynAny::from_any(&any)?, point);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynAny {
    /// The declared type, which may be an alias or a [`TypeCode::Recursive`].
    code: TypeCode,
    types: Types,
    content: Content,
    /// The index of the component at the cursor.
    current: Option<usize>,
}

type Result<T = (), E = DynAnyError> = std::result::Result<T, E>;

impl DynAny {
    /// Creates the default value of this type: zero, empty, nil, null, the first enumerator, or the
    /// first member of a union (`create_dyn_any_from_type_code`).
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) when the type has no values, or
    /// only values with more than a million components.
    #[doc(alias = "create_dyn_any_from_type_code")]
    pub fn new(type_code: &TypeCode) -> Result<Self> {
        tree::DefaultBuilder::default().make(type_code.clone(), &Types::of(type_code, &[]))
    }

    /// The value in `any` (`create_dyn_any`). A valuetype of an unknown type is truncated to a
    /// known base, if it is truncatable.
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) when the type has no values or
    /// does not describe them, such as a custom valuetype; [`Encoding`](DynAnyError::Encoding) when
    /// the octets are not a value of the type.
    #[doc(alias = "create_dyn_any")]
    pub fn from_any(any: &Any) -> Result<Self> {
        Self::read(any, false)
    }

    /// The value in `any`, without truncation (`create_dyn_any_without_truncation`).
    ///
    /// # Errors
    /// [`MustTruncate`](DynAnyError::MustTruncate) when a valuetype would be truncated; those of
    /// [`from_any`](Self::from_any).
    #[doc(alias = "create_dyn_any_without_truncation")]
    pub fn from_any_without_truncation(any: &Any) -> Result<Self> {
        Self::read(any, true)
    }

    fn read(any: &Any, keeps_whole: bool) -> Result<Self> {
        use TypeCode::{LocalInterface, Native, Principal};
        if matches!(any.type_code().resolved(), LocalInterface(_) | Native(_) | Principal) {
            return Err(DynAnyError::InconsistentTypeCode("there are no values of the type"));
        }
        let mut types = Types::of(any.type_code(), any.dynamic_types());
        types.keeps_whole = keeps_whole;
        Ok(decode::value(any.type_code().clone(), &types, &mut any.decoder())?)
    }

    /// The value with its type.
    ///
    /// # Errors
    /// When a string in it is longer than its bound.
    pub fn to_any(&self) -> Result<Any> {
        Ok(Any::with_type(self.type_code(), &Bare(self))?)
    }

    /// Decodes a value of this type, as generated code would.
    ///
    /// # Errors
    /// When the octets are not a value of the type.
    pub fn decode(type_code: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<Self> {
        decode::value(type_code.clone(), &Types::of(type_code, &[]), input)
    }

    /// Encodes the value, as generated code would.
    ///
    /// # Errors
    /// When a string is longer than its bound, or the transmission code set lacks a character.
    pub fn encode(&self, out: &mut Encoder<'_>) -> CdrResult {
        encode::value(self, out)
    }

    /// Its type.
    #[doc(alias = "type")]
    pub fn type_code(&self) -> TypeCode {
        self.types.closed(&self.code)
    }

    /// Assigns the value of `other`. The cursor moves to the first component (`assign`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) unless both types are equivalent;
    /// [`InvalidValue`](DynAnyError::InvalidValue) when `other` is nested too deeply to be sent
    /// ([`DEPTH_LIMIT`](armilla_cdr::DEPTH_LIMIT)).
    pub fn assign(&mut self, other: &Self) -> Result {
        if !self.type_code().is_equivalent(&other.type_code()) {
            return Err(self.mismatch("another type's value"));
        }
        if !other.content.nests_within(DEPTH_LIMIT) {
            return Err(too_deep());
        }
        self.content = other.content.clone();
        self.rewind();
        Ok(())
    }

    /// Assigns the value in `any` (`from_any`).
    ///
    /// # Errors
    /// Those of [`assign`](Self::assign) and [`from_any`](Self::from_any).
    #[doc(alias = "from_any")]
    pub fn set_any(&mut self, any: &Any) -> Result {
        if !self.type_code().is_equivalent(any.type_code()) {
            return Err(self.mismatch("another type's value"));
        }
        self.assign(&Self::from_any(any)?)
    }

    /// A deep copy, which shares no valuetypes with this value (`copy`).
    ///
    /// # Errors
    /// Those of [`to_any`](Self::to_any).
    pub fn copy(&self) -> Result<Self> {
        Self::from_any(&self.to_any()?)
    }

    /// The type without aliases, and resolved if it is recursive.
    fn resolved(&self) -> &TypeCode {
        self.types.resolve(&self.code)
    }

    fn mismatch(&self, wanted: &'static str) -> DynAnyError {
        DynAnyError::TypeMismatch { wanted, found: self.resolved().kind() }
    }
}

impl PartialEq for DynAny {
    /// Whether both have equivalent types and equal components (`equal`). Cursors are not compared.
    /// Valuetypes are compared by their states, not by identity.
    fn eq(&self, other: &Self) -> bool {
        comparison::Comparison::default().same(self, other)
    }
}

impl fmt::Debug for DynAny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynAny").field("type", &self.resolved().kind()).finish_non_exhaustive()
    }
}

/// A value for an any. The any itself writes the repository id of an exception.
struct Bare<'v>(&'v DynAny);

impl armilla_cdr::Encode for Bare<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        encode::without_id(self.0, out)
    }
}

fn too_deep() -> DynAnyError {
    DynAnyError::invalid(format!("the value nests deeper than {DEPTH_LIMIT} levels"))
}

const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
