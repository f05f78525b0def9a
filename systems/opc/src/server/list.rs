//! `OpcEnum`: which servers the host has

use super::enumerator::{Elements, Enumerator};
use super::{CLASS, PROG_ID};
use crate::data_access::iopc_server_list::{
    self, ClassFromProgId, ClassFromProgIdIn, ClassFromProgIdOut, EnumClasses, EnumClassesIn,
    EnumClassesOut, GetClassDetails, GetClassDetailsIn, GetClassDetailsOut,
};
use crate::data_access::{i_enum_guid, iopc_enum_guid, iopc_server_list2};
use crate::wire::{DATA_ACCESS_2, text};
use armilla_dcerpc::ndr::Operation;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::server::{Object, ObjectCall};

/// The list, on which the plant is alone.
pub(super) struct ServerList;

impl Object for ServerList {
    fn supports(&self, iid: Uuid) -> bool {
        [iopc_server_list::IID, iopc_server_list2::IID].contains(&iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        // Both interfaces have the same operations, which give almost the same.
        let second = call.iid == iopc_server_list2::IID;
        match call.opnum {
            EnumClasses::OPNUM => {
                let given: EnumClassesIn = call.arguments()?;
                let (any, of) = (&given.implemented.0, DATA_ACCESS_2);
                let fits = (any.is_empty() || any.contains(&of))
                    && given.required.0.iter().all(|category| *category == of);
                let classes = if fits { vec![CLASS] } else { Vec::new() };
                let status = if fits { Status::OK } else { Status::FALSE };
                let iid = if second { iopc_enum_guid::IID } else { i_enum_guid::IID };
                let classes = Elements::Guids(classes.into());
                let classes = Enumerator::pointer_as(call, classes, iid)?;
                call.answer_with(&EnumClassesOut { classes }, status)
            }
            GetClassDetails::OPNUM => {
                let GetClassDetailsIn { class_id } = call.arguments()?;
                if class_id != CLASS {
                    return Err(Status::CLASS_NOT_REGISTERED);
                }
                let (prog_id, user_type) = (text(PROG_ID), text("A simulated plant"));
                match second {
                    true => {
                        let plain_prog_id = text(PROG_ID.trim_end_matches(".1"));
                        let second = iopc_server_list2::GetClassDetailsOut {
                            prog_id,
                            user_type,
                            plain_prog_id,
                        };
                        call.answer(&second)
                    }
                    false => call.answer(&GetClassDetailsOut { prog_id, user_type }),
                }
            }
            ClassFromProgId::OPNUM => {
                let ClassFromProgIdIn { prog_id } = call.arguments()?;
                let known = [PROG_ID, PROG_ID.trim_end_matches(".1")];
                match known.iter().any(|known| known.eq_ignore_ascii_case(&prog_id.to_text())) {
                    true => call.answer(&ClassFromProgIdOut { class_id: CLASS }),
                    false => Err(Status::CLASS_NOT_REGISTERED),
                }
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}
