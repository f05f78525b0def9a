//! The side that listens: endpoints that wait to be collected.

mod handshake;
mod offers;
mod unproven;

use crate::carrier::{Acceptor, Connection, transport};
use crate::flow::{FlowEnd, Link};
use crate::idle::{GRACE, Idle};
use crate::limits::FlowOptions;
use crate::protected::{Protected, is_needed};
use crate::reach::Reach;
use crate::{FlowControl, FlowEndPoint, FlowSpec, StreamError, Token};
use armilla_ipc::{Address, PrivateDirectory, host};
use handshake::Place;
use offers::{Offers, Waiting};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use unproven::Unproven;

/// Listens for the flows of a process, over every transport that it was given.
///
/// An endpoint that it [offers](Self::offer) has a token that is of use once, within
/// [`offer_lifetime`](ListenerBuilder::offer_lifetime); a connection that shows no valid token
/// within the connect timeout is closed. Each flow has a thread; a connection that waits for its next
/// flow has none, and makes room when there are too many. Clones share the listener,
/// from any thread; when the last one is dropped it stops listening, and flows that have begun go
/// on.
///
/// ```
/// use armilla_stream::{FlowConsumer, FlowOptions, FlowProducer, FlowSpec, Listener, connect};
/// use std::io::{Read, Write};
///
/// let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start()?;
/// let spec = FlowSpec { size: 5, ..FlowSpec::default() };
/// // The caller gets the endpoint and the specification by a call of any operation …
/// let (endpoint, offer) = listener.offer::<FlowProducer>(spec.offset, &["unix", "tcp"])?;
/// let sent = std::thread::spawn({
///     let spec = spec.clone();
///     move || {
///         let mut producer = offer.wait(spec)?;
///         producer.write_all(b"hello")?;
///         producer.finish()
///     }
/// });
/// // … and collects it.
/// let options = FlowOptions::default();
/// let mut consumer = connect::<FlowConsumer>(&endpoint, &spec, &options)?;
/// let mut text = String::new();
/// consumer.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// assert_eq!(sent.join().unwrap()?.octets, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Listener(Arc<Listening>);

/// A listener to be started.
#[derive(Debug)]
#[must_use = "only `start` starts the listener"]
pub struct ListenerBuilder {
    tcp: Vec<(String, u16)>,
    protected: Vec<(String, u16)>,
    publish: Option<String>,
    unix: bool,
    shm: bool,
    lifetime: Duration,
    max_offers: usize,
    max_connections: usize,
    reach: Reach,
    options: FlowOptions,
}

struct Listening {
    shared: Arc<Shared>,
    /// Where it listens, as the other side is told.
    addresses: Vec<Address>,
    /// The same over transports that encrypt, with the name of the transport.
    protected: Vec<(String, String)>,
    acceptors: Vec<Arc<Acceptor>>,
    lifetime: Duration,
    reach: Reach,
    /// Removed when nobody listens any more.
    _directory: Option<PrivateDirectory>,
}

/// What the threads of a listener need.
struct Shared {
    offers: Offers,
    connections: AtomicUsize,
    max_connections: usize,
    options: FlowOptions,
    idle: Idle<Place>,
    unproven: Unproven,
}

impl Listener {
    /// Begins to make a listener.
    pub fn builder() -> ListenerBuilder {
        ListenerBuilder {
            tcp: Vec::new(),
            protected: Vec::new(),
            publish: None,
            unix: false,
            shm: false,
            lifetime: Duration::from_secs(30),
            max_offers: 1024,
            max_connections: 256,
            reach: Reach::default(),
            options: FlowOptions::default(),
        }
    }

    /// Offers an endpoint to a side that can connect over these transports. The flow begins at
    /// `offset` of the whole.
    ///
    /// # Errors
    /// [`NoTransport`](StreamError::NoTransport) if this side listens over none of them,
    /// [`TooManyOffers`](StreamError::TooManyOffers), or the system has no thread or random number.
    pub fn offer<E: FlowEnd>(
        &self,
        offset: u64,
        connects: &[impl AsRef<str>],
    ) -> Result<(FlowEndPoint, Offer<E>), StreamError> {
        let (deliver, delivered) = mpsc::sync_channel(1);
        let deliver = Box::new(move |connection| {
            // The program may have lost interest; the connection then closes.
            deliver.send(connection).ok();
        });
        let endpoint = self.offer_to(offset, u64::MAX, connects, deliver)?;
        let token = Token::from_octets(&endpoint.token);
        let (shared, options) = (Arc::clone(&self.0.shared), self.0.shared.options.clone());
        let (control, end) = (FlowControl::new(), PhantomData);
        Ok((endpoint, Offer { delivered, token, shared, options, control, end }))
    }

