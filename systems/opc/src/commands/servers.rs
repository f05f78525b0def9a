//! `list` and `info`

use super::Remote;
use super::output::{moment, plain};
use armilla_opc::client::servers;
use armilla_terminal::{Outcome, say};
use clap::Args;
use serde_json::json;

#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    remote: Remote,
    /// Print lines of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Info {
    #[command(flatten)]
    remote: Remote,
    /// The item; without one, the server itself
    item: Option<String>,
}

impl List {
    pub(super) fn run(self) -> Outcome {
        let client = self.remote.account.client()?;
        for server in servers(&client, &self.remote.target.host)? {
            let (class, prog_id, name) = (server.class, server.prog_id, server.name);
            match self.json {
                true => say!(
                    "{}",
                    json!({ "class": class.to_string(), "progid": prog_id, "name": name })
                )?,
                false => say!("{prog_id}  {class}  {name}")?,
            }
        }
        Ok(())
    }
}

impl Info {
    pub(super) fn run(self) -> Outcome {
        let connection = self.remote.open()?;
        let Some(item) = self.item else {
            let state = connection.state()?;
            say!("{}, version {}: {}", state.vendor, state.version, state.state)?;
            say!("started {}, now {}", moment(state.started), moment(state.now))?;
            return say!("{} groups", state.groups);
        };
        for (what, value) in connection.properties(&item)? {
            say!("{what}: {}", plain(&value))?;
        }
        Ok(())
    }
}
