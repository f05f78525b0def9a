//! `browse`, `read` and `write`

use super::Remote;
use super::output::show;
use armilla_dcerpc::Status;
use armilla_opc::client::{Entry, GroupOptions, Source};
use armilla_opc::model::convert;
use armilla_opc::status::text;
use armilla_terminal::{Failure, Outcome, complain, say};
use clap::Args;
use serde_json::json;

#[derive(Debug, Args)]
pub(super) struct Browse {
    #[command(flatten)]
    remote: Remote,
    /// The branch, by its names from the root
    branch: Vec<String>,
    /// Show what is below, too
    #[arg(long)]
    deep: bool,
    /// Print lines of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Read {
    #[command(flatten)]
    remote: Remote,
    /// The items, by their whole names
    #[arg(required = true)]
    items: Vec<String>,
    /// Read the copy that the server keeps, instead of the device
    #[arg(long)]
    cache: bool,
    /// Print lines of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Write {
    #[command(flatten)]
    remote: Remote,
    /// What stands between an item and its value, for names and values that have equals signs
    #[arg(long, value_name = "TEXT", default_value = "=")]
    separator: String,
    /// The items, by their whole names, with their values
    #[arg(required = true, value_name = "ITEM=VALUE")]
    items: Vec<String>,
}

/// The ways to divide a text into an item and its value: names and values may have what separates them, and
/// the server knows which items there are.
fn assignments<'t>(text: &'t str, separator: &str) -> Vec<(&'t str, &'t str)> {
    if separator.is_empty() {
        return Vec::new();
    }
    let at = text.match_indices(separator).filter(|(at, _)| *at > 0);
    at.map(|(at, found)| (&text[..at], &text[at + found.len()..])).collect()
}

/// The way whose item the server has, and what the server says of it.
fn known<'t, T>(
    ways: &[(&'t str, &'t str)],
    added: Vec<Result<T, Status>>,
) -> Result<(&'t str, &'t str, T), Unknown<'t>> {
    let mut first = None;
    let mut found = Vec::new();
    for ((item, value), added) in ways.iter().zip(added) {
        match added {
            Ok(added) => found.push((*item, *value, added)),
            Err(status) => first = first.or(Some(status)),
        }
    }
    match (found.pop(), found.pop()) {
        (Some(one), None) => Ok(one),
        (Some((longer, ..)), Some((shorter, ..))) => Err(Unknown::Several(shorter, longer)),
        (None, _) => Err(Unknown::None(first.unwrap_or(Status::UNEXPECTED))),
    }
}

/// Why it is not known which item is meant.
#[derive(Debug, PartialEq)]
enum Unknown<'t> {
    None(Status),
    Several(&'t str, &'t str),
}

impl Browse {
    pub(super) fn run(self) -> Outcome {
        let connection = self.remote.open()?;
        for entry in connection.browse(&self.branch, self.deep)? {
            match (entry, self.json) {
                (Entry::Branch(names), true) => say!("{}", json!({ "branch": names }))?,
                (Entry::Branch(names), false) => say!("{}/", names.join(" "))?,
                (Entry::Item(id), true) => say!("{}", json!({ "item": id }))?,
                (Entry::Item(id), false) => say!("{id}")?,
            }
        }
        Ok(())
    }
}

/// Something failed for some items, each of which was said.
fn unless_failed(failed: bool) -> Outcome {
    if failed { Err(Failure::Reported) } else { Ok(()) }
}

impl Read {
    pub(super) fn run(self) -> Outcome {
        let connection = self.remote.open()?;
        let group = connection.add_group(&GroupOptions::default())?;
        let source = if self.cache { Source::Cache } else { Source::Device };
        let mut failed = false;
        let added = group.add(&self.items)?;
        let handles: Vec<_> = added.iter().flatten().map(|it| it.server_handle).collect();
        let mut samples = match handles.is_empty() {
            true => Vec::new(),
            false => group.read(source, &handles)?,
        }
        .into_iter();
        for (id, added) in self.items.iter().zip(added) {
            let sample = match added {
                Ok(_) => samples.next().unwrap_or(Err(Status::UNEXPECTED)),
                Err(status) => Err(status),
            };
            failed |= sample.is_err();
            show(id, &sample, self.json)?;
        }
        unless_failed(failed)
    }
}

impl Write {
    pub(super) fn run(self) -> Outcome {
        let all: Vec<_> =
            self.items.iter().map(|text| assignments(text, &self.separator)).collect();
        if all.iter().any(Vec::is_empty) {
            return Err(Failure::usage(format_args!("write it as ITEM{}VALUE", self.separator)));
        }
        let connection = self.remote.open()?;
        let group = connection.add_group(&GroupOptions::default())?;
        let ids: Vec<_> = all.iter().flatten().map(|(id, _)| (*id).to_string()).collect();
        let mut added = group.add(&ids)?.into_iter();
        let mut failed = false;
        let mut complain_of = |id: &str, status: Status| {
            failed = true;
            complain(format_args!("{id}: {}\n", text(status)));
        };
        let (mut values, mut written, mut unclear) = (Vec::new(), Vec::new(), false);
        for ways in &all {
            let (id, value, added) = match known(ways, added.by_ref().take(ways.len()).collect()) {
                Ok(known) => known,
                Err(Unknown::None(status)) => {
                    complain_of(ways[0].0, status);
                    continue;
                }
                Err(Unknown::Several(shorter, longer)) => {
                    unclear = true;
                    let why = "are both items: say which is meant by another --separator";
                    complain(format_args!("{shorter} and {longer} {why}\n"));
                    continue;
                }
            };
            // The value gets the type of the item here, where it can be said what is wrong with it.
            match convert(&value.into(), added.vt) {
                Ok(value) => {
                    values.push((added.server_handle, value));
                    written.push(id);
                }
                Err(status) => complain_of(id, status),
            }
        }
        if !values.is_empty() {
            for (id, result) in written.iter().zip(group.write(&values)?) {
                if let Err(status) = result {
                    complain_of(id, status);
                }
            }
        }
        unless_failed(failed || unclear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_knows_where_an_item_ends() {
        let ways = assignments("a=b=c", "=");
        assert_eq!(ways, [("a", "b=c"), ("a=b", "c")]);
        assert_eq!(known(&ways, vec![Ok(1), Err(Status::FAIL)]), Ok(("a", "b=c", 1)));
        assert_eq!(known(&ways, vec![Err(Status::FAIL), Ok(2)]), Ok(("a=b", "c", 2)));
        assert_eq!(known(&ways, vec![Ok(1), Ok(2)]), Err(Unknown::Several("a", "a=b")));
        let none = known::<()>(&ways, vec![Err(Status::FAIL), Err(Status::UNEXPECTED)]);
        assert_eq!(none, Err(Unknown::None(Status::FAIL)));
        assert_eq!(assignments("a=b:=c==d", ":="), [("a=b", "c==d")]);
        assert_eq!(assignments("a=", "="), [("a", "")]);
        assert!(assignments("=7", "=").is_empty() && assignments("a", "=").is_empty());
        assert!(assignments("a=b", "").is_empty());
    }
}
