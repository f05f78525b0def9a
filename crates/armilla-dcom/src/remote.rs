//! The interfaces that every server of objects has, as tables: resolver, activation, counting of
//! references, factories (MS-DCOM 3.1.1.5.6, 3.1.2.5).
//!
//! Operations of objects begin with [`OrpcThis`](crate::OrpcThis) and end with an HRESULT, which the
//! tables leave out; those of the resolver have neither, and their tables are complete.

use crate::objref::{InterfacePointer, StandardReference};
use crate::orpc::ComVersion;
use crate::string_array::StringArrayUnits;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Conformant, NdrErrorKind, Unique, WideString, check_size};
use armilla_dcerpc::{SyntaxId, Uuid};

/// `IUnknown`, which every object has.
pub const UNKNOWN: Uuid = Uuid::literal("00000000-0000-0000-c000-000000000046");

/// The name of an interface of objects on connections: its version is always 0.
pub fn syntax(iid: Uuid) -> SyntaxId {
    SyntaxId { uuid: iid, major: 0, minor: 0 }
}

armilla_dcerpc::ndr_interface! {
    /// The resolver, at port 135 of a host: where exporters are, and who is alive.
    pub const OBJECT_EXPORTER = "99fcfec4-5260-101b-bbcb-00aa0021347a", 0, 0;
    /// Where an exporter is.
    0 => ResolveOxid(ResolveOxidIn) -> ResolveOxidOut;
    /// A client is alive, and still wants the objects of a set.
    1 => SimplePing(SimplePingIn) -> Status;
    /// The same, and the set changes.
    2 => ComplexPing(ComplexPingIn) -> ComplexPingOut;
    /// Whether the resolver is there.
    3 => ServerAlive(()) -> Status;
    /// Where an exporter is, and which version it speaks.
    4 => ResolveOxid2(ResolveOxidIn) -> ResolveOxid2Out;
    /// Which version the host speaks, and by which addresses it goes.
    5 => ServerAlive2(()) -> ServerAlive2Out;
}

armilla_dcerpc::ndr_interface! {
    /// Activation as it was before Windows 2000.
    pub const ACTIVATION = "4d9f4ab8-7d1c-11cf-861e-0020af6e7c57", 0, 0;
    /// Makes an object.
    0 => RemoteActivation(RemoteActivationIn) -> RemoteActivationOut;
}

armilla_dcerpc::ndr_interface! {
    /// Activation.
    pub const SCM_ACTIVATOR = "000001a0-0000-0000-c000-000000000046", 0, 0;
    /// Gives the factory of a class.
    3 => RemoteGetClassObject(GetClassObjectIn) -> ActivationOut;
    /// Makes an object.
    4 => RemoteCreateInstance(CreateInstanceIn) -> ActivationOut;
}

armilla_dcerpc::ndr_interface! {
    /// The object of an exporter that counts references.
    pub const REM_UNKNOWN = "00000131-0000-0000-c000-000000000046", 0, 0;
    /// References to further interfaces of an object.
    3 => RemQueryInterface(QueryIn) -> QueryOut;
    /// Further references.
    4 => RemAddRef(CountsIn) -> AddRefOut;
    /// Gives references back.
    5 => RemRelease(CountsIn) -> ();
}

armilla_dcerpc::ndr_interface! {
    /// The same with one operation more.
    pub const REM_UNKNOWN_2 = "00000143-0000-0000-c000-000000000046", 0, 0;
    /// References to further interfaces of an object, of any kind.
    6 => RemQueryInterface2(Query2In) -> Query2Out;
}

armilla_dcerpc::ndr_interface! {
    /// The factory of a class.
    pub const CLASS_FACTORY = "00000001-0000-0000-c000-000000000046", 0, 0;
    /// Makes an object.
    3 => CreateInstance(FactoryIn) -> FactoryOut;
    /// Keeps the server running, or no longer.
    4 => LockServer(LockIn) -> ();
}

armilla_dcerpc::ndr_interface! {
    /// Which failures of an object come with error objects (`ISupportErrorInfo`).
    pub const SUPPORT_ERROR_INFO = "df0b3d60-548f-101b-8e65-08002b2bd119", 0, 0;
    /// Whether those of the methods of an interface do: success, or [`FALSE`](armilla_dcerpc::Status::FALSE).
    3 => InterfaceSupportsErrorInfo(FactoryIn) -> ();
}

