//! What an operator says of a console, on the command line or elsewhere.

use crate::access::ConsoleAccess;
use crate::console::{Console, ConsoleBuilder};
use crate::lifecycle::Lifecycle;
use crate::upkeep::Upkeep;
use armilla_tls::{Tls, Verify};
use std::io;
use std::net::ToSocketAddrs;
use std::path::PathBuf;

/// What an operator says of the console of a server: whether there is one, where it listens, and
/// the names by which it is reached. An address alone, as text, is such an option; the default is
/// none.
///
/// ```
/// use armilla_service::{ConsoleOptions, Lifecycle};
///
/// let lifecycle = Lifecycle::new();
/// assert!(ConsoleOptions::default().start(&lifecycle, |console| console)?.is_none());
/// let options = ConsoleOptions::from("127.0.0.1:0").host("names.example.org");
/// let console = options.start(&lifecycle, |console| console.metrics(|| "up 1\n".to_owned()))?;
/// assert!(console.is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ConsoleOptions {
    address: Option<String>,
    hosts: Vec<String>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    tls: Option<Tls>,
    insecure: bool,
    roots: Vec<PathBuf>,
    access: Option<ConsoleAccess>,
    open_health: bool,
    upkeep: Upkeep,
}

impl From<&str> for ConsoleOptions {
    fn from(address: &str) -> Self {
        address.to_owned().into()
    }
}

impl From<String> for ConsoleOptions {
    fn from(address: String) -> Self {
        Self { address: Some(address), ..Self::default() }
    }
}

impl ConsoleOptions {
    /// Allows a host name in requests; see [`ConsoleBuilder::host`].
    #[must_use]
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// Speaks HTTPS, with the certificates in this file, in PEM: its own first. The key is in a file
    /// of its own, or in the same one.
    #[must_use]
    pub fn certificate(
        mut self,
        certificate: impl Into<PathBuf>,
        key: Option<impl Into<PathBuf>>,
    ) -> Self {
        (self.certificate, self.key) = (Some(certificate.into()), key.map(Into::into));
        self
    }

    /// The certificate of an ORB, which is used at an address that other hosts reach if no other one
    /// is [given](Self::certificate). Clients of the page need none.
    #[must_use]
    pub fn tls_of_orb(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// See [`ConsoleBuilder::insecure`].
    #[must_use]
    pub fn insecure(mut self) -> Self {
        self.insecure = true;
        self
    }

    /// Believes the authorities in this file, in PEM: browsers and programs that show a certificate
    /// of theirs need no password. It may be called again.
    #[must_use]
    pub fn roots(mut self, file: impl Into<PathBuf>) -> Self {
        self.roots.push(file.into());
        self
    }

    /// See [`ConsoleBuilder::access`]. With [authorities](Self::roots) alone, who has a certificate
    /// of theirs may do everything.
    #[must_use]
    pub fn access(mut self, access: ConsoleAccess) -> Self {
        self.access = Some(access);
        self
    }

    /// See [`ConsoleAccess::open_health`].
    #[must_use]
    pub fn open_health(mut self) -> Self {
        self.open_health = true;
        self
    }

    /// Shows what the server keeps up, and keeps the files of the page up with it; the limits of
    /// clients hold for the page, too.
    #[must_use]
    pub fn upkeep(mut self, upkeep: &Upkeep) -> Self {
        self.upkeep = upkeep.clone();
        self
    }

    /// Whether the console asks who its visitors are.
    pub fn asks(&self) -> bool {
        self.access.is_some() || !self.roots.is_empty()
    }

    /// TLS as it is chosen: by files of its own, or those of the ORB.
    fn tls(&self, address: &str) -> Option<Tls> {
        let reachable = || {
            let found = address.to_socket_addrs().map(Iterator::collect::<Vec<_>>);
            !found.unwrap_or_default().iter().all(|address| address.ip().is_loopback())
        };
        let tls = match (&self.certificate, &self.tls) {
            (Some(certificate), _) => {
                let tls = Tls::new().certificate(certificate);
                self.key.iter().fold(tls, |tls, key| tls.key(key))
            }
            // A client shows a certificate over TLS alone.
            (None, Some(tls)) if !self.insecure && reachable() || !self.roots.is_empty() => {
                tls.clone()
            }
            _ => return None,
        };
        Some(match self.roots.is_empty() {
            true => tls,
            false => self.roots.iter().fold(tls.verify(Verify::Peer), |tls, file| tls.roots(file)),
        })
    }

    /// Starts the console of a server, if there is to be one, with what `complete` adds.
    ///
    /// # Errors
    /// Those of [`ConsoleBuilder::start`].
    pub fn start(
        self,
        lifecycle: &Lifecycle,
        complete: impl FnOnce(ConsoleBuilder) -> ConsoleBuilder,
    ) -> io::Result<Option<Console>> {
        let Some(address) = &self.address else { return Ok(None) };
        let mut builder = Console::builder(address).upkeep(&self.upkeep);
        if let Some(tls) = self.tls(address) {
            self.upkeep.file("the page's certificate", tls.clone());
            builder = builder.tls(tls);
        }
        if self.insecure {
            builder = builder.insecure();
        }
        let by_certificate = || (!self.roots.is_empty()).then(ConsoleAccess::new);
        if let Some(access) = self.access.clone().or_else(by_certificate) {
            builder = builder.access(match self.open_health {
                true => access.open_health(),
                false => access,
            });
        }
        builder = self.hosts.into_iter().fold(builder, ConsoleBuilder::host);
        let console = complete(builder).start(lifecycle)?;
        tracing::info!(url = console.url(), "the web page is served");
        Ok(Some(console))
    }
}
