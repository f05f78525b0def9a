//! `IOPCBrowseServerAddressSpace` and `IOPCItemProperties`

use super::enumerator::{Elements, Enumerator};
use super::session::Session;
use crate::data_access::iopc_browse_server_address_space::{
    BrowseAccessPaths, BrowseItemIds, BrowseItemIdsIn, BrowseItemIdsOut, ChangeBrowsePosition,
    ChangeBrowsePositionIn, GetItemId, GetItemIdIn, GetItemIdOut, QueryOrganization,
    QueryOrganizationOut,
};
use crate::data_access::iopc_item_properties::{
    GetItemProperties, GetItemPropertiesIn, GetItemPropertiesOut, LookupItemIds, LookupItemIdsIn,
    LookupItemIdsOut, QueryAvailableProperties, QueryAvailablePropertiesIn,
    QueryAvailablePropertiesOut,
};
use crate::data_access::{BrowseType, Direction, Organization};
use crate::model::{Item, Kind, Sample};
use crate::status::{INVALID_PROPERTY, UNKNOWN_ITEM, overall, split};
use crate::wire::{array, text};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{Operation, Unique, WideString};
use armilla_dcom::automation::{Date, Variant};
use armilla_dcom::server::ObjectCall;
use std::sync::PoisonError;

pub(super) fn call(session: &Session, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let space = &session.simulation.space;
    let mut position = session.position.lock().unwrap_or_else(PoisonError::into_inner);
    match call.opnum {
        QueryOrganization::OPNUM => {
            call.answer(&QueryOrganizationOut { organization: Organization::HIERARCHICAL })
        }
        ChangeBrowsePosition::OPNUM => {
            let ChangeBrowsePositionIn { direction, name } = call.arguments()?;
            let name = name.to_text();
            let moved = match direction {
                Direction::UP => position.up().ok_or(Status::FAIL)?,
                Direction::DOWN => space.down(&position, &name).ok_or(Status::INVALID_ARGUMENT)?,
                Direction::TO => space.to(&name).ok_or(Status::INVALID_ARGUMENT)?,
                _ => return Err(Status::INVALID_ARGUMENT),
            };
            *position = moved;
            call.answer(&())
        }
        BrowseItemIds::OPNUM => {
            let given: BrowseItemIdsIn = call.arguments()?;
            let kind = match given.kind {
                BrowseType::BRANCHES => Kind::Branches,
                BrowseType::LEAVES => Kind::Leaves,
                BrowseType::FLAT => Kind::Flat,
                _ => return Err(Status::INVALID_ARGUMENT),
            };
            let (vt, rights) = (given.data_type, given.rights);
            let wanted = |item: &Item| {
                (vt == 0 || item.vt() == vt) && (rights == 0 || item.rights() & rights != 0)
            };
            let names = space.browse(&position, kind, &given.filter.to_text(), wanted);
            let status = if names.is_empty() { Status::FALSE } else { Status::OK };
            let names = Enumerator::pointer(call, Elements::Strings(names.into()))?;
            call.answer_with(&BrowseItemIdsOut { names }, status)
        }
        GetItemId::OPNUM => {
            let GetItemIdIn { name } = call.arguments()?;
            let whole = space.whole_name(&position, &name.to_text());
            let id = whole.ok_or(Status::INVALID_ARGUMENT)?;
            call.answer(&GetItemIdOut { id: text(&id) })
        }
        // There is one way to each item.
        BrowseAccessPaths::OPNUM => Err(Status::NOT_IMPLEMENTED),
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

type Value = fn(&Item, &Sample) -> Option<Variant>;

/// The properties: number, what it is, type, value (OPC DA 2.05a, 4.4.6).
const PROPERTIES: &[(u32, &str, u16, Value)] = &[
    (1, "Item Canonical DataType", 2, |item, _| Some((item.vt() as i16).into())),
    // The type is that of the item.
    (2, "Item Value", 0, |_, now| Some(now.value.clone())),
    (3, "Item Quality", 2, |_, now| Some((now.quality.0 as i16).into())),
    (4, "Item Timestamp", 7, |_, now| Some(Date::from_unix(now.time).into())),
    (5, "Item Access Rights", 3, |item, _| Some((item.rights() as i32).into())),
    (6, "Server Scan Rate", 4, |_, _| Some((crate::model::STEP.as_millis() as f32).into())),
    (100, "EU Units", 8, |item, _| (!item.unit.is_empty()).then(|| item.unit.into())),
    (101, "Item Description", 8, |item, _| Some(item.description.into())),
    (102, "High EU", 5, |item, _| item.range.map(|(_, high)| high.into())),
    (103, "Low EU", 5, |item, _| item.range.map(|(low, _)| low.into())),
];

pub(super) fn properties(session: &Session, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let space = &session.simulation.space;
    let item = |id: &WideString| space.find(&id.to_text()).ok_or(UNKNOWN_ITEM);
    let of = |number: usize| {
        (&space.items()[number], session.simulation.plant().samples()[number].clone())
    };
    match call.opnum {
        QueryAvailableProperties::OPNUM => {
            let QueryAvailablePropertiesIn { id } = call.arguments()?;
            let (item, now) = of(item(&id)?);
            let all: Vec<_> =
                PROPERTIES.iter().filter(|(.., value)| value(item, &now).is_some()).collect();
            let texts = all.iter().map(|(_, what, ..)| text(what));
            let types = all.iter().map(|(_, _, vt, _)| if *vt == 0 { item.vt() } else { *vt });
            call.answer(&QueryAvailablePropertiesOut {
                count: all.len() as u32,
                properties: array(all.iter().map(|(number, ..)| *number).collect()),
                descriptions: array(texts.collect()),
                types: array(types.collect()),
            })
        }
        GetItemProperties::OPNUM => {
            let given: GetItemPropertiesIn = call.arguments()?;
            let (item, now) = of(item(&given.id)?);
            let one = |wanted: &u32| {
                let known = PROPERTIES.iter().find(|(number, ..)| number == wanted);
                known.and_then(|(.., value)| value(item, &now)).ok_or(INVALID_PROPERTY)
            };
            let (values, errors): (Vec<_>, Vec<_>) = (given.properties.0.iter())
                .map(|number| split(one(number), Variant::Empty))
                .unzip();
            let status = overall(&errors);
            call.answer_with(
                &GetItemPropertiesOut { values: array(values), errors: array(errors) },
                status,
            )
        }
        LookupItemIds::OPNUM => {
            let given: LookupItemIdsIn = call.arguments()?;
            item(&given.id)?;
            // No property is an item of its own.
            let ids: Vec<_> = given.properties.0.iter().map(|_| Unique::NULL).collect();
            let errors: Vec<_> = given.properties.0.iter().map(|_| INVALID_PROPERTY.0).collect();
            let status = overall(&errors);
            call.answer_with(&LookupItemIdsOut { ids: array(ids), errors: array(errors) }, status)
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}