    /// Offers an endpoint, and hands its connection over in a thread of its own.
    pub(crate) fn offer_to(
        &self,
        offset: u64,
        size: u64,
        connects: &[impl AsRef<str>],
        deliver: offers::Deliver,
    ) -> Result<FlowEndPoint, StreamError> {
        let protected = is_needed();
        let offers = |name: &str| {
            connects.iter().any(|other| other.as_ref() == name) && !(protected && name == "tcp")
        };
        let plain = self.0.addresses.iter();
        let plain = plain.filter(|address| transport(address).is_some_and(offers));
        let encrypted = self.0.protected.iter().filter(|(name, _)| offers(name));
        let encrypted = encrypted.map(|(_, address)| address.clone());
        let r#where: Vec<_> = plain.map(Address::to_string).chain(encrypted).collect();
        if r#where.is_empty() {
            let theirs: Vec<_> = connects.iter().map(AsRef::as_ref).collect();
            let ours = self.0.addresses.iter().map(Address::to_string);
            let ours: Vec<_> = ours.chain(self.0.protected.iter().map(|it| it.1.clone())).collect();
            let clear = match protected {
                true => {
                    "; the call has come encrypted, so no flow goes in clear: this side needs \
                         `ListenerBuilder::protected`, the other one `FlowOptions::of` its ORB and \
                         `FlowRequest::connecting_with`"
                }
                false => "",
            };
            return Err(StreamError::NoTransport(format!(
                "it listens at {ours:?}, and the other side connects over {theirs:?}{clear}"
            )));
        }
        let token = Token::random().map_err(StreamError::System)?;
        let octets = token.octets().to_vec();
        self.0.shared.offers.add(
            token,
            self.0.lifetime,
            Waiting { offset, size, protected, deliver },
        )?;
        let lifetime = u32::try_from(self.0.lifetime.as_millis()).unwrap_or(u32::MAX);
        Ok(FlowEndPoint { r#where, token: octets, lifetime })
    }

    /// Where it listens, as other sides are told, but over transports that encrypt.
    pub fn addresses(&self) -> &[Address] {
        &self.0.addresses
    }

    /// How many endpoints wait to be collected.
    pub fn offers(&self) -> usize {
        self.0.shared.offers.len()
    }

    /// How many connections it has, those that wait for their next flow included.
    pub fn connections(&self) -> usize {
        self.0.shared.connections.load(Ordering::Acquire)
    }

    /// Where it connects to for callers that listen.
    pub fn reach(&self) -> &Reach {
        &self.0.reach
    }

    /// The right to one more connection, if there may be one.
    pub(crate) fn take_place(&self) -> Option<Place> {
        Place::take(&self.0.shared)
    }

    /// What its flows are limited by.
    pub fn options(&self) -> &FlowOptions {
        &self.0.shared.options
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("addresses", &self.0.addresses).finish_non_exhaustive()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.acceptors.iter().for_each(|acceptor| acceptor.role().close());
        self.shared.offers.close();
        self.shared.idle.close();
    }
}

impl ListenerBuilder {
    /// Listens over TCP at a host, a name or an address, and a port, 0 for any.
    pub fn tcp(mut self, host: impl Into<String>, port: u16) -> Self {
        self.tcp.push((host.into(), port));
        self
    }

    /// Listens over a transport that encrypts, as `armilla_tls::Tls` with a certificate: at a host, a
    /// name or an address, and a port, 0 for any. Flows to which this listener connects itself go over
    /// it, too. A caller whose call has come encrypted gets no other flow but one that stays on this
    /// host.
    ///
    /// Where the transport is that of the ORB, hosts that the ORB has banned are not let in here
    /// either.
    pub fn protected(mut self, transport: Protected, host: impl Into<String>, port: u16) -> Self {
        self.protected.push((host.into(), port));
        self.options.protected = Some(transport);
        self
    }

    /// The host that other sides are told for TCP: one that they can reach behind address
    /// translation. By default the host at which it listens, and where that is every one, the main
    /// address of this host.
    pub fn publish_host(mut self, host: impl Into<String>) -> Self {
        self.publish = Some(host.into());
        self
    }

    /// Listens over a Unix-domain socket, for processes of the same user on this host.
    pub const fn unix(mut self) -> Self {
        self.unix = true;
        self
    }

    /// Listens over shared memory, for processes of the same user on this host.
    pub const fn shared_memory(mut self) -> Self {
        self.shm = true;
        self
    }

    /// How long an endpoint waits to be collected. Default: 30 s.
    pub const fn offer_lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// How many endpoints may wait to be collected. Default: 1024.
    pub const fn max_offers(mut self, most: usize) -> Self {
        self.max_offers = most;
        self
    }

    /// How many connections there may be, those that have not shown a token yet included. These
    /// make room for others if they take longer than a second, then those that wait for their next
    /// flow, then those that have just come; so who shows nothing keeps nobody out. Default: 256.
    pub const fn max_connections(mut self, most: usize) -> Self {
        self.max_connections = most;
        self
    }

