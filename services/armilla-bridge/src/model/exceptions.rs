//! Exceptions of CORBA and HRESULTs (CORBA 2.3, 17.2.10 and 18.2.10).

use armilla::{Completion, ExceptionKind, Minor, SystemException};
use armilla_dcerpc::Status;

/// The HRESULT of every user exception.
pub const USER_EXCEPTION: Status = Status(0x8004_02ff);

/// The HRESULT of the first system exception, of calls that were not executed.
const FIRST: u32 = 0x8004_0200;
/// What calls that were executed add, and again those of which nobody knows.
const EXECUTED: u32 = 0x1000;

use ExceptionKind as Kind;

/// The numbers of the system exceptions. Those behind 0x22 are a choice of ours.
const NUMBERS: &[(u32, Kind)] = &[
    (0x00, Kind::Unknown),
    (0x01, Kind::BadParam),
    (0x02, Kind::NoMemory),
    (0x03, Kind::ImpLimit),
    (0x04, Kind::CommFailure),
    (0x05, Kind::InvObjref),
    (0x06, Kind::NoPermission),
    (0x07, Kind::Internal),
    (0x08, Kind::Marshal),
    (0x09, Kind::Initialize),
    (0x0a, Kind::NoImplement),
    (0x0b, Kind::BadTypecode),
    (0x0c, Kind::BadOperation),
    (0x0d, Kind::NoResources),
    (0x0e, Kind::NoResponse),
    (0x0f, Kind::PersistStore),
    (0x10, Kind::BadInvOrder),
    (0x11, Kind::Transient),
    (0x12, Kind::FreeMem),
    (0x13, Kind::InvIdent),
    (0x14, Kind::InvFlag),
    (0x15, Kind::IntfRepos),
    (0x16, Kind::BadContext),
    (0x17, Kind::ObjAdapter),
    (0x18, Kind::DataConversion),
    (0x19, Kind::ObjectNotExist),
    (0x20, Kind::TransactionRequired),
    (0x21, Kind::TransactionRolledback),
    (0x22, Kind::InvalidTransaction),
    (0x23, Kind::InvPolicy),
    (0x24, Kind::CodesetIncompatible),
    (0x25, Kind::Rebind),
    (0x26, Kind::Timeout),
    (0x27, Kind::TransactionUnavailable),
    (0x28, Kind::TransactionMode),
    (0x29, Kind::BadQos),
];

/// The HRESULTs of COM that say what a system exception says.
const OF_COM: &[(Status, Kind)] = &[
    (Status::ACCESS_DENIED, Kind::NoPermission),
    (Status::E_ACCESS_DENIED, Kind::NoPermission),
    (Status::LOGON_FAILURE, Kind::NoPermission),
    (Status::INVALID_ARGUMENT, Kind::BadParam),
    (Status::TYPE_MISMATCH, Kind::BadParam),
    (Status::OVERFLOW, Kind::BadParam),
    (Status::BAD_PARAMETER_COUNT, Kind::BadParam),
    (Status::PARAMETER_NOT_OPTIONAL, Kind::BadParam),
    (Status::INVALID_POINTER, Kind::BadParam),
    (Status::OUT_OF_MEMORY, Kind::NoMemory),
    (Status::OUT_OF_RESOURCES, Kind::NoResources),
    (Status::SERVER_TOO_BUSY, Kind::NoResources),
    (Status::NOT_IMPLEMENTED, Kind::NoImplement),
    (Status::MEMBER_NOT_FOUND, Kind::BadOperation),
    (Status::UNKNOWN_NAME, Kind::BadOperation),
    (Status::OPERATION_OUT_OF_RANGE, Kind::BadOperation),
    (Status::NO_INTERFACE, Kind::InvObjref),
    (Status::DISCONNECTED, Kind::ObjectNotExist),
    (Status::UNKNOWN_OID, Kind::ObjectNotExist),
    (Status::UNKNOWN_OXID, Kind::Transient),
    (Status::RPC_UNAVAILABLE, Kind::Transient),
    (Status::CLASS_NOT_REGISTERED, Kind::ObjectNotExist),
    (Status::SERVER_START_FAILED, Kind::Transient),
    (Status::BAD_STUB, Kind::Marshal),
    (Status::UNEXPECTED, Kind::Internal),
    (Status::SERVER_FAULT, Kind::Internal),
];

