//! The HTTP listener of a server: `/healthz`, `/metrics`, `/events`, the pages of the service, and
//! what it offers to programs.

use crate::access::{Access, ConsoleAccess};
use crate::admission::{Admission, admit};
use crate::events::Events;
use crate::guard::{
    Api, Hosts, foreign_sites, known_host, needs_header, within_limits, within_share,
};
use crate::health::{Check, Health};
use crate::https::Https;
use crate::lifecycle::Lifecycle;
use crate::limits::{ConsoleLimits, Places};
use crate::login;
use crate::page;
use crate::serving::serve;
use crate::sessions::Open;
use crate::upkeep::Upkeep;
use armilla_tls::Tls;
use axum::extract::{ConnectInfo, DefaultBodyLimit};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Router};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// The largest body of a request, in octets.
const MAX_BODY: usize = 1 << 20;

type Text = Arc<dyn Fn() -> String + Send + Sync>;

/// The console of a server: HTTP for operators, in a thread of its own. Dropping it ends it.
pub struct Console {
    address: SocketAddr,
    scheme: &'static str,
    events: Events,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A console to be started.
#[must_use = "only `start` starts the console"]
pub struct ConsoleBuilder {
    address: String,
    hosts: Vec<String>,
    tls: Option<Tls>,
    insecure: bool,
    access: Option<ConsoleAccess>,
    has_tokens: bool,
    metrics: Vec<Text>,
    checks: Vec<Check>,
    pages: Router,
    /// The routes for programs, with the largest body of each.
    api: Vec<(Router, u64)>,
    events: Events,
    limits: ConsoleLimits,
    service: &'static str,
    upkeep: Upkeep,
}

impl ConsoleBuilder {
    /// Allows a host name in requests, besides numeric addresses and `localhost`: one that a
    /// reverse proxy passes on.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// Speaks HTTPS, with the certificate of `tls`, and no plain HTTP. The files are read again when
    /// they change. Where `tls` has authorities of its own and verifies
    /// ([`Verify::Peer`](armilla_tls::Verify)), a client may show a certificate of theirs.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Asks who visitors are, and shows nothing to others but the login.
    pub fn access(mut self, access: ConsoleAccess) -> Self {
        self.access = Some(access);
        self
    }

    /// The service checks the tokens that programs show (`Authorization: Bearer`) at its
    /// [routes for programs](Self::api), and lets nobody do anything without who is neither a
    /// [visitor](crate::Visitor) that is known nor shows a token that it knows.
    pub fn tokens(mut self) -> Self {
        self.has_tokens = true;
        self
    }

    /// Lets the console listen at an address that other hosts reach, whoever may read and change
    /// what is sent: behind a proxy or in a network of its own.
    pub fn insecure(mut self) -> Self {
        self.insecure = true;
        self
    }

    /// Adds metrics, in the text format of Prometheus, each line with its end. They are asked for
    /// at each request, by one thread at a time.
    pub fn metrics(mut self, text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics.push(Arc::new(text));
        self
    }

    /// Adds a check to `/healthz`, and to the metric `armilla_healthy`. Its error, a line of text,
    /// makes the server unhealthy. It runs at each request of either, and may wait.
    pub fn check(mut self, check: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.checks.push(Arc::new(check));
        self
    }

    /// Adds the pages of the service, with the paths of their own. Their handlers run in the thread
    /// of the console, so one that waits belongs into `tokio::task::spawn_blocking`.
    pub fn pages(mut self, pages: Router) -> Self {
        self.pages = self.pages.merge(pages);
        self
    }

    /// Adds routes for programs that speak a protocol of their own, such as DICOMweb. They need no
    /// header of the console; what a browser sends for another site is refused by its `Origin`. The
    /// body of a request may have `max_body` octets, of which none is in memory before the handler
    /// reads it: [`BodyReader`](crate::BodyReader) reads it in pieces. All else is as for
    /// [`pages`](Self::pages), and the paths must be others.
    pub fn api(mut self, routes: Router, max_body: u64) -> Self {
        self.api.push((routes, max_body));
        self
    }

    /// Sets the limits of connections, requests and times.
    pub fn limits(mut self, limits: ConsoleLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The name of the service, such as `naming`, for the pages that are not its own: the login.
    pub fn service(mut self, name: &'static str) -> Self {
        self.service = name;
        self
    }

    /// Shows what the server keeps up in `/healthz` and `/metrics`. The limits of clients hold for
    /// the console, too: a request beyond one is answered with 429.
    pub fn upkeep(mut self, upkeep: &Upkeep) -> Self {
        self.upkeep = upkeep.clone();
        self
    }

    /// Sends these events to open pages.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = events.clone();
        self
    }

    /// Starts the console of a server.
    ///
    /// # Errors
    /// The address is malformed or taken, or the system has no thread; the files of TLS cannot be
    /// used; or other hosts reach the address, and it has no [TLS](Self::tls) or asks nobody who they
    /// are ([`access`](Self::access), [`tokens`](Self::tokens)).
    pub fn start(self, lifecycle: &Lifecycle) -> io::Result<Console> {
        let listener = bind(&self.address)?;
        let address = listener.local_addr()?;
        let https = self.tls.clone().map(Https::new).transpose()?;
        self.refuse_unprotected(address)?;
        let scheme = if https.is_some() { "https" } else { "http" };
        let threads = self.limits.threads.max(1);
        let runtime =
            Builder::new_current_thread().max_blocking_threads(threads).enable_all().build()?;
        let (end, ended) = oneshot::channel();
        let (events, limits) = (self.events.clone(), self.limits.clone());
        let router = self.router(lifecycle.clone(), address.port());
        let serve = async move {
            let listener = match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => listener,
                Err(error) => return tracing::error!(%error, "the console cannot listen"),
            };
            // Open pages are not waited for: they read events without end.
            tokio::select! {
                () = serve(listener, https, router, limits) => {}
                _ = ended => {}
            }
        };
        let thread = thread::Builder::new().name("armilla-console".to_owned());
        let thread = thread.spawn(move || runtime.block_on(serve))?;
        Ok(Console { address, scheme, events, end: Some(end), thread: Some(thread) })
    }

