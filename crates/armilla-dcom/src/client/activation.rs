//! How an object is asked for.

use super::endpoint::Target;
use super::error::{Cause, Error, Step};
use super::remote_exporter::orpc;
use super::shared::Shared;
use crate::activation::{
    ACTIVATION_PROPERTIES_IN, ActivationResults, ContextInfo, InstantiationInfo, LocationInfo,
    RemoteReply, RemoteRequest, ScmReplyInfo, ScmRequestInfo, property,
};
use crate::blob::{Blob, Property};
use crate::error::ObjRefError;
use crate::objref::{InterfacePointer, ObjRef, Reference};
use crate::orpc::ComVersion;
use crate::remote::{
    ActivationOut, CreateInstanceIn, GetClassObjectIn, RemoteCreateInstance, RemoteGetClassObject,
    SCM_ACTIVATOR,
};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::{Status, Uuid};

/// What an activation gave.
pub(super) struct Activated {
    /// The reference to each interface, or why there is none.
    pub(super) interfaces: Vec<Result<ObjRef, Status>>,
    pub(super) reply: RemoteReply,
}

/// The custom reference that holds what is asked (MS-DCOM 2.2.22).
fn request(class: Uuid, iids: &[Uuid]) -> Result<InterfacePointer, ObjRefError> {
    let count = u32::try_from(iids.len()).map_err(|_| ObjRefError::TooLong)?;
    let mut instantiation = InstantiationInfo {
        class,
        context: 16,
        flags: 0,
        surrogate: 0,
        count,
        instance_flags: 0,
        iids: Unique::new(iids.to_vec().into()),
        own_size: 0,
        version: ComVersion::CURRENT,
    };
    let size = Property::new(property::INSTANTIATION, &instantiation)?.octets.len();
    instantiation.own_size = u32::try_from(size).map_err(|_| ObjRefError::TooLong)?;
    let context = ContextInfo {
        client_ok: 0,
        reserved: [0; 3],
        client: Unique::NULL,
        prototype: Unique::NULL,
    };
    let location = LocationInfo { host: Unique::NULL, process: 0, apartment: 0, context: 0 };
    // The server may know who calls, and no more; it speaks TCP.
    let protocols = Unique::new(vec![7].into());
    let request = RemoteRequest { impersonation: 2, count: 1, protocols };
    let scm = ScmRequestInfo { reserved: Unique::NULL, request: Unique::new(request) };
    let properties = vec![
        Property::new(property::INSTANTIATION, &instantiation)?,
        Property::new(property::CONTEXT, &context)?,
        Property::new(property::LOCATION, &location)?,
        Property::new(property::SCM_REQUEST, &scm)?,
    ];
    let data = Blob { context: 2, properties }.encode()?;
    let reference = Reference::Custom { class: property::REQUEST, extensions: 0, data };
    InterfacePointer::new(&ObjRef { iid: ACTIVATION_PROPERTIES_IN, reference })
}

/// Asks a host for an object, or for the factory of its class.
pub(super) fn activate(
    shared: &Shared,
    host: &str,
    (class, factory): (Uuid, bool),
    iids: &[Uuid],
) -> Result<Activated, Error> {
    let options = &shared.options;
    let opnum = if factory { RemoteGetClassObject::OPNUM } else { RemoteCreateInstance::OPNUM };
    let what = format!("class {class} at {host}");
    let (step, level, interface) = (Step::Activate, options.level, SCM_ACTIVATOR);
    let target = Target { step, what: &what, level, interface, opnum, object: None };
    let failed = |cause| target.error(Step::Activate, cause);
    let asked = request(class, iids).map_err(|error| failed(Cause::Malformed(error)))?;
    let properties = Unique::new(asked);
    let endpoint = shared.activator(host);
    let answer = match factory {
        true => {
            let given = GetClassObjectIn { properties };
            orpc::<RemoteGetClassObject>(&endpoint, options, target, &given)?
        }
        false => {
            let given = CreateInstanceIn { outer: Unique::NULL, properties };
            orpc::<RemoteCreateInstance>(&endpoint, options, target, &given)?
        }
    };
    if answer.status.is_failure() {
        return Err(failed(Cause::of_failure(answer.status, answer.error_info)));
    }
    let ActivationOut { properties } = answer.results;
    let properties = properties.get().ok_or_else(|| failed(Cause::Missing("properties")))?;
    reply(properties, &target)
}

fn reply(properties: &InterfacePointer, target: &Target<'_>) -> Result<Activated, Error> {
    let failed = |cause| target.error(Step::Activate, cause);
    let malformed = |error| failed(Cause::Malformed(error));
    let reference = properties.reference().map_err(malformed)?.reference;
    let Reference::Custom { data, .. } = reference else {
        return Err(failed(Cause::Missing("a custom reference")));
    };
    let blob = Blob::decode(&data).map_err(malformed)?;
    let part = |class| blob.get(class).ok_or_else(|| failed(Cause::Missing("a property")));
    let results: ActivationResults = part(property::RESULTS)?.value().map_err(malformed)?;
    let scm: ScmReplyInfo = part(property::SCM_REPLY)?.value().map_err(malformed)?;
    let (Some(pointers), Some(statuses), Some(reply)) =
        (results.interfaces.into_inner(), results.results.get(), scm.reply.into_inner())
    else {
        return Err(failed(Cause::Missing("references")));
    };
    let mut interfaces = Vec::new();
    for (pointer, status) in pointers.0.iter().zip(&statuses.0) {
        interfaces.push(match (pointer.get(), Status(*status)) {
            (Some(pointer), status) if !status.is_failure() => {
                Ok(pointer.reference().map_err(malformed)?)
            }
            (_, Status::OK) => Err(Status::NO_INTERFACE),
            (_, status) => Err(status),
        });
    }
    Ok(Activated { interfaces, reply })
}