armilla_dcerpc::ndr_parameters! {
    /// The end of an operation of the resolver.
    pub struct Status {
        /// 0 for success.
        pub status: u32,
    }
    /// What [`ResolveOxid`] is given.
    pub struct ResolveOxidIn {
        /// The exporter.
        pub oxid: u64,
        /// How many protocols there are.
        pub count: u16,
        /// The protocols that the client speaks: 7 for TCP.
        pub protocols: Conformant<u16>,
    } => Self::check;
    /// What [`ResolveOxid`] gives.
    pub struct ResolveOxidOut {
        /// Where the exporter is.
        pub bindings: Unique<StringArrayUnits>,
        /// Its object that counts references.
        pub rem_unknown: Uuid,
        /// The least level of security that it wants.
        pub authentication_hint: u32,
        /// 0 for success.
        pub status: u32,
    }
    /// What [`ResolveOxid2`] gives.
    pub struct ResolveOxid2Out {
        /// Where the exporter is.
        pub bindings: Unique<StringArrayUnits>,
        /// Its object that counts references.
        pub rem_unknown: Uuid,
        /// The least level of security that it wants.
        pub authentication_hint: u32,
        /// The version that it speaks.
        pub version: ComVersion,
        /// 0 for success.
        pub status: u32,
    }
    /// What [`SimplePing`] is given.
    pub struct SimplePingIn {
        /// The set.
        pub set: u64,
    }
    /// What [`ComplexPing`] is given.
    pub struct ComplexPingIn {
        /// The set; 0 for a new one.
        pub set: u64,
        /// Counts the pings of a set.
        pub sequence: u16,
        /// How many objects are new.
        pub adds: u16,
        /// How many objects leave.
        pub removes: u16,
        /// The new objects.
        pub added: Unique<Conformant<u64>>,
        /// The objects that leave.
        pub removed: Unique<Conformant<u64>>,
    } => Self::check;
    /// What [`ComplexPing`] gives.
    pub struct ComplexPingOut {
        /// The set.
        pub set: u64,
        /// How many further periods the client may leave out.
        pub backoff: u16,
        /// 0 for success.
        pub status: u32,
    }
    /// What [`ServerAlive2`] gives.
    pub struct ServerAlive2Out {
        /// The version that the host speaks.
        pub version: ComVersion,
        /// By which addresses the host goes.
        pub bindings: Unique<StringArrayUnits>,
        /// Always 0.
        pub reserved: u32,
        /// 0 for success.
        pub status: u32,
    }
    /// What [`RemoteActivation`] is given, after the head of a call.
    pub struct RemoteActivationIn {
        /// The class.
        pub class: Uuid,
        /// The name of what is to be loaded.
        pub name: Unique<WideString>,
        /// What is to be loaded.
        pub storage: Unique<InterfacePointer>,
        /// The level of impersonation.
        pub impersonation: u32,
        /// [`RemoteActivationIn::CLASS_OBJECT`] for the factory, else 0.
        pub mode: u32,
        /// How many interfaces there are.
        pub count: u32,
        /// The interfaces.
        pub iids: Unique<Conformant<Uuid>>,
        /// How many protocols there are.
        pub protocol_count: u16,
        /// The protocols that the client speaks.
        pub protocols: Conformant<u16>,
    } => Self::check;
    /// What [`RemoteActivation`] gives, after the head of an answer; all of it.
    pub struct RemoteActivationOut {
        /// The exporter.
        pub oxid: u64,
        /// Where it is.
        pub bindings: Unique<StringArrayUnits>,
        /// Its object that counts references.
        pub rem_unknown: Uuid,
        /// The least level of security that it wants.
        pub authentication_hint: u32,
        /// The version that it speaks.
        pub version: ComVersion,
        /// What became of the activation.
        pub result: u32,
        /// The references; null where one was not had.
        pub interfaces: Conformant<Unique<InterfacePointer>>,
        /// What became of each interface.
        pub results: Conformant<u32>,
    }
    /// What [`RemoteGetClassObject`] is given.
    pub struct GetClassObjectIn {
        /// A custom reference with the properties.
        pub properties: Unique<InterfacePointer>,
    }
    /// What [`RemoteCreateInstance`] is given.
    pub struct CreateInstanceIn {
        /// The object that the new one is to be part of; always null.
        pub outer: Unique<InterfacePointer>,
        /// A custom reference with the properties.
        pub properties: Unique<InterfacePointer>,
    }
    /// What an activation gives.
    pub struct ActivationOut {
        /// A custom reference with the properties.
        pub properties: Unique<InterfacePointer>,
    }
    /// What [`RemQueryInterface`] is given.
    pub struct QueryIn {
        /// An interface of the object.
        pub ipid: Uuid,
        /// How many references to each interface are wanted.
        pub references: u32,
        /// How many interfaces there are.
        pub count: u16,
        /// The interfaces.
        pub iids: Conformant<Uuid>,
    } => Self::check;
    /// What [`RemQueryInterface`] gives.
    pub struct QueryOut {
        /// What became of each interface.
        pub results: Unique<Conformant<QueryResult>>,
    }
    /// What [`RemQueryInterface2`] is given.
    pub struct Query2In {
        /// An interface of the object.
        pub ipid: Uuid,
        /// How many interfaces there are.
        pub count: u16,
        /// The interfaces.
        pub iids: Conformant<Uuid>,
    } => Self::check;
    /// What [`RemQueryInterface2`] gives.
    pub struct Query2Out {
        /// What became of each interface.
        pub results: Conformant<u32>,
        /// The references; null where one was not had.
        pub interfaces: Conformant<Unique<InterfacePointer>>,
    }
    /// What [`RemAddRef`] and [`RemRelease`] are given.
    pub struct CountsIn {
        /// How many interfaces there are.
        pub count: u16,
        /// How many references to each.
        pub counts: Conformant<ReferenceCount>,
    } => Self::check;
    /// What [`RemAddRef`] gives.
    pub struct AddRefOut {
        /// What became of each interface.
        pub results: Conformant<u32>,
    }
    /// What [`CreateInstance`] is given.
    pub struct FactoryIn {
        /// The interface that is wanted.
        pub iid: Uuid,
    }
    /// What [`CreateInstance`] gives.
    pub struct FactoryOut {
        /// The new object.
        pub interface: Unique<InterfacePointer>,
    }
    /// What [`LockServer`] is given.
    pub struct LockIn {
        /// 0 for no longer.
        pub lock: u32,
    }
}

