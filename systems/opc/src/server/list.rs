//! `OpcEnum`: which servers the host has

use super::enumerator::{Elements, Enumerator};
use super::{CLASS, Called, PROG_ID};
use crate::data_access::{
    IopcServerList, IopcServerList2, i_enum_guid, iopc_enum_guid, iopc_server_list,
    iopc_server_list2,
};
use crate::wire::DATA_ACCESS_2;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::server::{Object, ObjectCall};

/// The list, on which the plant is alone.
pub(super) struct ServerList;

/// The program id without a version.
fn plain() -> &'static str {
    PROG_ID.trim_end_matches(".1")
}

impl Object for ServerList {
    fn supports(&self, iid: Uuid) -> bool {
        [iopc_server_list::IID, iopc_server_list2::IID].contains(&iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let called = Called { on: self, call };
        match call.iid {
            iopc_server_list2::IID => iopc_server_list2::call(&called, call),
            _ => iopc_server_list::call(&called, call),
        }
    }
}

impl Called<'_, ServerList> {
    /// The classes of these categories, by an enumerator with this interface.
    fn classes(
        &self,
        implemented: &[Uuid],
        required: &[Uuid],
        iid: Uuid,
    ) -> Result<(Status, Option<InterfacePointer>), Status> {
        let fits = (implemented.is_empty() || implemented.contains(&DATA_ACCESS_2))
            && required.iter().all(|category| *category == DATA_ACCESS_2);
        let classes = if fits { vec![CLASS] } else { Vec::new() };
        let status = if fits { Status::OK } else { Status::FALSE };
        let classes = Elements::Guids(classes.into());
        Ok((status, Some(Enumerator::pointer_as(self.call, classes, iid)?)))
    }
}

/// What is known of a class.
fn details(class_id: Uuid) -> Result<(Option<String>, Option<String>), Status> {
    match class_id {
        CLASS => Ok((Some(PROG_ID.to_owned()), Some("A simulated plant".to_owned()))),
        _ => Err(Status::CLASS_NOT_REGISTERED),
    }
}

fn class_of(prog_id: &str) -> Result<Uuid, Status> {
    let known = [PROG_ID, plain()].iter().any(|known| known.eq_ignore_ascii_case(prog_id));
    if known { Ok(CLASS) } else { Err(Status::CLASS_NOT_REGISTERED) }
}

impl IopcServerList for Called<'_, ServerList> {
    fn enum_classes(
        &self,
        _implemented_count: u32,
        implemented: Vec<Uuid>,
        _required_count: u32,
        required: Vec<Uuid>,
    ) -> Result<(Status, Option<InterfacePointer>), Status> {
        self.classes(&implemented, &required, i_enum_guid::IID)
    }

    fn get_class_details(
        &self,
        class_id: Uuid,
    ) -> Result<(Option<String>, Option<String>), Status> {
        details(class_id)
    }

    fn class_from_prog_id(&self, prog_id: String) -> Result<Uuid, Status> {
        class_of(&prog_id)
    }
}

impl IopcServerList2 for Called<'_, ServerList> {
    fn enum_classes(
        &self,
        _implemented_count: u32,
        implemented: Vec<Uuid>,
        _required_count: u32,
        required: Vec<Uuid>,
    ) -> Result<(Status, Option<InterfacePointer>), Status> {
        self.classes(&implemented, &required, iopc_enum_guid::IID)
    }

    fn get_class_details(
        &self,
        class_id: Uuid,
    ) -> Result<(Option<String>, Option<String>, Option<String>), Status> {
        let (prog_id, user_type) = details(class_id)?;
        Ok((prog_id, user_type, Some(plain().to_owned())))
    }

    fn class_from_prog_id(&self, prog_id: String) -> Result<Uuid, Status> {
        class_of(&prog_id)
    }
}
