//! The transport, as a program makes it and hands it to its ORB.

use crate::acceptor::TlsAcceptor;
use crate::certificate::Certificate;
use crate::choices::Verify;
use crate::files;
use crate::handshake;
use crate::inspect::{self, Inspection};
use crate::reference::{self, SCHEME, expected_name, wrong};
use crate::settings::{self, Pem, Roots, TlsSettings};
use crate::shared::Shared;
use armilla_core::exception::Minor;
use armilla_core::settings::{OrbOption, Settings};
use armilla_core::transport::{
    Address, Admission, Listening, ObjectProfile, Publication, Refused, Stream, TcpEndpoint,
    Transport, connect,
};
use armilla_giop::ior::TlsSecTrans;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// TLS for an ORB: the transport with the scheme `ssliop`. A program hands it to
/// `OrbBuilder::transport` before the endpoints and the arguments. Clones share all settings.
///
/// ```no_run
/// use armilla::Orb;
/// use armilla_tls::Tls;
///
/// let tls = Tls::new().certificate("server.pem").roots("authority.pem");
/// let orb = Orb::builder().transport(tls).listen("ssliop://:2810")?.build()?;
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "OrbBuilder::transport takes it"]
pub struct Tls {
    shared: Arc<Shared>,
}

impl Tls {
    /// TLS with the default [settings](TlsSettings): it believes the authorities of the operating
    /// system, and has no certificate.
    pub fn new() -> Self {
        Self::default()
    }

    /// The certificates by which this process proves who it is, in PEM: its own first. The key may
    /// stand in the same file.
    pub fn certificate(self, pem: impl Into<Pem>) -> Self {
        self.settings(|settings| settings.certificate = Some(pem.into()))
    }

    /// The key of the certificate, if it stands elsewhere.
    pub fn key(self, pem: impl Into<Pem>) -> Self {
        self.settings(|settings| settings.key = Some(pem.into()))
    }

    /// Adds authorities that are believed, in PEM. With the first one, those of the operating
    /// system are believed no longer; [`settings`](Self::settings) can add
    /// [them](Roots::System).
    pub fn roots(self, pem: impl Into<Pem>) -> Self {
        self.settings(|settings| settings.roots.push(Roots::Pem(pem.into())))
    }

    /// What a server wants of its clients.
    pub fn verify(self, verify: Verify) -> Self {
        self.settings(|settings| settings.verify = verify)
    }

    /// Makes no connection over TCP without TLS.
    pub fn required(self) -> Self {
        self.settings(|settings| settings.required = true)
    }

    /// Changes any [settings](TlsSettings). Connections that are made later follow them.
    pub fn settings(self, change: impl FnOnce(&mut TlsSettings)) -> Self {
        let changed = self.shared.change(|settings| {
            change(settings);
            Ok::<(), Infallible>(())
        });
        let Ok(()) = changed;
        self
    }

    /// Reads all files again. Connections that are made later use what they hold now. That happens
    /// within a second after a file has changed, even without this.
    ///
    /// # Errors
    /// Which file is wrong, and why; what was read before stays in use.
    pub fn reload(&self) -> Result<(), String> {
        self.shared.reload().map(drop)
    }

    /// What is wrong with the files now, if something is: what was read before is in use, where
    /// there is such.
    pub fn fault(&self) -> Option<String> {
        match self.shared.settings().names_files() {
            true => self.shared.fault(),
            false => None,
        }
    }

    /// The certificate by which this process proves who it is, as it is in use now.
    pub fn own_certificate(&self) -> Option<Certificate> {
        self.shared.current().ok()?.own.clone()
    }

    /// What a server needs for a connection that is none of an ORB's, such as one of HTTP: the
    /// certificate, the key and the rest, as the files are now. It does not wait for anybody.
    ///
    /// # Errors
    /// Which file or setting is wrong, if nothing was read before; or that there is no certificate.
    pub fn server_config(&self) -> Result<Arc<rustls::ServerConfig>, String> {
        let server = self.shared.current()?.server.clone();
        server
            .ok_or_else(|| "a server over TLS needs a certificate: -ORBCertificate FILE".to_owned())
    }

    /// The same for a client: it verifies the certificate of the server, and shows its own if the
    /// server asks for it.
    ///
    /// # Errors
    /// Which file or setting is wrong, if nothing was read before.
    pub fn client_config(&self) -> Result<Arc<rustls::ClientConfig>, String> {
        Ok(self.shared.current()?.client.clone())
    }

    /// What references say of the endpoints that are open: for `TAG_TLS_SEC_TRANS` in mechanisms of
    /// CSIv2.
    pub fn published(&self) -> Vec<TlsSecTrans> {
        self.shared.published()
    }

