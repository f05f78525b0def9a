//! `docs/interop.md`: what was found of each mechanism, with each peer, in both roles and all
//! versions. Only runs of the whole suite say so much.

mod mechanism;

use super::VERSIONS;
use mechanism::mechanism_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What the checks of a run have shown.
#[derive(Debug, Default)]
pub(super) struct Document {
    cells: BTreeMap<Cell, BTreeSet<String>>,
}

/// A cell of the table; what belongs to it are the reasons why checks failed in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    mechanism: &'static str,
    column: Column,
    version: &'static str,
}

/// Who calls whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    OmniToUs,
    UsToOmni,
    JacToUs,
    UsToJac,
}

const COLUMNS: [(Column, &str); 4] = [
    (Column::OmniToUs, "omniORB calls us"),
    (Column::UsToOmni, "we call omniORB"),
    (Column::JacToUs, "JacORB calls us"),
    (Column::UsToJac, "we call JacORB"),
];

impl Column {
    fn of(client: &str, server: &str) -> Option<Self> {
        Some(match (client, server) {
            ("omni", "us") => Self::OmniToUs,
            ("us", "omni" | "omnipy") => Self::UsToOmni,
            ("jac", "us") => Self::JacToUs,
            ("us", "jac") => Self::UsToJac,
            _ => return None,
        })
    }
}

impl Document {
    /// Notes a check that was made, and why it failed if that is known.
    pub(super) fn note(&mut self, group: &str, check: &str, known: Option<&str>) {
        let Some(cell) = cell(group, check) else { return };
        let reasons = self.cells.entry(cell).or_default();
        reasons.extend(known.map(str::to_owned));
    }

    /// The whole document.
    pub(super) fn text(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        let mut rows = String::new();
        for mechanism in mechanism::TITLES {
            let cells = COLUMNS.map(|(column, _)| {
                VERSIONS.map(|version| {
                    let found = self.cells.get(&Cell { mechanism, column, version });
                    found.map_or_else(|| "·".to_owned(), |why| verdict(why, &mut reasons))
                })
            });
            // Writing to a string does not fail.
            let _ = writeln!(rows, "| {mechanism} | {} |", cells.as_flattened().join(" | "));
        }
        let mut text = INTRODUCTION.to_owned();
        let versions = COLUMNS.map(|(_, title)| VERSIONS.map(|v| format!("{title}, {v}")));
        let _ = writeln!(text, "| mechanism | {} |", versions.as_flattened().join(" | "));
        let _ = writeln!(text, "|---|{}", ":-:|".repeat(COLUMNS.len() * VERSIONS.len()));
        text += &rows;
        text += "\nWhat is red, and why:\n\n";
        for (number, reason) in (1..).zip(reasons) {
            let _ = writeln!(text, "{number}. {reason}.");
        }
        text
    }
}

const INTRODUCTION: &str = "\
# Interoperability

Written by `lab/interop/run --report`; a run of the whole suite fails when this is not what it found. Peers are omniORB 4.2
(C++, writes in little-endian order) and JacORB 3.9 (Java, big-endian); we write in the order of the machine. Requests in
either order are also written octet by octet. Generated graphs of valuetypes go to omniORBpy 4.3, too, in omniORB's column.
The columns say who calls whom, in which version of GIOP.

✓ green: all checks of the mechanism pass. ✗ red: some do not, for the reason with this number, from
`lab/interop/expected-failures.txt`. A dot: not checked, since the version or the peer does not have it, or the other versions
say as much.

";

fn verdict<'r>(why: &'r BTreeSet<String>, reasons: &mut Vec<&'r str>) -> String {
    let mut numbers: Vec<usize> = Vec::new();
    for reason in why {
        let found = reasons.iter().position(|known| known == reason);
        numbers.push(
            1 + found.unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            }),
        );
    }
    numbers.sort_unstable();
    match numbers.is_empty() {
        true => "✓".to_owned(),
        false => {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!("✗ {}", numbers.join(", "))
        }
    }
}

/// The cell of a check. A group is `FAMILY/CLIENT-to-SERVER/VERSION`; the first pairings have no
/// family, and in some groups the check names the client or the server.
fn cell(group: &str, check: &str) -> Option<Cell> {
    let segments: Vec<&str> = group.split('/').collect();
    let pair = segments.iter().find_map(|segment| segment.split_once("-to-"));
    let first = *segments.first()?;
    let family = if first.contains("-to-") { "" } else { first };
    let family = if segments.contains(&"utf8") { "utf8" } else { family };
    let (client, server) = match (family, pair) {
        (_, Some(pair)) => pair,
        ("catior", None) => ("omni", "us"),
        ("restart", None) => (check.split('/').nth(1)?, "us"),
        ("naming", None) => match group.strip_prefix("naming/bound-by-") {
            Some(server) => (check.split('/').nth(1)?, server),
            None => ("us", "omni"),
        },
        _ => return None,
    };
    let column = Column::of(client, server)?;
    let said = |version: &str| segments.iter().any(|segment| segment.starts_with(version));
    let version = VERSIONS.into_iter().find(|version| said(version)).unwrap_or("1.2");
    Some(Cell { mechanism: mechanism_of(family, check)?, column, version })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_belong_to_a_mechanism_a_column_and_a_version() {
        let cell = |group, check| {
            let cell = cell(group, check)?;
            Some((cell.mechanism, cell.column, cell.version))
        };
        let found = cell("us-to-jac/1.1-server", "echo_bin_seq/few");
        assert_eq!(found, Some(("sequences", Column::UsToJac, "1.1")));
        let found = cell("restart/persistent", "before/jac/ping/returns");
        assert_eq!(found, Some(("references that outlive the server", Column::JacToUs, "1.2")));
        let found = cell("naming/bound-by-omni", "corbaname/us/ping/returns");
        assert_eq!(found.map(|found| found.1), Some(Column::UsToOmni));
        assert_eq!(cell("us-to-us/1.2", "ping/returns"), None);
    }

    #[test]
    fn what_is_red_has_its_reasons_below() {
        let mut document = Document::default();
        document.note("us-to-jac/1.2", "echo_float/nan", Some("it is made anew"));
        document.note("us-to-jac/1.2", "echo_float/one", None);
        document.note("jac-to-us/1.2", "echo_float/one", None);
        let text = document.text();
        assert!(text.contains("| basic types, strings and enums |"), "{text}");
        assert!(text.contains("| ✓ | · | · | ✗ 1 |"), "{text}");
        assert!(text.ends_with("\n1. it is made anew.\n"), "{text}");
    }
}
