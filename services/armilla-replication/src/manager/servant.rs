//! The object of a manager: `FT::ReplicationManager` (23.3.3 to 23.3.6).

use super::domain::{Domain, GROUPS_OF_MANAGERS, unavailable};
use super::membership::{Refusal, type_key};
use super::properties::{self, Level};
use super::settings::Settings;
use crate::ft::generic_factory::{CreateObjectRaises, DeleteObjectRaises, FactoryCreationId};
use crate::ft::object_group_manager::{
    AddMemberRaises, CreateMemberRaises, GetMemberRefRaises, GetObjectGroupIdRaises,
    GetObjectGroupRefRaises, LocationsOfMembersRaises, RemoveMemberRaises, SetPrimaryMemberRaises,
};
use crate::ft::property_manager::{
    GetPropertiesRaises, RemoveDefaultPropertiesRaises, RemoveTypePropertiesRaises,
    SetDefaultPropertiesRaises, SetPropertiesDynamicallyRaises, SetTypePropertiesRaises,
};
use crate::ft::replication_manager::GetFaultNotifierRaises;
use crate::ft::{
    self, FaultNotifierRef, GenericFactory, Locations, ObjectGroupManager, Properties, Property,
    PropertyManager, ReplicationManager,
};
use crate::reference::{GroupName, group_reference};
use armilla::{Any, Error, ExceptionKind, Object, SystemException};
use armilla_cos_naming::NameComponent;
use std::sync::Arc;

/// The exceptions of an operation, of all that there are.
macro_rules! raises {
    ($($raises:ident: $($exception:ident)*;)*) => {$(
        impl From<Refusal> for Error<$raises> {
            fn from(refusal: Refusal) -> Self {
                match refusal {
                    $(Refusal::$exception(exception) => exception.into(),)*
                    Refusal::Orb(exception) => exception.into(),
                    other => ExceptionKind::Internal.because(format!("{other:?}")).into(),
                }
            }
        }
    )*};
}

raises! {
    SetDefaultPropertiesRaises: InvalidProperty UnsupportedProperty;
    RemoveDefaultPropertiesRaises: InvalidProperty UnsupportedProperty;
    SetTypePropertiesRaises: InvalidProperty UnsupportedProperty;
    RemoveTypePropertiesRaises: InvalidProperty UnsupportedProperty;
    SetPropertiesDynamicallyRaises: ObjectGroupNotFound InvalidProperty UnsupportedProperty;
    GetPropertiesRaises: ObjectGroupNotFound;
    CreateMemberRaises: ObjectGroupNotFound MemberAlreadyPresent NoFactory ObjectNotCreated
        InvalidCriteria CannotMeetCriteria;
    AddMemberRaises: ObjectGroupNotFound MemberAlreadyPresent ObjectNotAdded;
    RemoveMemberRaises: ObjectGroupNotFound MemberNotFound;
    SetPrimaryMemberRaises: ObjectGroupNotFound MemberNotFound PrimaryNotSet BadReplicationStyle;
    LocationsOfMembersRaises: ObjectGroupNotFound;
    GetObjectGroupIdRaises: ObjectGroupNotFound;
    GetObjectGroupRefRaises: ObjectGroupNotFound;
    GetMemberRefRaises: ObjectGroupNotFound MemberNotFound;
    CreateObjectRaises: NoFactory ObjectNotCreated InvalidCriteria InvalidProperty
        CannotMeetCriteria;
    DeleteObjectRaises: ObjectNotFound;
}

/// The object.
pub(super) struct Servant(pub(super) Arc<Domain>);

impl Servant {
    /// Adds settings to those of a document, or takes some away.
    fn set(&self, key: &str, properties: &[Property], level: Level) -> Result<(), Refusal> {
        let (new, _) = properties::read(&self.0.orb, properties, level)?;
        let over = |before: Option<Settings>| Some(new.over(&before.unwrap_or_default()));
        Ok(self.0.shelf().change(key, over)?)
    }

    fn remove(&self, key: &str, properties: &[Property]) -> Result<(), Refusal> {
        // An error shows before anything is changed.
        properties::without(&Settings::default(), properties)?;
        let left = |before: Option<Settings>| {
            before.map(|before| properties::without(&before, properties).unwrap_or(before))
        };
        Ok(self.0.shelf().change(key, left)?)
    }

    fn get(&self, key: &str) -> Result<Properties, SystemException> {
        let (settings, _) = self.0.shelf().read::<Settings>(key).map_err(unavailable)?;
        properties::write(&self.0.orb, &settings.unwrap_or_default())
    }

    fn set_of_group(&self, group: &Object, properties: &[Property]) -> Result<(), Refusal> {
        let (record, _) = self.0.group(group)?;
        let (new, _) = properties::read(&self.0.orb, properties, Level::Group)?;
        self.0.change(record.number, |record| {
            record.settings = new.over(&record.settings);
            Ok(())
        })
    }
}

impl PropertyManager for Servant {
    fn set_default_properties(
        &self,
        props: &[Property],
    ) -> Result<(), Error<SetDefaultPropertiesRaises>> {
        Ok(self.set("defaults", props, Level::Default)?)
    }

    fn get_default_properties(&self) -> Result<Properties, SystemException> {
        self.get("defaults")
    }

    fn remove_default_properties(
        &self,
        props: &[Property],
    ) -> Result<(), Error<RemoveDefaultPropertiesRaises>> {
        Ok(self.remove("defaults", props)?)
    }

