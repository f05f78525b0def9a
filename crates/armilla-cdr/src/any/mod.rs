//! Values that carry their type: IDL `any` (CORBA 3.4 Part 2, 9.3.5.2).

mod copy;
mod debug;
mod fixed_layout;
mod opaque;
mod types;
mod values;

use crate::encoding::Encoding;
use crate::{
    CdrError, CdrErrorKind, CdrResult, Context, Decode, Decoder, Encode, Encoder, TypeCode, Typed,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
use types::DynamicTypes;

/// A value of any type, with its TypeCode.
///
/// The value is stored in its encoding, so a value of a type that the program does not know is
/// passed on unchanged, and a graph of valuetypes keeps its shape. [`new`](Self::new) stores a
/// value, [`get`](Self::get) extracts it as a Rust type.
///
/// ```
/// use armilla_cdr::Any;
///
/// let any = Any::new(&vec![1.5, 2.5])?;
/// assert_eq!(any.get::<Vec<f64>>()?, Some(vec![1.5, 2.5]));
/// assert_eq!(any.get::<String>()?, None);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Clone)]
pub struct Any {
    type_code: TypeCode,
    /// The value, aligned from its start. It is in the byte order of this machine with strings in
    /// UTF-8, unless `rest` says otherwise.
    value: Vec<u8>,
    rest: Option<Arc<Rest>>,
}

/// The fields that few `any`s have.
struct Rest {
    /// The types of values in it that the TypeCode does not describe, because they inherit from the
    /// declared ones.
    types: Vec<TypeCode>,
    /// The encoding of the value: the received one if it contains an opaque value.
    form: Encoding,
}

impl Any {
    /// Creates an `any` with this value.
    ///
    /// # Errors
    /// When the value breaks a rule of its IDL type.
    pub fn new<T: Typed + Encode + ?Sized>(value: &T) -> CdrResult<Self> {
        Self::with_type(value.dynamic_type_code(), value)
    }

    /// Creates an `any` with `value` as a value of the type `type_code`, for types that share a
    /// Rust type, such as a typedef or `char`. The encoding must conform to that type. The
    /// repository id before the members of an exception is added.
    ///
    /// # Errors
    /// When the value breaks a rule of its IDL type, or its encoding does not conform to
    /// `type_code`.
    pub fn with_type<T: Encode + ?Sized>(type_code: TypeCode, value: &T) -> CdrResult<Self> {
        let id = match type_code.resolved() {
            TypeCode::Exception(code) => Some(code.id.clone()),
            _ => None,
        };
        Self::encoded(type_code, |out| {
            id.as_deref().map_or(Ok(()), |id| out.put_string(id))?;
            value.encode(out)
        })
    }

    /// Creates an `any` of the type `type_code` with the value that `encode` writes. It may be
    /// asked to write twice.
    ///
    /// # Errors
    /// As [`with_type`](Self::with_type).
    pub fn encoded<'p>(
        type_code: TypeCode,
        encode: impl FnMut(&mut Encoder<'p>) -> CdrResult,
    ) -> CdrResult<Self> {
        let out = in_some_form(encode)?;
        let rest = Rest::of(&type_code, &out);
        let any = Self { type_code, value: out.to_vec(), rest };
        any.check()?;
        Ok(any)
    }

    /// Reads a value of the type `type_code`, without a TypeCode before it, such as an argument
    /// whose type both sides know.
    ///
    /// # Errors
    /// When the octets are not a value of the type, or contain a value of a type that is neither
    /// described nor known to the [`Context`](crate::Context) of the input.
    pub fn read(type_code: TypeCode, input: &mut Decoder<'_>) -> CdrResult<Self> {
        let start = input.checkpoint();
        let out = in_some_form(|out| {
            input.rewind(start);
            copy::value(&type_code, &DynamicTypes::default(), input, out, false)
        })?;
        let rest = Rest::of(&type_code, &out);
        Ok(Self { type_code, value: out.into_buffer(), rest })
    }

    /// Appends the value without its type.
    ///
    /// # Errors
    /// When the connection cannot transfer it: a character that its code set lacks, or wide text in
    /// GIOP 1.0.
    pub fn write(&self, out: &mut Encoder<'_>) -> CdrResult {
        let dynamic_types = DynamicTypes::new(self.dynamic_types());
        copy::value(&self.type_code, &dynamic_types, &mut self.decoder(), out, true)
    }

    /// Appends the value without its type. A string or a sequence of octets or numbers is borrowed
    /// if it is long and needs no conversion.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub fn write_borrowed<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        // The value was validated when it was stored.
        match self.type_code.resolved() {
            TypeCode::String(_) => {
                if let [text @ .., 0] = self.decoder().octets()?
                    && out.borrow_ascii(text)?
                {
                    return Ok(());
                }
            }
            TypeCode::Sequence(element, _) => {
                let mut input = self.decoder();
                let size = number_size(element.resolved());
                if let Some(size) = size.filter(|size| *size == 1 || input.order() == out.order()) {
                    let length = input.length()?;
                    out.put_length(length)?;
                    if length > 0 {
                        input.align(size);
                        out.borrow_numbers(input.raw(length.saturating_mul(size))?, size);
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        self.write(out)
    }

    pub(crate) const fn from_parts(type_code: TypeCode, value: Vec<u8>) -> Self {
        Self { type_code, value, rest: None }
    }

    /// A decoder at the start of the value, for callers that interpret its
    /// [`type_code`](Self::type_code).
    pub fn decoder(&self) -> Decoder<'_> {
        let Encoding { order, code_sets, wide } = self.form();
        let input = Decoder::new(&self.value, order).with_code_sets(code_sets);
        input.with_wide_format(wide).with_types(self.dynamic_types())
    }

    /// The type of the value.
    pub const fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The dynamic types of values in it that [`type_code`](Self::type_code) does not describe:
    /// valuetypes that inherit from the declared ones.
    pub fn dynamic_types(&self) -> &[TypeCode] {
        self.rest.as_ref().map_or(&[], |rest| &rest.types)
    }

    fn form(&self) -> Encoding {
        self.rest.as_ref().map_or(Encoding::NATIVE, |rest| rest.form)
    }

    /// The value, if its type is that of `T`, equivalent to it, or derived from it: a valuetype as
    /// its base, any reference as `Object`.
    ///
    /// # Errors
    /// When `T` cannot hold the value, or the value has more octets than `T` reads.
    pub fn get<T: Typed + for<'a> Decode<'a>>(&self) -> CdrResult<Option<T>> {
        self.extract(&T::type_code(), None)
    }

    /// Does what [`get`](Self::get) does, with a context for object references in the value.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn get_with_context<T: Typed + for<'a> Decode<'a>>(
        &self,
        context: &dyn Context,
    ) -> CdrResult<Option<T>> {
        self.extract(&T::type_code(), Some(context))
    }

    /// Extracts the value if its type is `type_code`, to which `T` must conform. This is the
    /// counterpart of [`with_type`](Self::with_type).
    ///
    /// ```
    /// use armilla_cdr::{Any, TypeCode};
    ///
    /// let code = TypeCode::String(8);
    /// let any = Any::with_type(code.clone(), "bounded")?;
    /// assert_eq!(any.get::<String>()?, None);
    /// assert_eq!(any.get_as::<String>(&code)?.as_deref(), Some("bounded"));
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn get_as<T: for<'a> Decode<'a>>(&self, type_code: &TypeCode) -> CdrResult<Option<T>> {
        self.extract(type_code, None)
    }

    /// Does what [`get_as`](Self::get_as) does, with a context for object references in the value.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn get_as_with_context<T: for<'a> Decode<'a>>(
        &self,
        type_code: &TypeCode,
        context: &dyn Context,
    ) -> CdrResult<Option<T>> {
        self.extract(type_code, Some(context))
    }

    fn extract<T: for<'a> Decode<'a>>(
        &self,
        wanted: &TypeCode,
        context: Option<&dyn Context>,
    ) -> CdrResult<Option<T>> {
        if !self.type_code.is_equivalent(wanted) && !self.type_code.is_derived_from(wanted) {
            return Ok(None);
        }
        let input = self.decoder();
        let mut input = match context {
            Some(context) => input.with_context(context),
            None => input,
        };
        if let TypeCode::Exception(code) = self.type_code.resolved()
            && input.next_string_is(&code.id)
        {
            input.string()?;
        }
        let value = T::decode(&mut input)?;
        match input.remaining() {
            0 => Ok(Some(value)),
            _ => Err(trailing_octets(&input)),
        }
    }

    /// Whether the encoding of the value conforms to its type, up to the last octet.
    fn check(&self) -> CdrResult {
        let mut input = self.decoder();
        let mut copy = Encoder::in_form(self.form());
        let dynamic_types = DynamicTypes::new(self.dynamic_types());
        copy::value(&self.type_code, &dynamic_types, &mut input, &mut copy, false)?;
        match input.remaining() {
            0 => Ok(()),
            _ => Err(trailing_octets(&input)),
        }
    }
}

/// The error for a value whose end is not that of its type.
fn trailing_octets(input: &Decoder<'_>) -> CdrError {
    let what = "the value is not of the type that its TypeCode says";
    CdrError::at(CdrErrorKind::Invalid(what), input.position())
}

impl Default for Any {
    /// An `any` of the type [`TypeCode::Null`].
    fn default() -> Self {
        Self { type_code: TypeCode::Null, value: Vec::new(), rest: None }
    }
}

impl PartialEq for Any {
    /// Whether both the types and the values are equal.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
            && self.form() == other.form()
            && self.type_code == other.type_code
    }
}

