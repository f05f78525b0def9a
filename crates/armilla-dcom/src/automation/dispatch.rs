//! The interfaces of Automation, as tables (MS-OAUT 3.1.4, 3.3.4, 3.11.4, 3.12.4). The HRESULT that
//! ends each operation is left out.

use super::bstr::Bstr;
use super::wire::VariantPointer;
use crate::objref::InterfacePointer;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{
    Conformant, ConformantVarying, NdrErrorKind, Unique, WideString, check_size,
};

/// How a member is invoked.
pub mod flags {
    /// As a method.
    pub const METHOD: u32 = 1;
    /// Its value is read.
    pub const GET: u32 = 2;
    /// Its value is set.
    pub const PUT: u32 = 4;
    /// It is made to refer to an object.
    pub const PUT_REFERENCE: u32 = 8;
}

/// The member that an object itself stands for, as in `Label = "on"`.
pub const VALUE: i32 = 0;
/// The parameter that has no name: the new value of a property.
pub const NEW_VALUE: i32 = -3;
/// The member that enumerates a collection.
pub const ENUMERATOR: i32 = -4;
/// No member.
pub const NO_MEMBER: i32 = -1;

armilla_dcerpc::ndr_interface! {
    /// Objects that are called by name (`IDispatch`).
    pub const DISPATCH = "00020400-0000-0000-c000-000000000046", 0, 0;
    /// Whether the object describes itself.
    3 => GetTypeInfoCount(()) -> TypeInfoCount;
    /// The description.
    4 => GetTypeInfo(TypeInfoIn) -> TypeInfoOut;
    /// The numbers of a member and its parameters.
    5 => GetIdsOfNames(NamesIn) -> NamesOut;
    /// Calls a member.
    6 => Invoke(InvokeIn) -> InvokeOut;
}

armilla_dcerpc::ndr_interface! {
    /// The elements of a collection, some at a time (`IEnumVARIANT`).
    pub const ENUM_VARIANT = "00020404-0000-0000-c000-000000000046", 0, 0;
    /// The next elements; S_FALSE if there are fewer.
    3 => EnumNext(CountIn) -> EnumNextOut;
    /// Passes over elements; S_FALSE if there are fewer.
    4 => EnumSkip(CountIn) -> ();
    /// Begins anew.
    5 => EnumReset(()) -> ();
    /// Another enumerator at the same place.
    6 => EnumClone(()) -> PointerOut;
}

armilla_dcerpc::ndr_interface! {
    /// Objects that send events (`IConnectionPointContainer`).
    pub const CONNECTION_POINT_CONTAINER = "b196b284-bab4-101a-b69c-00aa00341d07", 0, 0;
    /// All connection points.
    3 => EnumConnectionPoints(()) -> PointerOut;
    /// The connection point of an interface of events.
    4 => FindConnectionPoint(FindIn) -> PointerOut;
}

