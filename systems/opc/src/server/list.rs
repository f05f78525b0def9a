//! `OpcEnum`: which servers the host has

use super::enumerator::{Elements, Enumerator};
use super::{CLASS, PROG_ID};
use crate::wire::enumerators::{ENUM_GUID, OPC_ENUM_GUID};
use crate::wire::list::{
    ClassFromProgId, ClassIn, ClassOut, DATA_ACCESS_2, Details2Out, DetailsOut, EnumClasses,
    EnumClassesIn, GetClassDetails, ProgIdIn, SERVER_LIST, SERVER_LIST_2,
};
use crate::wire::server::PointerOut;
use armilla_dcerpc::ndr::{Operation, Unique, WideString};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::server::{Object, ObjectCall};

/// The list, on which the plant is alone.
pub(super) struct ServerList;

impl Object for ServerList {
    fn supports(&self, iid: Uuid) -> bool {
        iid == SERVER_LIST.uuid || iid == SERVER_LIST_2.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        // Both interfaces have the same operations, which give almost the same.
        let second = call.iid == SERVER_LIST_2.uuid;
        match call.opnum {
            EnumClasses::OPNUM => {
                let given: EnumClassesIn = call.arguments()?;
                let (any, of) = (&given.implemented.0, DATA_ACCESS_2);
                let fits = (any.is_empty() || any.contains(&of))
                    && given.required.0.iter().all(|category| *category == of);
                let classes = if fits { vec![CLASS] } else { Vec::new() };
                let status = if fits { Status::OK } else { Status::FALSE };
                let iid = if second { OPC_ENUM_GUID } else { ENUM_GUID };
                let pointer =
                    Enumerator::pointer_as(call, Elements::Guids(classes.into()), iid.uuid)?;
                call.answer_with(&PointerOut { pointer }, status)
            }
            GetClassDetails::OPNUM => {
                let ClassIn { class } = call.arguments()?;
                if class != CLASS {
                    return Err(Status::CLASS_NOT_REGISTERED);
                }
                let text = |text: &str| Unique::new(WideString::from(text));
                let (prog_id, user_type) = (text(PROG_ID), text("A simulated plant"));
                match second {
                    true => {
                        let plain_prog_id = text(PROG_ID.trim_end_matches(".1"));
                        call.answer(&Details2Out { prog_id, user_type, plain_prog_id })
                    }
                    false => call.answer(&DetailsOut { prog_id, user_type }),
                }
            }
            ClassFromProgId::OPNUM => {
                let ProgIdIn { prog_id } = call.arguments()?;
                let known = [PROG_ID, PROG_ID.trim_end_matches(".1")];
                match known.iter().any(|known| known.eq_ignore_ascii_case(&prog_id.to_text())) {
                    true => call.answer(&ClassOut { class: CLASS }),
                    false => Err(Status::CLASS_NOT_REGISTERED),
                }
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}
