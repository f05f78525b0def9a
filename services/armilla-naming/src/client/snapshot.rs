//! The names of a service as data, and as lines of text.
//!
//! The first line names the format. Each further line is a binding: its kind, its name, and a
//! reference or another name, separated by tabs.

use std::fmt;
use std::str::FromStr;

const FORMAT: &str = "armilla-names 1";

/// What a name is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// An object, by its `IOR:` text.
    Object(String),
    /// A context of the service. Its bindings follow.
    Context,
    /// The context with this name, which stands before; empty for the root.
    SameAs(String),
    /// A context of another server, by its `IOR:` text.
    Foreign(String),
}

/// A binding in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, as text.
    pub name: String,
    /// What it is bound to.
    pub kind: EntryKind,
}

/// The names of a service. A context stands before the bindings in it.
///
/// ```
/// use armilla_naming::client::Snapshot;
///
/// let text = "armilla-names 1\ncontext\ta\nobject\ta/b\tIOR:00\nsame\tc\ta\n";
/// let snapshot: Snapshot = text.parse()?;
/// assert_eq!(snapshot.entries.len(), 3);
/// assert_eq!(snapshot.to_string(), text);
/// # Ok::<(), armilla_naming::client::SnapshotError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The bindings.
    pub entries: Vec<Entry>,
    /// Names that could not be read, with the reason. They do not appear in the text.
    pub unreadable: Vec<(String, String)>,
}

/// Why a text is no snapshot: the line, counted from 1, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotError {
    /// The line.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for SnapshotError {}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FORMAT}")?;
        for Entry { name, kind } in &self.entries {
            let name = escaped(name);
            match kind {
                EntryKind::Object(reference) => writeln!(f, "object\t{name}\t{reference}")?,
                EntryKind::Context => writeln!(f, "context\t{name}")?,
                EntryKind::SameAs(other) => writeln!(f, "same\t{name}\t{}", escaped(other))?,
                EntryKind::Foreign(reference) => writeln!(f, "foreign\t{name}\t{reference}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Snapshot {
    type Err = SnapshotError;

    fn from_str(text: &str) -> Result<Self, SnapshotError> {
        let mut lines = text.lines().map(|line| line.trim_end_matches('\r'));
        let wrong = |line, what: &str| SnapshotError { line, what: what.to_owned() };
        if lines.next() != Some(FORMAT) {
            return Err(wrong(1, &format!("an export begins with the line {FORMAT:?}")));
        }
        let mut snapshot = Self::default();
        for (at, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
            let at = at + 2;
            let mut fields = line.split('\t');
            let kind = fields.next().unwrap_or_default();
            let name = fields.next().ok_or_else(|| wrong(at, "the name is missing"))?;
            let other = fields.next();
            let needs = |what: &str| other.ok_or_else(|| wrong(at, what));
            let kind = match kind {
                "object" => EntryKind::Object(needs("the reference is missing")?.to_owned()),
                "context" => EntryKind::Context,
                "same" => EntryKind::SameAs(unescaped(needs("the other name is missing")?)),
                "foreign" => EntryKind::Foreign(needs("the reference is missing")?.to_owned()),
                other => {
                    let what = format!("{other:?}: one of object, context, same and foreign");
                    return Err(wrong(at, &what));
                }
            };
            if fields.next().is_some() {
                return Err(wrong(at, "there are more fields than the kind has"));
            }
            snapshot.entries.push(Entry { name: unescaped(name), kind });
        }
        Ok(snapshot)
    }
}

/// A name that stays in its field: tabs, line ends and `%` as two digits behind a `%`.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '\t' => text.push_str("%09"),
            '\n' => text.push_str("%0a"),
            '\r' => text.push_str("%0d"),
            '%' => text.push_str("%25"),
            character => text.push(character),
        }
    }
    text
}

fn unescaped(text: &str) -> String {
    text.replace("%09", "\t").replace("%0a", "\n").replace("%0d", "\r").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stays_in_its_field() {
        let entry = |name: &str, kind| Entry { name: name.to_owned(), kind };
        let entries = vec![
            entry("a\tb%09\nc\r", EntryKind::Context),
            entry("x", EntryKind::SameAs("a\tb%09\nc\r".to_owned())),
            entry("y", EntryKind::Foreign("IOR:00".to_owned())),
        ];
        let snapshot = Snapshot { entries, unreadable: Vec::new() };
        assert_eq!(snapshot.to_string().parse(), Ok(snapshot));
    }

    #[test]
    fn faults_are_found_by_line() {
        for (text, line) in [
            ("", 1),
            ("names", 1),
            ("armilla-names 1\nobject\ta", 2),
            ("armilla-names 1\n\nthing\ta", 3),
            ("armilla-names 1\ncontext", 2),
            ("armilla-names 1\ncontext\ta\tb\tc", 2),
        ] {
            assert_eq!(text.parse::<Snapshot>().unwrap_err().line, line, "{text:?}");
        }
    }
}
