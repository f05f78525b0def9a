//! `armilla events`: serves event channels, and uses those of any service.

mod clients;
mod listen;
mod push;
mod serve;
mod show;

use crate::orb::OrbArguments;
use crate::place::Place;
use crate::service::RecoverArguments;
use armilla::{Error, Object, Orb};
use armilla_events::Store;
use armilla_events::corba::EventChannelRef;
use armilla_events::corba::factory::channel_factory::{
    CreateChannelRaises, FindChannelRaises, ListConsumersRaises, RemoveChannelRaises,
};
use armilla_events::corba::factory::{ChannelFactory, ChannelFactoryRef};
use armilla_events::server::KEY;
use armilla_terminal::{Failure, Outcome};

const SERVICE: Place = Place { name: KEY, variable: "ARMILLA_EVENTS", usual: "127.0.0.1:11169" };

/// The arguments of `armilla events`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "A service is found at --events HOST:PORT or URL, else by -ORBInitRef \
                  EventChannelFactory=URL, else at\nARMILLA_EVENTS, else at 127.0.0.1:11169. A CHANNEL is \
                  the name of one of its\nchannels, or the reference of any event channel: IOR:…, \
                  corbaloc:…, corbaname:…")]
pub(crate) enum Events {
    /// Serve event channels until interrupted; prints `ready URL`
    Serve(Box<serve::Serve>),
    /// List the channels and what passes through them
    Ls(Where),
    /// Make a channel
    Add(clients::Add),
    /// Remove a channel; with --force although clients are connected
    Remove(clients::Remove),
    /// Show the counts of a channel and of its consumers
    Stats(Named),
    /// Push events: each argument, or each line of standard input
    Push(push::Push),
    /// Print the events of a channel as lines of JSON
    Listen(listen::Listen),
    /// Save what can be saved of a damaged store, while no service runs; the damaged file is kept
    Recover(RecoverArguments),
}

/// Which service.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Where {
    /// The service of channels
    #[arg(long, value_name = "HOST:PORT|URL")]
    events: Option<String>,
}

/// A channel of a service.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Named {
    /// The channel
    #[arg(value_name = "CHANNEL")]
    name: String,
    #[command(flatten)]
    at: Where,
}

pub(crate) fn run(events: &Events, arguments: &OrbArguments) -> Outcome {
    match events {
        Events::Serve(options) => serve::serve(options, arguments),
        Events::Recover(options) => {
            options.run("events", arguments, |store, is_trial| Store::recover(store, is_trial))
        }
        Events::Ls(at) => show::list(&factory(&at.orb(arguments)?)?),
        Events::Add(options) => clients::add(options, arguments),
        Events::Remove(options) => clients::remove(options, arguments),
        Events::Stats(named) => show::stats(named, arguments),
        Events::Push(options) => push::push(options, arguments),
        Events::Listen(options) => listen::listen(options, arguments),
    }
}

impl Where {
    /// An ORB that knows the service.
    fn orb(&self, arguments: &OrbArguments) -> Outcome<Orb> {
        SERVICE.orb(arguments, self.events.as_deref())
    }
}

/// The factory of the service.
fn factory(orb: &Orb) -> Outcome<ChannelFactoryRef> {
    Ok(SERVICE.object(orb)?.narrow()?)
}

impl Named {
    /// Whether it is the reference of a channel, not the name of one.
    fn is_reference(&self) -> bool {
        let begins = |scheme: &&str| self.name.starts_with(scheme);
        ["IOR:", "corbaloc:", "corbaname:", "file:"].iter().any(begins)
    }

    /// The channel as an object.
    fn object(&self, orb: &Orb) -> Outcome<Object> {
        match self.is_reference() {
            true => Ok(orb.string_to_object(&self.name)?),
            false => Ok(self.channel(orb)?.object().clone()),
        }
    }

    /// The channel of the service.
    fn channel(&self, orb: &Orb) -> Outcome<EventChannelRef> {
        failed(factory(orb)?.find_channel(&self.name))
    }
}

/// The error of an operation of a factory, with what the user exception says.
fn failed<T, E: UserText>(outcome: Result<T, Error<E>>) -> Outcome<T> {
    outcome.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(exception) => Failure::because(exception.text()),
    })
}

/// What the user exceptions of a factory say.
trait UserText {
    fn text(&self) -> String;
}

fn unknown(name: &str) -> String {
    format!("there is no channel {name:?}")
}

impl UserText for CreateChannelRaises {
    fn text(&self) -> String {
        match self {
            Self::ChannelExists(exists) => format!("there is a channel {:?} already", exists.name),
            Self::Refused(refused) => refused.reason.clone(),
        }
    }
}

impl UserText for RemoveChannelRaises {
    fn text(&self) -> String {
        match self {
            Self::UnknownChannel(found) => unknown(&found.name),
            Self::Refused(refused) => refused.reason.clone(),
        }
    }
}

impl UserText for FindChannelRaises {
    fn text(&self) -> String {
        let Self::UnknownChannel(found) = self;
        unknown(&found.name)
    }
}

impl UserText for ListConsumersRaises {
    fn text(&self) -> String {
        let Self::UnknownChannel(found) = self;
        unknown(&found.name)
    }
}
