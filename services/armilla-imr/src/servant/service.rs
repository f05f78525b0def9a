//! Assembling an implementation repository in an ORB.

use super::jacorb::JacOrbServant;
use super::{Operators, RepositoryServant};
use crate::corba::RepositoryRef;
use crate::corba::repository as skeleton;
use crate::engine::tls_port;
use crate::engine::{CommandError, Engine, OnChange};
use crate::host::{LocalHost, LogLimits};
use crate::imr_of_jacorb::registration as of_jacorb;
use crate::model::{Definition, Ending, RunId, Status};
use crate::store::Store;
use crate::{JACORB_KEY, KEY, host_name};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_giop::url::{Corbaloc, CorbalocAddress};
use armilla_ipc::PrivateDirectory;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};

/// The object id of the repository.
const ID: &str = "repository";

/// The object id of what servers of JacORB register with.
const JACORB_ID: &str = "JacORB";

/// An implementation repository in this process. It serves as long as this value or a clone of it
/// exists and its ORB runs. The servers that it has started go on when it ends.
///
/// It is available as `corbaloc::HOST:PORT/ImplementationRepository`. All requests for objects that
/// the ORB does not have belong to it, so it has an ORB of its own.
///
/// # Examples
/// ```
/// use armilla::Orb;
/// use armilla_imr::ImplementationRepository;
/// use armilla_imr::model::Definition;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let imr = ImplementationRepository::builder().serve(&orb)?;
/// let mut bank = Definition::new("bank");
/// bank.objects = vec!["poa:bank".parse()?];
/// bank.command = ["/opt/bank/server", "-ORBImR", "{imr}"].map(String::from).into();
/// imr.define(bank, false)?;
/// println!("{}", imr.url());
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "the repository ends when this is dropped"]
pub struct ImplementationRepository(Arc<Inner>);

struct Inner {
    engine: Arc<Engine>,
    reference: RepositoryRef,
    url: String,
    /// Where the logs are, if the program has not said where.
    _logs: Option<PrivateDirectory>,
    #[cfg(feature = "server")] // The page asks for it.
    operators: Operators,
}

/// What a repository is made from.
#[must_use = "only `serve` makes the repository"]
pub struct ImplementationRepositoryBuilder {
    store: Store,
    logs: Option<PathBuf>,
    log_limits: LogLimits,
    host: Option<String>,
    operators: Operators,
    on_change: OnChange,
}

impl fmt::Debug for ImplementationRepositoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImplementationRepositoryBuilder")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

impl ImplementationRepositoryBuilder {
    /// Sets the store of definitions. By default they are in memory only.
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Sets the directory for what servers write to standard output and standard error. It is made
    /// for this user alone if it is missing; others must not be able to write in it. Default: a
    /// directory with a random name among temporary files, which goes with the repository; that of one
    /// that was killed goes when another one begins.
    pub fn logs(mut self, directory: impl Into<PathBuf>) -> Self {
        self.logs = Some(directory.into());
        self
    }

    /// Sets how much of it is kept.
    pub fn log_limits(mut self, limits: LogLimits) -> Self {
        self.log_limits = limits;
        self
    }

    /// Sets the name of this host. Default: the one that the system has.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.host = Some(name.into());
        self
    }

    /// Allows operators and activators on other hosts. Whoever may define a server can run any
    /// program as the user of the repository, so the network must exclude strangers. Default: no.
    pub fn remote_operators(mut self, allowed: bool) -> Self {
        self.operators.remote = allowed;
        self
    }

    /// Adds a user who may do what operators do. Then only such users may, over transports for
    /// which the kernel vouches: Unix-domain sockets and shared memory. Clients over TCP and of the
    /// page may not, and [`remote_operators`](Self::remote_operators) admits activators alone.
    pub fn operator_user(mut self, user: u32) -> Self {
        self.operators.users.push(user);
        self
    }

    /// Calls `observer` with the name of a server whenever its state has changed. It must not wait.
    pub fn on_change(mut self, observer: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_change = Box::new(observer);
        self
    }

    /// Serves the repository with `orb`, and finds again the servers that run.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` if the ORB serves a repository already, `INITIALIZE` if it cannot listen,
    /// `PERSIST_STORE` if the store cannot be read.
    pub fn serve(self, orb: &Orb) -> Result<ImplementationRepository, SystemException> {
        let address = address(orb)?;
        let (logs, own_logs) = match self.logs {
            Some(logs) => (logs, None),
            None => {
                let made = PrivateDirectory::new("armilla-imr-").map_err(no_directory)?;
                (made.path().to_owned(), Some(made))
            }
        };
        let engine: Arc<OnceLock<Weak<Engine>>> = Arc::default();
        let of_host = engine.clone();
        let on_end = move |run: RunId, ending: Ending| {
            let engine = of_host.get().and_then(Weak::upgrade);
            engine.into_iter().for_each(|engine| engine.exited(run, &ending));
        };
        let name = self.host.unwrap_or_else(host_name);
        let local = LocalHost::new(name, logs, self.log_limits, Arc::new(on_end));
        let made = Engine::new(orb, self.store, local, address, self.on_change);
        engine.set(Arc::downgrade(&made)).ok();
        let servant = RepositoryServant::new(&made, orb, self.operators.clone());
        let poa = orb.root_poa().create_poa("implementation repository").persistent().user_ids();
        let poa = poa.build()?;
        let reference = poa.activate_with_id(ID, skeleton::tie(servant))?;
        let url = orb.publish(KEY, &reference)?;
        let servant = RepositoryServant::new(&made, orb, self.operators.clone());
        let servant = of_jacorb::tie(JacOrbServant(servant));
        orb.publish(JACORB_KEY, &poa.activate_with_id(JACORB_ID, servant)?)?;
        made.open().map_err(|error| match error {
            CommandError::Unknown(what) | CommandError::Refused(what) => {
                let kind = ExceptionKind::PersistStore;
                SystemException::new(kind, Minor::default(), Completion::No).with_reason(what)
            }
        })?;
        let locator = Arc::downgrade(&made);
        orb.set_key_locator(move |key, reply| {
            // Without the repository the reply is dropped, which answers the client.
            if let Some(engine) = locator.upgrade() {
                engine.locate(key, reply);
            }
        });
        Ok(ImplementationRepository(Arc::new(Inner {
            engine: made,
            reference,
            url,
            _logs: own_logs,
            #[cfg(feature = "server")]
            operators: self.operators,
        })))
    }
}

