//! An ORB is put together here, runs and ends: the one module that knows all others.

mod arguments;
mod builder;
mod ids;
mod interceptors;
mod resolve;
mod run;

pub use builder::OrbBuilder;

use crate::exception::SystemException;
use crate::runtime::{Orb, Part, PartSlot};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Where initial references come from.
#[derive(Debug, Default)]
struct Initial {
    /// By name, as object URLs, what the program has registered since the ORB is there.
    registered: Mutex<BTreeMap<String, String>>,
    /// Those that the ORB was made with.
    given: BTreeMap<String, String>,
    /// The URL to which `/NAME` is added for others.
    default: Option<String>,
}

impl Part for Initial {
    const SLOT: PartSlot = PartSlot::Initial;
}

impl Orb {
    /// An ORB with the default settings.
    ///
    /// # Errors
    /// None with the default settings; see [`OrbBuilder::build`].
    pub fn new() -> Result<Self, SystemException> {
        Self::builder().build()
    }

    /// Begins an ORB with other settings.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::default()
    }

    /// An ORB that takes the `-ORB…` options among the arguments of the program; see
    /// [`OrbBuilder::arguments`] for what they are. Where they name one by `-ORBid` that this
    /// process has, it is that one, as it was set up: `ORB_init` (CORBA 3.4 Part 1, 8.5.1). Without
    /// an id it is another one each time.
    ///
    /// # Errors
    /// `BAD_PARAM` for an option that is malformed, `INITIALIZE` when an endpoint cannot be opened.
    pub fn from_args(arguments: impl IntoIterator<Item = String>) -> Result<Self, SystemException> {
        Self::builder().arguments(arguments)?.find_or_build()
    }

    /// [`from_args`](Self::from_args), after which `arguments` are what the ORB has left to the
    /// program.
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
    pub fn init(arguments: &mut Vec<String>) -> Result<Self, SystemException> {
        Self::builder().take_arguments(arguments)?.find_or_build()
    }

    /// The ORB of this process with this [id](crate::Settings::orb_id), from when it was made until
    /// it was shut down.
    pub fn with_id(id: &str) -> Option<Self> {
        ids::find(id)
    }
}
