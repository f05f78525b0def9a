//! `IOPCServer`: what one client has of the server, with its groups. When the client is gone, so are
//! they.

use super::enumerator::{Elements, Enumerator};
use super::live::{Groups, LiveGroup};
use super::simulation::{Seat, Simulation};
use super::{browsing, common};
use crate::data_access::iopc_server::{
    self, AddGroup, AddGroupIn, AddGroupOut, CreateGroupEnumerator, CreateGroupEnumeratorIn,
    CreateGroupEnumeratorOut, GetErrorString, GetErrorStringIn, GetErrorStringOut, GetGroupByName,
    GetGroupByNameIn, GetGroupByNameOut, GetStatus, GetStatusOut, RemoveGroup, RemoveGroupIn,
};
use crate::data_access::{
    Filetime, Scope, ServerStatus, State, i_enum_string, i_enum_unknown,
    iopc_browse_server_address_space as browse, iopc_common, iopc_item_properties, iopc_shutdown,
};
use crate::model::{Branch, Group, Settings};
use crate::status::{UNSUPPORTED_RATE, text};
use crate::wire;
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::ConnectionPoint;
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::server::{Object, ObjectCall};
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
        match call.iid {
            iopc_server::IID => self.serve(call),
            iopc_common::IID => common::call(self, call),
            browse::IID => browsing::call(self, call),
            iopc_item_properties::IID => browsing::properties(self, call),
            _ => self.shutdown.call(call),
        }
    }
}

impl Session {
    fn serve(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            AddGroup::OPNUM => self.add_group(call),
            GetErrorString::OPNUM => {
                let GetErrorStringIn { error, .. } = call.arguments()?;
                call.answer(&GetErrorStringOut { text: wire::text(&text(Status(error))) })
            }
            GetGroupByName::OPNUM => {
                let GetGroupByNameIn { name, iid } = call.arguments()?;
                let found = self.groups.find(&name.to_text()).ok_or(Status::INVALID_ARGUMENT)?;
                let group = Unique::new(self.groups.pointer(call, &found, iid)?);
                call.answer(&GetGroupByNameOut { group })
            }
            GetStatus::OPNUM => {
                call.answer(&GetStatusOut { status: Some(self.status().into()).into() })
            }
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
        let (server_handle, group) = (group.handle, Unique::new(pointer));
        let made = AddGroupOut { server_handle, revised_rate: rate, group };
        call.answer_with(&made, status)
    }

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

    /// All groups are private: other scopes are those or none.
    fn enumerate(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let CreateGroupEnumeratorIn { scope, iid } = call.arguments()?;
        let groups = match scope {
            Scope::PUBLIC_REFERENCES | Scope::PUBLIC => Vec::new(),
            _ => self.groups.all(),
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
        let enumerator = Enumerator::pointer(call, elements)?;
        call.answer_with(&CreateGroupEnumeratorOut { enumerator }, status)
    }
}
