//! `IOPCItemMgt`

use super::enumerator::{Elements, Enumerator};
use super::live::LiveGroup;
use crate::model::GroupItem;
use crate::status::{BAD_TYPE, UNKNOWN_ITEM, overall, split};
use crate::wire::enumerators::ENUM_ATTRIBUTES;
use crate::wire::item_management::{
    ActiveIn, AddItems, AddItemsIn, AddItemsOut, ClientHandlesIn, CreateEnumerator, DatatypesIn,
    EnumeratorIn, ErrorsOut, HandlesIn, RemoveItems, SetActiveState, SetClientHandles,
    SetDatatypes, ValidateItems, ValidateItemsIn,
};
use crate::wire::server::PointerOut;
use crate::wire::{ItemAttributes, ItemDefinition, ItemResult, array, boolean};
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
            let given: HandlesIn = call.arguments()?;
            errors(call, given.handles.0.iter().map(|handle| group.model().remove(*handle)))
        }
        SetActiveState::OPNUM => {
            let given: ActiveIn = call.arguments()?;
            let active = given.active != 0;
            let handles = given.handles.0.iter();
            errors(call, handles.map(|handle| change(group, *handle, |item| item.active = active)))
        }
        SetClientHandles::OPNUM => {
            let given: ClientHandlesIn = call.arguments()?;
            let pairs = given.handles.0.iter().zip(&given.client_handles.0);
            let set = |(handle, name): (&u32, &u32)| {
                change(group, *handle, |item| item.client_handle = *name)
            };
            errors(call, pairs.map(set))
        }
        SetDatatypes::OPNUM => {
            let given: DatatypesIn = call.arguments()?;
            let pairs = given.handles.0.iter().zip(&given.types.0);
            let set =
                |(handle, vt): (&u32, &u16)| change(group, *handle, |item| item.requested = *vt);
            errors(call, pairs.map(set))
        }
        CreateEnumerator::OPNUM => {
            let EnumeratorIn { iid } = call.arguments()?;
            if iid != ENUM_ATTRIBUTES.uuid {
                return Err(Status::NO_INTERFACE);
            }
            let elements = Elements::Attributes(attributes(group).into());
            let pointer = Enumerator::pointer(call, elements)?;
            call.answer(&PointerOut { pointer })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

/// Answers with what became of each item.
fn results(
    call: &ObjectCall<'_>,
    each: impl Iterator<Item = Result<ItemResult, Status>>,
) -> Result<Vec<u8>, Status> {
    let (results, errors): (Vec<_>, Vec<_>) =
        each.map(|result| split(result, ItemResult::NONE)).unzip();
    let status = overall(&errors);
    call.answer_with(&AddItemsOut { results: array(results), errors: array(errors) }, status)
}

/// The same for what gives no further results.
pub(super) fn errors(
    call: &ObjectCall<'_>,
    each: impl Iterator<Item = Result<(), Status>>,
) -> Result<Vec<u8>, Status> {
    let errors: Vec<u32> = each.map(|result| split(result, ()).1).collect();
    let status = overall(&errors);
    call.answer_with(&ErrorsOut { errors: array(errors) }, status)
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
    let id = given.id.get().map(WideString::to_text).unwrap_or_default();
    let space = &group.simulation.space;
    let number = space.find(&id).ok_or(UNKNOWN_ITEM)?;
    let item = &space.items()[number];
    // A type that the first value cannot become is none for the others.
    crate::model::convert(&item.initial, given.requested)
        .or_else(|error| if error == BAD_TYPE { Err(error) } else { Ok(Variant::Empty) })?;
    let result = ItemResult { canonical: item.vt(), rights: item.rights(), ..ItemResult::NONE };
    Ok((number, result))
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
            access_path: Unique::new(WideString::from("")),
            id: Unique::new(WideString::from(&*item.id)),
            active: boolean(own.active),
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
