//! `armilla events serve`.

use crate::orb::OrbArguments;
use crate::service::{ServiceArguments, Standby};
use armilla_events::server::{Server, ServerBuilder};
use armilla_events::{ChannelLimits, Store};
use armilla_terminal::{Failure, Outcome};
use std::time::Duration;

/// The endpoint of a service, if no `-ORBEndpoint` says another: the port of omniEvents.
const ENDPOINT: &str = "iiop://:11169";

/// The arguments of `armilla events serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:11169. It stores channels \
                  and connections in the\ndirectory of --store, else in $STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/events or\n~/.local/state/armilla/events. Events that \
                  wait are in memory."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    #[command(flatten)]
    standby: Standby,
    /// Make a channel with this name, unless it is there; repeatable
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// Have at most so many channels
    #[arg(long = "channels", value_name = "COUNT", default_value_t = 32)]
    most: usize,
    /// Let at most so many consumers connect to a channel; each that is pushed to has a thread
    #[arg(long, value_name = "COUNT")]
    consumers: Option<usize>,
    /// Let at most so many suppliers connect to a channel
    #[arg(long, value_name = "COUNT")]
    suppliers: Option<usize>,
    /// Have so many deliveries wait for a consumer at most, unless it asks for others
    #[arg(long, value_name = "COUNT")]
    queue: Option<usize>,
    /// Have so many octets wait for a consumer at most
    #[arg(long, value_name = "OCTETS")]
    queue_octets: Option<usize>,
    /// Let consumers choose BLOCK_SUPPLIER, by which a slow one slows all
    #[arg(long)]
    consumers_may_block: bool,
    /// Ask clients that were not heard of for so many seconds whether they are there
    #[arg(long, value_name = "SECONDS")]
    probe: Option<f64>,
    /// Disconnect pull consumers without a reference that have called nothing for so many seconds
    #[arg(long, value_name = "SECONDS")]
    idle: Option<f64>,
    /// Bind the factory to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
    /// Bind each channel, by its name, in this context of the naming service
    #[arg(long, value_name = "CONTEXT")]
    bind_channels: Option<String>,
    /// Allow clients on other hosts to make and remove channels
    #[arg(long)]
    remote_operators: bool,
    /// Let only this user (a number) make and remove channels, for whom the system vouches: over a
    /// Unix-domain socket (-ORBEndpoint uiop:///PATH) or at the same-host endpoint (-ORBSameHost);
    /// and nobody over TCP or by the page; repeatable
    #[arg(long, value_name = "UID")]
    operator_user: Vec<u32>,
}

pub(super) fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let mut callers = options.service.callers(false)?;
    let store = match options.service.directory("events")? {
        Some(directory) => options.standby.open(|| Store::open(&directory))?,
        None => Store::in_memory(),
    };
    let server = Server::builder().store(store).limits(limits(options)?).channels(options.most);
    let server = options.channels.iter().fold(server, ServerBuilder::channel);
    let users = options.operator_user.iter().copied();
    let server = users.fold(server, ServerBuilder::operator_user);
    let server = options.bind.iter().fold(server, ServerBuilder::bind);
    let server = options.bind_channels.iter().fold(server, ServerBuilder::bind_channels);
    let server = server.remote_operators(options.remote_operators);
    let server = server.console(options.service.console(arguments, &callers));
    // The channels ask it, too, so the service gives it to the ORB.
    let server = callers.security.take().into_iter().fold(server, ServerBuilder::security);
    Ok(server.start(|orb| arguments.configure(orb, ENDPOINT, &callers))?.run()?)
}

fn limits(options: &Serve) -> Outcome<ChannelLimits> {
    let mut limits = ChannelLimits::default();
    limits.consumers = options.consumers.unwrap_or(limits.consumers);
    limits.suppliers = options.suppliers.unwrap_or(limits.suppliers);
    limits.queue_length = options.queue.unwrap_or(limits.queue_length);
    limits.longest_queue = limits.longest_queue.max(limits.queue_length);
    limits.queue_octets = options.queue_octets.unwrap_or(limits.queue_octets);
    limits.remote_block = options.consumers_may_block;
    for (time, seconds) in [(&mut limits.probe, options.probe), (&mut limits.idle, options.idle)] {
        if let Some(seconds) = seconds {
            *time = Duration::try_from_secs_f64(seconds).map_err(Failure::usage)?;
        }
    }
    match limits.probe.is_zero() {
        true => Err(Failure::usage("--probe is more than 0")),
        false => Ok(limits),
    }
}
