//! `IOPCServer`: what one client has of the server, with its groups. When the client is gone, so are
//! they.

use super::enumerator::{Elements, Enumerator};
use super::live::{Groups, LiveGroup};
use super::simulation::{Seat, Simulation};
use super::{Called, common};
use crate::data_access::{
    Filetime, IopcServer, Scope, ServerStatus, State, i_enum_string, i_enum_unknown,
    iopc_browse_server_address_space as browse, iopc_common, iopc_item_properties, iopc_server,
    iopc_shutdown,
};
use crate::model::{Branch, Group, Settings};
use crate::status::{UNSUPPORTED_RATE, text};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::server::{Object, ObjectCall};
use armilla_dcom::{ConnectionPoint, InterfacePointer};
use std::sync::{Arc, Mutex};

/// What one client has of the server.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) simulation: Arc<Simulation>,
    groups: Arc<Groups>,
    /// Where its browser stands.
    pub(super) position: Mutex<Branch>,
    pub(super) locale: Mutex<u32>,
    shutdown: Arc<ConnectionPoint>,
    _seat: Seat,
}

impl Session {
    pub(super) fn create(simulation: &Arc<Simulation>) -> Result<Arc<dyn Object>, Status> {
        let seat = simulation.enter()?;
        let shutdown = simulation.connection_point(iopc_shutdown::IID);
        simulation.add_shutdown(&shutdown);
        Ok(Arc::new(Self {
            simulation: simulation.clone(),
            groups: Arc::default(),
            position: Mutex::default(),
            locale: Mutex::new(common::ENGLISH),
            shutdown,
            _seat: seat,
        }))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.groups.remove_all();
    }
}

impl Object for Session {
    fn supports(&self, iid: Uuid) -> bool {
        let own = [iopc_server::IID, iopc_common::IID, browse::IID, iopc_item_properties::IID];
        own.contains(&iid) || iid == CONNECTION_POINT_CONTAINER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let called = Called { on: self, call };
        match call.iid {
            iopc_server::IID => iopc_server::call(&called, call),
            iopc_common::IID => iopc_common::call(&called, call),
            browse::IID => browse::call(&called, call),
            iopc_item_properties::IID => iopc_item_properties::call(&called, call),
            _ => self.shutdown.call(call),
        }
    }
}

impl Session {
    fn status(&self) -> ServerStatus {
        let (start, now) = self.simulation.times();
        ServerStatus {
            start: Filetime::from_unix(start),
            current: Filetime::from_unix(now),
            last_update: Filetime::from_unix(now),
            state: State::RUNNING,
            groups: self.groups.all().len() as u32,
            band_width: u32::MAX,
            major: 1,
            minor: 0,
            build: 0,
            reserved: 0,
            vendor: Some("Armilla, a simulated plant".to_owned()),
        }
    }
}

impl IopcServer for Called<'_, Session> {
    fn add_group(
        &self,
        name: String,
        active: i32,
        rate: u32,
        client_handle: u32,
        bias: Option<i32>,
        dead_band: Option<f32>,
        locale: u32,
        iid: Uuid,
    ) -> Result<(Status, u32, u32, Option<InterfacePointer>), Status> {
        let Session { simulation, groups, .. } = self.on;
        let (dead_band, bias) = (dead_band.unwrap_or_default(), bias.unwrap_or_default());
        if !(0.0..=100.0).contains(&dead_band) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let active = active != 0;
        let settings = Settings { name, active, rate, dead_band, bias, locale, client_handle };
        let model = Group::new(settings, simulation.now());
        let revised = model.settings.rate;
        let group = groups.add(simulation, model)?;
        let pointer = groups.pointer(self.call, &group, iid).inspect_err(|_| {
            // It has just been added.
            let _ = groups.remove(group.handle);
        })?;
        let status = if revised == rate { Status::OK } else { UNSUPPORTED_RATE };
        Ok((status, group.handle, revised, Some(pointer)))
    }

    fn get_error_string(&self, error: u32, _locale: u32) -> Result<Option<String>, Status> {
        Ok(Some(text(Status(error))))
    }

    fn get_group_by_name(
        &self,
        name: String,
        iid: Uuid,
    ) -> Result<Option<InterfacePointer>, Status> {
        let found = self.on.groups.find(&name).ok_or(Status::INVALID_ARGUMENT)?;
        self.on.groups.pointer(self.call, &found, iid).map(Some)
    }

    fn get_status(&self) -> Result<Option<ServerStatus>, Status> {
        Ok(Some(self.on.status()))
    }

    fn remove_group(&self, server_handle: u32, _force: i32) -> Result<(), Status> {
        self.on.groups.remove(server_handle)
    }

    /// All groups are private: other scopes are those or none.
    fn create_group_enumerator(
        &self,
        scope: Scope,
        iid: Uuid,
    ) -> Result<(Status, Option<InterfacePointer>), Status> {
        let groups = match scope {
            Scope::PUBLIC_REFERENCES | Scope::PUBLIC => Vec::new(),
            _ => self.on.groups.all(),
        };
        let names = |group: &Arc<LiveGroup>| group.model().settings.name.clone();
        let elements = match iid {
            i_enum_string::IID => Elements::Strings(groups.iter().map(names).collect()),
            i_enum_unknown::IID => {
                Elements::Objects(groups.into_iter().map(|it| it as Arc<dyn Object>).collect())
            }
            _ => return Err(Status::NO_INTERFACE),
        };
        let status = if elements.is_empty() { Status::FALSE } else { Status::OK };
        Ok((status, Some(Enumerator::pointer(self.call, elements)?)))
    }
}
