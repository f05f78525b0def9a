//! What is wrong with a query, with the place in its text. The exceptions of a trader say only
//! that something is, so the client looks itself.

use super::Service;
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

/// The failure for a service type that is not there.
pub(super) fn unknown_type(service: &Service, name: &str) -> Failure {
    let all = SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All };
    let known = service.types().and_then(|types| Ok(types.list_types(&all)?)).unwrap_or_default();
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
