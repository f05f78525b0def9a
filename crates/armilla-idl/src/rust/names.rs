//! Rust names of IDL identifiers: words, case and escapes.
//!
//! `scope` decides which declaration gets which kind of name, `check` whether two collide.

use proc_macro2::{Ident, Span};

/// The identifier in `snake_case`: modules, functions, fields, parameters.
pub(super) fn snake(idl: &str) -> String {
    let lower: Vec<String> = words(idl).iter().map(|word| word.to_ascii_lowercase()).collect();
    escape(lower.join("_"), &[])
}

/// The identifier in `snake_case` as the name of a module, which must not hide a primitive type
/// or the module `codegen` that generated code imports.
pub(super) fn module(idl: &str) -> String {
    escape(snake(idl), HIDDEN_BY_MODULES)
}

/// The identifier in `snake_case` as the name of a method of an interface, which must not be hidden
/// by a method that every reference has.
pub(super) fn method(idl: &str) -> String {
    let name = escape(escape(snake(idl), METHODS_OF_REFERENCES), METHODS_OF_ALL);
    escape(name, METHODS_OF_INTERFACES)
}

/// The name of a method of values, which must not be hidden by a method that every handle has.
pub(super) fn method_of_values(method: &str) -> String {
    escape(method.to_owned(), METHODS_OF_VALUES)
}

/// The identifier in `UpperCamelCase` as the name of a type or trait, which must not hide a name of
/// the prelude that generated code uses.
pub(super) fn camel(idl: &str) -> String {
    escape(variant(idl), HIDDEN_BY_TYPES)
}

/// The identifier in `UpperCamelCase` as the name of a variant.
pub(super) fn variant(idl: &str) -> String {
    let mut name = String::new();
    for word in words(idl) {
        // Adjacent numbers would read as one, and `v1_2` would collide with `v12`.
        if name.ends_with(is_digit) && word.starts_with(is_digit) {
            name.push('_');
        }
        name.extend(word.chars().take(1).map(|first| first.to_ascii_uppercase()));
        name.extend(word.chars().skip(1).map(|later| later.to_ascii_lowercase()));
    }
    escape(name, &[])
}

/// The identifier in `UPPER_SNAKE_CASE`: constants.
pub(super) fn upper(idl: &str) -> String {
    let upper: Vec<String> = words(idl).iter().map(|word| word.to_ascii_uppercase()).collect();
    upper.join("_")
}

/// The name of a member's field.
pub(super) fn field(member: &str) -> Ident {
    ident(&snake(member))
}

/// `name` as a token, raw where it is a keyword.
pub(super) fn ident(name: &str) -> Ident {
    if KEYWORDS.contains(&name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

/// `wanted`, with underscores appended until it is none of `taken`.
pub(super) fn fresh(wanted: &str, taken: &[String]) -> String {
    let mut name = wanted.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

/// The words of an identifier. A word ends at an underscore, before an upper-case letter after a
/// lower-case one or a digit, and before the last capital of several when a lower-case letter
/// follows: `HTTPServer2Go` is `HTTP`, `Server2`, `Go`.
pub(super) fn words(idl: &str) -> Vec<&str> {
    let octets = idl.as_bytes();
    let is_upper = |i: usize| octets.get(i).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |i: usize| octets.get(i).is_some_and(u8::is_ascii_lowercase);
    let mut words = Vec::new();
    let mut start = 0;
    for i in 1..octets.len() {
        let previous_ends = !is_upper(i - 1) || is_lower(i + 1);
        if is_upper(i) && previous_ends {
            words.push(&idl[start..i]);
            start = i;
        }
    }
    words.push(&idl[start..]);
    words.iter().flat_map(|word| word.split('_')).filter(|word| !word.is_empty()).collect()
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// Appends an underscore to a name that cannot be raw or that is in `reserved`.
fn escape(name: String, reserved: &[&str]) -> String {
    if NEVER_RAW.contains(&name.as_str()) || reserved.contains(&name.as_str()) {
        name + "_"
    } else {
        name
    }
}

/// Keywords that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["self", "Self", "super", "crate"];

/// The names that a type must not hide from the generated code beside it.
const HIDDEN_BY_TYPES: &[&str] = &[
    "Err", "From", "Into", "None", "Ok", "Option", "Result", "Send", "Sized", "Some", "String",
    "Sync", "Vec",
];

/// The names that a module must not hide from the generated code beside it.
const HIDDEN_BY_MODULES: &[&str] = &[
    "bool", "char", "codegen", "f32", "f64", "i16", "i32", "i64", "i8", "str", "u16", "u32", "u64",
    "u8", "usize",
];

/// The methods of `codegen::Ref`. A test of the ORB keeps this list complete.
const METHODS_OF_REFERENCES: &[&str] = &[
    "directly",
    "directly_or_lent",
    "factory_stub",
    "invoke",
    "invoke_async",
    "invoke_oneway",
    "invoke_raises",
    "invoke_raises_async",
    "is_nil",
    "local",
    "narrow",
    "narrow_async",
    "object",
    "upcast",
    "with_component",
    "with_connection_policy",
    "with_policies",
    "with_sync_scope",
    "with_timeout",
];

/// The methods of every interface's trait that are not in the IDL.
const METHODS_OF_INTERFACES: &[&str] = &["servant_base"];

/// The methods that the traits of the prelude give to references and handles.
const METHODS_OF_ALL: &[&str] = &["as_ref", "clone", "eq", "into", "ne", "to_owned", "try_into"];

/// The methods of `codegen::Value`. A test of the ORB keeps this list complete.
const METHODS_OF_VALUES: &[&str] =
    &["downcast", "break_cycles", "get", "new", "repository_id", "update"];

/// The keywords of Rust, of all editions, including reserved ones.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_take_the_case_of_what_they_name() {
        for (idl, expected_snake, expected_camel) in [
            ("BinStruct", "bin_struct", "BinStruct"),
            ("sendStructSeq_2way", "send_struct_seq_2way", "SendStructSeq2way"),
            ("HTTPServer", "http_server", "HttpServer"),
            ("TTCP_Sequence", "ttcp_sequence", "TtcpSequence"),
            ("Int32Seq", "int32_seq", "Int32Seq"),
            ("RED", "red", "Red"),
            ("x", "x", "X"),
            ("MyURL", "my_url", "MyUrl"),
            ("v1_2", "v1_2", "V1_2"),
            ("trailing_", "trailing", "Trailing"),
        ] {
            assert_eq!(snake(idl), expected_snake);
            assert_eq!(camel(idl), expected_camel);
            assert_eq!(upper(idl), expected_snake.to_ascii_uppercase());
        }
    }

    #[test]
    fn keywords_are_raw_and_the_four_that_cannot_be_get_an_underscore() {
        assert_eq!(ident(&snake("type")).to_string(), "r#type");
        assert_eq!(ident(&snake("Match")).to_string(), "r#match");
        assert_eq!(ident(&snake("self")).to_string(), "self_");
        assert_eq!(ident(&camel("SELF")).to_string(), "Self_");
    }

    #[test]
    fn names_that_generated_code_relies_on_are_not_hidden() {
        assert_eq!(camel("String"), "String_");
        assert_eq!(module("codegen"), "codegen_");
        assert_eq!(module("Str"), "str_");
        assert_eq!(snake("str"), "str");
        assert_eq!(method("servantBase"), "servant_base_");
    }

    #[test]
    fn a_fresh_name_avoids_the_taken_ones() {
        assert_eq!(fresh("out", &["out".into(), "out_".into()]), "out__");
        assert_eq!(fresh("out", &[]), "out");
    }
}
