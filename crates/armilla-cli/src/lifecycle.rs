//! `armilla lifecycle`: serves a factory finder, and makes, copies, moves and removes objects.

use crate::orb::OrbArguments;
use crate::place::{At, Place};
use crate::service::ServerArguments;
use crate::values::{json, untyped};
use armilla::{Error, Object, Orb};
use armilla_cos::lifecycle::corba::generic_factory::CreateObjectRaises;
use armilla_cos::lifecycle::corba::life_cycle_object::{CopyRaises, MoveRaises, RemoveRaises};
use armilla_cos::lifecycle::corba::{
    FactoryFinder, FactoryFinderRef, GenericFactory, LifeCycleObject, LifeCycleObjectRef,
    NameValuePair,
};
use armilla_cos::lifecycle::{FINDER_KEY, Finder, first_generic};
use armilla_cos::server::{self, Server};
use armilla_cos_naming::NameComponent;
use armilla_naming::client::{to_name, to_text};
use armilla_terminal::{Failure, Outcome, say};

/// The endpoint of a finder, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11174";

const FINDER: Place =
    Place { name: FINDER_KEY, variable: "ARMILLA_LIFECYCLE", usual: "127.0.0.1:11174" };

/// The arguments of `armilla lifecycle`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A finder is found at --at HOST:PORT or URL, else where -ORBInitRef says, else at \
                  ARMILLA_LIFECYCLE, else at\n127.0.0.1:11174. A KEY is a name of the naming \
                  service: `bank/account`, with kinds `bank.kind`."
)]
pub(crate) enum Lifecycle {
    /// Serve a factory finder until interrupted; prints `ready URL`
    Serve(Box<Serve>),
    /// List the factories for a key
    Find(Find),
    /// Make an object by the first factory that supports a key, and print its reference
    Create(Create),
    /// Copy an object to where a finder finds factories, and print the reference of the copy
    Copy(There),
    /// Move an object to where a finder finds factories
    Move(There),
    /// Remove an object
    Rm(Remove),
}

/// The arguments of `armilla lifecycle serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the finder listens at iiop://:11174. It looks where -ORBInitRef \
                  NameService=URL says, and\nTradingService=URL: a key is a name in the former, and \
                  its last step a service type of the latter."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    server: ServerArguments,
    /// Bind the finder to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
}

