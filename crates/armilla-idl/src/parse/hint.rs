//! Fixes for syntax errors, mostly for habits from other languages.

use crate::lex::{Token, TokenKind};

/// A fix for the case that `expected` was needed and `found` is between `before` and `after`.
pub(super) fn hint(
    expected: &str,
    before: Option<&Token>,
    found: &Token,
    after: &Token,
) -> Option<String> {
    let follows = |word: &str| before.is_some_and(|token| token.is_word(word));
    by_expectation(expected, found, after, follows).or_else(|| by_word(found, after)).or_else(
        || match &*found.text {
            "*" | "&" => Some(
                "IDL has no pointers and references: `in`, `out` and `inout` say which way a \
                 parameter goes"
                    .to_owned(),
            ),
            "<" if found.kind == TokenKind::Punctuation => Some(
                "the templates of IDL are `sequence<T>` and `map<K, V>`; an array is `T name[3]`"
                    .to_owned(),
            ),
            _ => None,
        },
    )
}

/// Fixes that depend on what was expected.
fn by_expectation(
    expected: &str,
    found: &Token,
    after: &Token,
    follows: impl Fn(&str) -> bool,
) -> Option<String> {
    let text = &*found.text;
    Some(match text {
        "const" if expected == "`in`, `out` or `inout`" => {
            "what is given by `in` is never changed: write `in` instead".to_owned()
        }
        _ if expected == "`in`, `out` or `inout`" => {
            format!("say which way the parameter goes: `in {text} …`")
        }
        _ if follows("unsigned") => match text {
            "char" => "an octet is an `octet`, a character a `char`".to_owned(),
            "int" => "write `unsigned long`".to_owned(),
            _ => return None,
        },
        _ if follows("int") => "IDL has no `int`: a `long` has 32 bits, a `short` 16".to_owned(),
        _ if expected == "a name after `::`" && found.kind == TokenKind::Identifier => {
            format!("write the keyword alone: `{text}`")
        }
        _ if follows("attribute") && text == "readonly" => "write `readonly attribute`".to_owned(),
        "(" if follows("raises") => return None,
        _ if follows("raises") && found.kind == TokenKind::Identifier => {
            format!("exceptions stand in parentheses: `raises ({text})`")
        }
        "{" if expected.starts_with("the name of the ") => {
            let what = expected.trim_start_matches("the name of the ");
            format!("write the name before the body: `{what} Name {{ … }}`")
        }
        ")" | "," if expected == "the name of the parameter" => {
            "each parameter has a type and a name".to_owned()
        }
        "(" if expected == "the name of the operation" => {
            "the type of the result comes first; where there is none, `void`".to_owned()
        }
        "=" if expected.starts_with("`;`") => {
            "only constants have a value: `const long x = 1;`".to_owned()
        }
        "]" if expected == "a value" => {
            "an array has a length; without one it is a `sequence<T>`".to_owned()
        }
        ";" if expected == "`}`" => "enumerators have commas between them".to_owned(),
        _ if expected == "`case` or `default`" && after.is(":") => {
            format!("write `case {text}:`")
        }
        _ if expected == "`>`" && found.kind == TokenKind::Number => {
            format!("write a comma before the bound: `, {text}>`")
        }
        "const" if expected == "`;` after the operation" => {
            "the operations of IDL are not `const`".to_owned()
        }
        ":" if follows("public") || follows("private") => {
            "write `public` or `private` before each member of a valuetype".to_owned()
        }
        _ => return None,
    })
}

/// A fix for the case that a name was needed and a keyword follows `before`, which was parsed as a
/// type.
pub(super) fn keyword_after(before: Option<&Token>) -> Option<String> {
    let word = NOT_IDL.iter().find(|word| before.is_some_and(|token| token.is_word(word)))?;
    Some(format!("IDL has no `{word}`; leave it out"))
}

/// Keywords of other languages before types and declarations.
const NOT_IDL: &[&str] = &["signed", "static", "virtual", "final", "inline", "volatile"];

/// Fixes for words that IDL does not have, or not here.
fn by_word(found: &Token, after: &Token) -> Option<String> {
    if found.kind != TokenKind::Identifier {
        return None;
    }
    Some(match &*found.text {
        "extends" | "implements" => format!("write bases after a `:`, as in `: {}`", after.text),
        "throws" | "throw" => "write `raises (…)`".to_owned(),
        "class" => "write `interface`, `valuetype` or `struct`".to_owned(),
        "namespace" | "package" => "write `module`".to_owned(),
        "using" => "IDL has no `using`; write the whole name, as in `A::B`".to_owned(),
        "public" | "private" | "protected" => format!(
            "`{}` is for the state of valuetypes; every member of an interface is public",
            found.text
        ),
        word if NOT_IDL.contains(&word) => format!("IDL has no `{word}`; leave it out"),
        _ => return None,
    })
}
