//! `IOPCServerList` and `IOPCServerList2`: which servers a host has

use super::server::PointerOut;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Conformant, Unique, WideString};

/// The class of `OpcEnum`, which every host with OPC servers has.
pub(crate) const OPC_ENUM: Uuid = Uuid::literal("13486d51-4821-11d2-a494-3cb306c10000");
/// The category of servers of Data Access 1.
pub(crate) const DATA_ACCESS_1: Uuid = Uuid::literal("63d5f430-cfe4-11d1-b2c8-0060083ba1fb");
/// The category of servers of Data Access 2.
pub(crate) const DATA_ACCESS_2: Uuid = Uuid::literal("63d5f432-cfe4-11d1-b2c8-0060083ba1fb");
/// The category of servers of Data Access 3.
pub(crate) const DATA_ACCESS_3: Uuid = Uuid::literal("cc603642-66d7-48f1-b69a-b625e73652d7");

armilla_dcerpc::ndr_interface! {
    /// The servers of a host.
    pub(crate) const SERVER_LIST = "13486d50-4821-11d2-a494-3cb306c10000", 0, 0;
    3 => EnumClasses(EnumClassesIn) -> PointerOut;
    4 => GetClassDetails(ClassIn) -> DetailsOut;
    5 => ClassFromProgId(ProgIdIn) -> ClassOut;
}

armilla_dcerpc::ndr_interface! {
    /// The same with another enumerator, and a program id without a version.
    pub(crate) const SERVER_LIST_2 = "9dd0b56c-ad9e-43ee-8305-487f3188bf7a", 0, 0;
    4 => GetClassDetails2(ClassIn) -> Details2Out;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct EnumClassesIn {
        pub(crate) implemented_count: u32,
        pub(crate) implemented: Conformant<Uuid>,
        pub(crate) required_count: u32,
        pub(crate) required: Conformant<Uuid>,
    }
    pub(crate) struct ClassIn {
        pub(crate) class: Uuid,
    }
    pub(crate) struct DetailsOut {
        pub(crate) prog_id: Unique<WideString>,
        pub(crate) user_type: Unique<WideString>,
    }
    pub(crate) struct Details2Out {
        pub(crate) prog_id: Unique<WideString>,
        pub(crate) user_type: Unique<WideString>,
        pub(crate) plain_prog_id: Unique<WideString>,
    }
    pub(crate) struct ProgIdIn {
        pub(crate) prog_id: WideString,
    }
    pub(crate) struct ClassOut {
        pub(crate) class: Uuid,
    }
}
