//! What is wrong with a query, with the place in its text. The exceptions of a trader say only
//! that something is, so the client looks itself.

use super::Service;
use armilla::Error;
use armilla_cos_trading::register::ExportRaises;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::{
    ListOption, SpecifiedServiceTypes, TypeStruct,
};
use armilla_terminal::{Failure, Outcome};
use armilla_trader::constraint::{Constraint, Preference, most_similar};

/// A service type with everything that it inherits.
pub(super) fn full_type(service: &Service, name: &str) -> Outcome<TypeStruct> {
    service.types()?.fully_describe_type(name).map_err(|_| unknown_type(service, name))
}

/// The failure of an export.
pub(super) fn export(service: &Service, service_type: &str, error: Error<ExportRaises>) -> Failure {
    match error {
        Error::User(ExportRaises::UnknownServiceType(_)) => unknown_type(service, service_type),
        Error::User(ExportRaises::MissingMandatoryProperty(missing)) => {
            let full =
                service.types().ok().and_then(|types| types.fully_describe_type(service_type).ok());
            let declared = full
                .as_ref()
                .and_then(|full| full.props.iter().find(|property| property.name == missing.name));
            let of = declared.map(|declared| armilla_ifr::model::type_name(&declared.value_type));
            let of = of.map(|of| format!(", a {of}")).unwrap_or_default();
            Failure::because(format!(
                "an offer of {service_type:?} needs the property {:?}{of}\n  hint: give it as \
                 {}=VALUE; `armilla trader type {service_type}` shows all properties",
                missing.name, missing.name
            ))
        }
        Error::User(ExportRaises::PropertyTypeMismatch(mismatch)) => Failure::because(format!(
            "the property {:?} has a value of another type than {service_type:?} declares\n  hint: \
             `armilla trader type {service_type}` shows the types",
            mismatch.prop.name
        )),
        other => other.into(),
    }
}

/// The failure for a service type that is not there, or that is masked.
pub(super) fn unknown_type(service: &Service, name: &str) -> Failure {
    let types = service.types();
    if let Ok(Ok(full)) = types.as_ref().map(|types| types.describe_type(name))
        && full.masked
    {
        return Failure::because(format!(
            "the service type {name:?} is masked: it takes no offers\n  hint: `armilla trader type \
             {name} --unmask` ends that; types that derive from it take offers"
        ));
    }
    let all = SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All };
    let known = types.and_then(|types| Ok(types.list_types(&all)?)).unwrap_or_default();
    let similar = most_similar(name, known.iter().map(String::as_str));
    let hint = match similar {
        Some(similar) => format!("it has {similar:?}"),
        None if known.is_empty() => "it has none at all".to_owned(),
        None => format!("it has {}", known.join(", ")),
    };
    Failure::because(format!("the trader has no service type {name:?}\n  hint: {hint}"))
}

/// The failure for a constraint that the trader refuses.
pub(super) fn constraint(service: &Service, service_type: &str, text: &str) -> Failure {
    let full = match full_type(service, service_type) {
        Ok(full) => full,
        Err(failure) => return failure,
    };
    match Constraint::compile(text, &full) {
        Err(error) => Failure::because(format!("the constraint is illegal, {error}")),
        Ok(_) => Failure::because(format!("the trader refuses the constraint {text:?}")),
    }
}

/// The failure for a preference that the trader refuses.
pub(super) fn preference(service: &Service, service_type: &str, text: &str) -> Failure {
    let full = match full_type(service, service_type) {
        Ok(full) => full,
        Err(failure) => return failure,
    };
    match Preference::compile(text, &full) {
        Err(error) => Failure::because(format!("the preference is illegal, {error}")),
        Ok(_) => Failure::because(format!("the trader refuses the preference {text:?}")),
    }
}
