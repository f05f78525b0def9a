//! A user exception as an object that a client of COM asks for its members: a method for each exception of
//! the interface (CORBA 2.3, 18.2.10).

use crate::ground::Ground;
use crate::number::{Raises, to_value};
use armilla::Any;
use armilla::dynamic::DynAny;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::server::{Object as ComObject, ObjectCall};
use std::sync::Arc;

/// A user exception.
pub(crate) struct Raised {
    bridge: Arc<dyn Ground>,
    exception: Any,
    raises: Arc<Raises>,
}

impl Raised {
    pub(crate) fn new(bridge: Arc<dyn Ground>, exception: Any, raises: Arc<Raises>) -> Self {
        Self { bridge, exception, raises }
    }
}

impl ComObject for Raised {
    fn supports(&self, iid: Uuid) -> bool {
        iid == self.raises.iid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let place = usize::from(call.opnum).checked_sub(3);
        let asked = place.and_then(|place| self.raises.exceptions.get(place));
        let (code, shape) = asked.ok_or(Status::OPERATION_OUT_OF_RANGE)?;
        if code.id() != self.exception.type_code().id() {
            return Err(Status::FAIL);
        }
        let shape = shape.as_ref().ok_or(Status::NOT_IMPLEMENTED)?;
        let value = DynAny::from_any(&self.exception).map_err(|_| Status::UNEXPECTED)?;
        let members = to_value(&mut { value }, shape, &*self.bridge);
        let members = members.map_err(|mismatch| mismatch.status)?;
        call.write_answer(Status::OK, |out| members.write(out))
    }
}
