//! Which texts are names.

use super::ModelError;
use armilla_cos_trading::{IllegalOfferId, IllegalPropertyName, IllegalServiceType, link};

/// Checks the name of a property: a letter, then letters, digits and underscores.
pub(super) fn property(name: &str) -> Result<(), ModelError> {
    match is_identifier(name) {
        true => Ok(()),
        false => Err(IllegalPropertyName { name: name.to_owned() }.into()),
    }
}

/// Checks the name of a service type: identifiers with `::` between and perhaps before them, or a
/// repository id (`IDL:…:1.0`).
pub(super) fn service_type(name: &str) -> Result<(), ModelError> {
    let is_legal = match name.strip_prefix("IDL:").and_then(|id| id.rsplit_once(':')) {
        Some((path, version)) => {
            path.split('/').all(|step| !step.is_empty() && step.chars().all(is_step_character))
                && version.split_once('.').is_some_and(|(major, minor)| {
                    [major, minor].iter().all(|number| number.parse::<u16>().is_ok())
                })
        }
        None => name.strip_prefix("::").unwrap_or(name).split("::").all(is_identifier),
    };
    match is_legal {
        true => Ok(()),
        false => Err(IllegalServiceType { r#type: name.to_owned() }.into()),
    }
}

/// Checks the name of a link: letters, digits, `_`, `-` and `.` after a letter or digit.
pub(super) fn link(name: &str) -> Result<(), ModelError> {
    let is_legal = name.starts_with(char::is_alphanumeric) && name.chars().all(is_step_character);
    match is_legal {
        true => Ok(()),
        false => Err(link::IllegalLinkName { name: name.to_owned() }.into()),
    }
}

/// Whether a text is a letter with letters, digits and underscores after it.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(char::is_alphabetic)
        && name.chars().all(|character| character.is_alphanumeric() || character == '_')
}

fn is_step_character(character: char) -> bool {
    character.is_alphanumeric() || "_-.".contains(character)
}

/// The id of the offer with this number: 16 hexadecimal digits.
pub(super) fn offer_id(number: u64) -> String {
    format!("{number:016x}")
}

/// The number of the offer with this id.
pub(super) fn offer_number(id: &str) -> Result<u64, ModelError> {
    let is_legal = id.len() == 16 && id.bytes().all(|octet| octet.is_ascii_hexdigit());
    match u64::from_str_radix(id, 16) {
        Ok(number) if is_legal => Ok(number),
        _ => Err(IllegalOfferId { id: id.to_owned() }.into()),
    }
}
