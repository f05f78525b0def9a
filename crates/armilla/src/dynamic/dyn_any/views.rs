//! Dynamic values as what they are: `DynEnum`, `DynFixed`, `DynStruct`, `DynUnion`, `DynSequence`,
//! `DynArray` (CORBA 3.4 Part 1, 9.2.4 to 9.2.9). Each is borrowed from its [`DynAny`].

use super::tree::{Content, Maker, UnionContent, scalar};
use super::{DynAny, DynAnyError, Result};
use armilla_cdr::type_code::{CaseCode, EnumCode, StructCode, UnionCode};
use armilla_cdr::{Any, TypeCode, TypeCodeKind};
use std::sync::Arc;

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident $as:ident $words:literal $pattern:pat,)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $view<'d>(&'d mut DynAny);

        impl DynAny {
            #[doc = concat!("This value as ", $words, ".")]
            ///
            /// # Errors
            /// `TypeMismatch` when it is none.
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
    /// An enum.
    DynEnum as_enum "an enum" TypeCode::Enum(_),
    /// A decimal number of fixed size.
    DynFixed as_fixed "a fixed number" TypeCode::Fixed { .. },
    /// A struct or an exception.
    DynStruct as_struct "a struct or exception" TypeCode::Struct(_) | TypeCode::Exception(_),
    /// A union.
    DynUnion as_union "a union" TypeCode::Union(_),
    /// A sequence.
    DynSequence as_sequence "a sequence" TypeCode::Sequence(..),
    /// An array.
    DynArray as_array "an array" TypeCode::Array(..),
}

impl DynAny {
    /// The number by which a TypeCode knows a label of a union: that of an integer, a character, a
    /// boolean or an enumerator; `None` for values of other types.
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

    /// The enumerator's number, the first being 0 (`get_as_ulong`).
    pub fn number(&self) -> u32 {
        match self.0.content {
            Content::Enum(number) => number,
            _ => 0,
        }
    }

    /// The enumerator's name (`get_as_string`).
    pub fn name(&self) -> String {
        let code = self.code();
        let name = code.as_ref().and_then(|code| code.enumerators.get(self.number() as usize));
        name.cloned().unwrap_or_default()
    }

    /// Makes it the enumerator with this number (`set_as_ulong`).
    ///
    /// # Errors
    /// `InvalidValue` when there are not so many.
    pub fn set_number(&mut self, number: u32) -> Result {
        match scalar(self.0.resolved(), number.into()) {
            Some(content) => {
                self.0.content = content;
                Ok(())
            }
            None => Err(DynAnyError::invalid(format!("there is no enumerator number {number}"))),
        }
    }

    /// Makes it the enumerator with this name (`set_as_string`).
    ///
    /// # Errors
    /// `InvalidValue` when there is none of this name.
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
    pub fn value(&self) -> String {
        let Content::Fixed(unscaled) = self.0.content else { return String::new() };
        let scale = self.format().1 as usize;
        let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if unscaled < 0 { "-" } else { "" };
        let point = if scale > 0 { "." } else { "" };
        format!("{sign}{whole}{point}{fraction}")
    }

    /// Makes it the number in `text`, cutting off what its scale has no room for; `false` when that
    /// was not nothing (`set_value`).
    ///
    /// # Errors
    /// `InvalidValue` when the text is no number, or one with too many digits.
    pub fn set_value(&mut self, text: &str) -> Result<bool> {
        let invalid = || DynAnyError::invalid(format!("{text:?} is no such number"));
        let number = text.trim().trim_end_matches(['d', 'D']);
        let (is_negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits = whole.chars().chain(fraction.chars());
        if whole.len() + fraction.len() == 0 || !digits.all(|digit| digit.is_ascii_digit()) {
            return Err(invalid());
        }
        let (limit, scale) = self.format();
        let kept = &fraction[..fraction.len().min(scale as usize)];
        let zeros = std::iter::repeat_n('0', scale as usize - kept.len());
        let magnitude =
            whole.chars().chain(kept.chars()).chain(zeros).try_fold(0, |number, digit| {
                i128::checked_mul(number, 10)?.checked_add(digit.to_digit(10)?.into())
            });
        let fits = magnitude.filter(|magnitude| *magnitude < 10_i128.pow(limit.min(31)));
        let magnitude = fits.ok_or_else(invalid)?;
        self.0.content = Content::Fixed(if is_negative { -magnitude } else { magnitude });
        Ok(fraction[kept.len()..].bytes().all(|digit| digit == b'0'))
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

    /// The name of the member that the cursor is at.
    pub fn current_member_name(&self) -> Option<String> {
        Some(self.code()?.members.get(self.0.current?)?.name.clone())
    }

    /// The kind of the member that the cursor is at.
    pub fn current_member_kind(&self) -> Option<TypeCodeKind> {
        let code = self.code()?;
        self.0.types.resolve(&code.members.get(self.0.current?)?.ty).kind()
    }

    /// The member with this name.
    pub fn member(&mut self, name: &str) -> Option<&mut DynAny> {
        let index = self.code()?.members.iter().position(|member| member.name == name)?;
        parts(self.0).get_mut(index)
    }

    /// The members with their names (`get_members_as_dyn_any`).
    pub fn members(&mut self) -> Vec<(String, DynAny)> {
        let names = self.member_names();
        names.into_iter().zip(parts(self.0).iter().cloned()).collect()
    }

    /// Sets all members, in order (`set_members`).
    ///
    /// # Errors
    /// `InvalidValue` when there are more or fewer, or one has another name; `TypeMismatch` when one
    /// is of another type. Then nothing is changed.
    pub fn set_members<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v Any)>,
    ) -> Result {
        let members: Vec<_> = members.into_iter().collect();
        let names = self.member_names();
        let named = |((given, _), name): (&(&str, &Any), &String)| {
            given.is_empty() || name.is_empty() || given == name
        };
        if members.len() != names.len() || !members.iter().zip(&names).all(named) {
            let expected = names.join(", ");
            return Err(DynAnyError::invalid(format!("the members are {expected}")));
        }
        let values: Vec<_> = members.into_iter().map(|(_, value)| value).collect();
        replace(self.0, &values)
    }
}

