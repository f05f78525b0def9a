//! What an object offers, from the interface repository that its server knows.

use crate::corba::interface_def::FullInterfaceDescription;
use crate::corba::{
    AttributeMode, InterfaceDef, InterfaceDefRef, OperationDescription, OperationMode,
};
use crate::model::Signature;
use armilla::dynamic::ParameterMode;
use armilla::{Object, SystemException};

/// What the interface of an object offers, as the interface repository of its server says.
///
/// # Errors
/// `INTF_REPOS` when there is none that knows the interface; what a call can fail with.
pub fn discover(object: &Object) -> Result<Vec<Signature>, SystemException> {
    describe(&object.interface()?.narrow()?)
}

/// What an interface of an interface repository offers.
///
/// # Errors
/// What a call can fail with.
pub fn describe(interface: &InterfaceDefRef) -> Result<Vec<Signature>, SystemException> {
    let FullInterfaceDescription { operations, attributes, .. } = interface.describe_interface()?;
    let mut signatures: Vec<Signature> = operations.into_iter().map(signature).collect();
    for attribute in attributes {
        let (name, ty) = (&attribute.name, attribute.r#type);
        signatures.push(Signature::reading(name, ty.clone(), Vec::new()));
        if attribute.mode == AttributeMode::AttrNormal {
            signatures.push(Signature::writing(name, ty, Vec::new()));
        }
    }
    Ok(signatures)
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
        exceptions: operation.exceptions.into_iter().map(|exception| exception.r#type).collect(),
    }
}
