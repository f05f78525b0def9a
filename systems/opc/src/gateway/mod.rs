//! An OPC server as an object of CORBA: `idl/opc.idl`.

mod observing;
mod values;

use crate::client::{Connection, Entry, Error as OpcError, GroupOptions, Sinks, Source, Target};
use crate::idl::opc as idl;
use crate::idl::opc::server::{BrowseRaises, ReadRaises, WatchRaises, WriteRaises};
use crate::idl::opc::{ObserverRef, Reading, Refused, Unavailable};
use crate::model::convert;
use crate::status::text;
use armilla::{Any, Error, ExceptionKind, SystemException};
use armilla_dcerpc::Status;
use armilla_dcom::client::Client;
use observing::Observers;
use std::sync::{Arc, Mutex, PoisonError};

/// The servant of `OPC::Server`. It connects when it is called, and again when the server was lost.
#[derive(Debug)]
pub struct Gateway {
    client: Client,
    target: Target,
    connection: Mutex<Option<Connection>>,
    observers: Observers,
}

impl Gateway {
    /// The gateway to a server, which calls `sinks`; without them it is asked.
    pub fn new(client: Client, target: Target, sinks: Option<Sinks>) -> Self {
        let observers = Observers::new(client.clone(), target.clone(), sinks.map(Arc::new));
        Self { client, target, connection: Mutex::default(), observers }
    }

    fn connection(&self) -> Result<Connection, OpcError> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = &*kept {
            return Ok(connection.clone());
        }
        let connection = Connection::open(&self.client, &self.target)?;
        Ok(kept.insert(connection).clone())
    }

    /// Does something with the server. After a failure the next call connects anew.
    fn with<T>(
        &self,
        act: impl FnOnce(&Connection) -> Result<T, OpcError>,
    ) -> Result<T, Unavailable> {
        let done = self.connection().and_then(|connection| act(&connection));
        done.map_err(|error| {
            *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Unavailable { reason: error.to_string() }
        })
    }

    /// Ends all observers.
    pub fn end(&self) {
        self.observers.end();
    }
}

/// An item with one result.
fn one(result: Option<Result<(), Status>>) -> Result<(), Status> {
    result.unwrap_or(Err(Status::UNEXPECTED))
}

impl idl::Server for Gateway {
    fn browse(&self, branch: &[String]) -> Result<Vec<String>, Error<BrowseRaises>> {
        let found = self.with(|connection| connection.browse(branch, true))?;
        let items = found.into_iter().filter_map(|entry| match entry {
            Entry::Item(id) => Some(id),
            Entry::Branch(_) => None,
        });
        Ok(items.collect())
    }

    fn read(&self, items: &[String]) -> Result<Vec<Reading>, Error<ReadRaises>> {
        let samples = self.with(|connection| {
            let group = connection.add_group(&GroupOptions::default())?;
            let added = group.add(items)?;
            let handles: Vec<_> = added.iter().flatten().map(|it| it.server_handle).collect();
            let mut read = match handles.is_empty() {
                true => Vec::new(),
                false => group.read(Source::Device, &handles)?,
            }
            .into_iter();
            let sample = |added: Result<_, Status>| {
                added.and_then(|_| read.next().unwrap_or(Err(Status::UNEXPECTED)))
            };
            Ok(added.into_iter().map(sample).collect::<Vec<_>>())
        })?;
        let each = items.iter().zip(&samples);
        Ok(each.map(|(id, sample)| values::reading(id, sample)).collect::<Result<_, _>>()?)
    }

    fn write(&self, item: &str, value: &Any) -> Result<(), Error<WriteRaises>> {
        let value = values::variant(value)?;
        let written = self.with(|connection| {
            let group = connection.add_group(&GroupOptions::default())?;
            let added = group.add(&[item.to_string()])?.into_iter().next();
            let added = added.unwrap_or(Err(Status::UNEXPECTED));
            match added.and_then(|it| Ok((it.server_handle, convert(&value, it.vt)?))) {
                Ok(pair) => Ok(one(group.write(&[pair])?.into_iter().next())),
                Err(status) => Ok(Err(status)),
            }
        })?;
        let item = item.to_string();
        Ok(written.map_err(|status| Refused { item, status: status.0, reason: text(status) })?)
    }

    fn watch(
        &self,
        items: &[String],
        rate: u32,
        told: &ObserverRef,
    ) -> Result<u32, Error<WatchRaises>> {
        if told.is_nil() {
            Err(ExceptionKind::BadParam.because("the observer is nil"))?;
        }
        // Whoever watches is told at once if there is no server.
        self.with(Connection::state)?;
        let number = self.observers.add(items, rate, told);
        Ok(number.ok_or_else(|| Unavailable { reason: "there are too many observers".into() })?)
    }

    fn unwatch(&self, number: u32) -> Result<(), SystemException> {
        self.observers.remove(number);
        Ok(())
    }
}