/// The parts of a struct, sequence or array.
fn parts(value: &mut DynAny) -> &mut [DynAny] {
    value.expand();
    match &mut value.content {
        Content::Parts(parts) => parts,
        _ => &mut [],
    }
}

/// Gives all parts other values at once.
fn replace(value: &mut DynAny, values: &[&Any]) -> Result {
    let mut changed = parts(value).to_vec();
    for (part, value) in changed.iter_mut().zip(values) {
        part.set_any(value)?;
    }
    value.content = Content::Parts(changed);
    value.rewind();
    Ok(())
}

impl DynUnion<'_> {
    fn code(&self) -> Option<Arc<UnionCode>> {
        match self.0.resolved() {
            TypeCode::Union(code) => Some(code.clone()),
            _ => None,
        }
    }

    fn content(&mut self) -> Result<&mut UnionContent> {
        match &mut self.0.content {
            Content::Union(content) => Ok(content),
            _ => Err(DynAnyError::InconsistentTypeCode("a union has no discriminator")),
        }
    }

    /// The discriminator (`get_discriminator`).
    ///
    /// # Errors
    /// None, as long as the value is a union.
    pub fn discriminator(&mut self) -> Result<DynAny> {
        self.content().map(|content| content.discriminator.clone())
    }

    /// Sets the discriminator. Where that selects another member than before, the member has the
    /// value that one has when nothing is said (`set_discriminator`).
    ///
    /// # Errors
    /// `TypeMismatch` when the value is of another type.
    pub fn set_discriminator(&mut self, value: &DynAny) -> Result {
        let mut discriminator = self.content()?.discriminator.clone();
        discriminator.assign(value)?;
        let number = discriminator.content.number();
        self.select(number.ok_or_else(|| value.mismatch("a discriminator"))?)
    }

    /// Selects by the number of the discriminator.
    pub(super) fn select(&mut self, number: i64) -> Result {
        let invalid = || DynAnyError::invalid(format!("the discriminator has no value {number}"));
        let code = self.code().ok_or_else(invalid)?;
        let before = self.content()?.discriminator.content.number();
        let chosen = code.select(number);
        let content =
            scalar(self.0.types.resolve(&code.discriminator), number).ok_or_else(invalid)?;
        let same = |a: &CaseCode, b: &CaseCode| a.name == b.name && a.ty == b.ty;
        let stays = match (chosen, before.and_then(|before| code.select(before))) {
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        };
        let types = self.0.types.clone();
        let member = match chosen {
            Some(_) if stays => self.content()?.member.clone(),
            Some(case) => Some(Maker::default().make(case.ty.clone(), &types)?),
            None => None,
        };
        let union = self.content()?;
        union.discriminator.content = content;
        union.member = member;
        self.0.seek(usize::from(union_has_member(self.0)));
        Ok(())
    }

    /// Selects the default case (`set_to_default_member`).
    ///
    /// # Errors
    /// `TypeMismatch` when there is none.
    pub fn set_to_default_member(&mut self) -> Result {
        let label = self.code().filter(|code| code.default.is_some());
        match label.and_then(|code| code.unused_label()) {
            Some(label) => self.select(label),
            None => Err(self.0.mismatch("a union with a default case")),
        }
    }

    /// Selects no member (`set_to_no_active_member`).
    ///
    /// # Errors
    /// `TypeMismatch` when every discriminator selects one.
    pub fn set_to_no_active_member(&mut self) -> Result {
        let label = self.code().filter(|code| code.default.is_none());
        match label.and_then(|code| code.unused_label()) {
            Some(label) => self.select(label),
            None => Err(self.0.mismatch("a union that can have no member")),
        }
    }

    /// Whether the discriminator selects no member.
    pub fn has_no_active_member(&self) -> bool {
        !union_has_member(self.0)
    }

    /// The kind of the discriminator's type.
    pub fn discriminator_kind(&self) -> Option<TypeCodeKind> {
        self.0.types.resolve(&self.code()?.discriminator).kind()
    }

    /// The member; `None` when the discriminator selects none.
    pub fn member(&mut self) -> Option<&mut DynAny> {
        self.content().ok()?.member.as_mut()
    }

    /// The name of the member.
    pub fn member_name(&mut self) -> Option<String> {
        let number = self.content().ok()?.discriminator.content.number()?;
        Some(self.code()?.select(number)?.name.clone())
    }

    /// The kind of the member's type.
    pub fn member_kind(&mut self) -> Option<TypeCodeKind> {
        self.member()?.resolved().kind()
    }

    /// Selects the member with this name, by the first of its labels.
    ///
    /// # Errors
    /// `InvalidValue` when there is none.
    pub fn set_member_name(&mut self, name: &str) -> Result {
        let code = self.code();
        let found = code.as_ref().and_then(|code| {
            let index = code.cases.iter().position(|case| case.name == name)?;
            match code.default == u32::try_from(index).ok() {
                true => code.unused_label(),
                false => Some(code.cases[index].label),
            }
        });
        match found {
            Some(label) => self.select(label),
            None => Err(DynAnyError::invalid(format!("the union has no member {name:?}"))),
        }
    }
}