    /// The certificates in PEM, as people should see them.
    ///
    /// # Errors
    /// When there is no certificate, or the file cannot be read.
    pub fn read_certificates(pem: impl Into<Pem>) -> Result<Vec<Certificate>, String> {
        let found = files::certificates(&pem.into(), "certificates")?;
        Ok(found.iter().filter_map(|der| Certificate::parse(der)).collect())
    }

    /// Looks at the server at this host and port: what it offers, and why a connection with these
    /// settings would fail. `limit` is for each of some connections.
    ///
    /// # Errors
    /// When nothing answers there, or the settings are wrong.
    pub fn inspect(&self, host: &str, port: u16, limit: Duration) -> io::Result<Inspection> {
        inspect::inspect(&self.shared.settings(), (host, port), limit)
    }

    /// Sets what an `-ORB…` option sets, by its name.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set(&self, option: &str, value: &str) -> Result<(), String> {
        self.shared.change(|settings| settings.set(option, value))
    }

    /// The address of an IIOP profile without TLS, if this ORB must not use it.
    fn forbidden(&self, profile: &ObjectProfile) -> Option<Vec<String>> {
        self.shared.settings().required.then(|| vec![profile.address.clone()])
    }
}

impl Transport for Tls {
    fn scheme(&self) -> &str {
        SCHEME
    }

    fn form(&self) -> &str {
        "ssliop://HOST:PORT, with either part left out at will"
    }

    fn is_protected(&self) -> bool {
        true
    }

    fn check(&self, endpoint: &str) -> Result<(), String> {
        endpoint.parse::<TcpEndpoint>().map(drop)
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let endpoint: TcpEndpoint = endpoint.parse().map_err(io::Error::other)?;
        let material = self.shared.current().map_err(wrong)?;
        if material.server.is_none() {
            return Err(wrong(
                "an endpoint over TLS needs a certificate: -ORBCertificate FILE, and -ORBKey FILE \
                 if the key stands elsewhere"
                    .to_owned(),
            ));
        }
        let tcp = endpoint.bind(settings)?;
        let own = self.shared.settings();
        let mut publications = Vec::new();
        for (host, port) in endpoint.published(&*tcp, settings)? {
            let (address, component) = reference::published(&own, host, port)?;
            publications.push(Publication::Protected(address));
            self.shared.publish(component);
        }
        let acceptor = Box::new(TlsAcceptor::start(tcp, self.shared.clone())?);
        Ok(Listening { acceptor, publications })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        let Some((host, port)) = reference::parts(address) else {
            return Err(plain(address));
        };
        let material = self.shared.current().map_err(wrong)?;
        let name = expected_name(&host, self.shared.settings().name)?;
        let begun = Instant::now();
        let tcp = Address::tcp(host, port);
        let stream =
            connect(&tcp, Some(timeout), &settings.stream_options_with(settings.tcp_queues))?;
        let left = timeout.saturating_sub(begun.elapsed());
        let config = material.client.clone();
        let stream = handshake::connect(stream.into(), config, (name, address), left)?;
        Ok(Box::new(stream))
    }

    fn read_other(&self, profile: &ObjectProfile, _settings: &Settings) -> Option<Vec<String>> {
        let Ok(Address::Tcp { host, .. }) = profile.address.parse() else { return None };
        let has_certificate = self.shared.settings().certificate.is_some();
        match reference::addresses(&host, profile, has_certificate) {
            found if found.is_empty() => self.forbidden(profile),
            found => Some(found),
        }
    }

    fn admit_by(&self, admission: &Arc<dyn Admission>) {
        self.shared.admit_by(admission.clone());
    }

    fn forbids_unprotected(&self) -> bool {
        self.shared.settings().required
    }

    fn options(&self) -> Vec<OrbOption> {
        settings::options()
    }

    fn set_option(&self, name: &str, value: &str) -> Result<(), String> {
        self.set(name, value)
    }

    /// Reads the files at once where the program names some; those of the system are read when they
    /// are needed.
    fn prepare(&self, _settings: &Settings) -> Result<(), String> {
        match self.shared.settings().names_files() {
            true => self.shared.prepare().map(drop),
            false => self.shared.settings().check(),
        }
    }
}

/// The error of an address without TLS.
fn plain(address: &str) -> io::Error {
    let what = format!(
        "the reference leads to {address} without TLS, and this ORB makes no such connection \
         (-ORBTls required=1)"
    );
    let hint = "the server needs an endpoint ssliop://HOST:PORT";
    Refused::new(Minor::TLS_NEEDED, what).with_hint(hint).into()
}