impl Encode for Any {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.type_code.encode(out)?;
        self.write_borrowed(out)
    }
}

impl<'a> Decode<'a> for Any {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Self::read(TypeCode::decode(input)?, input)
    }
}

impl Rest {
    fn of(type_code: &TypeCode, out: &Encoder<'_>) -> Option<Arc<Self>> {
        let (types, form) = (types::dynamic_types(type_code, out), out.encoding());
        let is_usual = types.is_empty() && form == Encoding::NATIVE;
        (!is_usual).then(|| Arc::new(Self { types, form }))
    }
}

/// The size of an element of this type in octets, if it is a number whose encoding is its memory.
const fn number_size(element: &TypeCode) -> Option<usize> {
    Some(match element {
        TypeCode::Octet | TypeCode::Char => 1,
        TypeCode::Short | TypeCode::UShort => 2,
        TypeCode::Long | TypeCode::ULong | TypeCode::Float => 4,
        TypeCode::LongLong | TypeCode::ULongLong | TypeCode::Double => 8,
        _ => return None,
    })
}

/// The output of `write`, in the encoding of this machine, or in the one that an opaque value
/// requires.
fn in_some_form<'p>(
    mut write: impl FnMut(&mut Encoder<'p>) -> CdrResult,
) -> CdrResult<Encoder<'p>> {
    let mut out = Encoder::for_any(Encoding::NATIVE);
    if let Err(error) = write(&mut out) {
        out = Encoder::for_any(out.wanted().ok_or(error)?);
        write(&mut out)?;
    }
    Ok(out)
}