    /// Refuses an address that other hosts reach, unless what passes there is protected, and not for
    /// everybody.
    fn refuse_unprotected(&self, address: SocketAddr) -> io::Result<()> {
        let asks = self.access.is_some() || self.has_tokens;
        let lacks = match (self.tls.is_some(), asks) {
            _ if address.ip().is_loopback() || self.insecure => return Ok(()),
            (true, true) => return Ok(()),
            (false, _) => "a certificate (--http-certificate FILE)",
            (true, false) => {
                "who may see it (--passwords FILE, or --http-roots FILE for certificates)"
            }
        };
        let what = format!(
            "other hosts reach the page at {address}: it needs {lacks}; or keep it at 127.0.0.1, or \
             say --http-insecure where something else protects it"
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, what))
    }

    fn router(self, lifecycle: Lifecycle, port: u16) -> Router {
        let access = self.access.map(|access| Access::new(access, &self.limits, port));
        let (metrics, events) = (self.metrics, self.events);
        let hosts = Hosts { names: self.hosts.into(), tls: self.tls };
        let limits = self.upkeep.its_limits();
        let health = Health { lifecycle, checks: self.checks.into(), upkeep: self.upkeep };
        let of_metrics = health.clone();
        let health = move || health.clone().answer();
        let of_access = access.clone();
        let metrics = move || {
            let mut text: String = metrics.iter().map(|text| text()).collect();
            text += &of_access.as_ref().map(Access::metrics).unwrap_or_default();
            let health = of_metrics.clone();
            async move {
                let text = text + &health.metrics().await;
                ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
            }
        };
        let streams = Places::new(self.limits.event_streams);
        let events = move |ConnectInfo(peer): ConnectInfo<SocketAddr>,
                           session: Option<Extension<Open>>| async move {
            let ended = async move {
                match session {
                    Some(Extension(session)) => session.ended().await,
                    None => std::future::pending().await,
                }
            };
            match streams.take(peer.ip().into()) {
                Some(place) => events.answer(place, ended),
                None => {
                    (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n").into_response()
                }
            }
        };
        let requests = Places::new(self.limits.api_requests);
        let of_admission = limits.clone();
        let admission =
            |tokens| Admission { access: access.clone(), tokens, limits: of_admission.clone() };
        let (for_programs, for_people) = (admission(self.has_tokens), admission(false));
        let api = self.api.into_iter().map(|(routes, most_octets)| {
            let api = Api { most_octets, requests: requests.clone() };
            let most = usize::try_from(most_octets).unwrap_or(usize::MAX);
            let routes = routes.layer(from_fn_with_state(api, within_limits));
            routes
                .layer(DefaultBodyLimit::max(most))
                .layer(from_fn_with_state(for_programs.clone(), admit))
                .layer(from_fn(foreign_sites))
        });
        let pages = Router::new()
            .route("/healthz", get(health))
            .route("/metrics", get(metrics))
            .route("/events", get(events))
            .merge(login::own_pages(access.clone()))
            .merge(self.pages)
            .layer(DefaultBodyLimit::max(MAX_BODY))
            .layer(from_fn_with_state(for_people, admit))
            .layer(from_fn(needs_header))
            .merge(page::assets())
            .merge(access.map(|access| login::pages(access, self.service)).unwrap_or_default());
        api.fold(pages, Router::merge)
            .layer(from_fn_with_state(limits, within_share))
            .layer(from_fn_with_state(hosts, known_host))
    }
}

fn bind(address: &str) -> io::Result<TcpListener> {
    let addresses = address.to_socket_addrs().map_err(|error| {
        let what = format!("{address:?} is no address for the console, such as :9809: {error}");
        io::Error::new(error.kind(), what)
    })?;
    let listener = TcpListener::bind(&*addresses.collect::<Vec<_>>()).map_err(|error| {
        io::Error::new(error.kind(), format!("the console cannot listen at {address}: {error}"))
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

impl Console {
    /// Begins to make a console that listens at an address, such as `127.0.0.1:9809`. At an address
    /// that other hosts reach, it needs [TLS](ConsoleBuilder::tls) and
    /// [access](ConsoleBuilder::access).
    pub fn builder(address: impl Into<String>) -> ConsoleBuilder {
        ConsoleBuilder {
            address: address.into(),
            hosts: Vec::new(),
            tls: None,
            insecure: false,
            access: None,
            has_tokens: false,
            metrics: Vec::new(),
            checks: Vec::new(),
            pages: Router::new(),
            api: Vec::new(),
            events: Events::new(),
            limits: ConsoleLimits::default(),
            service: "service",
            upkeep: Upkeep::new(),
        }
    }

    /// The address at which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of its first page.
    pub fn url(&self) -> String {
        format!("{}://{}/", self.scheme, self.address)
    }

    /// The events for open pages.
    pub const fn events(&self) -> &Events {
        &self.events
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            // An error means that it has ended already.
            end.send(()).ok();
        }
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("address", &self.address).finish_non_exhaustive()
    }
}
