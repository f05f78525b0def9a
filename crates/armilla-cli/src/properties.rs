//! `armilla properties`: serves property sets, and shows and changes them.

use crate::orb::OrbArguments;
use crate::place::{At, Place};
use crate::service::{ServiceArguments, Standby};
use crate::values::{json, typed, untyped};
use armilla::{Any, Error, Object, Orb};
use armilla_cos::properties::corba::operators::operator::RemoveRaises;
use armilla_cos::properties::corba::operators::{Operator, OperatorRef};
use armilla_cos::properties::corba::property_set::{
    DefinePropertyRaises, DeletePropertyRaises, GetPropertyValueRaises,
};
use armilla_cos::properties::corba::property_set_def::{
    DefinePropertyWithModeRaises, GetPropertyModeRaises, SetPropertyModeRaises,
};
use armilla_cos::properties::corba::{
    PropertiesIterator, Property, PropertyModeType, PropertySet, PropertySetDef,
    PropertySetDefFactory, PropertySetDefFactoryRef, PropertySetDefRef, PropertySetFactory,
    PropertySetFactoryRef, PropertySetRef,
};
use armilla_cos::properties::{DEF_KEY, KEY, OPERATOR_KEY, PropertyLimits, Store};
use armilla_cos::server::{self, Server};
use armilla_terminal::{Failure, Outcome, one_line, say};
use serde_json::{Map, Value};

/// The endpoint of a service, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11172";

/// What makes property sets, with and without modes, and what operators call.
const FACTORY: Place =
    Place { name: KEY, variable: "ARMILLA_PROPERTIES", usual: "127.0.0.1:11172" };
const DEF_FACTORY: Place = Place { name: DEF_KEY, ..FACTORY };
const OPERATOR: Place = Place { name: OPERATOR_KEY, ..FACTORY };

/// How many properties are asked for at once.
const BATCH: u32 = 1000;

/// The arguments of `armilla properties`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A service is found at --at HOST:PORT or URL, else where -ORBInitRef says, \
                  else at ARMILLA_PROPERTIES, else at\n127.0.0.1:11172."
)]
pub(crate) enum Properties {
    /// Serve factories of property sets until interrupted; prints `ready URL`
    Serve(Box<Serve>),
    /// Make a property set, and print its reference
    Create(Create),
    /// Print the properties of a set, or one of them, as JSON
    Get(Get),
    /// Define a property
    Set(Set),
    /// Delete properties
    Unset(Unset),
    /// Print the mode of a property, or change it; the set must be one that shows modes
    Mode(ModeOf),
    /// List the property sets of a service
    Ls(At),
    /// Remove a property set
    Rm(Remove),
}

/// The arguments of `armilla properties serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:11172. Its store is in the \
                  directory of --store, else\nin $STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/properties or ~/.local/state/armilla/properties."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    #[command(flatten)]
    standby: Standby,
    /// Have at most so many property sets
    #[arg(long, value_name = "COUNT")]
    sets: Option<usize>,
    /// Have at most so many properties in a set
    #[arg(long, value_name = "COUNT")]
    properties: Option<usize>,
    /// Bind the factory to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
    /// Allow clients on other hosts to list and remove property sets
    #[arg(long)]
    remote_operators: bool,
}

