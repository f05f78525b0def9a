//! The values of literals (IDL 4.2, 7.2.6).

/// The value of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(u64),
    Float(f64),
    /// A literal such as `1.5d`.
    Fixed,
}

/// The value of the number that is spelled `text`, or a sentence that says what is wrong.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = hexadecimal {
        return integer(digits, 16, text);
    }
    if text.ends_with(['d', 'D']) && text[..text.len() - 1].bytes().all(is_decimal) {
        return Ok(Number::Fixed);
    }
    if text.contains(['.', 'e', 'E']) {
        return float(text);
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => integer(digits, 8, text),
        _ => integer(text, 10, text),
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
        Ok(value) if well_formed && value.is_finite() => Ok(Number::Float(value)),
        Ok(_) if well_formed => Err(format!("`{text}` is too large for a `double`")),
        _ => Err(format!("`{text}` is not a number")),
    }
}

/// The characters between the quotes of `text`, escapes resolved.
pub(crate) fn unquote(text: &str) -> Result<String, String> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        let (c, length) = escape(rest.as_str())?;
        value.push(c);
        rest = rest.as_str()[length..].chars();
    }
    Ok(value)
}

/// The character that the escape at the start of `text`, behind its backslash, stands for, and how
/// many bytes it is long.
fn escape(text: &str) -> Result<(char, usize), String> {
    let plain = match text.chars().next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('v') => '\x0b',
        Some('b') => '\x08',
        Some('r') => '\r',
        Some('f') => '\x0c',
        Some('a') => '\x07',
        Some(c @ ('\\' | '?' | '\'' | '"')) => c,
        Some('0'..='7') => return numeric(text, 0, 8, 3),
        Some('x') => return numeric(text, 1, 16, 2),
        Some('u') => return Err("`\\u` is for wide literals only".to_owned()),
        Some(c) => return Err(format!("`\\{}` is not an escape sequence", c.escape_default())),
        None => return Err("a backslash needs a character behind it".to_owned()),
    };
    Ok((plain, 1))
}

fn numeric(
    text: &str,
    skip: usize,
    radix: u32,
    max_digits: usize,
) -> Result<(char, usize), String> {
    let digits = text[skip..].chars().take(max_digits).take_while(|c| c.is_digit(radix)).count();
    let end = skip + digits;
    match u32::from_str_radix(&text[skip..end], radix) {
        // An escape stands for one octet: the ISO 8859-1 character of that code.
        Ok(code @ 0..=255) => Ok((char::from(code as u8), end)),
        Ok(_) => Err(format!("`\\{}` does not fit into an octet", &text[..end])),
        Err(_) => Err("`\\x` needs hexadecimal digits behind it".to_owned()),
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
        assert_eq!(number("1e3"), Ok(Number::Float(1000.0)));
        assert_eq!(number(".5"), Ok(Number::Float(0.5)));
        assert_eq!(number("1.5D"), Ok(Number::Fixed));
    }

    #[test]
    fn what_is_not_a_number_says_why() {
        assert_eq!(number("08").unwrap_err(), "`8` is not a digit of an octal number");
        assert_eq!(number("0x").unwrap_err(), "`0x` has no digits");
        assert!(number("18446744073709551616").unwrap_err().contains("64 bits"));
        assert!(number("1e999").unwrap_err().contains("too large"));
        assert!(number("1.2.3").is_err() && number("1einf").is_err() && number("1_0").is_err());
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unquote(r#""a\n\t\x41\101\\\"""#).unwrap(), "a\n\tAA\\\"");
        assert_eq!(unquote(r"'\377'").unwrap(), "\u{ff}");
        assert!(unquote(r"'\777'").is_err());
        assert!(unquote(r"'\q'").is_err());
        assert!(unquote(r"'\u0041'").is_err());
    }
}
