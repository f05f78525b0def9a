//! Unions as dynamic values: `DynUnion` (CORBA 3.4 Part 1, 9.2.7), and the consistency of
//! discriminator and member.

use super::tree::{Content, DefaultBuilder, UnionContent, scalar};
use super::{DynAny, DynAnyError, DynUnion, Result};
use armilla_cdr::type_code::UnionCode;
use armilla_cdr::{TypeCode, TypeCodeKind};
use std::sync::Arc;

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
    /// None for a union.
    #[doc(alias = "get_discriminator")]
    pub fn discriminator(&mut self) -> Result<DynAny> {
        self.content().map(|content| content.discriminator.clone())
    }

    /// Sets the discriminator. If it selects another member than before, that member gets its
    /// default value. The cursor moves to the member, or to the discriminator if no member is
    /// selected (`set_discriminator`).
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
    fn select(&mut self, number: i64) -> Result {
        let invalid = || DynAnyError::invalid(format!("the discriminator has no value {number}"));
        let code = self.code().ok_or_else(invalid)?;
        let content =
            scalar(self.0.types.resolve(&code.discriminator), number).ok_or_else(invalid)?;
        let discriminator = &mut self.content()?.discriminator;
        let before = discriminator.content.number().unwrap_or(number);
        discriminator.content = content;
        self.0.follow_discriminator(before)?;
        self.0.seek(usize::from(!self.has_no_active_member()));
        Ok(())
    }

    /// Selects the default case, unless it is selected. The cursor moves to the discriminator
    /// (`set_to_default_member`).
    ///
    /// # Errors
    /// `TypeMismatch` when there is none.
    pub fn set_to_default_member(&mut self) -> Result {
        let code = self.code().filter(|code| code.default.is_some());
        self.set_to_unlisted(code, "a union with a default case")
    }

    /// Selects no member. The cursor moves to the discriminator (`set_to_no_active_member`).
    ///
    /// # Errors
    /// `TypeMismatch` when every discriminator selects one.
    pub fn set_to_no_active_member(&mut self) -> Result {
        let code = self.code().filter(|code| code.default.is_none());
        self.set_to_unlisted(code, "a union that can have no member")
    }

    /// Sets the discriminator to a value that no case has as its label, unless it has one.
    fn set_to_unlisted(&mut self, code: Option<Arc<UnionCode>>, wanted: &'static str) -> Result {
        let unused = code.as_ref().and_then(|code| Some((code, code.unused_label()?)));
        let (code, unused) = unused.ok_or_else(|| self.0.mismatch(wanted))?;
        let now = self.content()?.discriminator.content.number();
        let listed = |number: i64| {
            let default = code.default.map(|index| index as usize);
            let mut cases = code.cases.iter().enumerate();
            cases.any(|(index, case)| Some(index) != default && case.label == number)
        };
        if now.is_none_or(listed) {
            self.select(unused)?;
        }
        self.0.rewind();
        Ok(())
    }

    /// Whether the discriminator selects no member.
    pub const fn has_no_active_member(&self) -> bool {
        match &self.0.content {
            Content::Union(union) => union.member.is_none(),
            _ => true,
        }
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
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::DynAny;
    ///
    /// let cases = [(1, "number", TypeCode::Long), (2, "text", TypeCode::String(0))];
    /// let code = TypeCode::union("IDL:Either:1.0", "Either", TypeCode::Long, None, cases);
    /// let mut either = DynAny::new(&code)?;
    /// let mut union = either.as_union()?;
    /// union.set_member_name("text")?;
    /// assert_eq!(union.discriminator()?.get_long()?, 2);
    /// union.member().unwrap().insert_string("Vega")?;
    /// # Ok::<(), armilla::dynamic::DynAnyError>(())
    /// ```
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

/// A mutable borrow of the discriminator of a union.
pub(super) struct Discriminator<'d> {
    union: &'d mut DynAny,
    /// The number before the change.
    before: i64,
}

impl<'d> Discriminator<'d> {
    /// The discriminator of `union`; `None` if it is not a union.
    pub(super) fn of(union: &'d mut DynAny) -> Option<Self> {
        match &union.content {
            Content::Union(content) => {
                let before = content.discriminator.content.number()?;
                Some(Self { union, before })
            }
            _ => None,
        }
    }

    pub(super) fn value(&self) -> &DynAny {
        match &self.union.content {
            Content::Union(content) => &content.discriminator,
            _ => self.union,
        }
    }

    pub(super) fn value_mut(&mut self) -> &mut DynAny {
        match self.union.content {
            Content::Union(ref mut content) => &mut content.discriminator,
            _ => self.union,
        }
    }
}

impl Drop for Discriminator<'_> {
    /// Selects the member. If its type has no values, restores the discriminator.
    fn drop(&mut self) {
        let _ = self.union.follow_discriminator(self.before);
    }
}

impl DynAny {
    /// Creates the member that the discriminator selects, if `before` selected another one. The
    /// cursor stays if its component exists.
    ///
    /// # Errors
    /// When the type of the member has no values. The discriminator is restored to `before` then.
    fn follow_discriminator(&mut self, before: i64) -> Result {
        let TypeCode::Union(code) = self.resolved() else { return Ok(()) };
        let code = code.clone();
        let types = self.types.clone();
        let Content::Union(union) = &mut self.content else { return Ok(()) };
        let now = union.discriminator.content.number().unwrap_or(before);
        let (was, chosen) = (code.select(before), code.select(now));
        // A member with several labels is in the TypeCode as several cases.
        if now == before
            || matches!((was, chosen), (Some(a), Some(b)) if a.name == b.name && a.ty == b.ty)
        {
            return Ok(());
        }
        let made =
            chosen.map(|case| DefaultBuilder::default().make(case.ty.clone(), &types)).transpose();
        match made {
            Ok(member) => union.member = member,
            Err(error) => {
                let content = scalar(types.resolve(&code.discriminator), before);
                content.into_iter().for_each(|content| union.discriminator.content = content);
                return Err(error);
            }
        }
        self.current = self.current.filter(|current| *current < self.component_count());
        Ok(())
    }
}
