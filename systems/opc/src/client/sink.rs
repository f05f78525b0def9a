//! What a server calls: the sinks of groups.

use super::error::Error;
use crate::data_access::{
    Filetime, IopcDataCallback, IopcShutdown, iopc_data_callback, iopc_shutdown,
};
use crate::model::{Quality, Sample};
use armilla_dcerpc::ndr::Unique;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{
    Advise, AdviseIn, CONNECTION_POINT_CONTAINER, FindConnectionPoint, FindIn, Unadvise, UnadviseIn,
};
use armilla_dcom::client::Proxy;
use armilla_dcom::server::{Object, ObjectCall, Server, ServerBuilder, ServerOptions};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// Where servers call sinks. It ends when this is dropped.
#[derive(Debug)]
pub struct Sinks {
    server: Server,
}

impl Sinks {
    /// Listens for servers, which have to be of this account; with `anybody` they need no security.
    /// `at` is the address and port, and `names` are what servers call this host, if not the address.
    ///
    /// # Errors
    ///
    /// [`Error::Sinks`]
    pub fn listen(
        at: impl ToSocketAddrs,
        names: Vec<String>,
        account: &Credentials,
        anybody: bool,
    ) -> Result<Self, Error> {
        let mut options = ServerOptions { names, ..ServerOptions::new("SINK") };
        if anybody {
            options.rpc.server.min_level = AuthLevel::None;
            options.rpc.ntlm.allow_anonymous = true;
            options.allow_unsecured_pings = true;
        }
        let account = account.clone();
        let server = ServerBuilder::new(options).accounts(move |user, _| account.hash_of(user));
        Ok(Self { server: server.listen(at).map_err(Error::Sinks)? })
    }

    /// The address of this host from which a server is reached, and so the one by which it reaches
    /// this host, unless addresses are translated in between.
    ///
    /// # Errors
    ///
    /// [`Error::Sinks`] if there is no way to that host.
    pub fn address_towards(host: &str) -> Result<IpAddr, Error> {
        let targets = (host, 135).to_socket_addrs().map_err(Error::Sinks)?;
        let mut way = Err(ErrorKind::AddrNotAvailable.into());
        for target in targets {
            way = way_towards(target);
            if way.is_ok() {
                break;
            }
        }
        way.map_err(Error::Sinks)
    }
}

/// Nothing is sent: the operating system only chooses a way.
fn way_towards(target: SocketAddr) -> io::Result<IpAddr> {
    let any: IpAddr = match target {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(target)?;
    Ok(socket.local_addr()?.ip())
}

/// What a server tells.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// Values have changed, or were asked for.
    Changed(Vec<Reading>),
    /// Values that were read.
    Read(u32, Vec<Reading>),
    /// What became of each item that was written, by its place in the list of those added.
    Written(u32, Vec<(u32, Result<(), Status>)>),
    /// A read or write was cancelled.
    Cancelled(u32),
    /// The server ends, for this reason.
    Ending(String),
}

/// The value of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The place of the item in the list of those added.
    pub place: u32,
    /// Its value, or why it has none.
    pub sample: Result<Sample, Status>,
}

/// The connection of a sink with a group. It ends when this is dropped.
#[derive(Debug)]
pub struct Subscription {
    point: Proxy,
    cookie: u32,
}

impl Subscription {
    pub(super) fn new(
        group: &Proxy,
        sinks: &Sinks,
        events: SyncSender<Event>,
    ) -> Result<Self, Error> {
        let container = group.query_interface(CONNECTION_POINT_CONTAINER.uuid)?;
        Self::at(&container, sinks, iopc_data_callback::IID, events)
    }

