//! Activation (MS-DCOM 3.1.2.5.2), and the factories that it gives.

use super::exports::Exports;
use super::object::{Caller, Factory, Object, ObjectCall, has};
use super::references::MOST_INTERFACES;
use super::resolver::units;
use crate::activation::{
    ACTIVATION_PROPERTIES_OUT, ActivationResults, InstantiationInfo, RemoteReply, ScmReplyInfo,
    property,
};
use crate::blob::{Blob, Property};
use crate::error::ObjRefError;
use crate::objref::{InterfacePointer, ObjRef, Reference};
use crate::orpc::ComVersion;
use crate::remote::{
    ActivationOut, CLASS_FACTORY, CreateInstance, CreateInstanceIn, FactoryIn, FactoryOut,
    GetClassObjectIn, LockServer, RemoteActivation, RemoteActivationIn, RemoteActivationOut,
    RemoteCreateInstance, RemoteGetClassObject,
};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Conformant, Operation, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::{Status, Uuid};

/// The classes that a server has.
pub(super) type Classes = BTreeMap<Uuid, Arc<dyn Factory>>;

/// The object of a factory itself: `IClassFactory`.
struct ClassObject(Arc<dyn Factory>);

impl Object for ClassObject {
    fn supports(&self, iid: Uuid) -> bool {
        iid == CLASS_FACTORY.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            CreateInstance::OPNUM => {
                let FactoryIn { iid } = call.arguments()?;
                let object = self.0.create(&call.caller)?;
                let interface = Unique::new(call.exports.pointer(object, iid)?);
                call.answer(&FactoryOut { interface })
            }
            LockServer::OPNUM => call.answer(&()),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

/// What an activation led to.
struct Activated {
    iids: Vec<Uuid>,
    results: Vec<u32>,
    interfaces: Vec<Unique<InterfacePointer>>,
}

/// Executes a call of `IActivation`.
pub(super) fn activate(
    classes: &Classes,
    call: &ObjectCall<'_>,
    least: AuthLevel,
) -> Result<Vec<u8>, Status> {
    if call.opnum != RemoteActivation::OPNUM {
        return Err(Status::OPERATION_OUT_OF_RANGE);
    }
    let given: RemoteActivationIn = call.arguments()?;
    let iids = given.iids.get().map_or(&[][..], |iids| &iids.0);
    let factory = given.mode == RemoteActivationIn::CLASS_OBJECT;
    let loads = given.name.get().is_some() || given.storage.get().is_some();
    let made = match loads {
        // Objects with a state that is loaded from files are not offered.
        true => Err(Status::NOT_IMPLEMENTED),
        false => make(classes, call, (given.class, iids), factory),
    };
    let results = match made {
        Ok(made) => {
            let (oxid, rem_unknown) = names(call.exports);
            RemoteActivationOut {
                oxid,
                bindings: units(&call.exports.bindings()?.exporter)?,
                rem_unknown,
                authentication_hint: least as u32,
                version: ComVersion::CURRENT,
                result: 0,
                interfaces: made.interfaces.into(),
                results: made.results.into(),
            }
        }
        Err(status) => RemoteActivationOut {
            oxid: 0,
            bindings: Unique::NULL,
            rem_unknown: Uuid::NIL,
            authentication_hint: 0,
            version: ComVersion::CURRENT,
            result: status.0,
            interfaces: iids.iter().map(|_| Unique::NULL).collect::<Vec<_>>().into(),
            results: iids.iter().map(|_| status.0).collect::<Vec<_>>().into(),
        },
    };
    let mut stub = call.whole(&results)?;
    // The status of the call itself, which was executed in any case.
    stub.extend([0; 4]);
    Ok(stub)
}

/// Executes a call of `IRemoteSCMActivator`.
pub(super) fn activate_by_properties(
    classes: &Classes,
    call: &ObjectCall<'_>,
    least: AuthLevel,
) -> Result<Vec<u8>, Status> {
    let (properties, factory) = match call.opnum {
        RemoteGetClassObject::OPNUM => (call.arguments::<GetClassObjectIn>()?.properties, true),
        RemoteCreateInstance::OPNUM => {
            let given: CreateInstanceIn = call.arguments()?;
            if given.outer.get().is_some() {
                return Err(Status::NO_AGGREGATION);
            }
            (given.properties, false)
        }
        _ => return Err(Status::OPERATION_OUT_OF_RANGE),
    };
    let asked = properties.get().and_then(|it| instantiation(it).ok().flatten());
    let asked = asked.ok_or(Status::INVALID_ARGUMENT)?;
    let iids = asked.iids.get().map_or(&[][..], |iids| &iids.0);
    match make(classes, call, (asked.class, iids), factory) {
        Ok(made) => {
            let properties = results(call.exports, made, least)?;
            call.answer(&ActivationOut { properties: Unique::new(properties) })
        }
        Err(status) => call.answer_with(&ActivationOut { properties: Unique::NULL }, status),
    }
}

fn instantiation(pointer: &InterfacePointer) -> Result<Option<InstantiationInfo>, ObjRefError> {
    let Reference::Custom { data, .. } = pointer.reference()?.reference else { return Ok(None) };
    let blob = Blob::decode(&data)?;
    blob.get(property::INSTANTIATION).map(Property::value).transpose()
}

fn make(
    classes: &Classes,
    call: &ObjectCall<'_>,
    (class, iids): (Uuid, &[Uuid]),
    factory: bool,
) -> Result<Activated, Status> {
    if iids.is_empty() || iids.len() > MOST_INTERFACES {
        return Err(Status::INVALID_ARGUMENT);
    }
    let found = classes.get(&class).ok_or(Status::CLASS_NOT_REGISTERED)?;
    let object: Arc<dyn Object> = match factory {
        true => Arc::new(ClassObject(found.clone())),
        false => create(&**found, &call.caller)?,
    };
    // Nothing is exported for a client that gets none of its interfaces.
    if !iids.iter().any(|iid| has(&*object, *iid)) {
        return Err(Status::NO_INTERFACE);
    }
    let made: Vec<_> = iids.iter().map(|iid| call.exports.pointer(object.clone(), *iid)).collect();
    Ok(Activated {
        iids: iids.to_vec(),
        results: made.iter().map(|it| it.as_ref().err().map_or(0, |status| status.0)).collect(),
        interfaces: made.into_iter().map(|it| Unique::from(it.ok())).collect(),
    })
}

fn create(factory: &dyn Factory, caller: &Caller<'_>) -> Result<Arc<dyn Object>, Status> {
    factory.create(caller)
}

fn names(exports: &Exports) -> (u64, Uuid) {
    let table = exports.table();
    (table.oxid(), table.rem_unknown())
}

/// The properties that answer an activation, in a custom reference.
fn results(
    exports: &Exports,
    made: Activated,
    least: AuthLevel,
) -> Result<InterfacePointer, Status> {
    let (oxid, rem_unknown) = names(exports);
    let reply = RemoteReply {
        oxid,
        bindings: units(&exports.bindings()?.exporter)?,
        rem_unknown,
        authentication_hint: least as u32,
        version: ComVersion::CURRENT,
    };
    let results = ActivationResults {
        count: made.iids.len() as u32,
        iids: Unique::new(Conformant(made.iids)),
        results: Unique::new(Conformant(made.results)),
        interfaces: Unique::new(Conformant(made.interfaces)),
    };
    let scm = ScmReplyInfo { reserved: Unique::NULL, reply: Unique::new(reply) };
    let wrap = || {
        let properties = alloc::vec![
            // Clients take the results first.
            Property::new(property::RESULTS, &results)?,
            Property::new(property::SCM_REPLY, &scm)?,
        ];
        let data = Blob { context: 2, properties }.encode()?;
        let reference = Reference::Custom { class: property::RESULTS, extensions: 0, data };
        InterfacePointer::new(&ObjRef { iid: ACTIVATION_PROPERTIES_OUT, reference })
    };
    wrap().map_err(|_| Status::UNEXPECTED)
}
