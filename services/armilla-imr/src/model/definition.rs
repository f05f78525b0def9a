//! Definitions of servers: what a repository knows of a server before it runs.

use super::definition_error::DefinitionError;
use super::network::Network;
use super::pattern::KeyPattern;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What stands in a command for the port that the activator chooses.
pub(crate) const PORT: &str = "{port}";

/// The longest name of a server, in octets.
const MAX_NAME: usize = 128;

/// When a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// By the first call, and by the first one after it has ended.
    #[default]
    OnDemand,
    /// By the first call of each client; a client gets a process of its own.
    PerClient,
    /// With the repository, and again whenever it has ended.
    AtStart,
    /// By an operator only.
    Manual,
}

/// The limits of a server's process. What is not set is inherited from the activator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceLimits {
    /// Open files: `RLIMIT_NOFILE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// Address space in octets: `RLIMIT_AS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_space: Option<u64>,
    /// Processor time in seconds: `RLIMIT_CPU`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<u64>,
    /// Processes and threads of its user: `RLIMIT_NPROC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The size of a core file in octets: `RLIMIT_CORE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<u64>,
}

/// A server that a repository knows.
///
/// In the arguments, in the values of the environment and in the address, `{port}` stands for a
/// free port that the activator chooses for each start, and `{imr}` for `HOST:PORT` of the
/// repository, or its `corbaloc:ssliop:` URL if it listens over TLS alone. A server at a fixed
/// address over TLS has `ssliop://HOST:PORT` there.
///
/// ```
/// use armilla_imr::model::Definition;
///
/// let text = r#"{"name": "bank", "objects": ["poa:bank"], "command": ["/opt/bank/server"]}"#;
/// let bank: Definition = serde_json::from_str(text)?;
/// bank.check()?;
/// assert_eq!(bank.start_timeout.as_secs(), 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The name, which is unique in the repository.
    pub name: String,
    /// Which requests are its own.
    #[serde(default)]
    pub objects: Vec<KeyPattern>,
    /// The program and its arguments. If it is empty, the repository forwards to the server but
    /// cannot start it.
    #[serde(default)]
    pub command: Vec<String>,
    /// Variables that are added to the environment of the activator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The working directory. Default: that of the activator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The user whose process it is, by name or number; only an activator that runs as root can
    /// change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The name of the activator that starts it. Default: the repository itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// From where it may register if somebody else starts it, beside its host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registered_from: Vec<Network>,
    /// The limits of its process.
    #[serde(default)]
    pub limits: ResourceLimits,
    /// When it is started.
    #[serde(default)]
    pub activation: Activation,
    /// `HOST:PORT` where a server listens that does not register, as most of other vendors. The
    /// repository asks there until the server answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How long a start may take, and how long a client waits for it.
    #[serde(default = "times::start_timeout", with = "times::milliseconds")]
    pub start_timeout: Duration,
    /// How many failures within `failure_window` make a crash loop, which is not started again.
    #[serde(default = "times::failure_limit")]
    pub failure_limit: u32,
    /// See `failure_limit`.
    #[serde(default = "times::failure_window", with = "times::milliseconds")]
    pub failure_window: Duration,
    /// The pause after the first failure. It doubles with each further one, up to `max_back_off`.
    #[serde(default = "times::back_off", with = "times::milliseconds")]
    pub back_off: Duration,
    /// See `back_off`.
    #[serde(default = "times::max_back_off", with = "times::milliseconds")]
    pub max_back_off: Duration,
    /// The time between two checks whether the server answers; zero checks never.
    #[serde(default = "times::check_period", with = "times::milliseconds")]
    pub check_period: Duration,
    /// How many checks in a row a server may fail before it is ended.
    #[serde(default = "times::check_limit")]
    pub check_limit: u32,
    /// How long a server that was replaced goes on, for clients that were forwarded to it a moment
    /// before.
    #[serde(default = "times::drain_delay", with = "times::milliseconds")]
    pub drain_delay: Duration,
    /// How long a server may take to end after SIGTERM, before SIGKILL.
    #[serde(default = "times::drain_timeout", with = "times::milliseconds")]
    pub drain_timeout: Duration,
}