armilla_dcerpc::ndr_interface! {
    /// Who receives the events of an interface (`IConnectionPoint`).
    pub const CONNECTION_POINT = "b196b286-bab4-101a-b69c-00aa00341d07", 0, 0;
    /// The interface of the events.
    3 => GetConnectionInterface(()) -> InterfaceOut;
    /// The object that sends them.
    4 => GetConnectionPointContainer(()) -> PointerOut;
    /// A sink begins to receive events.
    5 => Advise(AdviseIn) -> AdviseOut;
    /// It receives no more.
    6 => Unadvise(UnadviseIn) -> ();
    /// All connections.
    7 => EnumConnections(()) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    /// What [`GetTypeInfoCount`] gives.
    pub struct TypeInfoCount {
        /// 1 if the object describes itself, else 0.
        pub count: u32,
    }
    /// What [`GetTypeInfo`] is given.
    pub struct TypeInfoIn {
        /// Always 0.
        pub index: u32,
        /// The language.
        pub locale: u32,
    }
    /// What [`GetTypeInfo`] gives.
    pub struct TypeInfoOut {
        /// An object with `ITypeInfo`.
        pub info: Unique<InterfacePointer>,
    }
    /// What [`GetIdsOfNames`] is given.
    pub struct NamesIn {
        /// Always nil.
        pub reserved: Uuid,
        /// The member, then parameters.
        pub names: Conformant<Unique<WideString>>,
        /// How many there are.
        pub count: u32,
        /// The language.
        pub locale: u32,
    } => Self::check;
    /// What [`GetIdsOfNames`] gives.
    pub struct NamesOut {
        /// The number of each name, or [`NO_MEMBER`].
        pub ids: Conformant<i32>,
    }
    /// What [`Invoke`] is given.
    pub struct InvokeIn {
        /// The member.
        pub member: i32,
        /// Always nil.
        pub reserved: Uuid,
        /// The language.
        pub locale: u32,
        /// How it is invoked: see [`flags`].
        pub flags: u32,
        /// The arguments.
        pub arguments: Arguments,
        /// How many arguments are references.
        pub reference_count: u32,
        /// Which arguments those are.
        pub reference_indices: Conformant<u32>,
        /// Their values.
        pub references: Conformant<VariantPointer>,
    } => Self::check;
    /// What [`Invoke`] gives.
    pub struct InvokeOut {
        /// The result.
        pub result: VariantPointer,
        /// Why the member failed, if the HRESULT says that it did.
        pub exception: ExceptionInfo,
        /// Which argument was wrong, for some HRESULTs.
        pub argument_error: u32,
        /// The new values of the references.
        pub references: Conformant<VariantPointer>,
    }
    /// What [`EnumNext`] and [`EnumSkip`] are given.
    pub struct CountIn {
        /// How many elements.
        pub count: u32,
    }
    /// What [`EnumNext`] gives.
    pub struct EnumNextOut {
        /// The elements.
        pub elements: ConformantVarying<VariantPointer>,
        /// How many there are.
        pub count: u32,
    }
    /// What operations give that give an object.
    pub struct PointerOut {
        /// The object.
        pub pointer: Unique<InterfacePointer>,
    }
    /// What [`FindConnectionPoint`] is given.
    pub struct FindIn {
        /// The interface of the events.
        pub iid: Uuid,
    }
    /// What [`GetConnectionInterface`] gives.
    pub struct InterfaceOut {
        /// The interface.
        pub iid: Uuid,
    }
    /// What [`Advise`] is given.
    pub struct AdviseIn {
        /// Who is to receive the events.
        pub sink: Unique<InterfacePointer>,
    }
    /// What [`Advise`] gives.
    pub struct AdviseOut {
        /// Names the connection.
        pub cookie: u32,
    }
    /// What [`Unadvise`] is given.
    pub struct UnadviseIn {
        /// The connection.
        pub cookie: u32,
    }
}

armilla_dcerpc::ndr_struct! {
    /// The arguments of a call by name (`DISPPARAMS`).
    pub struct Arguments {
        /// The arguments, the last one first; those with names come before the others.
        pub values: Unique<Conformant<VariantPointer>>,
        /// The numbers of those that have names.
        pub named: Unique<Conformant<i32>>,
        /// How many arguments there are.
        pub count: u32,
        /// How many of them have names.
        pub named_count: u32,
    } => Self::check;
    /// Why a member failed (`EXCEPINFO`).
    pub struct ExceptionInfo {
        /// A number of the program; 0 if `status` says it.
        pub code: u16,
        /// Always 0.
        pub reserved: u16,
        /// The program.
        pub source: Bstr,
        /// What happened.
        pub description: Bstr,
        /// A file that says more.
        pub help_file: Bstr,
        /// Where in the file.
        pub help_context: u32,
        /// Always 0.
        pub reserved_pointers: [u32; 2],
        /// The HRESULT of the failure.
        pub status: u32,
    }
}

impl NamesIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        check_size("names", "size_is(count)", Some(self.count.into()), self.names.0.len())
    }
}

impl InvokeIn {
    fn check(&self) -> Result<(), NdrErrorKind> {
        let count = Some(i64::from(self.reference_count));
        let bound = "size_is(reference_count)";
        check_size("reference_indices", bound, count, self.reference_indices.0.len())?;
        check_size("references", bound, count, self.references.0.len())
    }
}

impl Arguments {
    fn check(&self) -> Result<(), NdrErrorKind> {
        if let Some(values) = self.values.get() {
            check_size("values", "size_is(count)", Some(self.count.into()), values.0.len())?;
        }
        let Some(named) = self.named.get() else { return Ok(()) };
        let count = Some(i64::from(self.named_count));
        check_size("named", "size_is(named_count)", count, named.0.len())
    }
}

impl ExceptionInfo {
    /// No exception.
    pub fn none() -> Self {
        Self::new("", "", 0)
    }

    /// An exception of a program, with what happened and an HRESULT.
    pub fn new(source: &str, description: &str, status: u32) -> Self {
        let text = |text: &str| if text.is_empty() { Bstr::null() } else { text.into() };
        Self {
            code: 0,
            reserved: 0,
            source: text(source),
            description: text(description),
            help_file: Bstr::null(),
            help_context: 0,
            reserved_pointers: [0; 2],
            status,
        }
    }
}
