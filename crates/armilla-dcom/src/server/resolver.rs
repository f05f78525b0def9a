//! The resolver: where the exporter is, and pings (MS-DCOM 3.1.2.5.1).

use super::exports::Exports;
use super::users::user_of;
use crate::orpc::ComVersion;
use crate::remote::{
    ComplexPing, ComplexPingIn, ComplexPingOut, ResolveOxid, ResolveOxid2, ResolveOxid2Out,
    ResolveOxidIn, ResolveOxidOut, ServerAlive, ServerAlive2, ServerAlive2Out, SimplePing,
    SimplePingIn, Status as Ended,
};
use crate::string_array::{DualStringArray, StringArrayUnits};
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Conformant, Operation, Parameters, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::server::ServerCall;
use armilla_dcerpc::{Status, Uuid};

/// Answers a call of the resolver. `least` is the level that all but the question whether it is
/// there need.
pub(super) fn call(
    exports: &Exports,
    call: &ServerCall,
    least: AuthLevel,
) -> Result<Vec<u8>, Status> {
    let order = call.order;
    let stub = match call.opnum {
        ServerAlive::OPNUM => Ended { status: 0 }.to_stub(order),
        ServerAlive2::OPNUM => alive(exports)?.to_stub(order),
        // What follows changes something, or tells names.
        _ if call.level < least => return Err(Status::ACCESS_DENIED),
        ResolveOxid::OPNUM => {
            let found = resolve(exports, &arguments(call)?, least)?;
            let ResolveOxid2Out { bindings, rem_unknown, authentication_hint, status, .. } = found;
            ResolveOxidOut { bindings, rem_unknown, authentication_hint, status }.to_stub(order)
        }
        ResolveOxid2::OPNUM => resolve(exports, &arguments(call)?, least)?.to_stub(order),
        SimplePing::OPNUM => {
            let SimplePingIn { set } = arguments(call)?;
            let pinged = exports.table().simple_ping(set, exports.now());
            Ended { status: status(pinged) }.to_stub(order)
        }
        ComplexPing::OPNUM => {
            let user = call.principal.as_ref().map(user_of);
            ping(exports, &arguments(call)?, user.as_ref()).to_stub(order)
        }
        _ => return Err(Status::OPERATION_OUT_OF_RANGE),
    };
    stub.map_err(|_| Status::OUT_OF_RESOURCES)
}

fn arguments<T: Parameters>(call: &ServerCall) -> Result<T, Status> {
    T::from_stub(&call.stub, call.order).map_err(|_| Status::BAD_STUB)
}

fn status(result: Result<(), Status>) -> u32 {
    result.map_or_else(|status| status.0, |()| 0)
}

pub(super) fn units(array: &DualStringArray) -> Result<Unique<StringArrayUnits>, Status> {
    array.to_units().map(Unique::new).map_err(|_| Status::UNEXPECTED)
}

fn alive(exports: &Exports) -> Result<ServerAlive2Out, Status> {
    let bindings = units(&exports.bindings()?.resolver)?;
    Ok(ServerAlive2Out { version: ComVersion::CURRENT, bindings, reserved: 0, status: 0 })
}

fn resolve(
    exports: &Exports,
    given: &ResolveOxidIn,
    least: AuthLevel,
) -> Result<ResolveOxid2Out, Status> {
    let (oxid, rem_unknown) = {
        let table = exports.table();
        (table.oxid(), table.rem_unknown())
    };
    let (hint, version) = (least as u32, ComVersion::CURRENT);
    let found = if given.oxid == oxid {
        (units(&exports.bindings()?.exporter)?, rem_unknown, Status::OK)
    } else {
        (Unique::NULL, Uuid::NIL, Status::UNKNOWN_OXID)
    };
    let (bindings, rem_unknown, status) = found;
    let status = status.0;
    Ok(ResolveOxid2Out { bindings, rem_unknown, authentication_hint: hint, version, status })
}

fn ping(exports: &Exports, given: &ComplexPingIn, user: Option<&Arc<str>>) -> ComplexPingOut {
    let list = |objects: &Unique<Conformant<u64>>, count: u16| {
        let all = objects.get().map_or(&[][..], |it| &it.0);
        all[..all.len().min(count.into())].to_vec()
    };
    let (added, removed) = (list(&given.added, given.adds), list(&given.removed, given.removes));
    let now = exports.now();
    match exports.table().complex_ping(given.set, (&added, &removed), user, now) {
        Ok(set) => ComplexPingOut { set, backoff: 0, status: 0 },
        Err(status) => ComplexPingOut { set: given.set, backoff: 0, status: status.0 },
    }
}
