//! `armilla events add` and `remove`.

use super::{Where, factory, failed};
use crate::orb::OrbArguments;
use armilla_events::corba::EventChannel;
use armilla_events::corba::factory::{ChannelFactory, ChannelQos};
use armilla_terminal::{Failure, Outcome, say};

/// The arguments of `armilla events add`.
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The name of the channel; without one the service chooses it
    name: Option<String>,
    /// Have so many deliveries wait for a consumer at most, unless it asks for others
    #[arg(long, value_name = "COUNT")]
    queue: Option<u32>,
    /// Have so many octets wait for a consumer at most
    #[arg(long, value_name = "OCTETS")]
    queue_octets: Option<u64>,
    /// Let at most so many consumers connect
    #[arg(long, value_name = "COUNT")]
    consumers: Option<u32>,
    /// Let at most so many suppliers connect
    #[arg(long, value_name = "COUNT")]
    suppliers: Option<u32>,
    /// Let consumers choose BLOCK_SUPPLIER, by which a slow one slows all
    #[arg(long)]
    consumers_may_block: bool,
    #[command(flatten)]
    at: Where,
}

/// The arguments of `armilla events remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Remove {
    /// The name of the channel
    name: String,
    /// Disconnect its clients, if there are any
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: Where,
}

pub(super) fn add(options: &Add, arguments: &OrbArguments) -> Outcome {
    let orb = options.at.orb(arguments)?;
    let factory = factory(&orb)?;
    let qos = ChannelQos {
        queue_length: options.queue.unwrap_or_default(),
        queue_octets: options.queue_octets.unwrap_or_default(),
        consumers: options.consumers.unwrap_or_default(),
        suppliers: options.suppliers.unwrap_or_default(),
        consumers_may_block: options.consumers_may_block,
    };
    let name = options.name.as_deref().unwrap_or_default();
    let channel = failed(factory.create_channel(name, &qos))?;
    say!("{}", orb.object_to_string(&channel)?)
}

pub(super) fn remove(options: &Remove, arguments: &OrbArguments) -> Outcome {
    let orb = options.at.orb(arguments)?;
    let factory = factory(&orb)?;
    let statistics = failed(factory.find_channel(&options.name))?.statistics()?;
    let clients =
        format!("{} consumers and {} suppliers", statistics.consumers, statistics.suppliers);
    if statistics.consumers + statistics.suppliers > 0 && !options.force {
        return Err(Failure::because(format_args!(
            "{clients} are connected to {:?}; --force disconnects them",
            options.name
        )));
    }
    failed(factory.remove_channel(&options.name))?;
    say!("removed; {clients} were disconnected")
}
