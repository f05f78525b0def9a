//! Descriptions as MIDL writes them.

use super::super::dispatch::flags;
use super::model::{Function, Parameter, Type, TypeDescription, TypeKind, passing};
use core::fmt;

/// The words of MIDL for types, by their numbers.
const WORDS: &[(u16, &str)] = &[
    (0, "void"),
    (2, "short"),
    (3, "long"),
    (4, "float"),
    (5, "double"),
    (6, "CURRENCY"),
    (7, "DATE"),
    (8, "BSTR"),
    (9, "IDispatch*"),
    (10, "SCODE"),
    (11, "VARIANT_BOOL"),
    (12, "VARIANT"),
    (13, "IUnknown*"),
    (14, "DECIMAL"),
    (16, "char"),
    (17, "unsigned char"),
    (18, "unsigned short"),
    (19, "unsigned long"),
    (20, "hyper"),
    (21, "unsigned hyper"),
    (22, "int"),
    (23, "unsigned int"),
    (24, "void"),
    (25, "HRESULT"),
    (30, "LPSTR"),
    (31, "LPWSTR"),
    (72, "GUID"),
];

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simple(number) => match WORDS.iter().find(|(known, _)| known == number) {
                Some((_, word)) => f.write_str(word),
                None => write!(f, "type {number}"),
            },
            Self::Pointer(to) => write!(f, "{to}*"),
            Self::SafeArray(of) => write!(f, "SAFEARRAY({of})"),
            Self::FixedArray(of, sizes) => {
                write!(f, "{of}")?;
                sizes.iter().try_for_each(|size| write!(f, "[{size}]"))
            }
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (passing::IN, "in"),
            (passing::OUT, "out"),
            (passing::RESULT, "retval"),
            (passing::OPTIONAL, "optional"),
        ];
        let mut first = true;
        for (_, word) in words.iter().filter(|(bit, _)| self.passing & bit != 0) {
            write!(f, "{}{word}", if first { "[" } else { ", " })?;
            first = false;
        }
        if !first {
            f.write_str("] ")?;
        }
        write!(f, "{} {}", self.ty, self.name)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.how {
            flags::GET => f.write_str("[propget] ")?,
            flags::PUT => f.write_str("[propput] ")?,
            flags::PUT_REFERENCE => f.write_str("[propputref] ")?,
            _ => {}
        }
        write!(f, "{} {}(", self.result, self.name)?;
        for (place, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}{parameter}", if place == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for TypeDescription {
    /// The whole type, a line for each member.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            TypeKind::Enum => "enum",
            TypeKind::Record => "struct",
            TypeKind::Module => "module",
            TypeKind::Interface => "interface",
            TypeKind::Dispatch => "dispinterface",
            TypeKind::Class => "coclass",
            TypeKind::Alias => "typedef",
            TypeKind::Union => "union",
            TypeKind::Other(_) => "type",
        };
        write!(f, "{word} {}", self.name)?;
        for (place, base) in self.bases.iter().enumerate() {
            write!(f, "{}{base}", if place == 0 { " : " } else { ", " })?;
        }
        writeln!(f, " {{ // {}", self.uuid)?;
        for variable in &self.variables {
            writeln!(f, "    [id({})] {} {};", variable.member, variable.ty, variable.name)?;
        }
        for function in &self.functions {
            writeln!(f, "    [id({})] {function};", function.member)?;
        }
        f.write_str("}")
    }
}
