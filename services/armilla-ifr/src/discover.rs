//! The interface of an object, from the interface repository of its server.

use crate::corba::{
    AttributeMode, Contained, ContainedRef, Container, ContainerRef, DefinitionKind,
    ExceptionDescription, IdlType, InterfaceAttrExtension, InterfaceDef, InterfaceDefRef,
    OperationDescription, OperationMode, Repository,
};
use crate::model::Signature;
use armilla::dynamic::ParameterMode;
use armilla::{Object, SystemException, TypeCode};
use std::collections::HashSet;

/// `VM_CUSTOM` and `VM_ABSTRACT`: no TypeCode describes the state of such a valuetype.
const WITHOUT_STATE: [i16; 2] = [1, 2];

/// The operations and attributes of an object, from the interface repository of its server.
///
/// # Errors
/// `INTF_REPOS` if no repository has the interface; every system exception of a call.
///
/// # Examples
/// ```no_run
/// use armilla::Orb;
///
/// let object = Orb::new()?.string_to_object("corbaloc::bank.example/Account")?;
/// for signature in armilla_ifr::discover(&object)? {
///     println!("{signature}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discover(object: &Object) -> Result<Vec<Signature>, SystemException> {
    describe(&object.interface()?.narrow()?)
}

/// The TypeCodes of all valuetypes and value boxes in the interface repository of the object's
/// server, except abstract and custom ones. Once registered with
/// [`Orb::register_value_type`](armilla::Orb::register_value_type), an ORB does not truncate their
/// values. Makes one call for each module and one for each type.
///
/// # Errors
/// Those of [`discover`].
///
/// # Examples
/// ```no_run
/// use armilla::Orb;
///
/// let orb = Orb::new()?;
/// let object = orb.string_to_object("corbaloc::bank.example/Account")?;
/// for ty in armilla_ifr::value_types(&object)? {
///     orb.register_value_type(&ty)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn value_types(object: &Object) -> Result<Vec<TypeCode>, SystemException> {
    let interface: ContainedRef = object.interface()?.narrow()?;
    let repository = interface.containing_repository()?;
    let mut open: Vec<ContainerRef> = vec![repository.upcast()];
    let (mut types, mut seen) = (Vec::new(), HashSet::new());
    while let Some(container) = open.pop() {
        // A remote repository may contain cycles; visit each module once.
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

/// The type with a repository id or a scoped name in the interface repository of the object's
/// server; `None` if it has no such type.
///
/// # Errors
/// Those of [`discover`].
pub fn type_named(object: &Object, name: &str) -> Result<Option<TypeCode>, SystemException> {
    let interface: ContainedRef = object.interface()?.narrow()?;
    let repository = interface.containing_repository()?;
    let found = match name.contains(':') && !name.contains("::") {
        true => repository.lookup_id(name)?,
        false => repository.upcast::<dyn Container>().lookup(name)?,
    };
    if found.is_nil() {
        return Ok(None);
    }
    // Not every definition is a type.
    let Ok(ty) = found.object().narrow::<dyn IdlType>() else { return Ok(None) };
    ty.r#type().map(Some)
}

/// The operations and attributes of an interface in an interface repository. The signatures of
/// attributes include their exceptions if the repository supports `InterfaceAttrExtension`.
///
/// # Errors
/// Every system exception of a call.
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

/// The description of an attribute, with or without exceptions.
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