    /// Connects a sink with an interface of events of any object.
    pub(super) fn at(
        container: &Proxy,
        sinks: &Sinks,
        iid: Uuid,
        events: SyncSender<Event>,
    ) -> Result<Self, Error> {
        let found = container.call::<FindConnectionPoint>(&FindIn { iid })?;
        let point = container.pointer(&found.pointer)?;
        let point =
            point.ok_or_else(|| Error::Server("there is no connection point".to_string()))?;
        let sink = Arc::new(Sink(events));
        let sink = sinks.server.exports().pointer(sink, iid);
        let failed = |status| Error::Server(format!("no sink can be made: {status}"));
        let sink = Unique::new(sink.map_err(failed)?);
        let advised = point.call::<Advise>(&AdviseIn { sink });
        let advised = advised.map_err(|error| match error.status() {
            Some(Status::CANNOT_CONNECT) => Error::Uncalled(error),
            _ => error.into(),
        });
        Ok(Self { point, cookie: advised?.cookie })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A server that cannot be reached finds the sink gone.
        let _ = self.point.call::<Unadvise>(&UnadviseIn { cookie: self.cookie });
    }
}

/// Hands on what a server tells. If nobody takes it, the server waits.
struct Sink(SyncSender<Event>);

impl Object for Sink {
    fn supports(&self, iid: Uuid) -> bool {
        iid == iopc_data_callback::IID || iid == iopc_shutdown::IID
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.iid {
            iopc_shutdown::IID => iopc_shutdown::call(self, call),
            _ => iopc_data_callback::call(self, call),
        }
    }
}

impl Sink {
    fn tell(&self, event: Event) -> Result<(), Status> {
        self.0.send(event).map_err(|_| Status::DISCONNECTED)
    }
}

impl IopcShutdown for Sink {
    fn shutdown_request(&self, reason: String) -> Result<(), Status> {
        self.tell(Event::Ending(reason))
    }
}

#[allow(clippy::too_many_arguments)]
impl IopcDataCallback for Sink {
    fn on_data_change(
        &self,
        _transaction: u32,
        _group: u32,
        _master_quality: u32,
        _master_error: u32,
        _count: u32,
        client_handles: Vec<u32>,
        values: Vec<Variant>,
        qualities: Vec<u16>,
        times: Vec<Filetime>,
        errors: Vec<u32>,
    ) -> Result<(), Status> {
        let samples = values.into_iter().zip(qualities).zip(times);
        self.tell(Event::Changed(readings(client_handles, samples, errors)))
    }

    fn on_read_complete(
        &self,
        transaction: u32,
        _group: u32,
        _master_quality: u32,
        _master_error: u32,
        _count: u32,
        client_handles: Vec<u32>,
        values: Vec<Variant>,
        qualities: Vec<u16>,
        times: Vec<Filetime>,
        errors: Vec<u32>,
    ) -> Result<(), Status> {
        let samples = values.into_iter().zip(qualities).zip(times);
        self.tell(Event::Read(transaction, readings(client_handles, samples, errors)))
    }

    fn on_write_complete(
        &self,
        transaction: u32,
        _group: u32,
        _master_error: u32,
        _count: u32,
        client_handles: Vec<u32>,
        errors: Vec<u32>,
    ) -> Result<(), Status> {
        let each = client_handles.into_iter().zip(errors);
        let each = each.map(|(place, error)| (place, result(error))).collect();
        self.tell(Event::Written(transaction, each))
    }

    fn on_cancel_complete(&self, transaction: u32, _group: u32) -> Result<(), Status> {
        self.tell(Event::Cancelled(transaction))
    }
}

fn result(error: u32) -> Result<(), Status> {
    if Status(error).is_failure() { Err(Status(error)) } else { Ok(()) }
}

/// The values in what a server tells, with the numbers by which the client knows them.
fn readings(
    places: Vec<u32>,
    samples: impl Iterator<Item = ((Variant, u16), Filetime)>,
    errors: Vec<u32>,
) -> Vec<Reading> {
    let each = places.into_iter().zip(samples).zip(errors);
    let each = each.map(|((place, ((value, quality), time)), error)| {
        let quality = Quality(quality);
        let sample = result(error).map(|()| Sample { value, quality, time: time.to_unix() });
        Reading { place, sample }
    });
    each.collect()
}
