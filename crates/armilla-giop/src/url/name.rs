//! Names of the naming service as text: `id.kind/id.kind` (Naming Service 1.3, 2.4).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// One step of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NameComponent {
    /// The identifier of the component.
    pub id: String,
    /// The kind of the component; often empty.
    pub kind: String,
}

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// There is nothing.
    Empty,
    /// An empty component, such as between two slashes.
    EmptyComponent {
        /// The offset in octets.
        at: usize,
    },
    /// A second `.` in a component; within an id or kind it is written `\.`.
    SecondDot {
        /// The offset in octets.
        at: usize,
    },
    /// A `.` with an id before it and no kind behind it.
    TrailingDot {
        /// The offset in octets of the end of the component.
        at: usize,
    },
    /// A `\` before something other than `/`, `.` and `\`.
    BadEscape {
        /// The offset in octets.
        at: usize,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a name has at least one component"),
            Self::EmptyComponent { at } => {
                write!(f, "a component of a name is empty (at octet {at}); \".\" would name it")
            }
            Self::SecondDot { at } => {
                write!(f, "a second \".\" in a component (at octet {at}); write \"\\.\" for a dot")
            }
            Self::TrailingDot { at } => {
                write!(f, "no kind behind the \".\" (at octet {at}); leave the dot out")
            }
            Self::BadEscape { at } => {
                write!(f, "a \"\\\" in a name stands before \"/\", \".\" or \"\\\" (at octet {at})")
            }
        }
    }
}

impl core::error::Error for NameError {}

/// The components of a stringified name.
///
/// ```
/// use armilla_giop::url::{parse_name, stringify_name};
///
/// let name = parse_name(r"observatory/dome.device/a\/b")?;
/// assert_eq!((name[1].id.as_str(), name[1].kind.as_str()), ("dome", "device"));
/// assert_eq!(name[2].id, "a/b");
/// assert_eq!(stringify_name(&name), r"observatory/dome.device/a\/b");
/// # Ok::<(), armilla_giop::url::NameError>(())
/// ```
///
/// # Errors
/// When the text is no name.
pub fn parse_name(text: &str) -> Result<Vec<NameComponent>, NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    let mut name = Vec::new();
    let mut step = Step::default();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '/' => name.push(core::mem::take(&mut step).finish(at)?),
            '.' if step.dotted => return Err(NameError::SecondDot { at }),
            '.' => step.dotted = true,
            '\\' => match characters.next() {
                Some((_, escaped @ ('/' | '.' | '\\'))) => step.push(escaped),
                _ => return Err(NameError::BadEscape { at }),
            },
            character => step.push(character),
        }
    }
    name.push(step.finish(text.len())?);
    Ok(name)
}

/// A component as far as it was read.
#[derive(Default)]
struct Step {
    component: NameComponent,
    dotted: bool,
}

impl Step {
    fn push(&mut self, character: char) {
        match self.dotted {
            true => self.component.kind.push(character),
            false => self.component.id.push(character),
        }
    }

    fn finish(self, at: usize) -> Result<NameComponent, NameError> {
        let NameComponent { id, kind } = &self.component;
        match (id.is_empty(), self.dotted, kind.is_empty()) {
            (true, false, _) => Err(NameError::EmptyComponent { at }),
            (false, true, true) => Err(NameError::TrailingDot { at }),
            _ => Ok(self.component),
        }
    }
}

/// The text that [`parse_name`] reads as these components.
pub fn stringify_name(name: &[NameComponent]) -> String {
    let mut text = String::new();
    for (index, component) in name.iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        push_escaped(&mut text, &component.id);
        if !component.kind.is_empty() || component.id.is_empty() {
            text.push('.');
        }
        push_escaped(&mut text, &component.kind);
    }
    text
}

fn push_escaped(text: &mut String, part: &str) {
    for character in part.chars() {
        if matches!(character, '/' | '.' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(id: &str, kind: &str) -> NameComponent {
        NameComponent { id: id.into(), kind: kind.into() }
    }

    #[test]
    fn names_read_and_write_as_the_naming_service_says() {
        let cases = [
            ("a", [component("a", "")].to_vec()),
            ("a.b", [component("a", "b")].to_vec()),
            (".b", [component("", "b")].to_vec()),
            (".", [component("", "")].to_vec()),
            (
                "a/./c.d/.e",
                [("a", ""), ("", ""), ("c", "d"), ("", "e")].map(|(i, k)| component(i, k)).to_vec(),
            ),
            (r"a\.b\/c\\.d\.", [component(r"a.b/c\", "d.")].to_vec()),
            ("größe", [component("größe", "")].to_vec()),
        ];
        for (text, name) in cases {
            assert_eq!(parse_name(text).as_ref(), Ok(&name), "{text:?}");
            assert_eq!(stringify_name(&name), text);
        }
    }

    #[test]
    fn each_fault_in_a_name_has_its_own_error() {
        let cases = [
            ("", NameError::Empty),
            ("/a", NameError::EmptyComponent { at: 0 }),
            ("a//b", NameError::EmptyComponent { at: 2 }),
            ("a/", NameError::EmptyComponent { at: 2 }),
            ("a.", NameError::TrailingDot { at: 2 }),
            ("a./b", NameError::TrailingDot { at: 2 }),
            ("a.b.c", NameError::SecondDot { at: 3 }),
            (r"a\b", NameError::BadEscape { at: 1 }),
            (r"a\", NameError::BadEscape { at: 1 }),
        ];
        for (text, error) in cases {
            assert_eq!(parse_name(text), Err(error), "{text:?}");
        }
    }
}