    fn set_type_properties(
        &self,
        type_id: &str,
        overrides: &[Property],
    ) -> Result<(), Error<SetTypePropertiesRaises>> {
        Ok(self.set(&type_key(type_id), overrides, Level::Type)?)
    }

    fn get_type_properties(&self, type_id: &str) -> Result<Properties, SystemException> {
        self.get(&type_key(type_id))
    }

    fn remove_type_properties(
        &self,
        type_id: &str,
        props: &[Property],
    ) -> Result<(), Error<RemoveTypePropertiesRaises>> {
        Ok(self.remove(&type_key(type_id), props)?)
    }

    fn set_properties_dynamically(
        &self,
        object_group: &Object,
        overrides: &[Property],
    ) -> Result<(), Error<SetPropertiesDynamicallyRaises>> {
        Ok(self.set_of_group(object_group, overrides)?)
    }

    fn get_properties(
        &self,
        object_group: &Object,
    ) -> Result<Properties, Error<GetPropertiesRaises>> {
        let (record, _) = self.0.group(object_group)?;
        Ok(properties::write(&self.0.orb, &record.settings)?)
    }
}

impl ObjectGroupManager for Servant {
    fn create_member(
        &self,
        object_group: &Object,
        the_location: &[NameComponent],
        type_id: &str,
        the_criteria: &[Property],
    ) -> Result<Object, Error<CreateMemberRaises>> {
        let location = properties::location(the_location);
        Ok(self.0.create_member(object_group, &location, type_id, the_criteria)?)
    }

    fn add_member(
        &self,
        object_group: &Object,
        the_location: &[NameComponent],
        member: &Object,
    ) -> Result<Object, Error<AddMemberRaises>> {
        Ok(self.0.add_member(object_group, &properties::location(the_location), member)?)
    }

    fn remove_member(
        &self,
        object_group: &Object,
        the_location: &[NameComponent],
    ) -> Result<Object, Error<RemoveMemberRaises>> {
        Ok(self.0.remove_member(object_group, &properties::location(the_location))?)
    }

    fn set_primary_member(
        &self,
        object_group: &Object,
        the_location: &[NameComponent],
    ) -> Result<Object, Error<SetPrimaryMemberRaises>> {
        Ok(self.0.set_primary(object_group, &properties::location(the_location))?)
    }

    fn locations_of_members(
        &self,
        object_group: &Object,
    ) -> Result<Locations, Error<LocationsOfMembersRaises>> {
        let (record, _) = self.0.group(object_group)?;
        let view = self.0.with(|upkeep| upkeep.view(record.number)).map_err(unavailable)?;
        Ok(view.members.iter().map(|member| properties::name(&member.name)).collect())
    }

    fn get_object_group_id(
        &self,
        object_group: &Object,
    ) -> Result<u64, Error<GetObjectGroupIdRaises>> {
        Ok(self.0.group(object_group)?.0.number)
    }

    fn get_object_group_ref(
        &self,
        object_group: &Object,
    ) -> Result<Object, Error<GetObjectGroupRefRaises>> {
        let (record, _) = self.0.group(object_group)?;
        Ok(self.0.reference(&record)?)
    }

    fn get_member_ref(
        &self,
        object_group: &Object,
        loc: &[NameComponent],
    ) -> Result<Object, Error<GetMemberRefRaises>> {
        let (record, _) = self.0.group(object_group)?;
        let view = self.0.with(|upkeep| upkeep.view(record.number)).map_err(unavailable)?;
        let member = view.member(&properties::location(loc));
        let member = member.ok_or(ft::MemberNotFound)?;
        Ok(self.0.orb.string_to_object(&member.object)?)
    }
}

impl GenericFactory for Servant {
    fn create_object(
        &self,
        type_id: &str,
        the_criteria: &[Property],
    ) -> Result<(Object, FactoryCreationId), Error<CreateObjectRaises>> {
        let record = self.0.create_group(type_id, the_criteria)?;
        let id = ft::object_group_id_any(record.number);
        let id = id.map_err(|error| ExceptionKind::Internal.because(error.to_string()))?;
        Ok((self.0.reference(&record)?, id))
    }

    fn delete_object(&self, creation: &Any) -> Result<(), Error<DeleteObjectRaises>> {
        let number = creation.get::<u64>().ok().flatten().ok_or(ft::ObjectNotFound)?;
        Ok(self.0.delete_group(number)?)
    }
}

impl ReplicationManager for Servant {
    fn register_fault_notifier(&self, notifier: &FaultNotifierRef) -> Result<(), SystemException> {
        let text = match notifier.is_nil() {
            true => None,
            false => Some(self.0.orb.object_to_string(notifier)?),
        };
        let noted = self.0.shelf().change("notifier", |_: Option<String>| text.clone());
        noted.map_err(unavailable)
    }

    fn get_fault_notifier(&self) -> Result<FaultNotifierRef, Error<GetFaultNotifierRaises>> {
        if let Some(notifier) = self.0.registered_notifier()? {
            return Ok(notifier);
        }
        let view = self.0.known().views[1].clone();
        if view.members.is_empty() {
            return Err(ft::InterfaceNotFound.into());
        }
        let name = GroupName::new(&*self.0.name, GROUPS_OF_MANAGERS[1]);
        let text = group_reference(&name, &view)?.to_text();
        let text = text.map_err(|error| ExceptionKind::InvObjref.because(error.to_string()))?;
        Ok(self.0.orb.string_to_object(&text)?.assume())
    }
}
