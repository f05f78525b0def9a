//! Types by their names, as IDL writes them: `unsigned long`, `sequence<string<8>, 4>`,
//! `double[3][3]`, and names that the caller resolves.

use super::super::{DynAnyError, Result};
use crate::wire::OBJECT_ID;
use armilla_cdr::TypeCode;
use armilla_cdr::type_code::{TYPE_CODE_DEPTH_LIMIT, TypeCodeFactory as Factory};

/// The types without parameters, by their IDL names.
pub(super) static BASIC: [(&str, TypeCode); 18] = [
    ("null", TypeCode::Null),
    ("void", TypeCode::Void),
    ("short", TypeCode::Short),
    ("long", TypeCode::Long),
    ("unsigned short", TypeCode::UShort),
    ("unsigned long", TypeCode::ULong),
    ("long long", TypeCode::LongLong),
    ("unsigned long long", TypeCode::ULongLong),
    ("float", TypeCode::Float),
    ("double", TypeCode::Double),
    ("long double", TypeCode::LongDouble),
    ("boolean", TypeCode::Boolean),
    ("char", TypeCode::Char),
    ("wchar", TypeCode::WChar),
    ("octet", TypeCode::Octet),
    ("any", TypeCode::Any),
    ("TypeCode", TypeCode::TypeCode),
    ("Principal", TypeCode::Principal),
];

/// The type with a scoped name or a repository id, if it is known.
pub(super) type Lookup<'l> = &'l dyn Fn(&str) -> Option<TypeCode>;

/// The name of a type by which a [`Lookup`] finds it.
pub(super) type Names<'n> = &'n dyn Fn(&TypeCode) -> Option<String>;

/// The type as IDL writes it; `None` if a part of it has no name, or if it nests too deep.
pub(super) fn text(code: &TypeCode, names: Names<'_>) -> Option<String> {
    text_within(code, names, TYPE_CODE_DEPTH_LIMIT)
}

fn text_within(code: &TypeCode, names: Names<'_>, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let (mut dimensions, mut element) = (String::new(), code);
    while let TypeCode::Array(inner, length) = element {
        dimensions += &format!("[{length}]");
        element = inner;
    }
    let name = match element {
        TypeCode::String(_) | TypeCode::WString(_) | TypeCode::Fixed { .. } => element.to_string(),
        TypeCode::Sequence(inner, 0) => format!("sequence<{}>", text_within(inner, names, depth)?),
        TypeCode::Sequence(inner, bound) => {
            format!("sequence<{}, {bound}>", text_within(inner, names, depth)?)
        }
        TypeCode::ObjectReference(code) if code.id == OBJECT_ID => "Object".to_owned(),
        other => match BASIC.iter().find(|(_, basic)| other.kind() == basic.kind()) {
            Some((name, _)) => (*name).to_owned(),
            None => names(other)?,
        },
    };
    Some(name + &dimensions)
}

/// The type that `text` names.
pub(super) fn parse(text: &str, lookup: Lookup<'_>) -> Result<TypeCode> {
    within(text.trim(), lookup, TYPE_CODE_DEPTH_LIMIT)
}

fn within(text: &str, lookup: Lookup<'_>, depth: usize) -> Result<TypeCode> {
    let unknown = || DynAnyError::invalid(format!("there is no type {text:?}"));
    let depth = depth.checked_sub(1).ok_or_else(unknown)?;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = words.trim_start_matches("::");
    let short = short.strip_prefix("CORBA::").unwrap_or(short);
    if let Some((_, code)) = BASIC.iter().find(|(known, _)| *known == short) {
        return Ok(code.clone());
    }
    if short == "Object" {
        let made = Factory::create_interface_tc(OBJECT_ID, "Object");
        return made.map_err(|error| DynAnyError::invalid(error.what));
    }
    // The last brackets of an array are its innermost dimension.
    if let Some((element, length)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        let length = number(length).ok_or_else(unknown)?;
        return array(element.trim_end(), length, lookup, depth);
    }
    let (kind, arguments) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((kind, arguments)) => (kind.trim_end(), arguments),
        None => (text, "0"),
    };
    match (kind, split(arguments)) {
        ("string", (bound, None)) => number(bound).map(TypeCode::String).ok_or_else(unknown),
        ("wstring", (bound, None)) => number(bound).map(TypeCode::WString).ok_or_else(unknown),
        ("fixed", (digits, Some(scale))) => {
            let made = digits.trim().parse().ok().zip(scale.trim().parse().ok());
            let made = made.map(|(digits, scale)| Factory::create_fixed_tc(digits, scale));
            made.ok_or_else(unknown)?.map_err(|error| DynAnyError::invalid(error.what))
        }
        ("sequence", (element, bound)) if text.ends_with('>') => {
            let bound = bound.map_or(Some(0), number).ok_or_else(unknown)?;
            Ok(TypeCode::sequence(within(element.trim(), lookup, depth)?, bound))
        }
        _ => lookup(text).ok_or_else(unknown),
    }
}

