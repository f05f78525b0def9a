//! The views of a dynamic value by kind: `DynEnum`, `DynFixed`, `DynStruct`, `DynUnion`,
//! `DynSequence`, `DynArray` (CORBA 3.4 Part 1, 9.2.4 to 9.2.9). Each borrows its [`DynAny`]. The
//! operations of `DynUnion` are in `union`.

use super::tree::{Content, DefaultBuilder, scalar};
use super::{DynAny, DynAnyError, Result};
use armilla_cdr::type_code::{EnumCode, StructCode};
use armilla_cdr::{Any, TypeCode, TypeCodeKind};
use std::sync::Arc;

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident $as:ident $words:literal $pattern:pat,)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $view<'d>(pub(super) &'d mut DynAny);

        impl DynAny {
            #[doc = concat!("This value as ", $words, ".")]
            ///
            /// # Errors
            /// `TypeMismatch` when the value has another type.
            pub fn $as(&mut self) -> Result<$view<'_>> {
                match self.resolved() {
                    $pattern => Ok($view(self)),
                    _ => Err(self.mismatch($words)),
                }
            }
        }
    )*};
}

views! {
    /// The view of an enum.
    DynEnum as_enum "an enum" TypeCode::Enum(_),
    /// The view of a decimal number of fixed size.
    DynFixed as_fixed "a fixed number" TypeCode::Fixed { .. },
    /// The view of a struct or an exception.
    DynStruct as_struct "a struct or exception" TypeCode::Struct(_) | TypeCode::Exception(_),
    /// The view of a union.
    DynUnion as_union "a union" TypeCode::Union(_),
    /// The view of a sequence.
    DynSequence as_sequence "a sequence" TypeCode::Sequence(..),
    /// The view of an array.
    DynArray as_array "an array" TypeCode::Array(..),
}

impl DynAny {
    /// The value as a union label in a TypeCode: the number of an integer, a character, a boolean
    /// or an enumerator. `None` for values of other types.
    pub fn label_number(&self) -> Option<i64> {
        self.content.number()
    }
}

impl DynEnum<'_> {
    fn code(&self) -> Option<Arc<EnumCode>> {
        match self.0.resolved() {
            TypeCode::Enum(code) => Some(code.clone()),
            _ => None,
        }
    }

    /// The number of the enumerator, from 0 (`get_as_ulong`).
    #[doc(alias = "get_as_ulong")]
    pub fn number(&self) -> u32 {
        match self.0.content {
            Content::Enum(number) => number,
            _ => 0,
        }
    }

    /// The name of the enumerator (`get_as_string`).
    #[doc(alias = "get_as_string")]
    pub fn name(&self) -> String {
        let code = self.code();
        let name = code.as_ref().and_then(|code| code.enumerators.get(self.number() as usize));
        name.cloned().unwrap_or_default()
    }

    /// Selects the enumerator with this number (`set_as_ulong`).
    ///
    /// # Errors
    /// `InvalidValue` when there is none.
    #[doc(alias = "set_as_ulong")]
    pub fn set_number(&mut self, number: u32) -> Result {
        match scalar(self.0.resolved(), number.into()) {
            Some(content) => {
                self.0.content = content;
                Ok(())
            }
            None => Err(DynAnyError::invalid(format!("there is no enumerator number {number}"))),
        }
    }

    /// Selects the enumerator with this name (`set_as_string`).
    ///
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::DynAny;
    ///
    /// let code = TypeCode::enumeration("IDL:Color:1.0", "Color", ["red", "green"]);
    /// let mut color = DynAny::new(&code)?;
    /// color.as_enum()?.set_name("green")?;
    /// assert_eq!(color.as_enum()?.number(), 1);
    /// assert!(color.as_enum()?.set_name("blue").is_err());
    /// # Ok::<(), armilla::dynamic::DynAnyError>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidValue` when there is none.
    #[doc(alias = "set_as_string")]
    pub fn set_name(&mut self, name: &str) -> Result {
        let code = self.code();
        let names = code.as_ref().map_or(&[] as &[String], |code| &code.enumerators);
        match names.iter().position(|known| known == name) {
            Some(number) => self.set_number(number as u32),
            None => {
                let known = names.join(", ");
                Err(DynAnyError::invalid(format!("{name:?} is none of the enumerators {known}")))
            }
        }
    }
}