/// The HRESULT of a system exception.
pub fn hresult(exception: &SystemException) -> Status {
    let kind = exception.kind();
    let number = NUMBERS.iter().find(|(_, known)| *known == kind).map_or(0, |(number, _)| *number);
    let block = match exception.completed() {
        Completion::No => 0,
        Completion::Yes => 1,
        Completion::Maybe => 2,
    };
    Status(FIRST + block * EXECUTED + number)
}

/// What a script is told of a system exception.
pub fn text(exception: &SystemException) -> String {
    let executed = match exception.completed() {
        Completion::No => "NO",
        Completion::Yes => "YES",
        Completion::Maybe => "MAYBE",
    };
    let (name, minor) = (exception.kind().name(), exception.minor().0);
    let reason = exception.reason().map_or(String::new(), |reason| format!(" {reason}"));
    format!("CORBA System Exception: [CORBA::{name}] minor code [{minor}][{executed}]{reason}")
}

/// The system exception that an HRESULT says, with a reason; `UNKNOWN` for one that says none.
///
/// ```
/// use armilla::{Completion, ExceptionKind, Minor, SystemException};
/// use armilla_bridge::model::{hresult, system_exception};
///
/// let (kind, minor) = (ExceptionKind::ObjectNotExist, Minor::default());
/// let gone = SystemException::new(kind, minor, Completion::No);
/// assert_eq!(hresult(&gone).0, 0x8004_0219);
/// let back = system_exception(hresult(&gone), "the account is closed");
/// assert_eq!((back.kind(), back.completed()), (kind, Completion::No));
/// ```
pub fn system_exception(status: Status, reason: &str) -> SystemException {
    let (kind, completed) = meaning(status);
    SystemException::new(kind, Minor::default(), completed).with_reason(reason)
}

fn meaning(status: Status) -> (Kind, Completion) {
    let offset = status.0.wrapping_sub(FIRST);
    let completed = match offset / EXECUTED {
        0 => Some(Completion::No),
        1 => Some(Completion::Yes),
        2 => Some(Completion::Maybe),
        _ => None,
    };
    let number = offset % EXECUTED;
    let known = NUMBERS.iter().find(|(known, _)| *known == number);
    if let (Some(completed), Some((_, kind))) = (completed, known) {
        return (*kind, completed);
    }
    match OF_COM.iter().find(|(known, _)| *known == status) {
        Some((_, kind)) => (*kind, Completion::Maybe),
        None => (Kind::Unknown, Completion::Maybe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_exception_comes_back_as_it_went() {
        for (_, kind) in NUMBERS {
            for completed in [Completion::No, Completion::Yes, Completion::Maybe] {
                let exception = SystemException::new(*kind, Minor::default(), completed);
                let back = system_exception(hresult(&exception), "");
                assert_eq!((back.kind(), back.completed()), (*kind, completed));
            }
        }
    }

    #[test]
    fn the_numbers_are_those_of_the_chapter() {
        let of =
            |kind, completed| hresult(&SystemException::new(kind, Minor::default(), completed));
        assert_eq!(of(Kind::Unknown, Completion::No), Status(0x8004_0200));
        assert_eq!(of(Kind::CommFailure, Completion::Maybe), Status(0x8004_2204));
        assert_eq!(of(Kind::ObjectNotExist, Completion::Yes), Status(0x8004_1219));
    }

    #[test]
    fn what_com_says_by_itself_has_a_meaning_too() {
        let kind = |status| system_exception(status, "").kind();
        assert_eq!(kind(Status::E_ACCESS_DENIED), Kind::NoPermission);
        assert_eq!(kind(Status::DISCONNECTED), Kind::ObjectNotExist);
        assert_eq!(kind(Status::FAIL), Kind::Unknown);
        assert_eq!(kind(USER_EXCEPTION), Kind::Unknown);
    }
}
