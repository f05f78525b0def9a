//! `IOPCItemMgt`

use super::Called;
use super::enumerator::{Elements, Enumerator};
use super::live::LiveGroup;
use crate::data_access::{
    IopcItemMgt, ItemAttributes, ItemDefinition, ItemResult, i_enum_opc_item_attributes,
};
use crate::model::GroupItem;
use crate::status::{BAD_TYPE, UNKNOWN_ITEM, overall, split};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::Variant;

impl IopcItemMgt for Called<'_, LiveGroup> {
    fn add_items(
        &self,
        _count: u32,
        items: Vec<ItemDefinition>,
    ) -> Result<(Status, Vec<ItemResult>, Vec<u32>), Status> {
        Ok(results(items.iter().map(|item| add(self.on, item))))
    }

    fn validate_items(
        &self,
        _count: u32,
        items: Vec<ItemDefinition>,
        _update_blobs: i32,
    ) -> Result<(Status, Vec<ItemResult>, Vec<u32>), Status> {
        Ok(results(items.iter().map(|item| found(self.on, item).map(|it| it.1))))
    }

    fn remove_items(&self, _count: u32, handles: Vec<u32>) -> Result<(Status, Vec<u32>), Status> {
        Ok(errors(handles.into_iter().map(|handle| self.on.model().remove(handle))))
    }

    fn set_active_state(
        &self,
        _count: u32,
        handles: Vec<u32>,
        active: i32,
    ) -> Result<(Status, Vec<u32>), Status> {
        let set = |handle| change(self.on, handle, |item| item.active = active != 0);
        Ok(errors(handles.into_iter().map(set)))
    }

    fn set_client_handles(
        &self,
        _count: u32,
        handles: Vec<u32>,
        client_handles: Vec<u32>,
    ) -> Result<(Status, Vec<u32>), Status> {
        let set = |(handle, name)| change(self.on, handle, |item| item.client_handle = name);
        Ok(errors(handles.into_iter().zip(client_handles).map(set)))
    }

    fn set_datatypes(
        &self,
        _count: u32,
        handles: Vec<u32>,
        types: Vec<u16>,
    ) -> Result<(Status, Vec<u32>), Status> {
        let set = |(handle, vt)| change(self.on, handle, |item| item.requested = vt);
        Ok(errors(handles.into_iter().zip(types).map(set)))
    }

    fn create_enumerator(&self, iid: Uuid) -> Result<Option<InterfacePointer>, Status> {
        if iid != i_enum_opc_item_attributes::IID {
            return Err(Status::NO_INTERFACE);
        }
        let elements = Elements::Attributes(attributes(self.on).into());
        Enumerator::pointer(self.call, elements).map(Some)
    }
}

/// What became of each item.
fn results(
    each: impl Iterator<Item = Result<ItemResult, Status>>,
) -> (Status, Vec<ItemResult>, Vec<u32>) {
    let (results, errors): (Vec<_>, Vec<_>) = each.map(|result| split(result, nothing())).unzip();
    (overall(&errors), results, errors)
}

/// The same for what gives no further results.
pub(super) fn errors(each: impl Iterator<Item = Result<(), Status>>) -> (Status, Vec<u32>) {
    let errors: Vec<u32> = each.map(|result| split(result, ()).1).collect();
    (overall(&errors), errors)
}

fn nothing() -> ItemResult {
    let (server_handle, canonical, reserved, rights) = (0, 0, 0, 0);
    ItemResult { server_handle, canonical, reserved, rights, blob_size: 0, blob: Vec::new() }
}

fn change(
    group: &LiveGroup,
    handle: u32,
    change: impl FnOnce(&mut GroupItem),
) -> Result<(), Status> {
    group.model().item_mut(handle).map(change)
}

/// The item that a definition names.
fn found(group: &LiveGroup, given: &ItemDefinition) -> Result<(usize, ItemResult), Status> {
    let id = given.id.as_deref().unwrap_or_default();
    let space = &group.simulation.space;
    let number = space.find(id).ok_or(UNKNOWN_ITEM)?;
    let item = &space.items()[number];
    // A type that the first value cannot become is none for the others.
    crate::model::convert(&item.initial, given.requested)
        .or_else(|error| if error == BAD_TYPE { Err(error) } else { Ok(Variant::Empty) })?;
    let (canonical, rights) = (item.vt(), item.rights());
    Ok((number, ItemResult { canonical, rights, ..nothing() }))
}

fn add(group: &LiveGroup, given: &ItemDefinition) -> Result<ItemResult, Status> {
    let (number, result) = found(group, given)?;
    let settings = (given.client_handle, given.requested, given.active != 0);
    let server_handle = group.model().add(number, settings)?;
    Ok(ItemResult { server_handle, ..result })
}

fn attributes(group: &LiveGroup) -> Vec<ItemAttributes> {
    let space = &group.simulation.space;
    let model = group.model();
    let each = model.items().iter().map(|(handle, own)| {
        let item = &space.items()[own.item];
        let range = item.range.map(|(low, high)| vec![low, high]);
        ItemAttributes {
            access_path: Some(String::new()),
            id: Some(item.id.clone()),
            active: own.active.into(),
            client_handle: own.client_handle,
            server_handle: *handle,
            rights: item.rights(),
            blob_size: 0,
            blob: Vec::new(),
            requested: own.requested,
            canonical: item.vt(),
            unit_kind: u16::from(range.is_some()),
            unit: range.map_or(Variant::Empty, |range| Variant::Array(range.into())),
        }
    });
    each.collect()
}