impl DynFixed<'_> {
    fn format(&self) -> (u32, u32) {
        match self.0.resolved() {
            TypeCode::Fixed { digits, scale } => {
                (u32::from(*digits), u32::try_from(*scale).unwrap_or(0))
            }
            _ => (1, 0),
        }
    }

    /// The number, such as `-12.50` (`get_value`).
    #[doc(alias = "get_value")]
    pub fn value(&self) -> String {
        let Content::Fixed(unscaled) = self.0.content else { return String::new() };
        let scale = self.format().1 as usize;
        let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if unscaled < 0 { "-" } else { "" };
        let point = if scale > 0 { "." } else { "" };
        format!("{sign}{whole}{point}{fraction}")
    }

    /// Sets the number to the fixed-point literal `text`, with or without its `d`. Digits beyond
    /// the scale are truncated. Returns whether the value is exact (`set_value`).
    ///
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::DynAny;
    ///
    /// let mut price = DynAny::new(&TypeCode::Fixed { digits: 5, scale: 2 })?;
    /// assert!(price.as_fixed()?.set_value("12.5")?);
    /// assert_eq!(price.as_fixed()?.value(), "12.50");
    /// assert!(!price.as_fixed()?.set_value("0.999")?, "digits were truncated");
    /// # Ok::<(), armilla::dynamic::DynAnyError>(())
    /// ```
    ///
    /// # Errors
    /// `TypeMismatch` when the text is not such a literal, `InvalidValue` when it has too many
    /// digits before the point.
    pub fn set_value(&mut self, text: &str) -> Result<bool> {
        let literal = Literal::parse(text)
            .ok_or(DynAnyError::TypeMismatch { wanted: "a fixed-point literal", found: None })?;
        let (limit, scale) = self.format();
        let kept = &literal.fraction[..literal.fraction.len().min(scale as usize)];
        let zeros = std::iter::repeat_n('0', scale as usize - kept.len());
        let mut digits = literal.whole.chars().chain(kept.chars()).chain(zeros);
        let magnitude = digits.try_fold(0, |number, digit| {
            i128::checked_mul(number, 10)?.checked_add(digit.to_digit(10)?.into())
        });
        let fits = magnitude.filter(|magnitude| *magnitude < 10_i128.pow(limit.min(31)));
        let magnitude = fits.ok_or_else(|| {
            DynAnyError::invalid(format!("{text:?} has too many digits before the point"))
        })?;
        self.0.content = Content::Fixed(if literal.is_negative { -magnitude } else { magnitude });
        Ok(literal.fraction[kept.len()..].bytes().all(|digit| digit == b'0'))
    }
}

/// The parts of a fixed-point literal. All digits are ASCII.
struct Literal<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
}

impl<'t> Literal<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let number = text.trim();
        let number = number.strip_suffix(['d', 'D']).unwrap_or(number);
        let (is_negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits = whole.bytes().chain(fraction.bytes());
        let has_digits = whole.len() + fraction.len() > 0;
        (has_digits && digits.all(|digit| digit.is_ascii_digit())).then_some(Self {
            is_negative,
            whole,
            fraction,
        })
    }
}

impl DynStruct<'_> {
    fn code(&self) -> Option<Arc<StructCode>> {
        match self.0.resolved() {
            TypeCode::Struct(code) | TypeCode::Exception(code) => Some(code.clone()),
            _ => None,
        }
    }

    /// The names of the members, in order.
    pub fn member_names(&self) -> Vec<String> {
        let code = self.code();
        code.iter().flat_map(|code| &code.members).map(|member| member.name.clone()).collect()
    }

    /// The name of the member at the cursor.
    pub fn current_member_name(&self) -> Option<String> {
        Some(self.code()?.members.get(self.0.current?)?.name.clone())
    }

    /// The kind of the member at the cursor.
    pub fn current_member_kind(&self) -> Option<TypeCodeKind> {
        let code = self.code()?;
        self.0.types.resolve(&code.members.get(self.0.current?)?.ty).kind()
    }

    /// The member with this name.
    pub fn member(&mut self, name: &str) -> Option<&mut DynAny> {
        let index = self.code()?.members.iter().position(|member| member.name == name)?;
        parts(self.0).get_mut(index)
    }

    /// The names and values of the members (`get_members_as_dyn_any`).
    #[doc(alias = "get_members")]
    #[doc(alias = "get_members_as_dyn_any")]
    pub fn members(&mut self) -> Vec<(String, DynAny)> {
        let names = self.member_names();
        names.into_iter().zip(parts(self.0).iter().cloned()).collect()
    }

    /// Sets all members, in order (`set_members`). An empty name matches every member.
    ///
    /// # Errors
    /// `InvalidValue` for a wrong number of members; `TypeMismatch` for a wrong name or type. After
    /// an error the value is unchanged.
    pub fn set_members<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v Any)>,
    ) -> Result {
        let values = in_order(members, &self.member_names())?;
        replace(self.0, &values, DynAny::set_any)
    }

    /// Sets all members as [`set_members`](Self::set_members) does, but shares the valuetypes in
    /// them (`set_members_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_members`](Self::set_members).
    pub fn set_members_as_dyn_any<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v DynAny)>,
    ) -> Result {
        let values = in_order(members, &self.member_names())?;
        replace(self.0, &values, DynAny::assign)
    }
}

/// Removes the names of members, after a check against `names`. An empty name matches every member.
pub(super) fn in_order<'v, V>(
    members: impl IntoIterator<Item = (&'v str, &'v V)>,
    names: &[String],
) -> Result<Vec<&'v V>> {
    let members: Vec<_> = members.into_iter().collect();
    if members.len() != names.len() {
        return Err(DynAnyError::invalid(format!("the members are {}", names.join(", "))));
    }
    let named = |((given, _), name): (&(&str, &V), &String)| {
        given.is_empty() || name.is_empty() || given == name
    };
    match members.iter().zip(names).all(named) {
        true => Ok(members.into_iter().map(|(_, value)| value).collect()),
        false => {
            Err(DynAnyError::TypeMismatch { wanted: "of members with these names", found: None })
        }
    }
}