    /// Where it connects to for callers that listen themselves. Default: where the caller is.
    pub fn reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Limits of the flows that begin here, and options of their connections.
    pub fn options(mut self, options: FlowOptions) -> Self {
        let protected = options.protected.clone().or(self.options.protected.take());
        self.options = FlowOptions { protected, ..options };
        self
    }

    /// Starts listening.
    ///
    /// # Errors
    /// An address is taken or is not of this host, no transport was chosen, or the system lacks a
    /// thread.
    pub fn start(self) -> io::Result<Listener> {
        let mut places = Vec::new();
        let local = self.unix || self.shm;
        let directory = if local { Some(PrivateDirectory::new("armilla-flows-")?) } else { None };
        if let Some(directory) = &directory {
            // By preference: a socket moves a file without a copy.
            places.extend(self.unix.then(|| Address::unix(directory.path().join("flow"))));
            places.extend(self.shm.then(|| Address::shm(directory.path().join("memory"))));
        }
        places.extend(self.tcp.iter().map(|(host, port)| Address::tcp(host, *port)));
        if places.is_empty() && self.protected.is_empty() {
            let what = "a listener needs a transport: tcp, unix, shared_memory or protected";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let stream = self.options.of_connections();
        let mut acceptors = places
            .iter()
            .map(|place| Acceptor::bind(place, &stream).map(Arc::new))
            .collect::<io::Result<Vec<_>>>()?;
        let addresses = acceptors.iter().map(|acceptor| self.published(acceptor)).collect();
        let protected = self.listen_protected(&mut acceptors)?;
        let shared = Arc::new(Shared {
            offers: Offers::new(self.max_offers),
            connections: AtomicUsize::new(0),
            max_connections: self.max_connections,
            options: self.options,
            idle: Idle::new(GRACE, handshake::go_on),
            unproven: Unproven::default(),
        });
        let (lifetime, reach) = (self.lifetime, self.reach);
        let _directory = directory;
        let listening =
            Listening { shared, addresses, protected, acceptors, lifetime, reach, _directory };
        for acceptor in &listening.acceptors {
            let (acceptor, shared) = (Arc::clone(acceptor), Arc::clone(&listening.shared));
            let thread = thread::Builder::new().name("armilla-flows".to_owned());
            thread.spawn(move || handshake::accept_all(&acceptor, &shared))?;
        }
        Ok(Listener(Arc::new(listening)))
    }

    /// Listens over the transport that encrypts, and returns the addresses.
    fn listen_protected(
        &self,
        acceptors: &mut Vec<Arc<Acceptor>>,
    ) -> io::Result<Vec<(String, String)>> {
        let Some(transport) = &self.options.protected else { return Ok(Vec::new()) };
        let mut addresses = Vec::new();
        for (host, port) in &self.protected {
            let (listening, (host, port)) = transport.listen(host, *port)?;
            acceptors.push(Arc::new(Acceptor::Protected(listening.acceptor)));
            let host = self.publish.as_ref().unwrap_or(&host);
            addresses.push((transport.name().to_owned(), transport.address(host, port)));
        }
        Ok(addresses)
    }

    fn published(&self, acceptor: &Acceptor) -> Address {
        match acceptor.role().local() {
            Address::Tcp { host: bound, port } => {
                let every = matches!(bound.as_str(), "0.0.0.0" | "::");
                let host = match &self.publish {
                    Some(name) => name.clone(),
                    None if every => host::primary_address().to_string(),
                    None => bound.clone(),
                };
                Address::tcp(host, *port)
            }
            other => other.clone(),
        }
    }
}

/// An endpoint that waits to be collected. Dropping it withdraws the endpoint.
#[derive(Debug)]
pub struct Offer<E> {
    delivered: mpsc::Receiver<Result<Connection, StreamError>>,
    token: Option<Token>,
    shared: Arc<Shared>,
    options: FlowOptions,
    control: FlowControl,
    end: PhantomData<fn() -> E>,
}

impl<E: FlowEnd> Offer<E> {
    /// Waits until the other side has connected, and begins the flow that was agreed on.
    ///
    /// # Errors
    /// [`NotCollected`](StreamError::NotCollected) when the lifetime of the endpoint is over.
    pub fn wait(self, spec: FlowSpec) -> Result<E, StreamError> {
        let made = self.delivered.recv().unwrap_or(Err(StreamError::NotCollected))?;
        Ok(begin(made, self.control.clone(), &self.options, spec))
    }

    /// Controls the flow, also before it begins.
    pub fn control(&self) -> FlowControl {
        self.control.clone()
    }
}

impl<E> Drop for Offer<E> {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            self.shared.offers.take(token);
        }
    }
}

/// Begins a flow over a connection whose sides have greeted each other.
pub(crate) fn begin<E: FlowEnd>(
    connection: Connection,
    control: FlowControl,
    options: &FlowOptions,
    spec: FlowSpec,
) -> E {
    E::from_link(Link::begin(connection, control, options, spec))
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("offers", &self.offers.len()).finish_non_exhaustive()
    }
}
