//! The properties of an activation.

use crate::references::bindings;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::Unique;
use armilla_dcom::{
    ActivationResults, Blob, ComVersion, InstantiationInfo, InterfacePointer, LocationInfo, ObjRef,
    ObjRefError, Property, Reference, RemoteReply, RemoteRequest, ScmReplyInfo, ScmRequestInfo,
    StandardReference, property,
};

const IID: Uuid = Uuid::literal("00020400-0000-0000-c000-000000000046");

pub(crate) fn request() -> Blob {
    let instantiation = InstantiationInfo {
        class: IID,
        context: 16,
        flags: 0,
        surrogate: 0,
        count: 1,
        instance_flags: 0,
        iids: Unique::new(vec![IID].into()),
        own_size: 88,
        version: ComVersion::CURRENT,
    };
    let location = LocationInfo { host: Unique::NULL, process: 0, apartment: 0, context: 0 };
    let protocols = Unique::new(vec![7].into());
    let request = Unique::new(RemoteRequest { impersonation: 2, count: 1, protocols });
    let scm = ScmRequestInfo { reserved: Unique::NULL, request };
    let properties = vec![
        Property::new(property::INSTANTIATION, &instantiation).unwrap(),
        Property::new(property::LOCATION, &location).unwrap(),
        Property::new(property::SCM_REQUEST, &scm).unwrap(),
    ];
    Blob { context: 2, properties }
}

pub(crate) fn reply() -> Blob {
    let standard = StandardReference { flags: 0, public_references: 5, oxid: 1, oid: 2, ipid: IID };
    let reference = Reference::Standard { standard, resolver: bindings() };
    let pointer = InterfacePointer::new(&ObjRef { iid: IID, reference }).unwrap();
    let results = ActivationResults {
        count: 2,
        iids: Unique::new(vec![IID, Uuid::NIL].into()),
        results: Unique::new(vec![0, 0x8000_4002].into()),
        interfaces: Unique::new(vec![Unique::new(pointer), Unique::NULL].into()),
    };
    let reply = RemoteReply {
        oxid: 1,
        bindings: Unique::new(bindings().to_units().unwrap()),
        rem_unknown: IID,
        authentication_hint: 5,
        version: ComVersion::CURRENT,
    };
    let scm = ScmReplyInfo { reserved: Unique::NULL, reply: Unique::new(reply) };
    let properties = vec![
        Property::new(property::RESULTS, &results).unwrap(),
        Property::new(property::SCM_REPLY, &scm).unwrap(),
    ];
    Blob { context: 2, properties }
}

#[test]
fn what_is_asked_comes_back() {
    let blob = request();
    let octets = blob.encode().unwrap();
    assert_eq!(Blob::decode(&octets).unwrap(), blob);
    let location = blob.get(property::LOCATION).unwrap();
    assert_eq!(location.octets.len() % 8, 0);
    assert_eq!(location.value::<LocationInfo>().unwrap().process, 0);
    let class = blob.get(property::INSTANTIATION).unwrap();
    assert_eq!(class.octets.len(), 88);
    assert_eq!(class.value::<InstantiationInfo>().unwrap().version, ComVersion::CURRENT);
    assert_eq!(blob.get(property::RESULTS), None);
}

#[test]
fn what_is_answered_comes_back_within_a_reference() {
    let data = reply().encode().unwrap();
    let reference = Reference::Custom { class: property::RESULTS, extensions: 0, data };
    let octets = ObjRef { iid: IID, reference }.encode().unwrap();
    let Reference::Custom { data, .. } = ObjRef::decode(&octets).unwrap().reference else {
        panic!("it is custom");
    };
    let blob = Blob::decode(&data).unwrap();
    let results: ActivationResults = blob.get(property::RESULTS).unwrap().value().unwrap();
    let pointers = &results.interfaces.get().unwrap().0;
    assert_eq!(pointers[0].get().unwrap().reference().unwrap().iid, IID);
    assert_eq!(pointers[1].get(), None);
    let reply: ScmReplyInfo = blob.get(property::SCM_REPLY).unwrap().value().unwrap();
    assert_eq!(reply.reply.get().unwrap().authentication_hint, 5);
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let octets = reply().encode().unwrap();
    for end in 0..octets.len() {
        assert!(Blob::decode(&octets[..end]).is_err(), "{end}");
    }
    let mut counted = octets.clone();
    // One class less than the head has.
    counted[8 + 16 + 16] = 1;
    assert_eq!(Blob::decode(&counted), Err(ObjRefError::Sizes));
}