/// Defaults, and durations as numbers of milliseconds.
mod times {
    use std::time::Duration;

    pub(super) const fn start_timeout() -> Duration {
        Duration::from_secs(30)
    }
    pub(super) const fn failure_limit() -> u32 {
        5
    }
    pub(super) const fn failure_window() -> Duration {
        Duration::from_secs(60)
    }
    pub(super) const fn back_off() -> Duration {
        Duration::from_millis(100)
    }
    pub(super) const fn max_back_off() -> Duration {
        Duration::from_secs(10)
    }
    pub(super) const fn check_period() -> Duration {
        Duration::from_secs(10)
    }
    pub(super) const fn check_limit() -> u32 {
        3
    }
    pub(super) const fn drain_delay() -> Duration {
        Duration::from_millis(500)
    }
    pub(super) const fn drain_timeout() -> Duration {
        Duration::from_secs(15)
    }

    pub(super) mod milliseconds {
        use serde::{Deserialize, Deserializer, Serializer};
        use std::time::Duration;

        pub(in super::super) fn serialize<S: Serializer>(
            time: &Duration,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        }

        pub(in super::super) fn deserialize<'d, D: Deserializer<'d>>(
            from: D,
        ) -> Result<Duration, D::Error> {
            u64::deserialize(from).map(Duration::from_millis)
        }
    }
}

impl Definition {
    /// A definition of a server with this name that nothing else is known of.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            objects: Vec::new(),
            command: Vec::new(),
            environment: BTreeMap::new(),
            directory: None,
            user: None,
            host: None,
            registered_from: Vec::new(),
            limits: ResourceLimits::default(),
            activation: Activation::default(),
            address: None,
            start_timeout: times::start_timeout(),
            failure_limit: times::failure_limit(),
            failure_window: times::failure_window(),
            back_off: times::back_off(),
            max_back_off: times::max_back_off(),
            check_period: times::check_period(),
            check_limit: times::check_limit(),
            drain_delay: times::drain_delay(),
            drain_timeout: times::drain_timeout(),
        }
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// Says what is wrong, and where.
    pub fn check(&self) -> Result<(), DefinitionError> {
        let fail =
            |why: String| Err(DefinitionError::new(format!("server {:?}: {why}", self.name)));
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if self.name.is_empty()
            || self.name.len() > MAX_NAME
            || self.name.starts_with('.')
            || !self.name.chars().all(plain)
        {
            return fail(format!(
                "a name has letters, digits, `-`, `_` and `.`, at most {MAX_NAME}, no `.` first"
            ));
        }
        let variables = self.environment.iter().flat_map(|(name, value)| [name, value]);
        let texts = self.command.iter().chain(variables);
        let texts = texts.chain(&self.directory).chain(&self.user).chain(&self.host);
        if texts.into_iter().any(|text| text.contains('\0')) {
            return fail("a text contains NUL".to_owned());
        }
        if self.command.first().is_some_and(String::is_empty) {
            return fail("the command is empty".to_owned());
        }
        if self.environment.keys().any(|name| name.is_empty() || name.contains('=')) {
            return fail("a variable has no name, or one with `=`".to_owned());
        }
        if self.command.is_empty() && self.activation == Activation::AtStart {
            return fail("it is to be started, and has no command".to_owned());
        }
        if let Some(address) = &self.address
            && !is_address(address)
        {
            return fail(format!("{address:?} is not HOST:PORT"));
        }
        if self.failure_limit == 0 || self.check_limit == 0 || self.start_timeout.is_zero() {
            return fail("failure_limit, check_limit and start_timeout are at least 1".to_owned());
        }
        Ok(())
    }

    /// Whether two processes of the server can run at the same time: they listen at ports of their
    /// own.
    pub fn runs_twice(&self) -> bool {
        self.address.as_ref().is_none_or(|address| address.ends_with(PORT))
    }
}

fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && (port == PORT || port.parse().is_ok_and(|port: u16| port > 0))
    })
}
