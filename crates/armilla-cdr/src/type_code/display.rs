//! The `Display` form of TypeCodes: the type as IDL writes it.

use super::{TYPE_CODE_DEPTH_LIMIT, TypeCode};
use core::fmt::{Display, Formatter, Result};

impl Display for TypeCode {
    /// Writes the type as IDL would: `sequence<long, 8>`, `string<16>`, `Tango::DevState`. An array
    /// is written as its element type and its dimensions, `long[4][3]`.
    ///
    /// A TypeCode knows the name of its type without scopes, and the repository id. The scopes come
    /// from an id that begins with `IDL:` and ends in the name; a prefix such as `omg.org` is no
    /// scope. A type without a name is written as its kind and its id.
    ///
    /// ```
    /// use armilla_cdr::TypeCode;
    ///
    /// let state = TypeCode::enumeration("IDL:Tango/DevState:1.0", "DevState", ["ON", "OFF"]);
    /// assert_eq!(TypeCode::sequence(state, 0).to_string(), "sequence<Tango::DevState>");
    /// assert_eq!(TypeCode::sequence(TypeCode::ULong, 8).to_string(), "sequence<unsigned long, 8>");
    /// ```
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write(self, 0, f)
    }
}

/// Writes the type. Parts below [`TYPE_CODE_DEPTH_LIMIT`] are omitted.
fn write(code: &TypeCode, depth: usize, f: &mut Formatter<'_>) -> Result {
    if depth > TYPE_CODE_DEPTH_LIMIT {
        return f.write_str("..");
    }
    match code {
        TypeCode::String(0) => f.write_str("string"),
        TypeCode::WString(0) => f.write_str("wstring"),
        TypeCode::String(bound) => write!(f, "string<{bound}>"),
        TypeCode::WString(bound) => write!(f, "wstring<{bound}>"),
        TypeCode::Fixed { digits, scale } => write!(f, "fixed<{digits},{scale}>"),
        TypeCode::Sequence(element, bound) => {
            f.write_str("sequence<")?;
            write(element, depth + 1, f)?;
            match bound {
                0 => f.write_str(">"),
                _ => write!(f, ", {bound}>"),
            }
        }
        TypeCode::Array(..) => array(code, depth, f),
        TypeCode::Recursive(id) => named(id, "", f),
        code => match basic(code) {
            Some(keyword) => f.write_str(keyword),
            None => named(code.id().unwrap_or_default(), code.name().unwrap_or_default(), f),
        },
    }
}

/// The keyword of a type without parameters.
const fn basic(code: &TypeCode) -> Option<&'static str> {
    Some(match code {
        TypeCode::Null => "null",
        TypeCode::Void => "void",
        TypeCode::Short => "short",
        TypeCode::Long => "long",
        TypeCode::UShort => "unsigned short",
        TypeCode::ULong => "unsigned long",
        TypeCode::Float => "float",
        TypeCode::Double => "double",
        TypeCode::Boolean => "boolean",
        TypeCode::Char => "char",
        TypeCode::Octet => "octet",
        TypeCode::Any => "any",
        TypeCode::TypeCode => "TypeCode",
        TypeCode::Principal => "Principal",
        TypeCode::LongLong => "long long",
        TypeCode::ULongLong => "unsigned long long",
        TypeCode::LongDouble => "long double",
        TypeCode::WChar => "wchar",
        _ => return None,
    })
}

/// The element type, then the dimensions from the outermost to the innermost.
fn array(code: &TypeCode, depth: usize, f: &mut Formatter<'_>) -> Result {
    let mut element = code;
    while let TypeCode::Array(inner, _) = element {
        element = inner;
    }
    write(element, depth + 1, f)?;
    let mut dimension = code;
    while let TypeCode::Array(inner, length) = dimension {
        write!(f, "[{length}]")?;
        dimension = inner;
    }
    Ok(())
}

/// The scoped name that the repository id tells, the name alone, or the id alone.
fn named(id: &str, name: &str, f: &mut Formatter<'_>) -> Result {
    match id.strip_prefix("IDL:").and_then(|rest| rest.rsplit_once(':')) {
        Some((path, _)) if path.ends_with(name) && !path.is_empty() => {
            // Prefixes are names of Internet domains: their first part contains a dot.
            let scopes = match path.split_once('/') {
                Some((prefix, rest)) if prefix.contains('.') => rest,
                _ => path,
            };
            scopes.split('/').enumerate().try_for_each(|(place, scope)| {
                if place > 0 {
                    f.write_str("::")?;
                }
                f.write_str(scope)
            })
        }
        _ if name.is_empty() => f.write_str(id),
        _ => f.write_str(name),
    }
}
