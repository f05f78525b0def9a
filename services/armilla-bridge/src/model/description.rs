//! What a view says of itself (CORBA 2.3, 19.8): the operations and attributes of the interface as
//! members of Automation.

use super::iid::{View, iid};
use super::interface::{Interface, Member};
use armilla::TypeCode;
use armilla::dynamic::ParameterMode;
use armilla_dcerpc::Uuid;
use armilla_dcom::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeLibrary, passing,
};
use armilla_ifr::model::Signature;

/// The description of the view of an interface, with its class.
pub fn library(repository_id: &str, interface: &Interface) -> TypeLibrary {
    let (uuid, name) = (iid(repository_id, View::Automation), name(repository_id));
    let members = interface.members().iter().zip(1..);
    let functions = members.flat_map(|(member, number)| functions(member, number)).collect();
    let view = TypeDescription::dispatch(&*name, uuid, functions);
    let class = TypeDescription::class(format!("{name}Class"), Uuid::NIL, vec![name.clone()]);
    TypeLibrary::new(name, uuid, vec![view, class])
}

/// The name of the view: `DIBank_Account` for `IDL:Bank/Account:1.0`.
fn name(repository_id: &str) -> String {
    let scoped = repository_id.split(':').nth(1).unwrap_or(repository_id);
    let own = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("DI{}", scoped.chars().map(own).collect::<String>())
}

fn functions(member: &Member, number: i32) -> Vec<Function> {
    let Member { name, call, put, property } = member;
    if !property {
        let parameters = call.parameters.iter().map(parameter).collect();
        return vec![Function::method(number, name, parameters, ty(&call.result))];
    }
    let put = put.iter().map(|_: &Signature| Function::put(number, name, ty(&call.result)));
    std::iter::once(Function::get(number, name, ty(&call.result))).chain(put).collect()
}

fn parameter((name, mode, code): &(String, ParameterMode, TypeCode)) -> Parameter {
    match mode {
        ParameterMode::In => Parameter::new(name, ty(code)),
        ParameterMode::Out => Parameter::out(name, ty(code), passing::OUT),
        _ => Parameter::out(name, ty(code), passing::IN | passing::OUT),
    }
}

/// The type that a value has in Automation.
fn ty(code: &TypeCode) -> Type {
    match code.resolved() {
        TypeCode::Null | TypeCode::Void => Type::VOID,
        TypeCode::Boolean => Type::BOOL,
        TypeCode::Octet | TypeCode::Char => Type::UI1,
        TypeCode::Short => Type::I2,
        TypeCode::UShort | TypeCode::Long | TypeCode::ULong | TypeCode::Enum(_) => Type::I4,
        TypeCode::LongLong => Type::I8,
        TypeCode::ULongLong => Type::UI8,
        TypeCode::Float => Type::R4,
        TypeCode::Double => Type::R8,
        TypeCode::Fixed { .. } => Type::DECIMAL,
        TypeCode::WChar | TypeCode::String(_) | TypeCode::WString(_) | TypeCode::TypeCode => {
            Type::BSTR
        }
        TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => ty(element).array(),
        TypeCode::ObjectReference(_)
        | TypeCode::Component(_)
        | TypeCode::Home(_)
        | TypeCode::Struct(_)
        | TypeCode::Exception(_)
        | TypeCode::Union(_) => Type::DISPATCH,
        _ => Type::VARIANT,
    }
}
