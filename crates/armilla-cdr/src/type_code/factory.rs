//! TypeCodes made at run time from what a program was told: the `create_*_tc` operations of the
//! ORB, which check what the constructors of [`TypeCode`] take on trust (CORBA 3.4 Part 1, 8.11.3).

use super::{CaseCode, NamedCode, TYPE_CODE_DEPTH_LIMIT, TypeCode, UnionCode};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

/// Makes TypeCodes that are valid. Its functions have the names of CORBA; each fails with what is
/// wrong, and where. `create_recursive_sequence_tc`, which CORBA 2.3 took out of use, is a sequence
/// of a recursive code. More than [`TYPE_CODE_DEPTH_LIMIT`] types within each other are
/// [`TooDeep`](TypeCodeErrorKind::TooDeep).
///
/// ```
/// use armilla_cdr::TypeCode;
/// use armilla_cdr::type_code::TypeCodeFactory as Factory;
///
/// // A type that contains itself names itself by its repository id.
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

/// A member of a union that is to be made.
#[derive(Debug, Clone)]
pub struct UnionMember {
    /// The number, character, boolean or enumerator that selects it, as a number; `None` for the
    /// default case.
    pub label: Option<i64>,
    /// Its name; may be empty.
    pub name: String,
    /// Its type.
    pub ty: TypeCode,
}

/// Why a TypeCode cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeCodeError {
    /// Which rule is broken.
    pub kind: TypeCodeErrorKind,
    /// What breaks it.
    pub what: String,
}

/// The rules of TypeCodes, each with the standard minor code of its exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeCodeErrorKind {
    /// A name is no IDL identifier: `BAD_PARAM` 15.
    Name,
    /// A repository id does not have the form `FORMAT:…`: `BAD_PARAM` 16.
    RepositoryId,
    /// The name of a member is no IDL identifier, or two members have the same: `BAD_PARAM` 17.
    MemberName,
    /// Two cases of a union have the same label: `BAD_PARAM` 18.
    DuplicateLabel,
    /// A label is no value of the discriminator: `BAD_PARAM` 19.
    LabelType,
    /// A union cannot be chosen by values of this type: `BAD_PARAM` 20.
    Discriminator,
    /// A member, element or base cannot be of this type: `BAD_TYPECODE` 2.
    Member,
    /// A number of digits, a scale or a length is out of range: `BAD_PARAM`.
    Range,
    /// More than [`TYPE_CODE_DEPTH_LIMIT`] types would nest: `IMP_LIMIT`.
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
    /// As [`create_struct_tc`](Self::create_struct_tc).
    pub fn create_exception_tc<N: Into<String>>(
        id: &str,
        name: &str,
        members: impl IntoIterator<Item = Member<N>>,
    ) -> Result {
        repository_id(id)?;
        identifier(name)?;
        shallow(TypeCode::exception(id, name, members_of(members)?))
    }

    /// A union over `discriminator`. A member with several labels is given once for each.
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

    /// A boxed valuetype with what is in the box, which is no valuetype itself.
    ///
    /// # Errors
    /// As [`create_alias_tc`](Self::create_alias_tc).
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
    /// As [`create_struct_tc`](Self::create_struct_tc); also for a modifier that does not exist.
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
    /// As [`create_value_tc`](Self::create_value_tc).
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

    /// `string`, of at most `bound` characters unless that is 0.
    pub const fn create_string_tc(bound: u32) -> TypeCode {
        TypeCode::String(bound)
    }

    /// `wstring`, of at most `bound` characters unless that is 0.
    pub const fn create_wstring_tc(bound: u32) -> TypeCode {
        TypeCode::WString(bound)
    }

    /// `fixed<digits, scale>`.
    ///
    /// # Errors
    /// [`Range`](TypeCodeErrorKind::Range) unless there are 1 to 31 digits, and the scale is among
    /// them.
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

    /// A sequence of at most `bound` elements unless that is 0.
    ///
    /// # Errors
    /// [`Member`](TypeCodeErrorKind::Member) when there are no sequences of such elements.
    pub fn create_sequence_tc(bound: u32, element: TypeCode) -> Result {
        shallow(TypeCode::sequence(content(element)?, bound))
    }

    /// An array of one dimension.
    ///
    /// # Errors
    /// [`Range`](TypeCodeErrorKind::Range) when it has no element,
    /// [`Member`](TypeCodeErrorKind::Member) when there are no arrays of such elements.
    pub fn create_array_tc(length: u32, element: TypeCode) -> Result {
        match length {
            0 => Err(error(TypeCodeErrorKind::Range, "an array has at least one element")),
            length => shallow(TypeCode::array(content(element)?, length)),
        }
    }

    /// Stands for the type `id` within its own definition.
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
    /// A reference to objects with this interface.
    create_interface_tc ObjectReference;
    /// An abstract interface.
    create_abstract_interface_tc AbstractInterface;
    /// A local interface.
    create_local_interface_tc LocalInterface;
    /// A native type.
    create_native_tc Native;
    /// A reference to a component.
    create_component_tc Component;
    /// A reference to the home of components.
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

/// Whether `name` is empty or what IDL calls an identifier.
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

/// IDL names that differ only in case are the same.
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

/// What can be a member of something.
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

/// `code`, unless it nests deeper than types may.
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

/// Checks the members of a union and finds its default case.
fn cases(discriminator: &TypeCode, members: &[UnionMember]) -> Result<Option<u32>> {
    let range = discriminator.label_range().ok_or_else(|| {
        let what = "the discriminator of a union is an integer, character, boolean or enum";
        error(TypeCodeErrorKind::Discriminator, what)
    })?;
    let (mut labels, mut names, mut default) = (BTreeSet::new(), BTreeSet::new(), None);
    let mut previous: Option<&UnionMember> = None;
    for (index, member) in members.iter().enumerate() {
        usable(&member.ty)?;
        // Several labels of one member stand next to each other.
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
            Some(label) => labels.insert(label),
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

/// Whether a discriminator, whose labels are in `range`, can have this one.
fn is_label(discriminator: &TypeCode, range: &RangeInclusive<i64>, label: i64) -> bool {
    let is_half = matches!(discriminator.resolved(), TypeCode::WChar)
        && u32::try_from(label).ok().and_then(char::from_u32).is_none();
    range.contains(&label) && !is_half
}

impl TypeCode {
    /// The labels that a union over this type can have, as numbers; `None` when there can be none.
    pub(super) fn label_range(&self) -> Option<RangeInclusive<i64>> {
        Some(match self.resolved() {
            Self::Short => i16::MIN.into()..=i16::MAX.into(),
            Self::UShort => 0..=u16::MAX.into(),
            Self::Long => i32::MIN.into()..=i32::MAX.into(),
            Self::ULong => 0..=u32::MAX.into(),
            // `unsigned long long` as two's complement: the same 64 bits.
            Self::LongLong | Self::ULongLong => i64::MIN..=i64::MAX,
            Self::Boolean => 0..=1,
            Self::Char | Self::Octet => 0..=u8::MAX.into(),
            Self::WChar => 0..=char::MAX as i64,
            Self::Enum(code) => 0..=code.enumerators.len() as i64 - 1,
            _ => return None,
        })
    }
}
