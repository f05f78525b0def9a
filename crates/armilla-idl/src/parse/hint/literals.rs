//! Fixes for numbers and characters that IDL does not have.

/// A fix for `text`, which is no number of IDL.
pub(in super::super) fn of_number(text: &str) -> Option<String> {
    let digits = text.replace('_', "");
    if digits != text && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("nothing separates the digits of a number: write `{digits}`"));
    }
    if let Some(binary) = text.strip_prefix("0b").or(text.strip_prefix("0B"))
        && let Ok(value) = u64::from_str_radix(binary, 2)
    {
        return Some(format!("IDL has no binary numbers: write `{value:#x}`"));
    }
    let number = text.trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U']);
    if number != text && number.parse::<f64>().is_ok() {
        return Some(format!("a number has no suffix: write `{number}`"));
    }
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some("a number that begins with `0` is octal".to_owned());
    }
    None
}

/// What IDL has instead of a character that was typed for the sake of its looks.
pub(in super::super) fn of_character(character: &str) -> Option<&'static str> {
    Some(match character.chars().next()? {
        '\u{2018}' | '\u{2019}' | '\u{b4}' | '`' => "write a straight quote, `'`",
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => "write straight quotes, `\"`",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "write a plain `-`",
        '\u{a0}' | '\u{2000}'..='\u{200b}' | '\u{202f}' | '\u{3000}' | '\u{feff}' => {
            "this is a blank of another kind; write a plain one"
        }
        other if other.is_alphabetic() => "names have the letters a to z, digits and `_`",
        _ => return None,
    })
}