/// The arguments of `armilla lifecycle find`.
#[derive(Debug, clap::Args)]
pub(crate) struct Find {
    /// What is to be made
    key: String,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla lifecycle create`.
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// What is to be made
    key: String,
    /// What it is to be like, in JSON; a text needs no quotes
    #[arg(value_name = "NAME=VALUE")]
    criteria: Vec<String>,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla lifecycle copy` and `move`.
#[derive(Debug, clap::Args)]
pub(crate) struct There {
    /// The object
    #[arg(value_name = "REF")]
    object: String,
    /// What it is to be like there, in JSON; a text needs no quotes
    #[arg(value_name = "NAME=VALUE")]
    criteria: Vec<String>,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla lifecycle rm`.
#[derive(Debug, clap::Args)]
pub(crate) struct Remove {
    /// The object
    #[arg(value_name = "REF")]
    object: String,
}

pub(crate) fn run(lifecycle: &Lifecycle, arguments: &OrbArguments) -> Outcome {
    match lifecycle {
        Lifecycle::Serve(options) => serve(options, arguments),
        Lifecycle::Find(options) => {
            let (orb, found) = find(&options.key, &options.at, arguments)?;
            found.iter().try_for_each(|it| say!("{}", orb.object_to_string(it)?))
        }
        Lifecycle::Create(options) => create(options, arguments),
        Lifecycle::Copy(options) => {
            let (orb, object, finder, criteria) = there(options, arguments)?;
            let copied = failed(object.copy(&finder, &criteria))?;
            say!("{}", orb.object_to_string(&copied)?)
        }
        Lifecycle::Move(options) => {
            let (_orb, object, finder, criteria) = there(options, arguments)?;
            failed(object.r#move(&finder, &criteria))
        }
        Lifecycle::Rm(options) => {
            let orb = arguments.orb()?;
            let object: LifeCycleObjectRef = orb.string_to_object(&options.object)?.narrow()?;
            failed(object.remove())
        }
    }
}

/// The error of an operation, with what the user exception says.
fn failed<T, E: UserText>(outcome: Result<T, Error<E>>) -> Outcome<T> {
    outcome.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(exception) => Failure::because(exception.text()),
    })
}

/// What the user exceptions say.
trait UserText {
    fn text(&self) -> String;
}

fn no_factory(key: &[NameComponent]) -> String {
    format!("there is no factory for {}", to_text(key))
}

fn refused(why: &str, criteria: &[NameValuePair]) -> String {
    let shown = |it: &NameValuePair| format!("{}={}", it.name, json(&it.value));
    let shown: Vec<_> = criteria.iter().map(shown).collect();
    format!("the factory {why}: {}", shown.join(" "))
}

macro_rules! user_text {
    ($($raises:ident { $($more:ident $why:literal)? })*) => {
        $(impl UserText for $raises {
            fn text(&self) -> String {
                match self {
                    Self::NoFactory(it) => no_factory(&it.search_key),
                    Self::InvalidCriteria(it) => {
                        refused("does not understand these criteria", &it.invalid_criteria)
                    }
                    Self::CannotMeetCriteria(it) => {
                        refused("cannot meet these criteria", &it.unmet_criteria)
                    }
                    $(Self::$more(it) => format!(concat!($why, ": {}"), it.reason),)?
                }
            }
        })*
    };
}

user_text! {
    CreateObjectRaises {}
    CopyRaises { NotCopyable "the object cannot be copied" }
    MoveRaises { NotMovable "the object cannot be moved" }
}

impl UserText for RemoveRaises {
    fn text(&self) -> String {
        let Self::NotRemovable(it) = self;
        format!("the object cannot be removed: {}", it.reason)
    }
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.server.callers(false)?;
    let server = Server::builder().console(options.server.console(arguments, &callers));
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let configure = |orb| arguments.configure(orb, ENDPOINT, &callers);
    let places = |orb: &Orb| {
        let mut finder = Finder::new();
        if let Ok(names) = orb.resolve_initial_references("NameService") {
            finder = finder.context(names.assume::<dyn armilla_cos_naming::NamingContext>());
        }
        if let Ok(trader) = orb.resolve_initial_references("TradingService") {
            finder = finder.trader(trader.assume::<dyn armilla_cos_trading::Lookup>());
        }
        server::finder(orb, finder)
    };
    Ok(server.start(configure, places)?.run()?)
}

fn key(text: &str) -> Outcome<Vec<NameComponent>> {
    to_name(text).map_err(Failure::usage)
}

fn criteria(texts: &[String]) -> Outcome<Vec<NameValuePair>> {
    let one = |text: &String| {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::usage(format!("a criterion is NAME=VALUE, not {text:?}")));
        };
        let value = untyped(value).map_err(Failure::usage)?;
        Ok(NameValuePair { name: name.to_owned(), value })
    };
    texts.iter().map(one).collect()
}

fn find(text: &str, at: &At, arguments: &OrbArguments) -> Outcome<(Orb, Vec<Object>)> {
    let (orb, finder) = FINDER.at(at, arguments)?;
    let finder: FactoryFinderRef = finder.narrow()?;
    let found = finder.find_factories(&key(text)?).map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(_) => Failure::because(format_args!("there is no factory for {text}")),
    })?;
    Ok((orb, found))
}

fn create(options: &Create, arguments: &OrbArguments) -> Outcome {
    let (key, criteria) = (key(&options.key)?, criteria(&options.criteria)?);
    let (orb, factories) = find(&options.key, &options.at, arguments)?;
    let none = || Failure::because(format_args!("no generic factory supports {}", options.key));
    let factory = first_generic(factories, &key)?.ok_or_else(none)?;
    let made = failed(factory.create_object(&key, &criteria))?;
    say!("{}", orb.object_to_string(&made)?)
}

fn there(
    options: &There,
    arguments: &OrbArguments,
) -> Outcome<(Orb, LifeCycleObjectRef, FactoryFinderRef, Vec<NameValuePair>)> {
    let (orb, finder) = FINDER.at(&options.at, arguments)?;
    let object = orb.string_to_object(&options.object)?.narrow()?;
    Ok((orb, object, finder.narrow()?, criteria(&options.criteria)?))
}
