//! A connection to a server.

use super::error::Error;
use super::group::{Group, GroupOptions};
use super::list;
use super::target::{Class, Target};
use crate::wire::item_management::ITEM_MANAGEMENT;
use crate::wire::server::{AddGroup, AddGroupIn, GetStatus, RemoveGroup, RemoveGroupIn, SERVER};
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Unique, WideString};
use armilla_dcom::client::{Client, Proxy};
use std::time::Duration;

/// A server that was activated for this client. Cheap to clone; use it from any thread.
#[derive(Debug, Clone)]
pub struct Connection {
    server: Proxy,
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
        let server = client.activate(&target.host, class, SERVER.uuid)?;
        Ok(Self { server })
    }

    /// Another interface of the server.
    pub(super) fn interface(&self, iid: Uuid) -> Result<Proxy, Error> {
        Ok(self.server.query_interface(iid)?)
    }

    /// What the server says of itself.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn state(&self) -> Result<ServerState, Error> {
        let found = self.server.call::<GetStatus>(&())?.status.into_inner();
        let found = found.ok_or_else(|| Error::Server("the server has no status".to_string()))?;
        let state = STATES.get(usize::from(found.state)).unwrap_or(&STATES[0]);
        Ok(ServerState {
            state,
            vendor: found.vendor.get().map(WideString::to_text).unwrap_or_default(),
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
        let given = AddGroupIn {
            name: WideString::from(&*options.name),
            active: 1,
            rate: u32::try_from(options.rate.as_millis()).unwrap_or(u32::MAX),
            client_handle: 1,
            bias: Unique::NULL,
            dead_band: Unique::new(options.dead_band),
            locale: 0,
            iid: ITEM_MANAGEMENT.uuid,
        };
        let made = self.server.call::<AddGroup>(&given)?;
        let items = self.server.pointer(&made.group)?;
        let items = items.ok_or_else(|| Error::Server("the server gives no group".to_string()))?;
        Group::new(self.clone(), items, made.server_handle, made.rate).inspect_err(|_| {
            // What is left of it ends with the connection.
            let _ = self.remove_group(made.server_handle);
        })
    }

    pub(super) fn remove_group(&self, server_handle: u32) -> Result<(), Error> {
        Ok(self.server.call::<RemoveGroup>(&RemoveGroupIn { server_handle, force: 1 })?)
    }
}
