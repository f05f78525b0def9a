//! A group at a server.

use super::connection::Connection;
use super::error::Error;
use super::sink::{Reading, Sinks, Subscription};
use crate::data_access::iopc_item_mgt::{AddItems, AddItemsIn};
use crate::data_access::{
    self, IopcAsyncIo2Proxy, IopcSyncIoProxy, iopc_async_io2, iopc_sync_io, item_definition,
};
use crate::model::{Quality, Sample};
use crate::wire::text;
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;
use armilla_dcom::client::Proxy;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// How a group behaves.
#[derive(Debug, Clone)]
pub struct GroupOptions {
    /// What it is called; the server calls it something if this is empty.
    pub name: String,
    /// How often the server looks for changes.
    pub rate: Duration,
    /// Of values with a range: how many percent of the range a change is that counts.
    pub dead_band: f32,
}

impl Default for GroupOptions {
    fn default() -> Self {
        Self { name: String::new(), rate: Duration::from_secs(1), dead_band: 0.0 }
    }
}

/// Where values are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From the copy that the server keeps.
    Cache,
    /// From the device.
    Device,
}

/// An item that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// How the server names it.
    pub server_handle: u32,
    /// The type of its values.
    pub vt: u16,
    /// Whether it can be read.
    pub readable: bool,
    /// Whether it can be written.
    pub writable: bool,
}

/// A group. It is removed when this is dropped.
#[derive(Debug)]
pub struct Group {
    connection: Connection,
    items: Proxy,
    io: IopcSyncIoProxy,
    server_handle: u32,
    rate: Duration,
}

impl Group {
    pub(super) fn new(
        connection: Connection,
        items: Proxy,
        server_handle: u32,
        rate: u32,
    ) -> Result<Self, Error> {
        let io = IopcSyncIoProxy(items.query_interface(iopc_sync_io::IID)?);
        let rate = Duration::from_millis(rate.into());
        Ok(Self { connection, items, io, server_handle, rate })
    }

    /// How often the server really looks for changes.
    pub fn rate(&self) -> Duration {
        self.rate
    }

    /// Adds items; the place of an item in the list is its name in what is told. Returns what became
    /// of each.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn add(&self, ids: &[String]) -> Result<Vec<Result<Added, Status>>, Error> {
        let definition = |(place, id): (usize, &String)| item_definition::Wire {
            access_path: text(""),
            id: text(id),
            active: true.into(),
            client_handle: place as u32,
            ..Default::default()
        };
        let items: Vec<_> = ids.iter().enumerate().map(definition).collect();
        let given = AddItemsIn { count: items.len() as u32, items: items.into() };
        let made = self.items.call::<AddItems>(&given)?;
        let results = made.results.into_inner().unwrap_or_default().0;
        let results = results.into_iter().map(|result| Added {
            server_handle: result.server_handle,
            vt: result.canonical,
            readable: result.rights & 1 != 0,
            writable: result.rights & 2 != 0,
        });
        each(ids.len(), results, made.errors.into_inner().unwrap_or_default().0)
    }

    /// Reads items by the server's handles.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn read(
        &self,
        source: Source,
        handles: &[u32],
    ) -> Result<Vec<Result<Sample, Status>>, Error> {
        let source = match source {
            Source::Cache => data_access::Source::CACHE,
            Source::Device => data_access::Source::DEVICE,
        };
        let (_, states, errors) = self.io.read(source, handles.len() as u32, handles.to_vec())?;
        let states = states.into_iter().map(|state| Sample {
            value: state.value,
            quality: Quality(state.quality),
            time: state.time.to_unix(),
        });
        each(handles.len(), states, errors)
    }

    /// Writes items by the server's handles.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn write(&self, values: &[(u32, Variant)]) -> Result<Vec<Result<(), Status>>, Error> {
        let count = values.len();
        let (handles, values) = values.iter().cloned().unzip();
        let (_, errors) = self.io.write(count as u32, handles, values)?;
        each(count, std::iter::repeat_n((), count), errors)
    }

    /// Lets the server tell of changes until the subscription is dropped.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn subscribe(
        &self,
        sinks: &Sinks,
        events: SyncSender<super::Event>,
    ) -> Result<Subscription, Error> {
        Subscription::new(&self.items, sinks, events)
    }

    /// Asks the server to tell of all values again.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn refresh(&self) -> Result<(), Error> {
        let io = IopcAsyncIo2Proxy(self.items.query_interface(iopc_async_io2::IID)?);
        io.refresh(data_access::Source::CACHE, 1)?;
        Ok(())
    }

    /// Reads items as if the server had told of them.
    pub(super) fn poll(&self, items: &[(u32, u32)]) -> Result<Vec<Reading>, Error> {
        let handles: Vec<_> = items.iter().map(|(_, handle)| *handle).collect();
        let samples = self.read(Source::Cache, &handles)?;
        let reading = |((place, _), sample): (&(u32, u32), _)| Reading { place: *place, sample };
        Ok(items.iter().zip(samples).map(reading).collect())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A server that cannot be reached forgets it after a while.
        let _ = self.connection.remove_group(self.server_handle);
    }
}

/// The result or the error of each item.
fn each<T>(
    count: usize,
    results: impl ExactSizeIterator<Item = T>,
    errors: Vec<u32>,
) -> Result<Vec<Result<T, Status>>, Error> {
    if results.len() != count || errors.len() != count {
        let (results, errors) = (results.len(), errors.len());
        let what = format!("{results} results and {errors} errors for {count} items");
        return Err(Error::Server(format!("the server answers {what}")));
    }
    let one = |(result, error)| match Status(error) {
        status if status.is_failure() => Err(status),
        _ => Ok(result),
    };
    Ok(results.zip(errors).map(one).collect())
}
