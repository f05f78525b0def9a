//! What an object of CORBA is behind its view, for other bridges: `IForeignObject` (CORBA 2.3,
//! 17.6.3).

use armilla::Object;
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{ConformantVarying, Operation, Unique, WideString};
use armilla_dcom::server::ObjectCall;

/// The number of CORBA among the systems of objects.
const CORBA: i32 = 1;

armilla_dcerpc::ndr_interface! {
    /// What an object of another system is behind its view.
    pub(crate) const FOREIGN_OBJECT = "204f6242-3aec-11cf-bbfc-444553540000", 0, 0;
    /// The reference, if the caller knows the system.
    3 => GetForeignReference(SystemsIn) -> ForeignOut;
    /// The interface.
    4 => GetRepositoryId(()) -> RepositoryIdOut;
}

armilla_dcerpc::ndr_struct! {
    /// Systems of objects, by number.
    pub(crate) struct Systems {
        /// How many there may be.
        pub(crate) maximum: u32,
        /// How many there are.
        pub(crate) used: u32,
        /// Their numbers.
        pub(crate) values: Unique<ConformantVarying<i32>>,
    }
}

armilla_dcerpc::ndr_parameters! {
    /// What [`GetForeignReference`] is given.
    pub(crate) struct SystemsIn {
        /// The systems that the caller knows.
        pub(crate) systems: Systems,
    }
    /// What [`GetForeignReference`] gives.
    pub(crate) struct ForeignOut {
        /// The system of the object.
        pub(crate) system: i32,
        /// Its reference as text.
        pub(crate) reference: Unique<WideString>,
    }
    /// What [`GetRepositoryId`] gives.
    pub(crate) struct RepositoryIdOut {
        /// The interface.
        pub(crate) id: Unique<WideString>,
    }
}

/// Tells a caller what a view shows.
pub(crate) fn call(
    call: &ObjectCall<'_>,
    object: &Object,
    repository_id: &str,
) -> Result<Vec<u8>, Status> {
    match call.opnum {
        GetForeignReference::OPNUM => {
            let SystemsIn { systems } = call.arguments()?;
            let known = systems.values.get().is_some_and(|them| them.values.contains(&CORBA));
            if !known {
                let nothing = ForeignOut { system: 0, reference: Unique::NULL };
                return call.answer_with(&nothing, Status::FALSE);
            }
            let text = object.orb().and_then(|orb| orb.object_to_string(object));
            let text = text.map_err(|exception| crate::model::hresult(&exception))?;
            let reference = Unique::new(WideString::from(&*text));
            call.answer(&ForeignOut { system: CORBA, reference })
        }
        GetRepositoryId::OPNUM => {
            let id = Unique::new(WideString::from(repository_id));
            call.answer(&RepositoryIdOut { id })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}
