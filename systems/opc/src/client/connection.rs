//! A connection to a server.

use super::error::Error;
use super::group::{Group, GroupOptions};
use super::list;
use super::target::{Class, Target};
use crate::data_access::{IopcServerProxy, iopc_item_mgt, iopc_server};
use armilla_dcerpc::Uuid;
use armilla_dcom::client::{Client, Proxy};
use std::time::Duration;

/// A server that was activated for this client. Cheap to clone; use it from any thread.
#[derive(Debug, Clone)]
pub struct Connection {
    server: IopcServerProxy,
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerState {
    /// In words.
    pub state: &'static str,
    /// Who made it.
    pub vendor: String,
    /// Its version.
    pub version: String,
    /// Since when it runs, as the time after 1970.
    pub started: Duration,
    /// What time it has.
    pub now: Duration,
    /// How many groups it has.
    pub groups: u32,
}

const STATES: [&str; 7] = [
    "unknown",
    "running",
    "failed",
    "not configured",
    "suspended",
    "in test mode",
    "not connected",
];

impl Connection {
    /// Activates a server.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn open(client: &Client, target: &Target) -> Result<Self, Error> {
        let class = match &target.class {
            Class::Id(class) => *class,
            Class::ProgId(name) => list::class(client, &target.host, name)?,
            Class::None => {
                let what = "the URL names no server: armilla-opc list shows those of the host";
                return Err(Error::Server(what.to_string()));
            }
        };
        let server = client.activate(&target.host, class, iopc_server::IID)?;
        Ok(Self { server: IopcServerProxy(server) })
    }

    /// Another interface of the server.
    pub(super) fn interface(&self, iid: Uuid) -> Result<Proxy, Error> {
        Ok(self.server.0.query_interface(iid)?)
    }

    /// What the server says of itself.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn state(&self) -> Result<ServerState, Error> {
        let found = self.server.get_status()?;
        let found = found.ok_or_else(|| Error::Server("the server has no status".to_string()))?;
        let state = usize::try_from(found.state.0).ok().and_then(|state| STATES.get(state));
        Ok(ServerState {
            state: state.unwrap_or(&STATES[0]),
            vendor: found.vendor.unwrap_or_default(),
            version: format!("{}.{}.{}", found.major, found.minor, found.build),
            started: found.start.to_unix(),
            now: found.current.to_unix(),
            groups: found.groups,
        })
    }

    /// A new group. It is removed when it is dropped.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn add_group(&self, options: &GroupOptions) -> Result<Group, Error> {
        let rate = u32::try_from(options.rate.as_millis()).unwrap_or(u32::MAX);
        let (name, dead_band) = (options.name.clone(), Some(options.dead_band));
        let iid = iopc_item_mgt::IID;
        let made = self.server.add_group(name, 1, rate, 1, None, dead_band, 0, iid)?;
        let (_, handle, rate, group) = made;
        let items = self.server.0.pointer(&group.into())?;
        let items = items.ok_or_else(|| Error::Server("the server gives no group".to_string()))?;
        Group::new(self.clone(), items, handle, rate).inspect_err(|_| {
            // What is left of it ends with the connection.
            let _ = self.remove_group(handle);
        })
    }

    pub(super) fn remove_group(&self, server_handle: u32) -> Result<(), Error> {
        Ok(self.server.remove_group(server_handle, 1)?)
    }
}
