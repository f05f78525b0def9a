//! The factory of TypeCodes at run time: the `create_*_tc` operations of the ORB. They check what
//! the constructors of [`TypeCode`] assume (CORBA 3.4 Part 1, 8.11.3).

use super::{CaseCode, NamedCode, TYPE_CODE_DEPTH_LIMIT, TypeCode, UnionCode};
use crate::key_table::KeyTable;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

/// Creates valid TypeCodes. The functions have the names of CORBA. An error says which rule is
/// broken, and by what. The deprecated `create_recursive_sequence_tc` is a sequence of a recursive
/// code. More than [`TYPE_CODE_DEPTH_LIMIT`] nested types are
/// [`TooDeep`](TypeCodeErrorKind::TooDeep).
///
/// ```
/// use armilla_cdr::TypeCode;
/// use armilla_cdr::type_code::TypeCodeFactory as Factory;
///
/// // A recursive type refers to itself by its repository id.
/// let children = Factory::create_sequence_tc(0, Factory::create_recursive_tc("IDL:Tree:1.0")?)?;
/// let tree = Factory::create_struct_tc(
///     "IDL:Tree:1.0",
///     "Tree",
///     [("name", TypeCode::String(0)), ("children", children)],
/// )?;
/// assert_eq!(tree.member_name(1), Some("children"));
/// assert!(Factory::create_struct_tc("no colon", "Tree", [("name", TypeCode::Long)]).is_err());
/// # Ok::<(), armilla_cdr::type_code::TypeCodeError>(())
/// ```
#[derive(Debug)]
pub enum TypeCodeFactory {}

/// A member of a union, for [`TypeCodeFactory::create_union_tc`].
#[derive(Debug, Clone)]
pub struct UnionMember {
    /// The label as a number: of an integer, character, boolean or enumerator. `None` for the
    /// default case.
    pub label: Option<i64>,
    /// Its name; may be empty.
    pub name: String,
    /// Its type.
    pub ty: TypeCode,
}

/// The error of [`TypeCodeFactory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeCodeError {
    /// The rule that is broken.
    pub kind: TypeCodeErrorKind,
    /// A description of the error.
    pub what: String,
}

/// The rules of TypeCodes, with the standard minor codes of their exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeCodeErrorKind {
    /// A name is not an IDL identifier: `BAD_PARAM` 15.
    Name,
    /// A repository id does not have the form `FORMAT:…`: `BAD_PARAM` 16.
    RepositoryId,
    /// The name of a member is not an IDL identifier, or not unique: `BAD_PARAM` 17.
    MemberName,
    /// Two cases of a union have the same label: `BAD_PARAM` 18.
    DuplicateLabel,
    /// A label is not a value of the discriminator's type: `BAD_PARAM` 19.
    LabelType,
    /// The type is not allowed for a discriminator: `BAD_PARAM` 20.
    Discriminator,
    /// The type is not allowed for a member, element or base: `BAD_TYPECODE` 2.
    Member,
    /// A number of digits, a scale or a length is out of range: `BAD_PARAM`.
    Range,
    /// The type nests more than [`TYPE_CODE_DEPTH_LIMIT`] types: `IMP_LIMIT`.
    TooDeep,
}

type Result<T = TypeCode, E = TypeCodeError> = core::result::Result<T, E>;

/// A named member and its type.
type Member<N> = (N, TypeCode);

impl TypeCodeFactory {
    /// A struct. The repository id may be empty.
    ///
    /// # Errors
    /// [`RepositoryId`](TypeCodeErrorKind::RepositoryId), [`Name`](TypeCodeErrorKind::Name),
    /// [`MemberName`](TypeCodeErrorKind::MemberName), [`Member`](TypeCodeErrorKind::Member).
    pub fn create_struct_tc<N: Into<String>>(
        id: &str,
        name: &str,
        members: impl IntoIterator<Item = Member<N>>,
    ) -> Result {
        optional_id(id)?;
        identifier(name)?;
        shallow(TypeCode::structure(id, name, members_of(members)?))
    }

    /// An exception.
    ///
    /// # Errors
    /// Those of [`create_struct_tc`](Self::create_struct_tc).
    pub fn create_exception_tc<N: Into<String>>(
        id: &str,
        name: &str,
        members: impl IntoIterator<Item = Member<N>>,
    ) -> Result {
        repository_id(id)?;
        identifier(name)?;
        shallow(TypeCode::exception(id, name, members_of(members)?))
    }