armilla_dcerpc::ndr_struct! {
    /// What became of an interface that was asked for.
    pub struct QueryResult {
        /// 0 for success.
        pub result: u32,
        /// The reference; of no meaning after a failure.
        pub reference: StandardReference,
    }
    /// References to an interface.
    pub struct ReferenceCount {
        /// The interface.
        pub ipid: Uuid,
        /// References that may be given to others.
        pub public: u32,
        /// References of one client alone.
        pub private: u32,
    }
}

/// Compares an array with the parameter that says how many elements it has.
fn counted<T>(
    name: &'static str,
    bound: &'static str,
    count: u32,
    array: &Conformant<T>,
) -> Result<(), NdrErrorKind> {
    check_size(name, bound, Some(count.into()), array.0.len())
}

/// The same, where the array may be missing.
fn counted_if_any<T>(
    name: &'static str,
    bound: &'static str,
    count: u32,
    array: &Unique<Conformant<T>>,
) -> Result<(), NdrErrorKind> {
    array.get().map_or(Ok(()), |array| counted(name, bound, count, array))
}

impl ResolveOxidIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted("protocols", "size_is(count)", self.count.into(), &self.protocols)
    }
}

impl ComplexPingIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted_if_any("added", "size_is(adds)", self.adds.into(), &self.added)?;
        counted_if_any("removed", "size_is(removes)", self.removes.into(), &self.removed)
    }
}

impl QueryIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted("iids", "size_is(count)", self.count.into(), &self.iids)
    }
}

impl Query2In {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted("iids", "size_is(count)", self.count.into(), &self.iids)
    }
}

impl RemoteActivationIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted_if_any("iids", "size_is(count)", self.count, &self.iids)?;
        let count = self.protocol_count.into();
        counted("protocols", "size_is(protocol_count)", count, &self.protocols)
    }

    /// The mode in which the factory is wanted.
    pub const CLASS_OBJECT: u32 = 0xffff_ffff;
}

impl CountsIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        counted("counts", "size_is(count)", self.count.into(), &self.counts)
    }

    /// These public references.
    pub fn public(references: &[(Uuid, u32)]) -> Self {
        let each = references.iter();
        let counts: Vec<_> =
            each.map(|&(ipid, public)| ReferenceCount { ipid, public, private: 0 }).collect();
        Self { count: counts.len() as u16, counts: counts.into() }
    }
}
