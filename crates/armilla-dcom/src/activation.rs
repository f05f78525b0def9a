//! The values of the properties that every activation needs (MS-DCOM 2.2.22.2).

use crate::objref::InterfacePointer;
use crate::orpc::ComVersion;
use crate::string_array::StringArrayUnits;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Conformant, Unique, WideString};

/// The interface of the reference around what is asked (`IActivationPropertiesIn`).
pub const ACTIVATION_PROPERTIES_IN: Uuid = Uuid::literal("000001a2-0000-0000-c000-000000000046");
/// The interface of the reference around what is answered (`IActivationPropertiesOut`).
pub const ACTIVATION_PROPERTIES_OUT: Uuid = Uuid::literal("000001a3-0000-0000-c000-000000000046");

/// The classes of properties, and of the references that carry them.
pub mod property {
    use armilla_dcerpc::Uuid;

    /// [`InstantiationInfo`](crate::InstantiationInfo).
    pub const INSTANTIATION: Uuid = Uuid::literal("000001ab-0000-0000-c000-000000000046");
    /// [`ContextInfo`](crate::ContextInfo).
    pub const CONTEXT: Uuid = Uuid::literal("000001a5-0000-0000-c000-000000000046");
    /// [`LocationInfo`](crate::LocationInfo).
    pub const LOCATION: Uuid = Uuid::literal("000001a4-0000-0000-c000-000000000046");
    /// [`ScmRequestInfo`](crate::ScmRequestInfo).
    pub const SCM_REQUEST: Uuid = Uuid::literal("000001aa-0000-0000-c000-000000000046");
    /// [`ScmReplyInfo`](crate::ScmReplyInfo).
    pub const SCM_REPLY: Uuid = Uuid::literal("000001b6-0000-0000-c000-000000000046");
    /// [`ActivationResults`](crate::ActivationResults), and the class of the reference around.
    pub const RESULTS: Uuid = Uuid::literal("00000339-0000-0000-c000-000000000046");
    /// The class of the reference around what is asked.
    pub const REQUEST: Uuid = Uuid::literal("00000338-0000-0000-c000-000000000046");
}

armilla_dcerpc::ndr_struct! {
    /// What is to be made.
    pub struct InstantiationInfo {
        /// Its class.
        pub class: Uuid,
        /// Where it may run: 16 for another host.
        pub context: u32,
        /// Flags of the activation.
        pub flags: u32,
        /// 1 if the object has a state that is to be loaded.
        pub surrogate: u32,
        /// How many interfaces are asked for.
        pub count: u32,
        /// Flags of the instantiation.
        pub instance_flags: u32,
        /// The interfaces.
        pub iids: Unique<Conformant<Uuid>>,
        /// How many octets this has with its heads.
        pub own_size: u32,
        /// The version that the client speaks.
        pub version: ComVersion,
    }
    /// In which context the client is.
    pub struct ContextInfo {
        /// 1 if the client's context is of use.
        pub client_ok: u32,
        /// Always 0.
        pub reserved: [u32; 3],
        /// The client's context.
        pub client: Unique<InterfacePointer>,
        /// The context that the object is to have.
        pub prototype: Unique<InterfacePointer>,
    }
    /// On which host.
    pub struct LocationInfo {
        /// Its name; null for the one that is asked.
        pub host: Unique<WideString>,
        /// The process; 0 for any.
        pub process: u32,
        /// The apartment; 0 for any.
        pub apartment: u32,
        /// The context; 0 for any.
        pub context: u32,
    }
    /// What the client can do.
    pub struct ScmRequestInfo {
        /// Always null.
        pub reserved: Unique<u32>,
        /// How it reaches servers.
        pub request: Unique<RemoteRequest>,
    }
    /// How a client reaches servers.
    pub struct RemoteRequest {
        /// The level of impersonation.
        pub impersonation: u32,
        /// How many protocols it speaks.
        pub count: u16,
        /// The protocols: 7 for TCP.
        pub protocols: Unique<Conformant<u16>>,
    }
    /// Where the objects are that were made.
    pub struct ScmReplyInfo {
        /// Always null.
        pub reserved: Unique<u32>,
        /// Their exporter.
        pub reply: Unique<RemoteReply>,
    }
    /// An exporter.
    pub struct RemoteReply {
        /// Its name.
        pub oxid: u64,
        /// Where it is reached.
        pub bindings: Unique<StringArrayUnits>,
        /// Its object that counts references.
        pub rem_unknown: Uuid,
        /// The least level of security that it wants.
        pub authentication_hint: u32,
        /// The version that it speaks.
        pub version: ComVersion,
    }
    /// What was made.
    pub struct ActivationResults {
        /// How many interfaces were asked for.
        pub count: u32,
        /// The interfaces.
        pub iids: Unique<Conformant<Uuid>>,
        /// What became of each.
        pub results: Unique<Conformant<u32>>,
        /// The references; null where one was not had.
        pub interfaces: Unique<Conformant<Unique<InterfacePointer>>>,
    }
}
