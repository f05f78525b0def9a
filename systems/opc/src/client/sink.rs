//! What a server calls: the sinks of groups.

use super::error::Error;
use crate::data_access::iopc_data_callback::{
    self, OnCancelComplete, OnCancelCompleteIn, OnDataChange, OnDataChangeIn, OnReadComplete,
    OnWriteComplete, OnWriteCompleteIn,
};
use crate::data_access::iopc_shutdown::{self, ShutdownRequest, ShutdownRequestIn};
use crate::data_access::{Filetime, filetime};
use crate::model::{Quality, Sample};
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::VariantPointer;
use armilla_dcom::automation::dispatch::{
    Advise, AdviseIn, CONNECTION_POINT_CONTAINER, FindConnectionPoint, FindIn, Unadvise, UnadviseIn,
};
use armilla_dcom::client::Proxy;
use armilla_dcom::server::{Object, ObjectCall, Server, ServerBuilder, ServerOptions};
use std::net::{ToSocketAddrs, UdpSocket};
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
    pub fn address_towards(host: &str) -> Result<String, Error> {
        // Nothing is sent: the operating system only chooses a way.
        let way = UdpSocket::bind(("0.0.0.0", 0))
            .and_then(|socket| socket.connect((host, 135)).map(|()| socket))
            .and_then(|socket| socket.local_addr());
        Ok(way.map_err(Error::Sinks)?.ip().to_string())
    }
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
        let cookie = point.call::<Advise>(&AdviseIn { sink })?.cookie;
        Ok(Self { point, cookie })
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
        let event = match call.opnum {
            ShutdownRequest::OPNUM if call.iid == iopc_shutdown::IID => {
                let ShutdownRequestIn { reason } = call.arguments()?;
                Event::Ending(reason.to_text())
            }
            _ if call.iid == iopc_shutdown::IID => return Err(Status::OPERATION_OUT_OF_RANGE),
            OnDataChange::OPNUM => Event::Changed(readings(call.arguments()?).1),
            // It is given what the other one is given.
            OnReadComplete::OPNUM => {
                let (transaction, readings) = readings(call.arguments()?);
                Event::Read(transaction, readings)
            }
            OnWriteComplete::OPNUM => {
                let OnWriteCompleteIn { transaction, client_handles, errors, .. } =
                    call.arguments()?;
                let each = client_handles.0.into_iter().zip(errors.0);
                Event::Written(transaction, each.map(|(place, it)| (place, result(it))).collect())
            }
            OnCancelComplete::OPNUM => {
                let OnCancelCompleteIn { transaction, .. } = call.arguments()?;
                Event::Cancelled(transaction)
            }
            _ => return Err(Status::OPERATION_OUT_OF_RANGE),
        };
        self.0.send(event).map_err(|_| Status::DISCONNECTED)?;
        call.answer(&())
    }
}

fn result(error: u32) -> Result<(), Status> {
    if Status(error).is_failure() { Err(Status(error)) } else { Ok(()) }
}

/// The values in what a server tells, with the number by which the client knows it.
fn readings(given: OnDataChangeIn) -> (u32, Vec<Reading>) {
    let reading = |(((place, value), (quality, time)), error): (((u32, VariantPointer), _), _)| {
        let (quality, time): (u16, filetime::Wire) = (quality, time);
        let sample = result(error).map(|()| Sample {
            value: value.into_variant(),
            quality: Quality(quality),
            time: Filetime::from(time).to_unix(),
        });
        Reading { place, sample }
    };
    let values = given.client_handles.0.into_iter().zip(given.values.0);
    let each = values.zip(given.qualities.0.into_iter().zip(given.times.0)).zip(given.errors.0);
    (given.transaction, each.map(reading).collect())
}
