//! The values of literals (IDL 4.2, 7.2.6).

use crate::model::Fixed;

/// The value of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(u64),
    /// A floating-point number, whose value depends on the type of its constant.
    Float,
    /// A literal such as `1.5d`.
    Fixed(Fixed),
}

/// The value of the number `text`, or the message of an error.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = hexadecimal {
        return integer(digits, 16, text);
    }
    if text.ends_with(['d', 'D']) && text[..text.len() - 1].bytes().all(is_decimal) {
        return fixed(text);
    }
    if text.contains(['.', 'e', 'E']) {
        return float(text);
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => integer(digits, 8, text),
        _ => integer(text, 10, text),
    }
}

fn fixed(text: &str) -> Result<Number, String> {
    let digits = text.trim_end_matches(['d', 'D']);
    let well_formed = digits != "." && digits.matches('.').count() <= 1;
    match Fixed::parse(digits) {
        Some(value) if well_formed => Ok(Number::Fixed(value)),
        None if well_formed => Err(format!("`{text}` has more than 31 digits")),
        _ => Err(format!("`{text}` is not a number")),
    }
}

fn is_decimal(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

fn integer(digits: &str, radix: u32, text: &str) -> Result<Number, String> {
    let kind = match radix {
        8 => "an octal",
        10 => "a decimal",
        _ => "a hexadecimal",
    };
    if let Some(bad) = digits.chars().find(|c| !c.is_digit(radix)) {
        return Err(format!("`{bad}` is not a digit of {kind} number"));
    }
    if digits.is_empty() {
        return Err(format!("`{text}` has no digits"));
    }
    let value = u64::from_str_radix(digits, radix);
    value.map(Number::Integer).map_err(|_| format!("`{text}` does not fit into 64 bits"))
}

fn float(text: &str) -> Result<Number, String> {
    let well_formed = text.bytes().all(|b| is_decimal(b) || b"eE+-".contains(&b));
    match text.parse::<f64>() {
        Ok(_) if well_formed => Ok(Number::Float),
        _ => Err(format!("`{text}` is not a number")),
    }
}

/// The content of a quoted literal.
pub(crate) struct Unquoted<T> {
    pub(crate) value: T,
    /// An escape sequence that IDL does not define, such as `\q`; its value is its character.
    pub(crate) undefined: Option<char>,
}

/// The characters between the quotes of `text`, escapes resolved.
pub(crate) fn unquote(text: &str) -> Result<Unquoted<String>, String> {
    let mut value = String::with_capacity(text.len());
    let undefined = walk(text, false, |piece| match piece {
        Piece::Source(c) => value.push(c),
        // An escape denotes one octet: the ISO 8859-1 character of that code.
        Piece::Code(code) => value.push(char::from(code as u8)),
    })?;
    Ok(Unquoted { value, undefined })
}

/// The UTF-16 code units between the quotes of the wide literal `text`, escapes resolved.
pub(crate) fn unquote_wide(text: &str) -> Result<Unquoted<Vec<u16>>, String> {
    let mut value = Vec::with_capacity(text.len());
    let text = text.strip_prefix('L').unwrap_or(text);
    let undefined = walk(text, true, |piece| match piece {
        Piece::Source(c) => value.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        Piece::Code(code) => value.push(code),
    })?;
    Ok(Unquoted { value, undefined })
}

/// A part of a literal.
enum Piece {
    /// A character that is not escaped.
    Source(char),
    /// The code of an escape; below 256 in a narrow literal.
    Code(u16),
}

/// Visits the pieces of a literal. Returns an escape sequence that IDL does not define, if any.
fn walk(text: &str, wide: bool, mut take: impl FnMut(Piece)) -> Result<Option<char>, String> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let mut undefined = None;
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            take(Piece::Source(c));
            continue;
        }
        let after = rest.as_str();
        let (piece, length) = match after.chars().next() {
            Some(first) => match named_escape(first) {
                Some(code) => (Piece::Code(code), 1),
                None if matches!(first, '0'..='7' | 'x' | 'u') => numeric_escape(after, wide)?,
                None => {
                    undefined = Some(first);
                    (Piece::Source(first), first.len_utf8())
                }
            },
            None => return Err("a backslash needs a character after it".to_owned()),
        };
        take(piece);
        rest = after[length..].chars();
    }
    Ok(undefined)
}

fn named_escape(c: char) -> Option<u16> {
    Some(match c {
        'n' => 0x0a,
        't' => 0x09,
        'v' => 0x0b,
        'b' => 0x08,
        'r' => 0x0d,
        'f' => 0x0c,
        'a' => 0x07,
        '\\' | '?' | '\'' | '"' => c as u16,
        _ => return None,
    })
}

/// The code of the escape whose text after the backslash begins `text`, and its length.
fn numeric_escape(text: &str, wide: bool) -> Result<(Piece, usize), String> {
    let (skip, radix, max_digits) = match text.chars().next() {
        Some('x') => (1, 16, 2),
        Some('u') if wide => (1, 16, 4),
        Some('u') => return Err("`\\u` is for wide literals only".to_owned()),
        _ => (0, 8, 3),
    };
    let digits = text[skip..].chars().take(max_digits).take_while(|c| c.is_digit(radix)).count();
    let end = skip + digits;
    match u16::from_str_radix(&text[skip..end], radix) {
        Ok(code) if wide || code < 256 => Ok((Piece::Code(code), end)),
        Ok(_) => Err(format!("`\\{}` does not fit into an octet", &text[..end])),
        Err(_) => Err(format!("`\\{}` needs hexadecimal digits after it", &text[..1])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_octal_hexadecimal_or_floating() {
        assert_eq!(number("0"), Ok(Number::Integer(0)));
        assert_eq!(number("017"), Ok(Number::Integer(15)));
        assert_eq!(number("0xFF"), Ok(Number::Integer(255)));
        assert_eq!(number("1e3"), Ok(Number::Float));
        assert_eq!(number(".5"), Ok(Number::Float));
        assert!(matches!(number("1.5D"), Ok(Number::Fixed(value)) if value.to_string() == "1.5"));
    }

    #[test]
    fn what_is_not_a_number_says_why() {
        assert_eq!(number("08").unwrap_err(), "`8` is not a digit of an octal number");
        assert_eq!(number("0x").unwrap_err(), "`0x` has no digits");
        assert!(number("18446744073709551616").unwrap_err().contains("64 bits"));
        assert!(number("1.2.3").is_err() && number("1einf").is_err() && number("1_0").is_err());
    }

    #[test]
    fn escapes_are_resolved() {
        let narrow = |text| unquote(text).map(|unquoted| unquoted.value);
        assert_eq!(narrow(r#""a\n\t\x41\101\\\"""#).unwrap(), "a\n\tAA\\\"");
        assert_eq!(narrow(r"'\377'").unwrap(), "\u{ff}");
        assert!(narrow(r"'\777'").is_err());
        assert!(narrow(r"'\u0041'").is_err());
        assert_eq!(unquote(r"'\q'").unwrap().undefined, Some('q'));
        assert_eq!(unquote_wide("L\"é\\u20ac\"").unwrap().value, [0xe9, 0x20ac]);
        assert_eq!(unquote_wide(r"L'\ud800'").unwrap().value, [0xd800]);
    }
}
