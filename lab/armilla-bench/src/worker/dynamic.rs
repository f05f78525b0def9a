//! Calls without generated code: requests in the client, a dynamic servant in the server.

use crate::BinStruct;
use crate::workload::Workload;
use armilla::codegen::Typed;
use armilla::dynamic::{DynamicServant, ParameterMode, Request, ServerRequest};
use armilla::{Any, Completion, ExceptionKind, Minor, Object, ObjectId, SystemException, TypeCode};
use std::borrow::Cow;

/// A request for `workload` to `target`, or to `drain` for floods; `None` if dynamic calls do not
/// support it.
pub(super) fn request(
    (target, drain): (&Object, &Object),
    workload: Workload,
    structs: &Vec<BinStruct>,
    octets: &Vec<u8>,
    text: &String,
) -> Result<Option<Request>, SystemException> {
    let (operation, value) = match workload {
        Workload::Void => ("sendNoParams_2way", None),
        Workload::OnewayVoid => ("sendNoParams_1way", None),
        Workload::Structs => ("sendStructSeq_2way", Some(Any::new(structs)?)),
        Workload::OnewayStructs => ("sendStructSeq_1way", Some(Any::new(structs)?)),
        Workload::Octets => ("sendOctetSeq_2way", Some(Any::new(octets)?)),
        Workload::OnewayOctets => ("sendOctetSeq_1way", Some(Any::new(octets)?)),
        Workload::FloodSequence => ("send_sequence", Some(Any::new(octets)?)),
        Workload::FloodString => ("send_string", Some(Any::new(text)?)),
        Workload::FloodVoid => ("send_nothing", None),
        Workload::TwowaySequence => ("put_sequence", Some(Any::new(octets)?)),
        Workload::TwowayString => ("put_string", Some(Any::new(text)?)),
        _ => return Ok(None),
    };
    let drained = operation.starts_with("send_") || operation.starts_with("put_");
    let target = if drained { drain } else { target };
    let mut request = target.request(operation);
    if let Some(value) = value {
        request.add_in("ttcp_seq", value);
    }
    Ok(Some(request))
}

/// A dynamic servant with the interface of the generated sink, guided by TypeCodes.
pub(super) struct DynamicSink;

impl DynamicServant for DynamicSink {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:ttcp_sequence:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let operation = request.operation();
        let argument: Option<TypeCode> = match operation {
            _ if operation.starts_with("sendStructSeq") => Some(Vec::<BinStruct>::type_code()),
            _ if operation.starts_with("sendOctetSeq") => Some(Vec::<u8>::type_code()),
            _ if operation.starts_with("sendNoParams") => None,
            _ => {
                let (kind, minor) = (ExceptionKind::BadOperation, Minor::default());
                return Err(SystemException::new(kind, minor, Completion::No));
            }
        };
        let parameters = argument.map(|code| (ParameterMode::In, code));
        request.arguments(parameters).map(drop)
    }
}
