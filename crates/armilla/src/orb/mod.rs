//! The assembly of an ORB: its builder and options, initial references, running and shutdown.
//!
//! This is the only module that knows all others. The modules below it know an ORB as
//! `runtime::Orb`.

mod arguments;
mod builder;
mod foreign_options;
mod ids;
mod interceptors;
mod options;
mod resolve;
mod run;

pub use builder::OrbBuilder;

use crate::exception::SystemException;
use crate::runtime::{Orb, Part, PartSlot};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The sources of initial references.
#[derive(Debug, Default)]
struct Initial {
    /// The URLs, by name, that the program has registered with the finished ORB.
    registered: Mutex<BTreeMap<String, String>>,
    /// The URLs, by name, from the builder and the command line.
    given: BTreeMap<String, String>,
    /// The URL to which `/NAME` is appended for all other names.
    default: Option<String>,
}

impl Part for Initial {
    const SLOT: PartSlot = PartSlot::Initial;
}

impl Orb {
    /// Creates an ORB with the default settings.
    ///
    /// # Errors
    /// None today, because the default settings open no endpoint; see [`OrbBuilder::build`].
    pub fn new() -> Result<Self, SystemException> {
        Self::builder().build()
    }

    /// A builder for an ORB with other settings.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::default()
    }

    /// Creates an ORB from the `-ORB…` options among the arguments of the program: `ORB_init`
    /// (CORBA 3.4 Part 1, 8.5.1). [`OrbBuilder::arguments`] lists the options.
    ///
    /// If this process has an ORB with the id that `-ORBid` names, that ORB is returned and keeps
    /// its settings. Without an id every call creates an ORB.
    ///
    /// # Errors
    /// `BAD_PARAM` for a malformed option, `INITIALIZE` when an endpoint cannot be opened.
    pub fn from_args(arguments: impl IntoIterator<Item = String>) -> Result<Self, SystemException> {
        Self::builder().arguments(arguments)?.find_or_build()
    }

    /// Creates an ORB as [`from_args`](Self::from_args) does, and removes the `-ORB…` options
    /// from `arguments`.
    ///
    /// ```no_run
    /// use armilla::Orb;
    ///
    /// let mut arguments: Vec<String> = std::env::args().collect();
    /// let orb = Orb::init(&mut arguments)?;
    /// let file = arguments.get(1);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// Those of `from_args`.
    #[doc(alias = "ORB_init")]
    pub fn init(arguments: &mut Vec<String>) -> Result<Self, SystemException> {
        Self::builder().take_arguments(arguments)?.find_or_build()
    }

    /// The ORB of this process with this [id](crate::Settings::orb_id), from its creation to its
    /// shutdown.
    pub fn with_id(id: &str) -> Option<Self> {
        ids::find(id)
    }
}
