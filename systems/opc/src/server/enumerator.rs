//! The enumerators of OPC.

use super::Called;
use crate::data_access::{
    IEnumGuid, IEnumOpcItemAttributes, IEnumString, IEnumUnknown, ItemAttributes,
    i_enum_guid as guids, i_enum_opc_item_attributes as attributes, i_enum_string as strings,
    i_enum_unknown as objects, iopc_enum_guid,
};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::remote::UNKNOWN;
use armilla_dcom::server::{Object, ObjectCall};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is enumerated.
#[derive(Clone)]
pub(super) enum Elements {
    Strings(Arc<[String]>),
    Guids(Arc<[Uuid]>),
    Objects(Arc<[Arc<dyn Object>]>),
    Attributes(Arc<[ItemAttributes]>),
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
    ) -> Result<InterfacePointer, Status> {
        let iid = elements.iid();
        Self::pointer_as(call, elements, iid)
    }

    /// The same by one of several interfaces.
    pub(super) fn pointer_as(
        call: &ObjectCall<'_>,
        elements: Elements,
        iid: Uuid,
    ) -> Result<InterfacePointer, Status> {
        let object = Arc::new(Self { elements, at: Mutex::new(0) });
        call.exports.pointer(object, iid)
    }

    /// Passes over elements; returns which they were, and whether there were as many.
    fn advance(&self, count: u32) -> (std::ops::Range<usize>, Status) {
        let mut at = self.at();
        let from = *at;
        *at = from.saturating_add(count as usize).min(self.elements.len());
        let enough = *at - from == count as usize;
        (from..*at, if enough { Status::OK } else { Status::FALSE })
    }

    fn at(&self) -> MutexGuard<'_, usize> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Object for Enumerator {
    fn supports(&self, iid: Uuid) -> bool {
        let guids = matches!(self.elements, Elements::Guids(_));
        iid == self.elements.iid() || guids && iid == iopc_enum_guid::IID
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let called = Called { on: self, call };
        match &self.elements {
            Elements::Strings(_) => strings::call(&called, call),
            Elements::Guids(_) => guids::call(&called, call),
            Elements::Objects(_) => objects::call(&called, call),
            Elements::Attributes(_) => attributes::call(&called, call),
        }
    }
}

impl Called<'_, Enumerator> {
    /// The next elements, each as it travels.
    fn next_of<T, W>(
        &self,
        all: &[T],
        count: u32,
        each: impl Fn(&T) -> Result<W, Status>,
    ) -> Result<(Status, Vec<W>, u32), Status> {
        let (which, status) = self.on.advance(count);
        let elements = all[which].iter().map(each).collect::<Result<Vec<_>, _>>()?;
        let got = elements.len() as u32;
        Ok((status, elements, got))
    }

    /// Another enumerator at the same place.
    fn copy(&self) -> Result<Option<InterfacePointer>, Status> {
        let copy = Enumerator { elements: self.on.elements.clone(), at: Mutex::new(*self.on.at()) };
        self.call.exports.pointer(Arc::new(copy), self.call.iid).map(Some)
    }
}

/// An interface of enumerators: all have the same operations, and elements of their own.
macro_rules! enumerates {
    ($interface:ident: $elements:ident of $element:ty, |$called:ident, $one:ident| $travels:expr) => {
        impl $interface for Called<'_, Enumerator> {
            fn next(&self, count: u32) -> Result<(Status, Vec<$element>, u32), Status> {
                let Elements::$elements(all) = &self.on.elements else {
                    return Err(Status::NO_INTERFACE);
                };
                let $called = self;
                self.next_of(all, count, |$one| $travels)
            }

            fn skip(&self, count: u32) -> Result<Status, Status> {
                Ok(self.on.advance(count).1)
            }

            fn reset(&self) -> Result<(), Status> {
                *self.on.at() = 0;
                Ok(())
            }

            fn clone_(&self) -> Result<Option<InterfacePointer>, Status> {
                self.copy()
            }
        }
    };
}

enumerates!(IEnumString: Strings of Option<String>, |_called, name| Ok(Some(name.clone())));
enumerates!(IEnumGuid: Guids of Uuid, |_called, guid| Ok(*guid));
enumerates!(IEnumUnknown: Objects of Option<InterfacePointer>, |called, object| {
    called.call.exports.pointer(object.clone(), UNKNOWN).map(Some)
});
enumerates!(IEnumOpcItemAttributes: Attributes of ItemAttributes, |_called, item| Ok(item.clone()));