/// The array of `length` elements of the type `element`. Further dimensions stand before the last.
fn array(element: &str, length: u32, lookup: Lookup<'_>, depth: usize) -> Result<TypeCode> {
    // In `long[2][3]` the elements of the outer array are `long[3]`.
    let mut lengths = vec![length];
    let mut element = element;
    while let Some((inner, length)) =
        element.strip_suffix(']').and_then(|text| text.rsplit_once('['))
    {
        let unknown = || DynAnyError::invalid(format!("there is no type {element:?}"));
        lengths.push(number(length).ok_or_else(unknown)?);
        if lengths.len() > depth {
            return Err(unknown());
        }
        element = inner.trim_end();
    }
    let code = within(element, lookup, depth)?;
    Ok(lengths.into_iter().fold(code, TypeCode::array))
}

/// A positive number, or 0.
fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// The arguments before and behind the last comma that stands in no brackets.
fn split(arguments: &str) -> (&str, Option<&str>) {
    let mut open = 0_i32;
    let comma = arguments.char_indices().rev().find(|(_, character)| {
        open += match character {
            '>' => 1,
            '<' => -1,
            _ => 0,
        };
        *character == ',' && open == 0
    });
    match comma {
        Some((at, _)) => (&arguments[..at], Some(&arguments[at + 1..])),
        None => (arguments, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<TypeCode> {
        let lookup = |name: &str| match name {
            "Tango::State" | "IDL:Tango/State:1.0" => Some(TypeCode::ULong),
            _ => None,
        };
        parse(text, &lookup)
    }

    #[test]
    fn types_are_written_as_in_idl() {
        let sequence = TypeCode::sequence;
        for (text, code) in [
            ("unsigned  long long", TypeCode::ULongLong),
            ("string", TypeCode::String(0)),
            ("wstring< 8 >", TypeCode::WString(8)),
            ("fixed<5, 2>", TypeCode::Fixed { digits: 5, scale: 2 }),
            ("sequence<long>", sequence(TypeCode::Long, 0)),
            ("sequence<sequence<string<4>, 2>, 3>", sequence(sequence(TypeCode::String(4), 2), 3)),
            ("sequence<fixed<5,2>>", sequence(TypeCode::Fixed { digits: 5, scale: 2 }, 0)),
            ("octet[4]", TypeCode::array(TypeCode::Octet, 4)),
            ("double[2][3]", TypeCode::array(TypeCode::array(TypeCode::Double, 3), 2)),
            ("sequence<Tango::State>", sequence(TypeCode::ULong, 0)),
            (" IDL:Tango/State:1.0 ", TypeCode::ULong),
        ] {
            assert_eq!(parsed(text), Ok(code), "{text}");
        }
    }

    #[test]
    fn types_of_the_orb_are_known_with_and_without_their_module() {
        for (text, kind) in [
            ("CORBA::TypeCode", "TypeCode"),
            ("TypeCode", "TypeCode"),
            ("::CORBA::Principal", "Principal"),
        ] {
            assert_eq!(parsed(text).unwrap().to_string(), kind, "{text}");
        }
        for text in ["Object", "CORBA::Object", "::CORBA::Object"] {
            let code = parsed(text).unwrap();
            assert_eq!(code.id(), Some("IDL:omg.org/CORBA/Object:1.0"), "{text}");
        }
    }

    #[test]
    fn a_type_is_written_as_it_is_read_where_its_parts_have_names() {
        let alias = TypeCode::alias("IDL:Price:1.0", "Price", TypeCode::Double);
        let names = |code: &TypeCode| code.name().map(str::to_owned);
        for (code, expected) in [
            (TypeCode::array(TypeCode::array(TypeCode::Double, 3), 2), "double[2][3]"),
            (
                TypeCode::sequence(TypeCode::sequence(alias.clone(), 2), 0),
                "sequence<sequence<Price, 2>>",
            ),
            (TypeCode::sequence(TypeCode::String(4), 0), "sequence<string<4>>"),
        ] {
            assert_eq!(text(&code, &names).as_deref(), Some(expected));
        }
        assert_eq!(text(&TypeCode::sequence(alias, 0), &|_| None), None);
        let deep = (0..1000).fold(TypeCode::Long, |code, _| TypeCode::sequence(code, 0));
        assert_eq!(text(&deep, &names), None);
    }

    #[test]
    fn what_is_no_type_is_named() {
        for text in ["", "Tango::Stat", "sequence", "sequence<>", "sequence<lung>", "long[x]", "<>"]
        {
            assert!(parsed(text).is_err(), "{text:?}");
        }
        let deep = format!("{}long{}", "sequence<".repeat(100_000), ">".repeat(100_000));
        assert!(parsed(&deep).is_err());
        assert!(parsed(&format!("long{}", "[1]".repeat(100_000))).is_err());
    }
}
