//! Fixes for syntax errors, mostly for habits from other languages.

mod literals;
mod types;

pub(super) use literals::{of_character, of_number};
pub(super) use types::keyword_after;

use crate::lex::similar::nearest;
use crate::lex::{Token, TokenKind, keyword};

/// A fix for the case that `expected` was needed and `found` is between `before` and `after`.
pub(super) fn hint(
    expected: &str,
    before: Option<&Token>,
    found: &Token,
    after: &Token,
) -> Option<String> {
    let follows = |word: &str| before.is_some_and(|token| token.is_word(word));
    let by_case = by_case(found).or_else(|| by_case(before?));
    by_case
        .or_else(|| types::of_type(expected, before, found, after))
        .or_else(|| by_expectation(expected, found, after, follows))
        .or_else(|| by_structure(expected, found, after, follows))
        .or_else(|| by_word(found, after))
        .or_else(|| by_spelling(expected, before, found, after))
        .or_else(|| match &*found.text {
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
        })
}

/// A fix for a keyword that is written in another case.
fn by_case(token: &Token) -> Option<String> {
    let is_word = token.kind == TokenKind::Identifier;
    let keyword = keyword::of_another_case(&token.text).filter(|_| is_word)?;
    Some(format!("the keyword is `{keyword}`: case matters"))
}

/// Fixes for words and signs that are nearly right.
fn by_spelling(
    expected: &str,
    before: Option<&Token>,
    found: &Token,
    after: &Token,
) -> Option<String> {
    let is_name = |token: &Token| token.kind == TokenKind::Identifier;
    let before = before.filter(|before| is_name(before));
    let meant = match (&*found.text, before) {
        (".", Some(before)) if is_name(after) => {
            return Some(format!(
                "`::` separates the parts of a name: write `{}::{}`",
                before.text, after.text
            ));
        }
        ("<", Some(before)) => nearest(&before.text, &["sequence", "string", "wstring", "fixed"]),
        _ if expected.ends_with("after `unsigned`") => nearest(&found.text, &["short", "long"]),
        _ if expected == "a declaration" => nearest(&found.text, keyword::DECLARATIONS),
        _ if expected == "`case` or `default`" => nearest(&found.text, &["case", "default"]),
        _ => None,
    };
    meant.filter(|meant| *meant != &*found.text).map(did_you_mean)
}

fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
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
        _ if expected == "`in`, `out` or `inout`" => {
            "a parameter has a direction, a type and a name: `in long x`".to_owned()
        }
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
        ";" | "," if expected == "`(`" => {
            "an operation has parentheses, as in `void f();`; a value is an `attribute`".to_owned()
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

/// Fixes where something stands that belongs to another construct.
fn by_structure(
    expected: &str,
    found: &Token,
    after: &Token,
    follows: impl Fn(&str) -> bool,
) -> Option<String> {
    let is_type = keyword::TYPES.contains(&&*found.text);
    Some(match &*found.text {
        _ if expected == "`switch`" => {
            "a union says by what it is switched: `union U switch (long) { … }`".to_owned()
        }
        "{" if expected == "`<`" => {
            "each module has a declaration of its own: `module A { module B { … }; };`".to_owned()
        }
        _ if expected == "`attribute`" && follows("readonly") => {
            "write `readonly attribute`".to_owned()
        }
        "=" if expected == "`)`" => "a parameter has no default".to_owned(),
        "=" if expected == "`}`" => "the enumerators are numbered from 0 in their order".to_owned(),
        ":" if expected == "`{`" => "only interfaces, valuetypes and structs have bases".to_owned(),
        "{" if expected == "`;` after the operation" => {
            "an operation has no body in IDL; servants implement it".to_owned()
        }
        "(" if expected == "`;` after the attribute" => {
            "an operation is declared without `attribute`".to_owned()
        }
        _ if is_type && expected == "a declaration" && after.kind == TokenKind::Identifier => {
            format!("a value is a constant, `const {} {} = …;`", found.text, after.text)
        }
        _ => return None,
    })
}

/// The directives that could be taken for words.
const DIRECTIVES: &[&str] = &["include", "define", "pragma", "ifdef", "ifndef", "endif"];

/// The direction that `found` at the start of a parameter is probably meant to be, if a type and a
/// name follow it.
pub(super) fn direction(found: &Token, after: &Token, third: &Token) -> Option<&'static str> {
    let ends = |token: &Token| token.is(",") || token.is(")");
    let is_word = found.kind == TokenKind::Identifier && after.kind == TokenKind::Identifier;
    if !is_word || ends(third) {
        return None;
    }
    nearest(&found.text, &["in", "out", "inout"])
}

/// A fix for a parameter without a direction that begins with `found`.
pub(super) fn no_direction(found: &Token) -> String {
    match &*found.text {
        "const" => "what is given by `in` is never changed: write `in` instead".to_owned(),
        text => {
            let ty = keyword::of_foreign_type(text).unwrap_or(text);
            format!("say which way the parameter goes: `in {ty} …`, `out {ty} …` or `inout {ty} …`")
        }
    }
}

/// Fixes for words that IDL does not have, or not here.
fn by_word(found: &Token, after: &Token) -> Option<String> {
    if found.kind != TokenKind::Identifier {
        return None;
    }
    Some(match &*found.text {
        "extends" | "implements" => format!("write bases after a `:`, as in `: {}`", after.text),
        "throws" | "throw" | "raise" => "write `raises (…)`".to_owned(),
        word if DIRECTIVES.contains(&word) => format!("a directive begins with `#`: `#{word}`"),
        "template" => "only a module has parameters: `module M<typename T> { … };`".to_owned(),
        "typeid" | "typeprefix" => {
            format!("it takes a name and a string: `{} Name \"…\";`", found.text)
        }
        "class" => "write `interface`, `valuetype` or `struct`".to_owned(),
        "namespace" | "package" => "write `module`".to_owned(),
        "using" => "IDL has no `using`; write the whole name, as in `A::B`".to_owned(),
        "public" | "private" | "protected" => format!(
            "`{}` is for the state of valuetypes; every member of an interface is public",
            found.text
        ),
        word if types::NOT_IDL.contains(&word) => format!("IDL has no `{word}`; leave it out"),
        _ => return None,
    })
}