const fn union_has_member(value: &DynAny) -> bool {
    match &value.content {
        Content::Union(union) => union.member.is_some(),
        _ => false,
    }
}

impl DynSequence<'_> {
    /// How many elements there are (`get_length`).
    pub fn length(&self) -> usize {
        self.0.component_count()
    }

    /// Cuts elements off, or adds such as there are when nothing is said (`set_length`).
    ///
    /// # Errors
    /// `InvalidValue` when the bound allows no so many.
    pub fn set_length(&mut self, length: usize) -> Result {
        let TypeCode::Sequence(element, bound) = self.0.resolved() else { return Ok(()) };
        if *bound > 0 && length > *bound as usize {
            return Err(DynAnyError::invalid(format!("the sequence has at most {bound} elements")));
        }
        let (element, types) = ((**element).clone(), self.0.types.clone());
        let before = self.0.component_count();
        match &mut self.0.content {
            Content::Octets(octets) => octets.resize(length, 0),
            Content::Parts(parts) => {
                parts.truncate(length);
                let mut maker = Maker::default();
                for _ in before..length {
                    parts.push(maker.make(element.clone(), &types)?);
                }
            }
            _ => {}
        }
        // As CORBA has it: the first of the new elements, else the cursor stays where it can.
        match self.0.current {
            _ if length > before => self.0.seek(before),
            Some(current) => self.0.seek(current),
            None => false,
        };
        Ok(())
    }

    /// The elements (`get_elements_as_dyn_any`).
    pub fn elements(&mut self) -> Vec<DynAny> {
        parts(self.0).to_vec()
    }

    /// Sets all elements (`set_elements`).
    ///
    /// # Errors
    /// `TypeMismatch` when one is of another type; `InvalidValue` when there are too many.
    pub fn set_elements(&mut self, elements: &[Any]) -> Result {
        let mut changed = self.0.clone();
        DynSequence(&mut changed).set_length(elements.len())?;
        replace(&mut changed, &elements.iter().collect::<Vec<_>>())?;
        *self.0 = changed;
        Ok(())
    }
}

impl DynArray<'_> {
    /// The elements (`get_elements_as_dyn_any`).
    pub fn elements(&mut self) -> Vec<DynAny> {
        parts(self.0).to_vec()
    }

    /// Sets all elements (`set_elements`).
    ///
    /// # Errors
    /// `InvalidValue` unless there are as many; `TypeMismatch` when one is of another type.
    pub fn set_elements(&mut self, elements: &[Any]) -> Result {
        let length = self.0.component_count();
        if elements.len() != length {
            return Err(DynAnyError::invalid(format!("the array has {length} elements")));
        }
        replace(self.0, &elements.iter().collect::<Vec<_>>())
    }
}
