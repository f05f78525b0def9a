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
    /// The items, by their whole names, with their values behind the last equals sign
    #[arg(required = true, value_name = "ITEM=VALUE", value_parser = assignment)]
    items: Vec<(String, String)>,
}

/// The last equals sign separates: names may have some.
fn assignment(text: &str) -> Result<(String, String), String> {
    let pair = text.rsplit_once('=').filter(|(item, _)| !item.is_empty());
    let (item, value) = pair.ok_or("write it as ITEM=VALUE")?;
    Ok((item.to_string(), value.to_string()))
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
        let connection = self.remote.open()?;
        let group = connection.add_group(&GroupOptions::default())?;
        let ids: Vec<_> = self.items.iter().map(|(id, _)| id.clone()).collect();
        let mut failed = false;
        let mut complain_of = |id: &str, status: Status| {
            failed = true;
            complain(format_args!("{id}: {}\n", text(status)));
        };
        let mut values = Vec::new();
        let mut written = Vec::new();
        for ((id, value), added) in self.items.iter().zip(group.add(&ids)?) {
            // The value gets the type of the item here, where it can be said what is wrong with it.
            let value = added.and_then(|added| {
                let value = convert(&value.as_str().into(), added.vt)?;
                Ok((added.server_handle, value))
            });
            match value {
                Ok(value) => {
                    values.push(value);
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
        unless_failed(failed)
    }
}
