//! Values as trees that are built and taken apart while the program runs (CORBA 3.4 Part 1, 9).
//!
//! `tree` has what a [`DynAny`] is made of, `decode` and `encode` are the interpreting marshaller,
//! `cursor`, `basic` and `sequences` what every one can do, `views` and `union` what those of each kind can do, `value`
//! what valuetypes share, `types` how types that contain themselves are unrolled, `json` how a person reads
//! and writes them.

mod basic;
mod cursor;
mod decode;
mod encode;
mod error;
#[cfg(feature = "json")]
mod json;
mod sequences;
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

/// A value of a type that the program gets to know while it runs, as a tree: `DynAny`.
///
/// What is composed has components, which are `DynAny`s themselves: the members of a struct, the
/// elements of a sequence, the discriminator and the member of a union, the state of a valuetype. A
/// cursor goes from one to the next; [`as_struct`](Self::as_struct) and its neighbours give what
/// CORBA calls `DynStruct`, `DynUnion` and so on.
///
/// [`new`](Self::new) and [`from_any`](Self::from_any) are what CORBA has a `DynAnyFactory` for;
/// there is nothing to destroy. Clones are copies, but lead to the same valuetypes;
/// [`copy`](Self::copy) copies those too. A cycle of valuetypes is freed when the program breaks it.
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
    /// As it was declared: aliases stay, and it may be a [`TypeCode::Recursive`].
    code: TypeCode,
    types: Types,
    content: Content,
    /// Which component the cursor is at.
    current: Option<usize>,
}

type Result<T = (), E = DynAnyError> = std::result::Result<T, E>;

impl DynAny {
    /// A value of this type: zero, empty, nil, null, or the first of what there is to choose from
    /// (`create_dyn_any_from_type_code`).
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) when there are no values of the
    /// type, or every one has more than a million components.
    pub fn new(type_code: &TypeCode) -> Result<Self> {
        tree::DefaultBuilder::default().make(type_code.clone(), &Types::of(type_code, &[]))
    }

    /// The value in `any` (`create_dyn_any`). A valuetype in it whose type is not known is truncated to
    /// the one that is, if it may be.
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) when there are no values of the
    /// type, or it says nothing of the value, such as a custom valuetype;
    /// [`Encoding`](DynAnyError::Encoding) when the value is none of the type.
    pub fn from_any(any: &Any) -> Result<Self> {
        Self::read(any, false)
    }

    /// The value in `any`, if nothing of it has to be left out (`create_dyn_any_without_truncation`).
    ///
    /// # Errors
    /// [`MustTruncate`](DynAnyError::MustTruncate) when a valuetype in it would be truncated, and as
    /// [`from_any`](Self::from_any).
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

    /// Reads a value of this type as a compiled one would be read: the interpreting marshaller.
    ///
    /// # Errors
    /// When the octets are no such value.
    pub fn decode(type_code: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<Self> {
        decode::value(type_code.clone(), &Types::of(type_code, &[]), input)
    }

    /// Writes the value as a compiled one would be written.
    ///
    /// # Errors
    /// When a string in it is longer than its bound, or cannot be expressed on the connection.
    pub fn encode(&self, out: &mut Encoder<'_>) -> CdrResult {
        encode::value(self, out)
    }

    /// Its type.
    pub fn type_code(&self) -> TypeCode {
        self.types.closed(&self.code)
    }

    /// Takes over the value of `other`; the cursor goes to the first component (`assign`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) unless both types are equivalent;
    /// [`InvalidValue`](DynAnyError::InvalidValue) when `other` nests deeper than values may that travel
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

    /// Takes over the value in `any` (`from_any`).
    ///
    /// # Errors
    /// As [`assign`](Self::assign) and [`from_any`](Self::from_any).
    pub fn set_any(&mut self, any: &Any) -> Result {
        if !self.type_code().is_equivalent(any.type_code()) {
            return Err(self.mismatch("another type's value"));
        }
        self.assign(&Self::from_any(any)?)
    }

    /// A copy that shares nothing with this one, also no valuetypes (`copy`).
    ///
    /// # Errors
    /// As [`to_any`](Self::to_any).
    pub fn copy(&self) -> Result<Self> {
        Self::from_any(&self.to_any()?)
    }

    /// The type that counts: without typedefs, unrolled.
    fn resolved(&self) -> &TypeCode {
        self.types.resolve(&self.code)
    }

    fn mismatch(&self, wanted: &'static str) -> DynAnyError {
        DynAnyError::TypeMismatch { wanted, found: self.resolved().kind() }
    }
}

impl PartialEq for DynAny {
    /// Whether both are of equivalent types and have the same components (`equal`); the cursors do
    /// not count. Graphs of valuetypes are compared by what they lead to.
    fn eq(&self, other: &Self) -> bool {
        value::Comparison::default().same(self, other)
    }
}

impl fmt::Debug for DynAny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynAny").field("type", &self.resolved().kind()).finish_non_exhaustive()
    }
}

/// A value for an any, which adds the repository id of an exception by itself.
struct Bare<'v>(&'v DynAny);

impl armilla_cdr::Encode for Bare<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        encode::without_id(self.0, out)
    }
}

#[cold]
fn too_deep() -> DynAnyError {
    DynAnyError::invalid(format!("the value nests deeper than {DEPTH_LIMIT} levels"))
}

#[cold]
const fn invalid(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(what))
}
