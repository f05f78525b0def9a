//! `IOPCBrowseServerAddressSpace` and `IOPCItemProperties`

use super::Called;
use super::enumerator::{Elements, Enumerator};
use super::session::Session;
use crate::data_access::{
    BrowseType, Direction, IopcBrowseServerAddressSpace, IopcItemProperties, Organization,
};
use crate::model::{Branch, Item, Kind, Sample};
use crate::status::{INVALID_PROPERTY, UNKNOWN_ITEM, overall, split};
use armilla_dcerpc::Status;
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{Date, Variant};
use std::sync::{MutexGuard, PoisonError};

impl Called<'_, Session> {
    fn position(&self) -> MutexGuard<'_, Branch> {
        self.on.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An item, and what it is now.
    fn item(&self, id: &str) -> Result<(&Item, Sample), Status> {
        let simulation = &self.on.simulation;
        let number = simulation.space.find(id).ok_or(UNKNOWN_ITEM)?;
        let now = simulation.plant().samples()[number].clone();
        Ok((&simulation.space.items()[number], now))
    }
}

impl IopcBrowseServerAddressSpace for Called<'_, Session> {
    fn query_organization(&self) -> Result<Organization, Status> {
        Ok(Organization::HIERARCHICAL)
    }

    fn change_browse_position(&self, direction: Direction, name: String) -> Result<(), Status> {
        let space = &self.on.simulation.space;
        let mut position = self.position();
        let moved = match direction {
            Direction::UP => position.up().ok_or(Status::FAIL)?,
            Direction::DOWN => space.down(&position, &name).ok_or(Status::INVALID_ARGUMENT)?,
            Direction::TO => space.to(&name).ok_or(Status::INVALID_ARGUMENT)?,
            _ => return Err(Status::INVALID_ARGUMENT),
        };
        *position = moved;
        Ok(())
    }

    fn browse_item_ids(
        &self,
        kind: BrowseType,
        filter: String,
        data_type: u16,
        rights: u32,
    ) -> Result<(Status, Option<InterfacePointer>), Status> {
        let kind = match kind {
            BrowseType::BRANCHES => Kind::Branches,
            BrowseType::LEAVES => Kind::Leaves,
            BrowseType::FLAT => Kind::Flat,
            _ => return Err(Status::INVALID_ARGUMENT),
        };
        let wanted = |item: &Item| {
            (data_type == 0 || item.vt() == data_type)
                && (rights == 0 || item.rights() & rights != 0)
        };
        let space = &self.on.simulation.space;
        let names = space.browse(&self.position(), kind, &filter, wanted);
        let status = if names.is_empty() { Status::FALSE } else { Status::OK };
        let names = Enumerator::pointer(self.call, Elements::Strings(names.into()))?;
        Ok((status, Some(names)))
    }

    fn get_item_id(&self, name: String) -> Result<Option<String>, Status> {
        let whole = self.on.simulation.space.whole_name(&self.position(), &name);
        whole.map(Some).ok_or(Status::INVALID_ARGUMENT)
    }

    /// There is one way to each item.
    fn browse_access_paths(&self, _id: String) -> Result<Option<InterfacePointer>, Status> {
        Err(Status::NOT_IMPLEMENTED)
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

impl IopcItemProperties for Called<'_, Session> {
    fn query_available_properties(
        &self,
        id: String,
    ) -> Result<(u32, Vec<u32>, Vec<Option<String>>, Vec<u16>), Status> {
        let (item, now) = self.item(&id)?;
        let known = PROPERTIES.iter().filter(|(.., value)| value(item, &now).is_some());
        let known: Vec<_> = known.collect();
        let texts = known.iter().map(|(_, what, ..)| Some((*what).to_owned())).collect();
        let types = known.iter().map(|(_, _, vt, _)| if *vt == 0 { item.vt() } else { *vt });
        let numbers = known.iter().map(|(number, ..)| *number).collect();
        Ok((known.len() as u32, numbers, texts, types.collect()))
    }

    fn get_item_properties(
        &self,
        id: String,
        _count: u32,
        properties: Vec<u32>,
    ) -> Result<(Status, Vec<Variant>, Vec<u32>), Status> {
        let (item, now) = self.item(&id)?;
        let one = |wanted: u32| {
            let known = PROPERTIES.iter().find(|(number, ..)| *number == wanted);
            known.and_then(|(.., value)| value(item, &now)).ok_or(INVALID_PROPERTY)
        };
        let each = properties.into_iter().map(|number| split(one(number), Variant::Empty));
        let (values, errors): (Vec<_>, Vec<_>) = each.unzip();
        Ok((overall(&errors), values, errors))
    }

    /// No property is an item of its own.
    fn lookup_item_ids(
        &self,
        id: String,
        _count: u32,
        properties: Vec<u32>,
    ) -> Result<(Status, Vec<Option<String>>, Vec<u32>), Status> {
        self.item(&id)?;
        let ids = properties.iter().map(|_| None).collect();
        let errors: Vec<_> = properties.iter().map(|_| INVALID_PROPERTY.0).collect();
        Ok((overall(&errors), ids, errors))
    }
}
