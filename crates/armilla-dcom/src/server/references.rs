//! The object that counts references (MS-DCOM 3.1.1.5.6, 3.1.1.5.7).

use super::exports::{Exports, let_go};
use super::object::{Object, ObjectCall, has};
use crate::objref::{InterfacePointer, StandardReference};
use crate::remote::{
    AddRefOut, CountsIn, Query2In, Query2Out, QueryIn, QueryOut, QueryResult, ReferenceCount,
    RemAddRef, RemQueryInterface, RemQueryInterface2, RemRelease,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::{Status, Uuid};

/// How many references to one interface a client may ask for at once.
const MOST_REFERENCES: u32 = 0x1_0000;

/// How many interfaces a client may ask for at once: each has a reference in the answer.
pub(super) const MOST_INTERFACES: usize = 256;

pub(super) fn call(call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        RemQueryInterface::OPNUM => query(call),
        RemAddRef::OPNUM => add(call),
        RemRelease::OPNUM => release(call),
        RemQueryInterface2::OPNUM => query2(call),
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

/// References to one more interface of the object.
fn marshal(
    exports: &Exports,
    object: &Arc<dyn Object>,
    (oid, iid, references): (u64, Uuid, u32),
) -> Result<StandardReference, Status> {
    // The program is asked without the lock.
    if !has(&**object, iid) {
        return Err(Status::NO_INTERFACE);
    }
    exports.table().marshal(oid, iid, references, exports.now())
}

fn find(exports: &Exports, ipid: Uuid) -> Result<(Arc<dyn Object>, u64), Status> {
    let found = exports.table().find(ipid, exports.now());
    found.map(|(object, oid, _)| (object, oid)).ok_or(Status::DISCONNECTED)
}

fn check_count(count: u16) -> Result<(), Status> {
    if usize::from(count) > MOST_INTERFACES { Err(Status::INVALID_ARGUMENT) } else { Ok(()) }
}

fn query(call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let QueryIn { ipid, references, count, iids } = call.arguments()?;
    check_count(count)?;
    let references = references.clamp(1, MOST_REFERENCES);
    let (object, oid) = find(call.exports, ipid)?;
    let none =
        StandardReference { flags: 0, public_references: 0, oxid: 0, oid: 0, ipid: Uuid::NIL };
    let each = iids.0.iter().take(count.into());
    let results: Vec<_> = each
        .map(|iid| match marshal(call.exports, &object, (oid, *iid, references)) {
            Ok(reference) => QueryResult { result: 0, reference },
            Err(status) => QueryResult { result: status.0, reference: none },
        })
        .collect();
    let result = overall(results.iter().map(|it| it.result));
    call.answer_with(&QueryOut { results: Unique::new(results.into()) }, result)
}

fn query2(call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let Query2In { ipid, count, iids } = call.arguments()?;
    check_count(count)?;
    let (object, oid) = find(call.exports, ipid)?;
    let (mut results, mut interfaces) = (Vec::new(), Vec::new());
    for iid in iids.0.iter().take(count.into()) {
        let made = marshal(call.exports, &object, (oid, *iid, super::exports::REFERENCES))
            .and_then(|standard| call.exports.reference(*iid, standard))
            .and_then(|it| InterfacePointer::new(&it).map_err(|_| Status::UNEXPECTED));
        results.push(made.as_ref().err().map_or(0, |status| status.0));
        interfaces.push(Unique::from(made.ok()));
    }
    let result = overall(results.iter().copied());
    call.answer_with(&Query2Out { results: results.into(), interfaces: interfaces.into() }, result)
}

/// Success if all succeeded, S_FALSE if some did, else the first failure.
fn overall(results: impl Iterator<Item = u32> + Clone) -> Status {
    let failures = results.clone().filter(|result| *result != 0).count();
    match (failures, results.clone().count()) {
        (0, _) => Status::OK,
        (failures, all) if failures < all => Status::FALSE,
        _ => Status(results.into_iter().next().unwrap_or_default()),
    }
}

fn add(call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let CountsIn { count, counts } = call.arguments()?;
    let now = call.exports.now();
    let mut table = call.exports.table();
    let each = counts.0.iter().take(count.into());
    let results: Vec<_> = each
        .map(|&ReferenceCount { ipid, public, private }| {
            let most = public.max(private) <= MOST_REFERENCES;
            let added = if most {
                table.add(ipid, (public, private), now)
            } else {
                Err(Status::INVALID_ARGUMENT)
            };
            added.err().map_or(0, |status| status.0)
        })
        .collect();
    drop(table);
    let result = overall(results.iter().copied());
    call.answer_with(&AddRefOut { results: results.into() }, result)
}

fn release(call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let CountsIn { count, counts } = call.arguments()?;
    let mut gone = Vec::new();
    {
        let mut table = call.exports.table();
        for &ReferenceCount { ipid, public, private } in counts.0.iter().take(count.into()) {
            // One that is gone already has expired: nothing is wrong.
            if let Ok(object) = table.release(ipid, (public, private)) {
                gone.extend(object);
            }
        }
    }
    let_go(gone);
    call.answer(&())
}
