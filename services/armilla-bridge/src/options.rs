//! What a bridge is told.

use armilla::SystemException;
use armilla_dcerpc::Uuid;
use armilla_security::AccessFile;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// An object of COM: a class on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComClass {
    /// The host, `192.0.2.7` or `plant[1135]`.
    pub host: String,
    /// The class.
    pub class: Uuid,
    /// The repository id of the interface that CORBA sees; [`AUTOMATION`](crate::AUTOMATION) for
    /// calls by name.
    pub interface: String,
}

/// How a bridge behaves.
#[derive(Clone, Default)]
pub struct BridgeOptions {
    /// Files of IDL and their texts, for the interfaces of both sides.
    pub idl: Vec<(String, String)>,
    /// The objects of CORBA that programs of COM get by name, with their URLs.
    pub objects: BTreeMap<String, String>,
    /// Whether such programs get whatever a naming service has, too.
    pub naming: bool,
    /// Classes of COM that are objects of CORBA, by the names of these.
    pub classes: BTreeMap<Uuid, String>,
    /// Interfaces of CORBA, by repository id, whose objects of COM are called by number: by which
    /// interface of the IDL of COM. Those whose repository id is `DCE:` and an IID need not be named.
    pub by_number: BTreeMap<String, String>,
    /// The objects of COM that programs of CORBA get by name.
    pub com: BTreeMap<String, ComClass>,
    /// Which programs of COM may call what; everything if there are no rules.
    pub rules: Option<AccessFile>,
    /// How many views of objects of CORBA there are at most, and how many references to objects of
    /// COM that came as values.
    pub most: Option<usize>,
    /// How long a reference to an object of COM that came as a value lives without a call.
    pub idle: Option<Duration>,
}

impl BridgeOptions {
    /// How many views and references there are at most, unless it is said.
    pub const MOST: usize = 10_000;
    /// How long references live without a call, unless it is said.
    pub const IDLE: Duration = Duration::from_secs(3_600);
}

impl fmt::Debug for BridgeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BridgeOptions")
            .field("objects", &self.objects)
            .field("com", &self.com)
            .finish_non_exhaustive()
    }
}

/// Why a bridge does not begin.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError {
    /// The ORB refused.
    Orb(SystemException),
    /// A file of IDL has errors.
    Idl(String),
    /// What a name stands for is not known.
    Unknown(String),
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Orb(exception) => exception.fmt(f),
            Self::Idl(what) | Self::Unknown(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for BridgeError {}

impl From<SystemException> for BridgeError {
    fn from(exception: SystemException) -> Self {
        Self::Orb(exception)
    }
}
