//! `IOPCServer`: what one client has of the server, with its groups. When the client is gone, so are
//! they.

use super::enumerator::{Elements, Enumerator};
use super::live::{Groups, LiveGroup};
use super::simulation::{Seat, Simulation};
use super::{browsing, common};
use crate::model::{Branch, Group, Settings};
use crate::status::{UNSUPPORTED_RATE, text};
use crate::wire::browse::BROWSE;
use crate::wire::callback::SHUTDOWN;
use crate::wire::common::COMMON;
use crate::wire::enumerators::{ENUM_STRING, ENUM_UNKNOWN};
use crate::wire::properties::PROPERTIES;
use crate::wire::server::{
    AddGroup, AddGroupIn, AddGroupOut, CreateGroupEnumerator, ErrorStringIn, ErrorStringOut,
    GetErrorString, GetGroupByName, GetStatus, GetStatusOut, GroupByNameIn, GroupEnumeratorIn,
    PointerOut, RemoveGroup, RemoveGroupIn, SERVER,
};
use crate::wire::{FileTime, ServerStatus};
use armilla_dcerpc::ndr::{Operation, Unique, WideString};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::ConnectionPoint;
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::server::{Object, ObjectCall};
use std::sync::{Arc, Mutex};

/// The server is up and running (`OPC_STATUS_RUNNING`).
const RUNNING: u16 = 1;

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
        let shutdown = simulation.connection_point(SHUTDOWN.uuid);
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
        let all = [SERVER, COMMON, BROWSE, PROPERTIES, CONNECTION_POINT_CONTAINER];
        all.iter().any(|interface| interface.uuid == iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.iid {
            iid if iid == SERVER.uuid => self.serve(call),
            iid if iid == COMMON.uuid => common::call(self, call),
            iid if iid == BROWSE.uuid => browsing::call(self, call),
            iid if iid == PROPERTIES.uuid => browsing::properties(self, call),
            _ => self.shutdown.call(call),
        }
    }
}

impl Session {
    fn serve(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            AddGroup::OPNUM => self.add_group(call),
            GetErrorString::OPNUM => {
                let ErrorStringIn { error, .. } = call.arguments()?;
                let text = Unique::new(WideString::from(&*text(Status(error))));
                call.answer(&ErrorStringOut { text })
            }
            GetGroupByName::OPNUM => {
                let GroupByNameIn { name, iid } = call.arguments()?;
                let found = self.groups.find(&name.to_text()).ok_or(Status::INVALID_ARGUMENT)?;
                let pointer = self.groups.pointer(call, &found, iid)?;
                call.answer(&PointerOut { pointer: Unique::new(pointer) })
            }
            GetStatus::OPNUM => call.answer(&GetStatusOut { status: Unique::new(self.status()) }),
            RemoveGroup::OPNUM => {
                let RemoveGroupIn { server_handle, .. } = call.arguments()?;
                self.groups.remove(server_handle)?;
                call.answer(&())
            }
            CreateGroupEnumerator::OPNUM => self.enumerate(call),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }

    fn add_group(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let given: AddGroupIn = call.arguments()?;
        let dead_band = given.dead_band.into_inner().unwrap_or_default();
        if !(0.0..=100.0).contains(&dead_band) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let settings = Settings {
            name: given.name.to_text(),
            active: given.active != 0,
            rate: given.rate,
            dead_band,
            bias: given.bias.into_inner().unwrap_or_default(),
            locale: given.locale,
            client_handle: given.client_handle,
        };
        let model = Group::new(settings, self.simulation.now());
        let rate = model.settings.rate;
        let group = self.groups.add(&self.simulation, model)?;
        let pointer = self.groups.pointer(call, &group, given.iid).inspect_err(|_| {
            // It has just been added.
            let _ = self.groups.remove(group.handle);
        })?;
        let status = if rate == given.rate { Status::OK } else { UNSUPPORTED_RATE };
        let made = AddGroupOut { server_handle: group.handle, rate, group: Unique::new(pointer) };
        call.answer_with(&made, status)
    }

    fn status(&self) -> ServerStatus {
        let (start, now) = self.simulation.times();
        ServerStatus {
            start: FileTime::from_unix(start),
            current: FileTime::from_unix(now),
            last_update: FileTime::from_unix(now),
            state: RUNNING,
            groups: self.groups.all().len() as u32,
            band_width: u32::MAX,
            major: 1,
            minor: 0,
            build: 0,
            reserved: 0,
            vendor: Unique::new(WideString::from("Armilla, a simulated plant")),
        }
    }

    /// All groups are private: other scopes are those or none.
    fn enumerate(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        const PUBLIC: [u16; 2] = [2, 5];
        let GroupEnumeratorIn { scope, iid } = call.arguments()?;
        let groups = if PUBLIC.contains(&scope) { Vec::new() } else { self.groups.all() };
        let names = |group: &Arc<LiveGroup>| group.model().settings.name.clone();
        let elements = match iid {
            iid if iid == ENUM_STRING.uuid => Elements::Strings(groups.iter().map(names).collect()),
            iid if iid == ENUM_UNKNOWN.uuid => {
                Elements::Objects(groups.into_iter().map(|it| it as Arc<dyn Object>).collect())
            }
            _ => return Err(Status::NO_INTERFACE),
        };
        let status = if elements.is_empty() { Status::FALSE } else { Status::OK };
        let pointer = Enumerator::pointer(call, elements)?;
        call.answer_with(&PointerOut { pointer }, status)
    }
}