    /// A union with this discriminator. A member with several labels is passed once for each.
    ///
    /// # Errors
    /// Those of [`create_struct_tc`](Self::create_struct_tc), and
    /// [`Discriminator`](TypeCodeErrorKind::Discriminator),
    /// [`LabelType`](TypeCodeErrorKind::LabelType),
    /// [`DuplicateLabel`](TypeCodeErrorKind::DuplicateLabel).
    pub fn create_union_tc(
        id: &str,
        name: &str,
        discriminator: TypeCode,
        members: impl IntoIterator<Item = UnionMember>,
    ) -> Result {
        optional_id(id)?;
        identifier(name)?;
        let members: Vec<_> = members.into_iter().collect();
        let default = cases(&discriminator, &members)?;
        let case = |member: UnionMember| CaseCode {
            label: member.label.unwrap_or_default(),
            name: member.name,
            ty: member.ty,
        };
        let cases = members.into_iter().map(case).collect();
        let union = UnionCode::new(id.into(), name.into(), discriminator, default, cases);
        shallow(TypeCode::Union(Arc::new(union)))
    }

    /// An enum.
    ///
    /// # Errors
    /// [`RepositoryId`](TypeCodeErrorKind::RepositoryId), [`Name`](TypeCodeErrorKind::Name),
    /// [`MemberName`](TypeCodeErrorKind::MemberName).
    pub fn create_enum_tc<N: Into<String>>(
        id: &str,
        name: &str,
        enumerators: impl IntoIterator<Item = N>,
    ) -> Result {
        optional_id(id)?;
        identifier(name)?;
        let enumerators: Vec<String> = enumerators.into_iter().map(Into::into).collect();
        member_names(enumerators.iter())?;
        Ok(TypeCode::enumeration(id, name, enumerators))
    }

    /// A typedef.
    ///
    /// # Errors
    /// [`RepositoryId`](TypeCodeErrorKind::RepositoryId), [`Name`](TypeCodeErrorKind::Name),
    /// [`Member`](TypeCodeErrorKind::Member).
    pub fn create_alias_tc(id: &str, name: &str, original: TypeCode) -> Result {
        optional_id(id)?;
        identifier(name)?;
        shallow(TypeCode::alias(id, name, content(original)?))
    }

    /// A boxed valuetype. Its content is not a valuetype.
    ///
    /// # Errors
    /// Those of [`create_alias_tc`](Self::create_alias_tc).
    pub fn create_value_box_tc(id: &str, name: &str, boxed: TypeCode) -> Result {
        repository_id(id)?;
        identifier(name)?;
        if boxed.resolved().is_valuetype() {
            let what = "no valuetype stands in the box of another";
            return Err(error(TypeCodeErrorKind::Member, what));
        }
        shallow(TypeCode::value_box(id, name, content(boxed)?))
    }

    /// A valuetype; see [`TypeCode::value`] for its parameters.
    ///
    /// # Errors
    /// Those of [`create_struct_tc`](Self::create_struct_tc), also for an unknown modifier.
    pub fn create_value_tc(
        id: &str,
        name: &str,
        modifier: i16,
        base: TypeCode,
        members: impl IntoIterator<Item = (String, TypeCode, bool)>,
    ) -> Result {
        repository_id(id)?;
        identifier(name)?;
        if !(0..=3).contains(&modifier) {
            let what = alloc::format!("the modifier {modifier} is none of 0 to 3");
            return Err(error(TypeCodeErrorKind::Range, what));
        }
        let is_value = matches!(
            base.resolved(),
            TypeCode::Null | TypeCode::Value(_) | TypeCode::Event(_) | TypeCode::Recursive(_)
        );
        if !is_value {
            return Err(error(TypeCodeErrorKind::Member, "the base is no valuetype"));
        }
        let members: Vec<_> = members.into_iter().collect();
        member_names(members.iter().map(|(name, ..)| name))?;
        members.iter().try_for_each(|(_, ty, _)| usable(ty))?;
        shallow(TypeCode::value(id, name, modifier, base, members))
    }

    /// An event type; see [`create_value_tc`](Self::create_value_tc).
    ///
    /// # Errors
    /// Those of [`create_value_tc`](Self::create_value_tc).
    pub fn create_event_tc(
        id: &str,
        name: &str,
        modifier: i16,
        base: TypeCode,
        members: impl IntoIterator<Item = (String, TypeCode, bool)>,
    ) -> Result {
        let value = Self::create_value_tc(id, name, modifier, base, members)?;
        Ok(match &value {
            TypeCode::Value(code) => TypeCode::Event(code.clone()),
            _ => value,
        })
    }

