//! What programs of COM are told of a failure of an object of CORBA (CORBA 2.3, 18.2.10 and 19.8.9).

use armilla::dynamic::DynAny;
use armilla::{Any, TypeCode};

/// Where a failure comes from: `Bank::Account.withdraw`.
pub(crate) fn source(repository_id: &str, operation: &str) -> String {
    let attribute = operation.strip_prefix("_get_").or_else(|| operation.strip_prefix("_set_"));
    format!("{}.{}", scoped(repository_id), attribute.unwrap_or(operation))
}

/// A name as programmers write it: `Bank::Account` for `IDL:Bank/Account:1.0`.
fn scoped(repository_id: &str) -> String {
    let name = repository_id.strip_prefix("IDL:").and_then(|rest| rest.split(':').next());
    name.map_or_else(|| repository_id.to_owned(), |name| name.replace('/', "::"))
}

/// A user exception: its name and its members as text.
pub(crate) fn user(exception: &Any) -> String {
    let name = scoped(exception.type_code().id().unwrap_or_default());
    let members = DynAny::from_any(exception).and_then(|mut value| {
        let members = value.as_struct()?.members();
        Ok(members.into_iter().map(|(name, value)| format!(" {name} = {}", shown(value))))
    });
    let members: String = members.map_or(String::new(), Iterator::collect);
    format!("CORBA User Exception: [{name}]{members}")
}

/// A member of an exception as text; that of a value with members is its type.
fn shown(mut value: DynAny) -> String {
    let code = value.type_code();
    let text = match code.resolved() {
        TypeCode::String(_) => value.get_string().ok(),
        TypeCode::WString(_) => value.get_wstring().ok(),
        TypeCode::Double => value.get_double().ok().map(|number| number.to_string()),
        TypeCode::Float => value.get_float().ok().map(|number| number.to_string()),
        TypeCode::Long => value.get_long().ok().map(|number| number.to_string()),
        TypeCode::ULong => value.get_ulong().ok().map(|number| number.to_string()),
        TypeCode::Short => value.get_short().ok().map(|number| number.to_string()),
        TypeCode::LongLong => value.get_longlong().ok().map(|number| number.to_string()),
        TypeCode::Boolean => value.get_boolean().ok().map(|value| value.to_string()),
        TypeCode::Enum(_) => value.as_enum().ok().map(|value| value.name()),
        _ => None,
    };
    text.unwrap_or_else(|| format!("({code})"))
}
