//! A group as an object of DCOM.

use super::live::LiveGroup;
use super::{items, read_write, settings};
use crate::wire::async_io::ASYNC_IO;
use crate::wire::group_state::GROUP_STATE;
use crate::wire::item_management::ITEM_MANAGEMENT;
use crate::wire::sync_io::SYNC_IO;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::server::{Object, ObjectCall};

impl Object for LiveGroup {
    fn supports(&self, iid: Uuid) -> bool {
        let all = [ITEM_MANAGEMENT, GROUP_STATE, SYNC_IO, ASYNC_IO, CONNECTION_POINT_CONTAINER];
        all.iter().any(|interface| interface.uuid == iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if self.is_removed() {
            return Err(Status::FAIL);
        }
        match call.iid {
            iid if iid == ITEM_MANAGEMENT.uuid => items::call(self, call),
            iid if iid == GROUP_STATE.uuid => settings::call(self, call),
            iid if iid == SYNC_IO.uuid => read_write::call(self, call),
            iid if iid == ASYNC_IO.uuid => read_write::call_async(self, call),
            _ => self.point.call(call),
        }
    }
}
