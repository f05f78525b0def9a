//! The subcommands.

mod account;
mod gateway;
mod items;
mod output;
mod serve;
mod servers;
mod watch;

use account::Account;
use armilla_opc::client::{Connection, Target};
use armilla_terminal::Outcome;
use clap::{Args, Parser, Subcommand};

/// OPC servers from Linux: read, write and watch the items of any server of OPC Data Access 2.
#[derive(Debug, Parser)]
#[command(name = "armilla-opc", version)]
pub(crate) struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Serve a simulated plant
    Serve(serve::Serve),
    /// List the OPC servers of a host, by its OpcEnum
    List(servers::List),
    /// Say what a server, or an item of it, says of itself
    Info(servers::Info),
    /// Show which items a server has
    Browse(items::Browse),
    /// Read items once
    Read(items::Read),
    /// Write items
    Write(items::Write),
    /// Show values whenever they change, over failures of server and network
    Watch(watch::Watch),
    /// Show a server to clients of CORBA
    Gateway(gateway::Gate),
}

/// Which server, and as whom.
#[derive(Debug, Args)]
struct Remote {
    /// The server: opcda://HOST[:PORT]/PROGID-OR-CLSID
    #[arg(value_name = "URL")]
    target: Target,
    #[command(flatten)]
    account: Account,
}

impl Remote {
    fn open(&self) -> Outcome<Connection> {
        Ok(Connection::open(&self.account.client()?, &self.target)?)
    }
}

impl Command {
    pub(crate) fn run(self) -> Outcome {
        match self.what {
            What::Serve(it) => it.run(),
            What::List(it) => it.run(),
            What::Info(it) => it.run(),
            What::Browse(it) => it.run(),
            What::Read(it) => it.run(),
            What::Write(it) => it.run(),
            What::Watch(it) => it.run(),
            What::Gateway(it) => it.run(),
        }
    }
}