    /// `string` with at most `bound` characters; 0 for no bound.
    pub const fn create_string_tc(bound: u32) -> TypeCode {
        TypeCode::String(bound)
    }

    /// `wstring` with at most `bound` characters; 0 for no bound.
    pub const fn create_wstring_tc(bound: u32) -> TypeCode {
        TypeCode::WString(bound)
    }

    /// `fixed<digits, scale>`.
    ///
    /// # Errors
    /// [`Range`](TypeCodeErrorKind::Range) unless `digits` is 1 to 31 and `scale` is 0 to `digits`.
    pub fn create_fixed_tc(digits: u16, scale: i16) -> Result {
        let fits = u16::try_from(scale).is_ok_and(|scale| scale <= digits);
        match (1..=31).contains(&digits) && fits {
            true => Ok(TypeCode::Fixed { digits, scale }),
            false => {
                let what = alloc::format!("fixed<{digits},{scale}> does not exist");
                Err(error(TypeCodeErrorKind::Range, what))
            }
        }
    }

    /// A sequence with at most `bound` elements; 0 for no bound.
    ///
    /// # Errors
    /// [`Member`](TypeCodeErrorKind::Member) when the type is not allowed for elements.
    pub fn create_sequence_tc(bound: u32, element: TypeCode) -> Result {
        shallow(TypeCode::sequence(content(element)?, bound))
    }

    /// An array of one dimension.
    ///
    /// # Errors
    /// [`Range`](TypeCodeErrorKind::Range) when the length is 0,
    /// [`Member`](TypeCodeErrorKind::Member) when the type is not allowed for elements.
    pub fn create_array_tc(length: u32, element: TypeCode) -> Result {
        match length {
            0 => Err(error(TypeCodeErrorKind::Range, "an array has at least one element")),
            length => shallow(TypeCode::array(content(element)?, length)),
        }
    }

    /// A reference to the enclosing type `id`, within its own definition.
    ///
    /// # Errors
    /// [`RepositoryId`](TypeCodeErrorKind::RepositoryId).
    pub fn create_recursive_tc(id: &str) -> Result {
        repository_id(id)?;
        Ok(TypeCode::recursive(id))
    }
}

macro_rules! named {
    ($($(#[$doc:meta])* $create:ident $kind:ident;)*) => {
        impl TypeCodeFactory {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`RepositoryId`](TypeCodeErrorKind::RepositoryId),
            /// [`Name`](TypeCodeErrorKind::Name).
            pub fn $create(id: &str, name: &str) -> Result {
                repository_id(id)?;
                identifier(name)?;
                Ok(TypeCode::$kind(Arc::new(NamedCode { id: id.into(), name: name.into() })))
            }
        )*}
    };
}

named! {
    /// A reference to an object with this interface.
    create_interface_tc ObjectReference;
    /// An abstract interface.
    create_abstract_interface_tc AbstractInterface;
    /// A local interface.
    create_local_interface_tc LocalInterface;
    /// A native type.
    create_native_tc Native;
    /// A reference to a component.
    create_component_tc Component;
    /// A reference to a component home.
    create_home_tc Home;
}

impl fmt::Display for TypeCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl core::error::Error for TypeCodeError {}

#[cold]
fn error(kind: TypeCodeErrorKind, what: impl Into<String>) -> TypeCodeError {
    TypeCodeError { kind, what: what.into() }
}

fn optional_id(id: &str) -> Result<()> {
    if id.is_empty() { Ok(()) } else { repository_id(id) }
}

fn repository_id(id: &str) -> Result<()> {
    match id.split_once(':') {
        Some((format, rest)) if !format.is_empty() && !rest.is_empty() && !id.contains('\0') => {
            Ok(())
        }
        _ => {
            let what = alloc::format!("{id:?} is no repository id: those look like IDL:Name:1.0");
            Err(error(TypeCodeErrorKind::RepositoryId, what))
        }
    }
}

/// Whether `name` is empty or an IDL identifier.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next().is_none_or(|c| c.is_alphabetic() || c == '_');
    first && characters.all(|c| c.is_alphanumeric() || c == '_')
}

fn identifier(name: &str) -> Result<()> {
    match is_identifier(name) {
        true => Ok(()),
        false => {
            let what = alloc::format!("{name:?} is no IDL identifier");
            Err(error(TypeCodeErrorKind::Name, what))
        }
    }
}

/// Compares names without regard to case, as IDL does.
fn member_names<'n>(names: impl Iterator<Item = &'n String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        let repeated = !name.is_empty() && !seen.insert(name.to_lowercase());
        if repeated || !is_identifier(name) {
            let fault = if repeated { "names two members" } else { "is no IDL identifier" };
            let what = alloc::format!("{name:?} {fault}");
            return Err(error(TypeCodeErrorKind::MemberName, what));
        }
    }
    Ok(())
}

