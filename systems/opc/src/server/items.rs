//! `IOPCItemMgt`

use super::enumerator::{Elements, Enumerator};
use super::live::LiveGroup;
use crate::data_access::iopc_item_mgt::{
    AddItems, AddItemsIn, AddItemsOut, CreateEnumerator, CreateEnumeratorIn, CreateEnumeratorOut,
    RemoveItems, RemoveItemsIn, RemoveItemsOut, SetActiveState, SetActiveStateIn, SetClientHandles,
    SetClientHandlesIn, SetDatatypes, SetDatatypesIn, ValidateItems, ValidateItemsIn,
};
use crate::data_access::{
    i_enum_opc_item_attributes, item_attributes, item_definition, item_result,
};
use crate::model::GroupItem;
use crate::status::{BAD_TYPE, UNKNOWN_ITEM, overall, split};
use crate::wire::{array, text};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{Operation, Unique, WideString};
use armilla_dcom::automation::Variant;
use armilla_dcom::server::ObjectCall;

pub(super) fn call(group: &LiveGroup, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        AddItems::OPNUM => {
            let given: AddItemsIn = call.arguments()?;
            results(call, given.items.0.iter().map(|item| add(group, item)))
        }
        ValidateItems::OPNUM => {
            let given: ValidateItemsIn = call.arguments()?;
            results(call, given.items.0.iter().map(|item| found(group, item).map(|it| it.1)))
        }
        RemoveItems::OPNUM => {
            let given: RemoveItemsIn = call.arguments()?;
            errors(call, given.handles.0.iter().map(|handle| group.model().remove(*handle)))
        }
        SetActiveState::OPNUM => {
            let given: SetActiveStateIn = call.arguments()?;
            let active = given.active != 0;
            let handles = given.handles.0.iter();
            errors(call, handles.map(|handle| change(group, *handle, |item| item.active = active)))
        }
        SetClientHandles::OPNUM => {
            let given: SetClientHandlesIn = call.arguments()?;
            let pairs = given.handles.0.iter().zip(&given.client_handles.0);
            let set = |(handle, name): (&u32, &u32)| {
                change(group, *handle, |item| item.client_handle = *name)
            };
            errors(call, pairs.map(set))
        }
        SetDatatypes::OPNUM => {
            let given: SetDatatypesIn = call.arguments()?;
            let pairs = given.handles.0.iter().zip(&given.types.0);
            let set =
                |(handle, vt): (&u32, &u16)| change(group, *handle, |item| item.requested = *vt);
            errors(call, pairs.map(set))
        }
        CreateEnumerator::OPNUM => {
            let CreateEnumeratorIn { iid } = call.arguments()?;
            if iid != i_enum_opc_item_attributes::IID {
                return Err(Status::NO_INTERFACE);
            }
            let elements = Elements::Attributes(attributes(group).into());
            let enumerator = Enumerator::pointer(call, elements)?;
            call.answer(&CreateEnumeratorOut { enumerator })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

/// Answers with what became of each item.
fn results(
    call: &ObjectCall<'_>,
    each: impl Iterator<Item = Result<item_result::Wire, Status>>,
) -> Result<Vec<u8>, Status> {
    let (results, errors): (Vec<_>, Vec<_>) =
        each.map(|result| split(result, item_result::Wire::default())).unzip();
    let status = overall(&errors);
    call.answer_with(&AddItemsOut { results: array(results), errors: array(errors) }, status)
}

/// The same for what gives no further results: all such operations answer alike.
pub(super) fn errors(
    call: &ObjectCall<'_>,
    each: impl Iterator<Item = Result<(), Status>>,
) -> Result<Vec<u8>, Status> {
    let errors: Vec<u32> = each.map(|result| split(result, ()).1).collect();
    let status = overall(&errors);
    call.answer_with(&RemoveItemsOut { errors: array(errors) }, status)
}

fn change(
    group: &LiveGroup,
    handle: u32,
    change: impl FnOnce(&mut GroupItem),
) -> Result<(), Status> {
    group.model().item_mut(handle).map(change)
}

/// The item that a definition names.
fn found(
    group: &LiveGroup,
    given: &item_definition::Wire,
) -> Result<(usize, item_result::Wire), Status> {
    let id = given.id.get().map(WideString::to_text).unwrap_or_default();
    let space = &group.simulation.space;
    let number = space.find(&id).ok_or(UNKNOWN_ITEM)?;
    let item = &space.items()[number];
    // A type that the first value cannot become is none for the others.
    crate::model::convert(&item.initial, given.requested)
        .or_else(|error| if error == BAD_TYPE { Err(error) } else { Ok(Variant::Empty) })?;
    let (canonical, rights) = (item.vt(), item.rights());
    Ok((number, item_result::Wire { canonical, rights, ..Default::default() }))
}

fn add(group: &LiveGroup, given: &item_definition::Wire) -> Result<item_result::Wire, Status> {
    let (number, result) = found(group, given)?;
    let settings = (given.client_handle, given.requested, given.active != 0);
    let server_handle = group.model().add(number, settings)?;
    Ok(item_result::Wire { server_handle, ..result })
}

fn attributes(group: &LiveGroup) -> Vec<item_attributes::Wire> {
    let space = &group.simulation.space;
    let model = group.model();
    let each = model.items().iter().map(|(handle, own)| {
        let item = &space.items()[own.item];
        let range = item.range.map(|(low, high)| vec![low, high]);
        item_attributes::Wire {
            access_path: text(""),
            id: text(&item.id),
            active: own.active.into(),
            client_handle: own.client_handle,
            server_handle: *handle,
            rights: item.rights(),
            blob_size: 0,
            blob: Unique::NULL,
            requested: own.requested,
            canonical: item.vt(),
            unit_kind: u16::from(range.is_some()),
            unit: range.map_or(Variant::Empty, |range| Variant::Array(range.into())).into(),
        }
    });
    each.collect()
}
