//! What a reader of the page is told when the model refuses something.

use crate::model::ModelError;

/// A sentence for what forms can run into; the exception for the rest.
pub(super) fn said(error: &ModelError) -> String {
    use ModelError as E;
    match error {
        E::IllegalServiceType(it) => format!("{:?} is no name of a service type", it.r#type),
        E::UnknownServiceType(it) => {
            format!("there is no service type {:?} that takes offers", it.r#type)
        }
        E::IllegalPropertyName(it) => format!("{:?} is no name of a property", it.name),
        E::PropertyTypeMismatch(it) => {
            format!("{} has another type in the service type {}", it.prop.name, it.r#type)
        }
        E::MissingMandatoryProperty(it) => {
            format!("the service type {} needs the property {}", it.r#type, it.name)
        }
        E::MandatoryProperty(it) => {
            format!("the service type {} needs the property {}", it.r#type, it.name)
        }
        E::ReadonlyProperty(it) => format!("{} of {} cannot be changed", it.name, it.r#type),
        E::IllegalOfferId(it) => format!("{:?} is no id of an offer", it.id),
        E::UnknownOfferId(it) => format!("there is no offer {:?}", it.id),
        E::ProxyOfferId(it) => format!("{:?} is a proxy offer", it.id),
        E::InvalidObjectRef(_) => "the reference is nil".to_owned(),
        E::InterfaceTypeMismatch(it) => {
            format!("the object says that it lacks the interface of the service type {}", it.r#type)
        }
        E::InvalidLookupRef(_) => "this is no CosTrading::Lookup, the interface of a trader".into(),
        E::IllegalLinkName(it) => format!("{:?} is no name of a link", it.name),
        E::UnknownLinkName(it) => format!("there is no link {:?}", it.name),
        E::DuplicateLinkName(it) => format!("there is a link {:?} already", it.name),
        E::DefaultFollowTooPermissive(_) => "the rule that is passed on exceeds the limit".into(),
        E::LimitingFollowTooPermissive(it) => format!(
            "the limit exceeds that of the trader, max_link_follow_policy: {:?}",
            it.max_link_follow_policy
        ),
        E::HasSubTypes(it) => {
            format!("{} derives from {}: remove that first", it.sub_type, it.the_type)
        }
        E::AlreadyMasked(it) => format!("{} is masked already", it.name),
        E::NotMasked(it) => format!("{} is not masked", it.name),
        error => error.to_string(),
    }
}