fn members_of<N: Into<String>>(
    members: impl IntoIterator<Item = Member<N>>,
) -> Result<Vec<Member<String>>> {
    let members: Vec<_> = members.into_iter().map(|(name, ty)| (name.into(), ty)).collect();
    member_names(members.iter().map(|(name, _)| name))?;
    members.iter().try_for_each(|(_, ty)| usable(ty))?;
    Ok(members)
}

/// Checks that the type is allowed for a member.
fn usable(ty: &TypeCode) -> Result<()> {
    match ty.resolved() {
        TypeCode::Null | TypeCode::Void | TypeCode::Exception(_) => {
            let kind =
                ty.resolved().kind().map_or(String::new(), |kind| alloc::format!("{kind:?}"));
            let what = alloc::format!("nothing can be a member of the type {kind}");
            Err(error(TypeCodeErrorKind::Member, what))
        }
        _ => Ok(()),
    }
}

/// Returns `code`, unless it nests too deeply.
fn shallow(code: TypeCode) -> Result {
    match code.fits_depth_limit() {
        true => Ok(code),
        false => {
            let what = alloc::format!("more than {TYPE_CODE_DEPTH_LIMIT} types nest");
            Err(error(TypeCodeErrorKind::TooDeep, what))
        }
    }
}

fn content(ty: TypeCode) -> Result {
    usable(&ty)?;
    Ok(ty)
}

/// Checks the members of a union, and returns the index of the default case.
fn cases(discriminator: &TypeCode, members: &[UnionMember]) -> Result<Option<u32>> {
    let range = discriminator.label_range().ok_or_else(|| {
        let what = "the discriminator of a union is an integer, character, boolean or enum";
        error(TypeCodeErrorKind::Discriminator, what)
    })?;
    let (mut labels, mut names, mut default) = (KeyTable::default(), BTreeSet::new(), None);
    let mut previous: Option<&UnionMember> = None;
    for (index, member) in members.iter().enumerate() {
        usable(&member.ty)?;
        // The labels of one member are adjacent.
        let again = previous.is_some_and(|last| last.name == member.name && last.ty == member.ty);
        let repeated =
            !again && !member.name.is_empty() && !names.insert(member.name.to_lowercase());
        if repeated || !is_identifier(&member.name) {
            let what = alloc::format!("{:?} cannot name this member", member.name);
            return Err(error(TypeCodeErrorKind::MemberName, what));
        }
        previous = Some(member);
        let is_new = match member.label {
            Some(label) if !is_label(discriminator, &range, label) => {
                let what = alloc::format!("the discriminator has no value {label}");
                return Err(error(TypeCodeErrorKind::LabelType, what));
            }
            Some(label) => labels.insert(label, ()),
            None => default.replace(index as u32).is_none(),
        };
        if !is_new {
            let label = member.label.map_or("default".to_string(), |label| label.to_string());
            let what = alloc::format!("two cases have the label {label}");
            return Err(error(TypeCodeErrorKind::DuplicateLabel, what));
        }
    }
    Ok(default)
}

/// Whether a discriminator whose labels lie in `range` can have this label.
fn is_label(discriminator: &TypeCode, range: &RangeInclusive<i64>, label: i64) -> bool {
    let is_half = matches!(discriminator.resolved(), TypeCode::WChar)
        && u32::try_from(label).ok().and_then(char::from_u32).is_none();
    range.contains(&label) && !is_half
}

impl TypeCode {
    /// The labels that a union with this discriminator can have, as numbers; `None` if the type is
    /// not allowed for a discriminator.
    pub(super) fn label_range(&self) -> Option<RangeInclusive<i64>> {
        Some(match self.resolved() {
            Self::Short => i16::MIN.into()..=i16::MAX.into(),
            Self::UShort => 0..=u16::MAX.into(),
            Self::Long => i32::MIN.into()..=i32::MAX.into(),
            Self::ULong => 0..=u32::MAX.into(),
            // `unsigned long long` in two's complement: the same 64 bits.
            Self::LongLong | Self::ULongLong => i64::MIN..=i64::MAX,
            Self::Boolean => 0..=1,
            Self::Char | Self::Octet => 0..=u8::MAX.into(),
            Self::WChar => 0..=char::MAX as i64,
            Self::Enum(code) => 0..=code.enumerators.len() as i64 - 1,
            _ => return None,
        })
    }
}
