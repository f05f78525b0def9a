//! The enumerators of OPC.

use crate::data_access::i_enum_opc_item_attributes::{
    self as attributes, CloneOut, Next, Reset, Skip, SkipIn,
};
use crate::data_access::{
    i_enum_guid as guids, i_enum_string as strings, i_enum_unknown as objects, iopc_enum_guid,
    item_attributes,
};
use crate::wire::{array, text};
use armilla_dcerpc::ndr::{ConformantVarying, Operation, Unique};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::remote::UNKNOWN;
use armilla_dcom::server::{Object, ObjectCall};
use std::sync::{Arc, Mutex, PoisonError};

/// What is enumerated.
#[derive(Clone)]
pub(super) enum Elements {
    Strings(Arc<[String]>),
    Guids(Arc<[Uuid]>),
    Objects(Arc<[Arc<dyn Object>]>),
    Attributes(Arc<[item_attributes::Wire]>),
}

/// A place among elements that do not change.
pub(super) struct Enumerator {
    elements: Elements,
    at: Mutex<usize>,
}

impl Elements {
    fn len(&self) -> usize {
        match self {
            Self::Strings(all) => all.len(),
            Self::Guids(all) => all.len(),
            Self::Objects(all) => all.len(),
            Self::Attributes(all) => all.len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The interface that enumerates them; GUIDs have two of them.
    fn iid(&self) -> Uuid {
        match self {
            Self::Strings(_) => strings::IID,
            Self::Guids(_) => guids::IID,
            Self::Objects(_) => objects::IID,
            Self::Attributes(_) => attributes::IID,
        }
    }
}

impl Enumerator {
    /// A reference to a new one.
    pub(super) fn pointer(
        call: &ObjectCall<'_>,
        elements: Elements,
    ) -> Result<Unique<InterfacePointer>, Status> {
        let iid = elements.iid();
        Self::pointer_as(call, elements, iid)
    }

    /// The same by one of several interfaces.
    pub(super) fn pointer_as(
        call: &ObjectCall<'_>,
        elements: Elements,
        iid: Uuid,
    ) -> Result<Unique<InterfacePointer>, Status> {
        let object = Arc::new(Self { elements, at: Mutex::new(0) });
        call.exports.pointer(object, iid).map(Unique::new)
    }

    /// Passes over elements; returns which they were, and whether there were as many.
    fn advance(&self, count: u32) -> (std::ops::Range<usize>, Status) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let from = *at;
        *at = from.saturating_add(count as usize).min(self.elements.len());
        let enough = *at - from == count as usize;
        (from..*at, if enough { Status::OK } else { Status::FALSE })
    }

    fn next(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let attributes::NextIn { count: maximum } = call.arguments()?;
        let (which, status) = self.advance(maximum);
        let got = which.len() as u32;
        match &self.elements {
            Elements::Strings(all) => {
                let values = all[which].iter().map(|name| text(name)).collect();
                let elements = ConformantVarying { maximum, values };
                call.answer_with(&strings::NextOut { elements, got }, status)
            }
            Elements::Guids(all) => {
                let elements = ConformantVarying { maximum, values: all[which].to_vec() };
                call.answer_with(&guids::NextOut { elements, got }, status)
            }
            Elements::Objects(all) => {
                let pointer = |object: &Arc<dyn Object>| {
                    call.exports.pointer(object.clone(), UNKNOWN).map(Unique::new)
                };
                let values = all[which].iter().map(pointer).collect::<Result<_, _>>()?;
                let elements = ConformantVarying { maximum, values };
                call.answer_with(&objects::NextOut { elements, got }, status)
            }
            Elements::Attributes(all) => {
                let elements = array(all[which].to_vec());
                call.answer_with(&attributes::NextOut { elements, got }, status)
            }
        }
    }
}

impl Object for Enumerator {
    fn supports(&self, iid: Uuid) -> bool {
        let guids = matches!(self.elements, Elements::Guids(_));
        iid == self.elements.iid() || guids && iid == iopc_enum_guid::IID
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        // The operations of all enumerators have the same numbers.
        match call.opnum {
            Next::OPNUM => self.next(call),
            Skip::OPNUM => {
                let SkipIn { count } = call.arguments()?;
                call.answer_with(&(), self.advance(count).1)
            }
            Reset::OPNUM => {
                *self.at.lock().unwrap_or_else(PoisonError::into_inner) = 0;
                call.answer(&())
            }
            attributes::Clone::OPNUM => {
                let at = *self.at.lock().unwrap_or_else(PoisonError::into_inner);
                let copy = Self { elements: self.elements.clone(), at: Mutex::new(at) };
                let copy = Unique::new(call.exports.pointer(Arc::new(copy), call.iid)?);
                call.answer(&CloneOut { copy })
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}