/// The arguments of `armilla properties create`.
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Make it for who decides about the modes of properties
    #[arg(long)]
    modes: bool,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla properties get`.
#[derive(Debug, clap::Args)]
pub(crate) struct Get {
    /// The property set
    #[arg(value_name = "REF")]
    set: String,
    /// The property
    name: Option<String>,
}

/// The arguments of `armilla properties set`.
#[derive(Debug, clap::Args)]
pub(crate) struct Set {
    /// The property set
    #[arg(value_name = "REF")]
    set: String,
    /// The property
    name: String,
    /// Its value in JSON; a text needs no quotes
    value: String,
    /// Its mode; the set must be one that shows modes
    #[arg(long, value_enum)]
    mode: Option<Mode>,
}

/// The arguments of `armilla properties unset`.
#[derive(Debug, clap::Args)]
pub(crate) struct Unset {
    /// The property set
    #[arg(value_name = "REF")]
    set: String,
    /// The properties
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

/// The arguments of `armilla properties mode`.
#[derive(Debug, clap::Args)]
pub(crate) struct ModeOf {
    /// The property set
    #[arg(value_name = "REF")]
    set: String,
    /// The property
    name: String,
    /// The mode that it is to have
    #[arg(value_enum)]
    mode: Option<Mode>,
}

/// The arguments of `armilla properties rm`.
#[derive(Debug, clap::Args)]
pub(crate) struct Remove {
    /// The property set, as `ls` shows it
    id: String,
    #[command(flatten)]
    at: At,
}

/// The mode of a property.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Mode {
    Normal,
    ReadOnly,
    FixedNormal,
    FixedReadonly,
}

impl From<Mode> for PropertyModeType {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Normal => Self::Normal,
            Mode::ReadOnly => Self::ReadOnly,
            Mode::FixedNormal => Self::FixedNormal,
            Mode::FixedReadonly => Self::FixedReadonly,
        }
    }
}

pub(crate) fn run(properties: &Properties, arguments: &OrbArguments) -> Outcome {
    match properties {
        Properties::Serve(options) => serve(options, arguments),
        Properties::Create(options) => create(options, arguments),
        Properties::Get(options) => get(options, arguments),
        Properties::Set(options) => set(options, arguments),
        Properties::Unset(options) => {
            let orb = arguments.orb()?;
            let set: PropertySetRef = orb.string_to_object(&options.set)?.narrow()?;
            options.names.iter().try_for_each(|name| refused(set.delete_property(name), name))
        }
        Properties::Mode(options) => mode(options, arguments),
        Properties::Ls(at) => list(at, arguments),
        Properties::Rm(options) => {
            let (_orb, operator) = OPERATOR.at(&options.at, arguments)?;
            let operator: OperatorRef = operator.narrow()?;
            refused(operator.remove(&options.id), &options.id)
        }
    }
}

/// The error of an operation, with what it is about.
fn refused<T, E: UserText>(outcome: Result<T, Error<E>>, name: &str) -> Outcome<T> {
    outcome.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(exception) => Failure::because(format_args!("{name}: {}", exception.text())),
    })
}

/// What a user exception says of a property or a property set.
trait UserText {
    fn text(&self) -> &'static str;
}

macro_rules! user_text {
    ($($raises:ident { $($exception:ident)* })*) => {
        $(impl UserText for $raises {
            fn text(&self) -> &'static str {
                match self {
                    $(Self::$exception(_) => words::$exception,)*
                }
            }
        })*
    };
}

user_text! {
    DefinePropertyRaises {
        InvalidPropertyName ConflictingProperty UnsupportedTypeCode UnsupportedProperty
        ReadOnlyProperty
    }
    DefinePropertyWithModeRaises {
        InvalidPropertyName ConflictingProperty UnsupportedTypeCode UnsupportedProperty
        UnsupportedMode ReadOnlyProperty
    }
    GetPropertyValueRaises { PropertyNotFound InvalidPropertyName }
    DeletePropertyRaises { PropertyNotFound InvalidPropertyName FixedProperty }
    GetPropertyModeRaises { PropertyNotFound InvalidPropertyName }
    SetPropertyModeRaises { InvalidPropertyName PropertyNotFound UnsupportedMode }
    RemoveRaises { UnknownSet }
}

/// The exceptions in words, by their names.
#[allow(non_upper_case_globals)]
mod words {
    pub(super) const ConflictingProperty: &str = "the property has a value of another type\n  hint: to give \
        it one of this type, delete it first with `armilla properties unset`";
    pub(super) const FixedProperty: &str = "the property is fixed: it is not deleted\n  hint: \
        `armilla properties mode` changes the mode";
    pub(super) const InvalidPropertyName: &str = "this is no name that a property can have";
    pub(super) const PropertyNotFound: &str = "there is no such property";
    pub(super) const ReadOnlyProperty: &str = "the property is read-only: its value stays\n  hint: \
        `armilla properties mode` changes the mode";
    pub(super) const UnknownSet: &str = "there is no such property set\n  hint: `armilla properties ls` \
        lists those of a service";
    pub(super) const UnsupportedMode: &str = "the set demands another mode of this property";
    pub(super) const UnsupportedProperty: &str =
        "the set takes no property of this name, or only one of another type";
    pub(super) const UnsupportedTypeCode: &str = "the set takes no value of this type";
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.service.callers(false)?;
    let directory = options.service.directory("properties")?;
    let mut limits = PropertyLimits::default();
    limits.sets = options.sets.unwrap_or(limits.sets);
    limits.properties = options.properties.unwrap_or(limits.properties);
    limits.remote_operators = options.remote_operators;
    // Values are read from the store with an ORB that serves nothing.
    let reading = armilla::Orb::new()?;
    let store = match &directory {
        Some(directory) => options.standby.open(|| Store::open(directory, &reading))?,
        None => Store::memory(),
    };
    let server = Server::builder().console(options.service.console(arguments, &callers));
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let configure = |orb| arguments.configure(orb, ENDPOINT, &callers);
    Ok(server.start(configure, |orb| server::properties(orb, store, limits))?.run()?)
}

fn create(options: &Create, arguments: &OrbArguments) -> Outcome {
    let (orb, made): (_, Object) = match options.modes {
        true => {
            let (orb, factory) = DEF_FACTORY.at(&options.at, arguments)?;
            let factory: PropertySetDefFactoryRef = factory.narrow()?;
            (orb, factory.create_propertysetdef()?.object().clone())
        }
        false => {
            let (orb, factory) = FACTORY.at(&options.at, arguments)?;
            let factory: PropertySetFactoryRef = factory.narrow()?;
            (orb, factory.create_propertyset()?.object().clone())
        }
    };
    say!("{}", orb.object_to_string(&made)?)
}

fn get(options: &Get, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let set: PropertySetRef = orb.string_to_object(&options.set)?.narrow()?;
    let shown = match &options.name {
        Some(name) => json(&refused(set.get_property_value(name), name)?),
        None => {
            let (mut all, rest) = set.get_all_properties(BATCH)?;
            while !rest.is_nil() {
                let (more, next) = rest.next_n(BATCH)?;
                if !more {
                    rest.destroy()?;
                    break;
                }
                all.extend(next);
            }
            let one = |it: &Property| (it.property_name.clone(), json(&it.property_value));
            Value::Object(all.iter().map(one).collect::<Map<_, _>>())
        }
    };
    say!("{shown:#}")
}

/// The value that a property is to have: of its type if it has one, and else of one that the text suggests.
fn value(set: &PropertySetRef, options: &Set, orb: &Orb) -> Outcome<Any> {
    let read = match set.get_property_value(&options.name) {
        Ok(known) => typed(known.type_code(), &options.value, orb),
        Err(Error::User(_)) => untyped(&options.value),
        Err(Error::System(exception)) => return Err(exception.into()),
    };
    read.map_err(|why| Failure::usage(format_args!("{}: {why}", options.name)))
}

fn set(options: &Set, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let object = orb.string_to_object(&options.set)?;
    let name = &options.name;
    match options.mode {
        None => {
            let set: PropertySetRef = object.narrow()?;
            let value = value(&set, options, &orb)?;
            refused(set.define_property(name, &value), name)
        }
        Some(mode) => {
            let value = value(&object.narrow()?, options, &orb)?;
            let set: PropertySetDefRef = object.narrow()?;
            refused(set.define_property_with_mode(name, &value, mode.into()), name)
        }
    }
}

fn mode(options: &ModeOf, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let set: PropertySetDefRef = orb.string_to_object(&options.set)?.narrow()?;
    let name = &options.name;
    if let Some(mode) = options.mode {
        return refused(set.set_property_mode(name, mode.into()), name);
    }
    let mode = match refused(set.get_property_mode(name), name)? {
        PropertyModeType::Normal => "normal",
        PropertyModeType::ReadOnly => "read-only",
        PropertyModeType::FixedNormal => "fixed-normal",
        PropertyModeType::FixedReadonly => "fixed-readonly",
        PropertyModeType::Undefined => "undefined",
    };
    say!("{mode}")
}

fn list(at: &At, arguments: &OrbArguments) -> Outcome {
    let (orb, operator) = OPERATOR.at(at, arguments)?;
    let operator: OperatorRef = operator.narrow()?;
    let sets = operator.list()?;
    say!("{:<16} {:>10} {:<5} REFERENCE", "ID", "PROPERTIES", "MODES")?;
    for it in sets {
        let modes = if it.has_modes { "yes" } else { "no" };
        let reference = orb.object_to_string(&it.reference)?;
        say!("{:<16} {:>10} {modes:<5} {reference}", one_line(&it.id), it.properties)?;
    }
    Ok(())
}