/// The components of a struct, sequence or array.
fn parts(value: &mut DynAny) -> &mut [DynAny] {
    value.expand();
    match &mut value.content {
        Content::Parts(parts) => parts,
        _ => &mut [],
    }
}

/// Replaces all components at once.
fn replace<V>(
    value: &mut DynAny,
    values: &[&V],
    assign: impl Fn(&mut DynAny, &V) -> Result,
) -> Result {
    let mut changed = parts(value).to_vec();
    changed.iter_mut().zip(values).try_for_each(|(part, value)| assign(part, value))?;
    value.content = Content::Parts(changed);
    value.rewind();
    Ok(())
}

impl DynSequence<'_> {
    /// The number of elements (`get_length`).
    #[doc(alias = "get_length")]
    pub fn length(&self) -> usize {
        self.0.component_count()
    }

    /// Truncates the sequence, or appends elements with default values (`set_length`). The cursor
    /// keeps its position, with two exceptions: if it was at no element it moves to the first new
    /// one, and if its element was removed it is at no element.
    ///
    /// # Errors
    /// `InvalidValue` when the length exceeds the bound, or the limit of all sequences.
    pub fn set_length(&mut self, length: usize) -> Result {
        let TypeCode::Sequence(element, bound) = self.0.resolved() else { return Ok(()) };
        let bound = if *bound > 0 { *bound } else { u32::MAX };
        if length > bound as usize {
            return Err(DynAnyError::invalid(format!("the sequence has at most {bound} elements")));
        }
        let (element, types) = ((**element).clone(), self.0.types.clone());
        let before = self.0.component_count();
        match &mut self.0.content {
            Content::Octets(octets) => octets.resize(length, 0),
            Content::Parts(parts) if length > before => {
                let added = (before..length)
                    .map(|_| DefaultBuilder::default().make(element.clone(), &types));
                parts.extend(added.collect::<Result<Vec<_>>>()?);
            }
            Content::Parts(parts) => parts.truncate(length),
            _ => {}
        }
        match self.0.current {
            None if length > before => self.0.seek(before),
            Some(current) => self.0.seek(current),
            None => false,
        };
        Ok(())
    }

    /// The elements (`get_elements_as_dyn_any`).
    #[doc(alias = "get_elements")]
    #[doc(alias = "get_elements_as_dyn_any")]
    pub fn elements(&mut self) -> Vec<DynAny> {
        parts(self.0).to_vec()
    }

    /// Sets all elements (`set_elements`).
    ///
    /// # Errors
    /// `TypeMismatch` for an element of another type, `InvalidValue` for too many elements. After
    /// an error the value is unchanged.
    pub fn set_elements(&mut self, elements: &[Any]) -> Result {
        self.set_all(elements, DynAny::set_any)
    }

    /// Sets all elements as [`set_elements`](Self::set_elements) does, but shares the valuetypes in
    /// them (`set_elements_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_elements`](Self::set_elements).
    pub fn set_elements_as_dyn_any(&mut self, elements: &[DynAny]) -> Result {
        self.set_all(elements, DynAny::assign)
    }

    fn set_all<V>(&mut self, elements: &[V], assign: impl Fn(&mut DynAny, &V) -> Result) -> Result {
        let mut changed = self.0.clone();
        DynSequence(&mut changed).set_length(elements.len())?;
        replace(&mut changed, &elements.iter().collect::<Vec<_>>(), assign)?;
        *self.0 = changed;
        Ok(())
    }
}

impl DynArray<'_> {
    /// The elements (`get_elements_as_dyn_any`).
    #[doc(alias = "get_elements")]
    #[doc(alias = "get_elements_as_dyn_any")]
    pub fn elements(&mut self) -> Vec<DynAny> {
        parts(self.0).to_vec()
    }

    /// Sets all elements (`set_elements`).
    ///
    /// # Errors
    /// `InvalidValue` for a wrong number of elements, `TypeMismatch` for an element of another
    /// type. After an error the value is unchanged.
    pub fn set_elements(&mut self, elements: &[Any]) -> Result {
        self.set_all(elements, DynAny::set_any)
    }

    /// Sets all elements as [`set_elements`](Self::set_elements) does, but shares the valuetypes in
    /// them (`set_elements_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_elements`](Self::set_elements).
    pub fn set_elements_as_dyn_any(&mut self, elements: &[DynAny]) -> Result {
        self.set_all(elements, DynAny::assign)
    }

    fn set_all<V>(&mut self, elements: &[V], assign: impl Fn(&mut DynAny, &V) -> Result) -> Result {
        let length = self.0.component_count();
        if elements.len() != length {
            return Err(DynAnyError::invalid(format!("the array has {length} elements")));
        }
        replace(self.0, &elements.iter().collect::<Vec<_>>(), assign)
    }
}
