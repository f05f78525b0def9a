//! Reads and writes values of the basic types (CORBA 3.4 Part 1, 9.2.3.6).
//!
//! Each method has a *target*: the component at the cursor if the value has components, otherwise
//! the value itself.

use super::tree::Content;
use super::{DynAny, DynAnyError, Result};
use crate::client::Object;
use crate::runtime::Orb;
use armilla_cdr::{Any, Decode, Encode, LongDouble, TypeCode, Typed};
use armilla_giop::ior::Ior;

impl DynAny {
    /// Applies `run` to the target: the component at the cursor, or the value if it has no
    /// components.
    fn at_cursor<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        match self.content {
            Content::Octets(_) | Content::Parts(_) | Content::Union(_) | Content::Value(_) => {
                match self.current_component()? {
                    Some(mut component) => run(&mut component),
                    None => Err(DynAnyError::invalid("the cursor is at no component")),
                }
            }
            _ => run(self),
        }
    }
}

macro_rules! basic {
    ($($insert:ident $get:ident $kind:ident $ty:ty, $words:literal;)*) => {
        impl DynAny {$(
            #[doc = concat!("Sets this value, or the component at the cursor (`", $words, "`).")]
            ///
            /// # Errors
            /// `TypeMismatch` when the target has another type, `InvalidValue` when the cursor is
            /// at no component.
            pub fn $insert(&mut self, value: $ty) -> Result {
                self.at_cursor(|target| match &mut target.content {
                    Content::$kind(content) => {
                        *content = value;
                        Ok(())
                    }
                    _ => Err(target.mismatch($words)),
                })
            }

            #[doc = concat!("The ", $words, " in this value, or in the component at the cursor.")]
            ///
            /// # Errors
            /// Those of the method that sets it.
            pub fn $get(&mut self) -> Result<$ty> {
                self.at_cursor(|target| match &target.content {
                    Content::$kind(content) => Ok(content.clone()),
                    _ => Err(target.mismatch($words)),
                })
            }
        )*}
    };
}

basic! {
    insert_boolean get_boolean Boolean bool, "boolean";
    insert_octet get_octet Octet u8, "octet";
    insert_char get_char Char u8, "char";
    insert_short get_short Short i16, "short";
    insert_ushort get_ushort UShort u16, "unsigned short";
    insert_long get_long Long i32, "long";
    insert_ulong get_ulong ULong u32, "unsigned long";
    insert_longlong get_longlong LongLong i64, "long long";
    insert_ulonglong get_ulonglong ULongLong u64, "unsigned long long";
    insert_float get_float Float f32, "float";
    insert_double get_double Double f64, "double";
    insert_longdouble get_longdouble LongDouble LongDouble, "long double";
    insert_wchar get_wchar WChar char, "wchar";
    insert_typecode get_typecode TypeCode TypeCode, "TypeCode";
}

/// Sets `content`, a string of the type `code`, to `text` if its bound permits that.
fn set_text(content: &mut String, code: &TypeCode, text: &str) -> Result {
    match code.length() {
        Some(bound) if bound > 0 && text.chars().count() > bound as usize => {
            Err(DynAnyError::invalid(format!("the text has more than {bound} characters")))
        }
        _ if text.contains('\0') => Err(DynAnyError::invalid("the text contains a NUL")),
        _ => {
            text.clone_into(content);
            Ok(())
        }
    }
}

impl DynAny {
    /// Sets this value, or the component at the cursor, to this string.
    ///
    /// # Errors
    /// `TypeMismatch` when the target has another type; `InvalidValue` when the text exceeds its
    /// bound or contains a NUL, or the cursor is at no component.
    pub fn insert_string(&mut self, text: &str) -> Result {
        self.at_cursor(|target| {
            let code = target.resolved().clone();
            match &mut target.content {
                Content::String(content) => set_text(content, &code, text),
                _ => Err(target.mismatch("string")),
            }
        })
    }

    /// The string in this value, or in the component at the cursor.
    ///
    /// # Errors
    /// `TypeMismatch` when the target has another type, `InvalidValue` when the cursor is at no
    /// component.
    pub fn get_string(&mut self) -> Result<String> {
        self.at_cursor(|target| match &target.content {
            Content::String(text) => Ok(text.clone()),
            _ => Err(target.mismatch("string")),
        })
    }

    /// Sets this value, or the component at the cursor, to this wide string.
    ///
    /// # Errors
    /// Those of [`insert_string`](Self::insert_string).
    pub fn insert_wstring(&mut self, text: &str) -> Result {
        self.at_cursor(|target| {
            let code = target.resolved().clone();
            match &mut target.content {
                Content::WString(content) => set_text(content, &code, text),
                _ => Err(target.mismatch("wstring")),
            }
        })
    }

