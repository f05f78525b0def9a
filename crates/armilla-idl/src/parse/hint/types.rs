//! Fixes around types and their names: what other languages write otherwise.

use crate::lex::similar::nearest;
use crate::lex::{Token, TokenKind, keyword};

/// The keywords of IDL's numbers.
const NUMBERS: &[&str] = &["short", "long", "float", "double", "char", "octet", "unsigned"];

/// Keywords of other languages before types and declarations.
pub(super) const NOT_IDL: &[&str] =
    &["signed", "static", "virtual", "final", "inline", "volatile", "mutable"];

/// A fix for the case that `expected` was needed and `found` stands behind `before`.
pub(super) fn of_type(
    expected: &str,
    before: Option<&Token>,
    found: &Token,
    after: &Token,
) -> Option<String> {
    let follows = |word: &str| before.is_some_and(|token| token.is_word(word));
    let is_direction = ["in", "out", "inout"].iter().any(|word| found.is_word(word));
    Some(match &*found.text {
        "[" if follows("string") || follows("wstring") => {
            let name = &before?.text;
            format!("the bound of a string stands in angle brackets: `{name}<{}>`", after.text)
        }
        "[" if follows("sequence") => {
            format!("the element stands in angle brackets: `sequence<{}>`", after.text)
        }
        _ if expected == "`<`" && follows("sequence") => {
            "a sequence has the type of its elements, as in `sequence<long>`".to_owned()
        }
        _ if is_direction && expected == "a type" => match follows("in") || follows("out") {
            true => "what goes both ways is `inout`".to_owned(),
            false => "only parameters have a direction".to_owned(),
        },
        "const" if expected == "a type" && (follows("in") || follows("out")) => {
            "what is given by `in` is never changed; leave `const` out".to_owned()
        }
        "const" if expected == "a type" => {
            "constants are declared in modules and interfaces".to_owned()
        }
        _ if expected.ends_with("after `unsigned`") => match &*found.text {
            "char" => "an octet is an `octet`, a character a `char`".to_owned(),
            "float" | "double" => "only integers are `unsigned`".to_owned(),
            text if nearest(text, &["short", "long"]).is_some() => return None,
            _ => "write `unsigned long`".to_owned(),
        },
        _ => return None,
    })
}

/// A fix for the case that `what`, a name, was needed, and the keyword `found` follows `before`,
/// which was parsed as a type.
pub(in super::super) fn keyword_after(
    before: Option<&Token>,
    found: &Token,
    what: &str,
) -> Option<String> {
    let before = before.filter(|before| before.kind == TokenKind::Identifier)?;
    if let Some(word) = NOT_IDL.iter().find(|word| before.is_word(word)) {
        return Some(format!("IDL has no `{word}`; leave it out"));
    }
    let is_number = |token: &Token| NUMBERS.iter().any(|word| token.is_word(word));
    if is_number(before) && is_number(found) {
        return Some(
            "the numbers are `short`, `long`, `long long`, these three with `unsigned`, `float`, \
             `double` and `long double`"
                .to_owned(),
        );
    }
    if what == "the name of the parameter" && matches!(&*found.text, "in" | "out" | "inout") {
        return Some(format!("the direction comes first: `{} {} …`", found.text, before.text));
    }
    if let Some(help) = super::by_case(before) {
        return Some(help);
    }
    let is_keyword = keyword::reserved(&before.text).is_some();
    if let Some(meant) = nearest(&before.text, keyword::DECLARATIONS).filter(|_| !is_keyword) {
        return Some(super::did_you_mean(meant));
    }
    let is_type = keyword::TYPES.contains(&&*found.text);
    (is_type && !is_keyword).then(|| {
        format!(
            "`{}` is in the place of the type, and `{}` in that of the name",
            before.text, found.text
        )
    })
}
