//! What an object offers, from the interface repository that its server knows.

use crate::corba::{
    AttributeMode, ExceptionDescription, InterfaceAttrExtension, InterfaceDef, InterfaceDefRef,
    OperationDescription, OperationMode,
};
use crate::model::Signature;
use armilla::dynamic::ParameterMode;
use armilla::{Object, SystemException, TypeCode};

/// What the interface of an object offers, as the interface repository of its server says.
///
/// # Errors
/// `INTF_REPOS` when there is none that knows the interface; what a call can fail with.
pub fn discover(object: &Object) -> Result<Vec<Signature>, SystemException> {
    describe(&object.interface()?.narrow()?)
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
            let attributes = full.attributes.into_iter().map(|attribute| Readable {
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
            let attributes = full.attributes.into_iter().map(|attribute| Readable {
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
    for Readable { name, ty, mode, get, set } in attributes {
        signatures.push(Signature::reading(&name, ty.clone(), get));
        if mode == AttributeMode::AttrNormal {
            signatures.push(Signature::writing(&name, ty, set));
        }
    }
    Ok(signatures)
}

/// An attribute, as far as its caller must know it.
struct Readable {
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