    /// The wide string in this value, or in the component at the cursor.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn get_wstring(&mut self) -> Result<String> {
        self.at_cursor(|target| match &target.content {
            Content::WString(text) => Ok(text.clone()),
            _ => Err(target.mismatch("wstring")),
        })
    }

    /// Sets this value, or the component at the cursor, which is an `any`, to `any`.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn insert_any(&mut self, any: Any) -> Result {
        self.at_cursor(|target| match &mut target.content {
            Content::Any(content) => {
                **content = any;
                Ok(())
            }
            _ => Err(target.mismatch("any")),
        })
    }

    /// The `any` in this value, or in the component at the cursor.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn get_any(&mut self) -> Result<Any> {
        self.at_cursor(|target| match &target.content {
            Content::Any(any) => Ok((**any).clone()),
            _ => Err(target.mismatch("any")),
        })
    }

    /// The content of the `any` in this value, or in the component at the cursor, as a dynamic
    /// value (`get_dyn_any`).
    ///
    /// # Errors
    /// Those of [`get_any`](Self::get_any) and [`from_any`](Self::from_any).
    pub fn get_dyn_any(&mut self) -> Result<Self> {
        Self::from_any(&self.get_any()?)
    }

    /// Sets this value, or the component at the cursor, to this reference.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn insert_reference(&mut self, object: impl AsRef<Object>) -> Result {
        let ior = Box::new(object.as_ref().ior());
        if self.is_abstract() {
            self.content = Content::Reference(ior);
            return Ok(());
        }
        self.at_cursor(|target| {
            if !matches!(target.content, Content::Reference(_)) && !target.is_abstract() {
                return Err(target.mismatch("reference"));
            }
            target.content = Content::Reference(ior);
            Ok(())
        })
    }

    fn is_abstract(&self) -> bool {
        matches!(self.resolved(), TypeCode::AbstractInterface(_))
    }

    /// The reference in this value, or in the component at the cursor. Calls through it use `orb`.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn get_reference(&mut self, orb: &Orb) -> Result<Object> {
        self.get_ior().map(|ior| Object::from_ior(orb, ior))
    }

    /// The IOR of the reference in this value, or in the component at the cursor.
    ///
    /// # Errors
    /// Those of [`get_string`](Self::get_string).
    pub fn get_ior(&mut self) -> Result<Ior> {
        self.at_cursor(|target| match &target.content {
            Content::Reference(ior) => Ok((**ior).clone()),
            _ => Err(target.mismatch("reference")),
        })
    }

    /// Sets the component at the cursor to this valuetype or null. Its type must be the declared
    /// one or inherit from it (`insert_val`). An abstract interface also accepts a valuetype,
    /// whether it is the component or the whole value (`insert_abstract`). The graph is copied.
    ///
    /// # Errors
    /// `TypeMismatch` when the component has another type, `InvalidValue` when the cursor is at no
    /// component; those of [`from_any`](Self::from_any).
    #[doc(alias = "insert_abstract")]
    pub fn insert_val<T: Typed + Encode>(&mut self, value: &T) -> Result {
        let given = Self::from_any(&Any::new(value)?)?;
        if self.is_abstract() {
            return self.take_val(given);
        }
        self.at_cursor(|target| target.take_val(given))
    }

    fn take_val(&mut self, mut given: Self) -> Result {
        let fits = given.resolved().is_valuetype()
            && match given.shared() {
                Some(shared) => self.is_abstract() || shared.is(self.resolved()),
                None => self.is_abstract() || self.resolved().is_valuetype(),
            };
        if !fits {
            return Err(given.mismatch("a value of the type"));
        }
        self.content = std::mem::replace(&mut given.content, Content::Nothing);
        self.rewind();
        Ok(())
    }

    /// The valuetype at the cursor as `T`, which is its type or a base of it (`get_val`,
    /// `get_abstract`). The graph is copied.
    ///
    /// # Errors
    /// Those of [`insert_val`](Self::insert_val).
    #[doc(alias = "get_abstract")]
    pub fn get_val<T: Typed + for<'a> Decode<'a>>(&mut self) -> Result<T> {
        let read = |target: &mut Self| {
            let mismatch = || target.mismatch("a valuetype of this type");
            let wanted = T::type_code();
            let value = match &target.content {
                Content::Value(Some(shared)) => {
                    Self::with(shared.type_code(), &target.types, target.content.clone())
                }
                Content::Value(None) if wanted.is_valuetype() => Self::new(&wanted)?,
                _ => return Err(mismatch()),
            };
            value.to_any()?.get::<T>()?.ok_or_else(mismatch)
        };
        if self.is_abstract() { read(self) } else { self.at_cursor(read) }
    }
}
