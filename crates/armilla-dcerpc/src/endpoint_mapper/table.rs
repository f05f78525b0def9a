//! The interface of the endpoint mapper.

use crate::ndr::{Conformant, ConformantVarying, Unique, Varying};
use crate::uuid::{SyntaxId, Uuid};

crate::ndr_interface! {
    /// The endpoint mapper's interface.
    pub const ENDPOINT_MAPPER = "e1af8308-5d1f-11c9-91a4-08002b14a0fa", 3, 0;
    /// Which endpoints there are.
    2 => EptLookup(LookupIn) -> LookupOut;
    /// Where an interface is.
    3 => EptMap(MapIn) -> MapOut;
    /// Ends a series of calls that a handle goes on with.
    4 => EptLookupHandleFree(HandleIn) -> HandleOut;
}

crate::ndr_struct! {
    /// Where a series of calls goes on; zeros if it is over.
    pub struct Handle {
        /// Always 0.
        pub attributes: u32,
        /// What the server knows it by.
        pub id: Uuid,
    }
    /// A tower as it travels; see [`Tower`](super::Tower).
    pub struct TowerOctets {
        /// How many octets there are.
        pub length: u32,
        /// The octets.
        pub octets: Conformant<u8>,
    }
    /// An endpoint that was found.
    pub struct Entry {
        /// The object that is there; nil for any.
        pub object: Uuid,
        /// Where.
        pub tower: Unique<TowerOctets>,
        /// What its server says of it, with a NUL.
        pub annotation: Varying<u8, 64>,
    }
}

crate::ndr_parameters! {
    /// What [`EptLookup`] is given.
    pub struct LookupIn {
        /// 0 for all endpoints, 1 by interface, 2 by object, 3 by both.
        pub inquiry: u32,
        /// The object.
        pub object: Unique<Uuid>,
        /// The interface.
        pub interface: Unique<SyntaxId>,
        /// How versions compare.
        pub versions: u32,
        /// Where to go on.
        pub handle: Handle,
        /// How many there may be.
        pub maximum: u32,
    }
    /// What [`EptLookup`] gives.
    pub struct LookupOut {
        /// Where to go on.
        pub handle: Handle,
        /// How many there are.
        pub count: u32,
        /// Each of them.
        pub entries: ConformantVarying<Entry>,
        /// Whether that succeeded.
        pub status: u32,
    }
    /// What [`EptMap`] is given.
    pub struct MapIn {
        /// The object.
        pub object: Unique<Uuid>,
        /// The interface, the encoding and the protocols.
        pub tower: Unique<TowerOctets>,
        /// Where to go on.
        pub handle: Handle,
        /// How many there may be.
        pub maximum: u32,
    }
    /// What [`EptMap`] gives.
    pub struct MapOut {
        /// Where to go on.
        pub handle: Handle,
        /// How many there are.
        pub count: u32,
        /// Each of them, complete.
        pub towers: ConformantVarying<Unique<TowerOctets>>,
        /// Whether that succeeded.
        pub status: u32,
    }
    /// What [`EptLookupHandleFree`] is given.
    pub struct HandleIn {
        /// The handle.
        pub handle: Handle,
    }
    /// What [`EptLookupHandleFree`] gives.
    pub struct HandleOut {
        /// The handle of a series that is over.
        pub handle: Handle,
        /// Whether that succeeded.
        pub status: u32,
    }
}

impl Handle {
    /// The handle of a series that is over.
    pub const NONE: Self = Self { attributes: 0, id: Uuid::NIL };
}

impl From<alloc::vec::Vec<u8>> for TowerOctets {
    fn from(octets: alloc::vec::Vec<u8>) -> Self {
        Self { length: octets.len() as u32, octets: octets.into() }
    }
}
