//! The `-ORB…` options: those of the builder, declared here, and those of the settings.
//!
//! `settings/table.rs` of `armilla-core` declares an option that sets a field of the settings.

use super::{OrbBuilder, foreign_options};
use crate::exception::{Minor, SystemException};
use crate::settings::{OrbOption, SettingOption, Settings};
use crate::transport::{Transport, Transports};
use std::sync::Arc;

/// An option that does something else than set a field of the settings.
pub(super) struct BuilderOption {
    name: &'static str,
    /// Empty for an option without a value.
    value: &'static str,
    group: &'static str,
    default: &'static str,
    help: &'static str,
    apply: fn(OrbBuilder, &str) -> Result<OrbBuilder, SystemException>,
}

const OF_BUILDER: [BuilderOption; 5] = [
    BuilderOption {
        name: "-ORBNoProprietaryActivation",
        value: "",
        group: "Identity",
        default: "no effect",
        help: "Has no effect and takes no value. In CORBA it keeps a server from being registered \
               with a repository of the vendor.",
        apply: |builder, _| Ok(builder),
    },
    BuilderOption {
        name: "-ORBInitRef",
        value: "NAME=URL",
        group: "Initial references",
        default: "none",
        help: "Makes the object at the URL the initial reference of this name. May be repeated.",
        apply: |builder, value| match value.split_once('=') {
            Some((name, url)) => Ok(builder.initial_reference(name, url)),
            None => Err(bad(format!("-ORBInitRef {value:?}: the form is NAME=URL"))),
        },
    },
    BuilderOption {
        name: "-ORBDefaultInitRef",
        value: "URL",
        group: "Initial references",
        default: "none",
        help: "The URL to which the ORB appends `/NAME` for all other initial references.",
        apply: |builder, value| Ok(builder.default_initial_reference(value)),
    },
    BuilderOption {
        name: "-ORBEndpoint",
        value: "ENDPOINT",
        group: "Endpoints",
        default: "once an object is active, any port of the address towards the servers",
        help: "Listens at `iiop://HOST:PORT` (TCP), `uiop:///PATH` (a Unix-domain socket) or \
               `shmiop:///PATH` (shared memory). May be repeated. An empty host is every \
               interface, port 0 any free port, `iiop://:2809-2819` the first free port of the \
               range; `iiop://:2809?publish=HOST:PORT` makes references carry another address. \
               Transports of the program add schemes. Without the option, a program that has \
               objects listens at the addresses from which it has connected to servers before, \
               else at that of the default route; on every interface if `-ORBPublishHost`, \
               `-ORBPublishAddress` or `-ORBPublishAs name` says what references carry.",
        apply: OrbBuilder::listen,
    },
    BuilderOption {
        name: "-ORBListenEndpoints",
        value: "ENDPOINT;ENDPOINT…",
        group: "Endpoints",
        default: "none",
        help: "Listens at each endpoint, as `-ORBEndpoint` does.",
        apply: OrbBuilder::listen_at_all,
    },
];

/// An option by its name.
pub(super) enum Found {
    Builder(&'static BuilderOption),
    Settings(&'static SettingOption<Settings>),
    Transport(Arc<dyn Transport>, OrbOption),
}

/// The option whose name is `name` in capitals or small letters, of the ORB or of one of its
/// transports.
///
/// # Errors
/// `BAD_PARAM` for an unknown name.
pub(super) fn find(name: &str, transports: &Transports) -> Result<Found, SystemException> {
    let of_builder = OF_BUILDER.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let found = of_builder.map(Found::Builder);
    let found = found.or_else(|| Settings::option(name).map(Found::Settings));
    let of_transport = || {
        let (transport, option) = transports.option(name)?;
        Some(Found::Transport(transport, option))
    };
    found.or_else(of_transport).ok_or_else(|| {
        bad(format!("{name} is not an option of this ORB")).with_hint(foreign_options::hint(name))
    })
}

impl Found {
    pub(super) fn has_value(&self) -> bool {
        match self {
            Self::Builder(option) => !option.value.is_empty(),
            Self::Settings(_) => true,
            Self::Transport(_, option) => !option.value.is_empty(),
        }
    }

    /// Applies the option, which the program calls `name`.
    ///
    /// # Errors
    /// `BAD_PARAM` for a malformed value.
    pub(super) fn apply(
        &self,
        mut builder: OrbBuilder,
        (name, value): (&str, &str),
    ) -> Result<OrbBuilder, SystemException> {
        match self {
            Self::Builder(option) => (option.apply)(builder, value),
            Self::Settings(option) => {
                let set = option.set(&mut builder.settings, value);
                set.map(|()| builder).map_err(|what| bad(format!("{name} {what}")))
            }
            Self::Transport(transport, option) => {
                let set = transport.set_option(option.name, value);
                set.map(|()| builder).map_err(|what| bad(format!("{name} {what}")))
            }
        }
    }
}

impl OrbBuilder {
    /// All options that [`arguments`](Self::arguments) reads, in groups. `docs/options.md` and
    /// `armilla help orb-options` show them.
    ///
    /// ```
    /// let options = armilla::OrbBuilder::options();
    /// let largest = options.iter().find(|option| option.name == "-ORBMaxMessage").unwrap();
    /// assert_eq!((largest.value, &*largest.default), ("OCTETS", "16 MiB"));
    /// ```
    pub fn options() -> Vec<OrbOption> {
        let defaults = Settings::default();
        let of_builder = OF_BUILDER.iter().map(|option| {
            let BuilderOption { name, value, group, default, help, apply: _ } = option;
            OrbOption::new((name, value), group, default, help)
        });
        let of_settings = Settings::OPTIONS.iter().map(|option| option.describe(&defaults));
        in_groups(of_builder.chain(of_settings).collect())
    }

    /// The same and those that the [transports](Self::transport) of this builder add.
    ///
    /// ```
    /// use armilla::{Orb, OrbBuilder};
    ///
    /// assert_eq!(Orb::builder().options_with_transports(), OrbBuilder::options());
    /// ```
    pub fn options_with_transports(&self) -> Vec<OrbOption> {
        let mut options = Self::options();
        options.extend(self.transports.options());
        in_groups(options)
    }

    /// Listens at each endpoint of a list that `;` separates.
    fn listen_at_all(self, endpoints: &str) -> Result<Self, SystemException> {
        let endpoints = endpoints.split(';').map(str::trim).filter(|endpoint| !endpoint.is_empty());
        endpoints.into_iter().try_fold(self, |builder, endpoint| builder.listen(endpoint))
    }
}

/// The options of each group one after the other, the groups in the order of their first options.
fn in_groups(options: Vec<OrbOption>) -> Vec<OrbOption> {
    let mut groups: Vec<&str> = Vec::new();
    for option in &options {
        if !groups.contains(&option.group) {
            groups.push(option.group);
        }
    }
    let of = |group| options.iter().filter(move |option| option.group == group).cloned();
    groups.into_iter().flat_map(of).collect()
}

/// The exception for a wrong option.
pub(super) fn bad(what: String) -> SystemException {
    SystemException::bad_param(Minor::BAD_ARGUMENT, what)
}
