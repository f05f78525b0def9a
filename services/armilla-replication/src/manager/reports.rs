//! Reports of faults, as structured events (23.4.5).

use super::properties;
use crate::ft;
use crate::notification::{EventHeader, EventType, FixedEventHeader, Property, StructuredEvent};
use armilla::{Any, CdrResult};
use armilla_cos_naming::NameComponent;

/// The domain of the events.
const DOMAIN: &str = "FT_CORBA";
/// Their type.
const TYPE: &str = "ObjectCrashFault";

/// Objects have crashed: all at a location, all of a type there, or the member of a group there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) location: String,
    pub(super) type_id: Option<String>,
    pub(super) group: Option<u64>,
}

/// The event that reports a fault in a domain.
pub(super) fn event(domain: &str, fault: &Fault) -> CdrResult<StructuredEvent> {
    let property = |name: &str, value: Any| Property { name: name.to_owned(), value };
    let mut filterable_data = vec![
        property("FTDomainId", ft::ft_domain_id_any(domain)?),
        property("Location", ft::location_any(&properties::name(&fault.location))?),
    ];
    if let Some(type_id) = &fault.type_id {
        filterable_data.push(property("TypeId", ft::type_id_any(type_id)?));
    }
    if let Some(group) = fault.group {
        filterable_data.push(property("ObjectGroupId", ft::object_group_id_any(group)?));
    }
    let event_type = EventType { domain_name: DOMAIN.to_owned(), type_name: TYPE.to_owned() };
    let fixed_header = FixedEventHeader { event_type, event_name: String::new() };
    let header = EventHeader { fixed_header, variable_header: Vec::new() };
    Ok(StructuredEvent { header, filterable_data, remainder_of_body: Any::default() })
}

/// The fault that an event reports; `None` if it is another event, or of another domain.
pub(super) fn fault(domain: &str, event: &StructuredEvent) -> Option<Fault> {
    let EventType { domain_name, type_name } = &event.header.fixed_header.event_type;
    if domain_name != DOMAIN || type_name != TYPE {
        return None;
    }
    let value =
        |name: &str| event.filterable_data.iter().find(|it| it.name == name).map(|it| &it.value);
    let of_domain = value("FTDomainId")?.get::<String>().ok()??;
    let location = value("Location")?.get::<Vec<NameComponent>>().ok()??;
    let type_id = value("TypeId").map(|it| it.get::<String>().ok().flatten());
    // TAO's detectors have another name for it.
    let group = value("ObjectGroupId").or_else(|| value("GroupId"));
    let group = group.map(|it| it.get::<u64>().ok().flatten());
    // What cannot be read must not make the fault a larger one.
    let group = group.map_or(Some(None), |it| it.map(Some))?;
    let type_id = match type_id {
        // The group says which member it is.
        Some(None) if group.is_some() => None,
        Some(type_id) => Some(type_id?),
        None => None,
    };
    let location = properties::location(&location);
    (of_domain == domain).then_some(Fault { location, type_id, group })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_has_crashed() {
        for (type_id, group) in
            [(None, None), (Some("IDL:A:1.0"), None), (Some("IDL:A:1.0"), Some(7))]
        {
            let type_id = type_id.map(str::to_owned);
            let crashed = Fault { location: "host.hostname/1".into(), type_id, group };
            let mut event = event("bank", &crashed).unwrap();
            assert_eq!(event.filterable_data[1].name, "Location");
            assert_eq!(fault("bank", &event), Some(crashed.clone()));
            assert_eq!(fault("other", &event), None);
            if group.is_some() {
                event.filterable_data[3].value = Any::new("seven").unwrap();
                assert_eq!(fault("bank", &event), None, "not a fault of the whole location");
                "GroupId".clone_into(&mut event.filterable_data[3].name);
                assert_eq!(fault("bank", &event), None, "nor with TAO's name for it");
                event.filterable_data[3].value = ft::object_group_id_any(7).unwrap();
                assert_eq!(fault("bank", &event), Some(crashed.clone()));
                event.filterable_data[2].value = Any::new(&8_i32).unwrap();
                let of_group = Fault { type_id: None, ..crashed };
                assert_eq!(fault("bank", &event), Some(of_group), "the group is enough");
            } else if crashed.type_id.is_some() {
                event.filterable_data[2].value = Any::new(&8_i32).unwrap();
                assert_eq!(fault("bank", &event), None, "not a fault of all types");
            }
            event.header.fixed_header.event_type.type_name = "Other".into();
            assert_eq!(fault("bank", &event), None);
        }
    }
}
