//! What an object offers, from the interface repository that its server knows.

use crate::corba::{
    AttributeMode, Contained, ContainedRef, Container, ContainerRef, DefinitionKind,
    ExceptionDescription, IdlType, InterfaceAttrExtension, InterfaceDef, InterfaceDefRef,
    OperationDescription, OperationMode,
};
use crate::model::Signature;
use armilla::dynamic::ParameterMode;
use armilla::{Object, SystemException, TypeCode};
use std::collections::HashSet;

/// `VM_CUSTOM` and `VM_ABSTRACT`: no TypeCode describes the state of those.
const WITHOUT_STATE: [i16; 2] = [1, 2];

/// What the interface of an object offers, as the interface repository of its server says.
///
/// # Errors
/// `INTF_REPOS` when there is none that knows the interface; what a call can fail with.
pub fn discover(object: &Object) -> Result<Vec<Signature>, SystemException> {
    describe(&object.interface()?.narrow()?)
}

/// The types of all valuetypes and boxes in the interface repository of the object's server, but for
/// abstract and custom ones. With [`Orb::register_value_type`](armilla::Orb::register_value_type) an ORB
/// takes their values whole. The repository is asked once for each module, and for each type.
///
/// # Errors
/// As [`discover`].
pub fn value_types(object: &Object) -> Result<Vec<TypeCode>, SystemException> {
    let interface: ContainedRef = object.interface()?.narrow()?;
    let repository = interface.containing_repository()?;
    let mut open: Vec<ContainerRef> = vec![repository.upcast()];
    let (mut types, mut seen) = (Vec::new(), HashSet::new());
    while let Some(container) = open.pop() {
        // A repository that leads in circles is asked for each module once all the same.
        if !seen.insert(container.object().clone()) {
            continue;
        }
        for inner in container.describe_contents(DefinitionKind::DkAll, true, -1)? {
            let definition = inner.contained_object.object();
            match inner.kind {
                DefinitionKind::DkModule => open.push(definition.assume()),
                DefinitionKind::DkValue | DefinitionKind::DkValueBox | DefinitionKind::DkEvent => {
                    types.push(definition.assume::<dyn IdlType>().r#type()?);
                }
                _ => {}
            }
        }
    }
    types.retain(|code| {
        code.type_modifier().is_none_or(|modifier| !WITHOUT_STATE.contains(&modifier))
    });
    Ok(types)
}

/// What an interface of an interface repository offers. The exceptions of attributes are among it
/// where the repository tells them (`InterfaceAttrExtension`).
///
/// # Errors
/// What a call can fail with.
pub fn describe(interface: &InterfaceDefRef) -> Result<Vec<Signature>, SystemException> {
    let extended = interface.object().narrow::<dyn InterfaceAttrExtension>();
    let (operations, attributes) = match extended {
        Ok(extended) => {
            let full = extended.describe_ext_interface()?;
            let attributes = full.attributes.into_iter().map(|attribute| Attribute {
                get: types(attribute.get_exceptions),
                set: types(attribute.put_exceptions),
                name: attribute.name,
                ty: attribute.r#type,
                mode: attribute.mode,
            });
            (full.operations, attributes.collect::<Vec<_>>())
        }
        Err(_) => {
            let full = interface.describe_interface()?;
            let attributes = full.attributes.into_iter().map(|attribute| Attribute {
                get: Vec::new(),
                set: Vec::new(),
                name: attribute.name,
                ty: attribute.r#type,
                mode: attribute.mode,
            });
            (full.operations, attributes.collect())
        }
    };
    let mut signatures: Vec<Signature> = operations.into_iter().map(signature).collect();
    for Attribute { name, ty, mode, get, set } in attributes {
        signatures.push(Signature::getter(&name, ty.clone(), get));
        if mode == AttributeMode::AttrNormal {
            signatures.push(Signature::setter(&name, ty, set));
        }
    }
    Ok(signatures)
}

/// An attribute, as far as its caller must know it.
struct Attribute {
    name: String,
    ty: TypeCode,
    mode: AttributeMode,
    get: Vec<TypeCode>,
    set: Vec<TypeCode>,
}

fn types(exceptions: Vec<ExceptionDescription>) -> Vec<TypeCode> {
    exceptions.into_iter().map(|exception| exception.r#type).collect()
}

fn signature(operation: OperationDescription) -> Signature {
    let parameters = operation.parameters.into_iter().map(|parameter| {
        let mode = match parameter.mode {
            crate::corba::ParameterMode::ParamIn => ParameterMode::In,
            crate::corba::ParameterMode::ParamOut => ParameterMode::Out,
            crate::corba::ParameterMode::ParamInout => ParameterMode::InOut,
        };
        (parameter.name, mode, parameter.r#type)
    });
    Signature {
        parameters: parameters.collect(),
        operation: operation.name,
        oneway: operation.mode == OperationMode::OpOneway,
        result: operation.result,
        exceptions: types(operation.exceptions),
        contexts: operation.contexts,
    }
}
