//! Reads and writes sequences and arrays of basic types as a whole (CORBA 3.4 Part 1, 9.2.3.6).

use super::tree::Content;
use super::{DynAny, DynAnyError, Result};
use armilla_cdr::{Any, LongDouble, TypeCode};

impl DynAny {
    /// The type of the elements of a sequence or an array.
    fn element(&self) -> Option<&TypeCode> {
        match self.resolved() {
            TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => {
                Some(self.types.resolve(element))
            }
            _ => None,
        }
    }

    /// Applies an operation to this value if its elements have the type `wanted`; otherwise to the
    /// component at the cursor, if its elements do.
    fn elements_at_cursor<T>(
        &mut self,
        words: &'static str,
        wanted: fn(&TypeCode) -> bool,
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.element().is_some_and(wanted) {
            return run(self);
        }
        match self.current_component()? {
            Some(mut component) if component.element().is_some_and(wanted) => run(&mut component),
            Some(component) => Err(component.mismatch(words)),
            None => Err(DynAnyError::invalid("the cursor is at no component")),
        }
    }

    /// Sets the elements of a sequence or an array.
    fn set_contents(&mut self, contents: Vec<Content>) -> Result {
        let element = match self.resolved() {
            TypeCode::Sequence(_, bound) if *bound > 0 && contents.len() > *bound as usize => {
                let what = format!("the sequence has at most {bound} elements");
                return Err(DynAnyError::invalid(what));
            }
            TypeCode::Array(_, length) if contents.len() != *length as usize => {
                return Err(DynAnyError::invalid(format!("the array has {length} elements")));
            }
            TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => (**element).clone(),
            _ => return Err(self.mismatch("a sequence or an array")),
        };
        let types = self.types.clone();
        let parts = contents.into_iter().map(|part| Self::with(element.clone(), &types, part));
        self.content = Content::Parts(parts.collect());
        self.rewind();
        Ok(())
    }

    /// Copies of the contents of the elements.
    fn contents(&mut self) -> Vec<Content> {
        self.expand();
        match &self.content {
            Content::Parts(parts) => parts.iter().map(|part| part.content.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

macro_rules! sequences {
    ($($insert:ident $get:ident $kind:ident $ty:ty, $words:literal;)*) => {
        impl DynAny {$(
            #[doc = concat!("Sets the elements of a sequence or array of ", $words, ".")]
            ///
            /// The target is this value, or the component at the cursor if that has such elements.
            ///
            /// # Errors
            /// `TypeMismatch` when the target has another type. `InvalidValue` when the cursor is
            /// at no component, there are more elements than the bound of the sequence, or their
            /// number is not the length of the array.
            pub fn $insert(&mut self, values: &[$ty]) -> Result {
                let contents = values.iter().map(|value| Content::$kind(*value)).collect();
                self.elements_at_cursor(
                    $words,
                    |element| matches!(element, TypeCode::$kind),
                    |target| target.set_contents(contents),
                )
            }

            #[doc = concat!("The elements of a sequence or array of ", $words, ".")]
            ///
            /// The target is this value, or the component at the cursor if that has such elements.
            ///
            /// # Errors
            /// Those of the method that sets them.
            pub fn $get(&mut self) -> Result<Vec<$ty>> {
                self.elements_at_cursor(
                    $words,
                    |element| matches!(element, TypeCode::$kind),
                    |target| {
                        let values = target.contents().into_iter().map(|content| match content {
                            Content::$kind(value) => Ok(value),
                            _ => Err(target.mismatch($words)),
                        });
                        values.collect()
                    },
                )
            }
        )*}
    };
}

sequences! {
    insert_boolean_seq get_boolean_seq Boolean bool, "booleans";
    insert_octet_seq get_octet_seq Octet u8, "octets";
    insert_char_seq get_char_seq Char u8, "chars";
    insert_short_seq get_short_seq Short i16, "shorts";
    insert_ushort_seq get_ushort_seq UShort u16, "unsigned shorts";
    insert_long_seq get_long_seq Long i32, "longs";
    insert_ulong_seq get_ulong_seq ULong u32, "unsigned longs";
    insert_longlong_seq get_longlong_seq LongLong i64, "long longs";
    insert_ulonglong_seq get_ulonglong_seq ULongLong u64, "unsigned long longs";
    insert_float_seq get_float_seq Float f32, "floats";
    insert_double_seq get_double_seq Double f64, "doubles";
    insert_longdouble_seq get_longdouble_seq LongDouble LongDouble, "long doubles";
    insert_wchar_seq get_wchar_seq WChar char, "wchars";
}

impl DynAny {
    /// Sets the `any` in this value, or in the component at the cursor, to the value of `other`
    /// (`insert_dyn_any`).
    ///
    /// # Errors
    /// Those of [`insert_any`](Self::insert_any) and [`to_any`](Self::to_any).
    pub fn insert_dyn_any(&mut self, other: &Self) -> Result {
        let any: Any = other.to_any()?;
        self.insert_any(any)
    }
}
