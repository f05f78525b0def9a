//! A group as an object of DCOM.

use super::Called;
use super::live::LiveGroup;
use crate::data_access::{iopc_async_io2, iopc_group_state_mgt, iopc_item_mgt, iopc_sync_io};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::server::{Object, ObjectCall};

impl Object for LiveGroup {
    fn supports(&self, iid: Uuid) -> bool {
        let own = [iopc_item_mgt::IID, iopc_group_state_mgt::IID, iopc_sync_io::IID];
        own.contains(&iid) || [iopc_async_io2::IID, CONNECTION_POINT_CONTAINER.uuid].contains(&iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if self.is_removed() {
            return Err(Status::FAIL);
        }
        let called = Called { on: self, call };
        match call.iid {
            iopc_item_mgt::IID => iopc_item_mgt::call(&called, call),
            iopc_group_state_mgt::IID => iopc_group_state_mgt::call(&called, call),
            iopc_sync_io::IID => iopc_sync_io::call(&called, call),
            iopc_async_io2::IID => iopc_async_io2::call(&called, call),
            _ => self.point.call(call),
        }
    }
}