/// Where servers that are started find the repository: `HOST:PORT`, or a URL if it listens over TLS
/// alone; nothing if it does over neither.
fn address(orb: &Orb) -> Result<String, SystemException> {
    if let Some((host, port)) = orb.published_addresses()?.first() {
        return Ok(match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        });
    }
    // What any reference of this ORB says.
    let any = orb.root_poa().create_object("IDL:omg.org/CORBA/Object:1.0")?.ior();
    let mut protected = any.iiop_profiles().flatten().filter_map(|profile| {
        let port = tls_port(&profile)?;
        let version = Some(profile.version);
        Some(CorbalocAddress::Ssliop { version, host: profile.host, port })
    });
    let address = protected.next();
    Ok(address.map_or_else(String::new, |address| {
        Corbaloc { addresses: vec![address], key: KEY.into() }.to_string()
    }))
}

#[cold]
fn no_directory(error: std::io::Error) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
        .with_reason(format!("no directory for the logs of servers: {error}"))
}

impl ImplementationRepository {
    /// Begins to make a repository.
    pub fn builder() -> ImplementationRepositoryBuilder {
        ImplementationRepositoryBuilder {
            store: Store::in_memory(),
            logs: None,
            log_limits: LogLimits::default(),
            host: None,
            operators: Operators::default(),
            on_change: Box::new(|_| ()),
        }
    }

    /// The URL of the repository, `corbaloc::HOST:PORT/ImplementationRepository`.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// The repository as an object, with what operators do.
    pub fn reference(&self) -> &RepositoryRef {
        &self.0.reference
    }

    /// Adds a server, or with `replace` changes the definition of one.
    ///
    /// # Errors
    /// `BAD_PARAM`, which says why it is not accepted.
    pub fn define(&self, definition: Definition, replace: bool) -> Result<(), SystemException> {
        self.0.engine.define(definition, replace).map_err(|error| match error {
            CommandError::Unknown(what) | CommandError::Refused(what) => {
                let kind = ExceptionKind::BadParam;
                SystemException::new(kind, Minor::default(), Completion::No).with_reason(what)
            }
        })
    }

    #[cfg(test)]
    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }

    /// Whether a client at this address may do what operators do.
    #[cfg(feature = "server")]
    pub(crate) fn admits(&self, operator: std::net::IpAddr) -> bool {
        let address = Some(armilla_ipc::Address::tcp(operator.to_string(), 0));
        self.0.operators.admit(&armilla::Caller { address, credentials: None, protection: None })
    }

    /// Whether the repository can do its work: whether what it is told reaches the disk. It writes
    /// to the disk, every two seconds at most, and so may wait for it.
    ///
    /// # Errors
    /// Says what it cannot do, and why.
    pub fn check(&self) -> Result<(), String> {
        self.0.engine.check_store()
    }

    /// The state of a server.
    pub fn status(&self, name: &str) -> Option<Status> {
        self.0.engine.status(name)
    }

    /// The states of all servers, in the order of their names.
    pub fn list(&self) -> Vec<(String, Status)> {
        self.0.engine.list()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.engine.close();
    }
}

impl fmt::Debug for ImplementationRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImplementationRepository").field("url", &self.0.url).finish_non_exhaustive()
    }
}
