//! The interfaces of descriptions as tables, and what they carry (MS-OAUT 2.2.31 to 2.2.44, 3.7.4,
//! 3.11.4). The HRESULT that ends each operation is left out.

use crate::automation::dispatch::PointerOut;
use crate::automation::variant::vt;
use crate::automation::{Bstr, VariantPointer};
use crate::objref::InterfacePointer;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{
    Conformant, ConformantVarying, Decoder, Encoder, Ndr, NdrError, Unique, WideString,
};

armilla_dcerpc::ndr_interface! {
    /// A description (`ITypeInfo`).
    pub const TYPE_INFO = "00020401-0000-0000-c000-000000000046", 0, 0;
    /// What the type is, and how many members it has.
    3 => GetTypeAttr(()) -> TypeAttrOut;
    /// A function.
    5 => GetFuncDesc(IndexIn) -> FuncDescOut;
    /// A variable.
    6 => GetVarDesc(IndexIn) -> VarDescOut;
    /// The names of a member and its parameters.
    7 => GetNames(MemberNamesIn) -> MemberNamesOut;
    /// A type that this one inherits or implements.
    8 => GetRefTypeOfImplType(IndexIn) -> HandleOut;
    /// How a class implements an interface.
    9 => GetImplTypeFlags(IndexIn) -> FlagsOut;
    /// What people are told of a member, or of the type itself.
    12 => GetDocumentation(DocumentationIn) -> DocumentationOut;
    /// The type of a handle.
    14 => GetRefTypeInfo(HandleIn) -> PointerOut;
    /// The library, and the place in it.
    18 => GetContainingTypeLib(()) -> LibraryOut;
}

armilla_dcerpc::ndr_interface! {
    /// Descriptions that refer to each other (`ITypeLib`).
    pub const TYPE_LIB = "00020402-0000-0000-c000-000000000046", 0, 0;
    /// How many types it has.
    3 => GetLibraryCount(()) -> CountOut;
    /// A type.
    4 => GetLibraryType(IndexIn) -> PointerOut;
    /// What a type is.
    5 => GetTypeInfoType(IndexIn) -> KindOut;
    /// The type of a UUID.
    6 => GetTypeInfoOfGuid(GuidIn) -> PointerOut;
    /// What the library is.
    7 => GetLibAttr(()) -> LibAttrOut;
    /// What people are told of a type, or of the library itself.
    9 => GetLibraryDocumentation(DocumentationIn) -> DocumentationOut;
}

armilla_dcerpc::ndr_interface! {
    /// Objects that say what their class has (`IProvideClassInfo`).
    pub const PROVIDE_CLASS_INFO = "b196b283-bab4-101a-b69c-00aa00341d07", 0, 0;
    /// The description of the class.
    3 => GetClassInfo(()) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    /// What [`GetTypeAttr`] gives.
    pub struct TypeAttrOut {
        /// What the type is.
        pub attributes: Unique<TypeAttr>,
        /// Always 0.
        pub reserved: u32,
    }
    /// What operations are given that want one of several.
    pub struct IndexIn {
        /// Which one, from 0.
        pub index: u32,
    }
    /// What [`GetFuncDesc`] gives.
    pub struct FuncDescOut {
        /// The function.
        pub function: Unique<FuncDesc>,
        /// Always 0.
        pub reserved: u32,
    }
    /// What [`GetVarDesc`] gives.
    pub struct VarDescOut {
        /// The variable.
        pub variable: Unique<VarDesc>,
        /// Always 0.
        pub reserved: u32,
    }
    /// What [`GetNames`] is given.
    pub struct MemberNamesIn {
        /// The number of the member.
        pub member: i32,
        /// How many names there may be.
        pub most: u32,
    }
    /// What [`GetNames`] gives.
    pub struct MemberNamesOut {
        /// The name of the member, then those of its parameters.
        pub names: ConformantVarying<Bstr>,
        /// How many there are.
        pub count: u32,
    }
    /// What [`GetRefTypeOfImplType`] gives.
    pub struct HandleOut {
        /// Names the type in [`GetRefTypeInfo`].
        pub handle: u32,
    }
    /// What [`GetImplTypeFlags`] gives.
    pub struct FlagsOut {
        /// 1 for the interface that scripts use, 2 for one of events.
        pub flags: u32,
    }
    /// What [`GetDocumentation`] is given.
    pub struct DocumentationIn {
        /// The number of the member, or the place of the type; −1 for the whole.
        pub member: i32,
        /// Which results are wanted, a bit for each.
        pub wanted: u32,
    }
    /// What [`GetDocumentation`] gives.
    pub struct DocumentationOut {
        /// The name.
        pub name: Bstr,
        /// What it is for.
        pub documentation: Bstr,
        /// Where in the file more is said.
        pub help_context: u32,
        /// The file.
        pub help_file: Bstr,
    }
    /// What [`GetRefTypeInfo`] is given.
    pub struct HandleIn {
        /// Names the type.
        pub handle: u32,
    }
    /// What [`GetContainingTypeLib`] gives.
    pub struct LibraryOut {
        /// The library.
        pub type_library: Unique<InterfacePointer>,
        /// The place of the type in it.
        pub index: u32,
    }
    /// What [`GetLibraryCount`] gives.
    pub struct CountOut {
        /// How many types there are.
        pub count: u32,
    }
    /// What [`GetTypeInfoType`] gives.
    pub struct KindOut {
        /// The number of the kind.
        pub kind: u32,
    }
    /// What [`GetTypeInfoOfGuid`] is given.
    pub struct GuidIn {
        /// The UUID of the type.
        pub uuid: Uuid,
    }
    /// What [`GetLibAttr`] gives.
    pub struct LibAttrOut {
        /// What the library is.
        pub attributes: Unique<LibAttr>,
        /// Always 0.
        pub reserved: u32,
    }
}

armilla_dcerpc::ndr_struct! {
    /// What a type is (`TYPEATTR`).
    pub struct TypeAttr {
        /// The IID of an interface, the CLSID of a class.
        pub uuid: Uuid,
        /// The language.
        pub locale: u32,
        /// Always 0.
        pub reserved: u32,
        /// Always −1.
        pub constructor: i32,
        /// Always −1.
        pub destructor: i32,
        /// Always null.
        pub schema: Unique<WideString>,
        /// How many octets an instance takes.
        pub instance_size: u32,
        /// The number of its kind.
        pub kind: u32,
        /// How many functions it has.
        pub functions: u16,
        /// How many variables.
        pub variables: u16,
        /// How many types it inherits or implements.
        pub bases: u16,
        /// How many octets its table of functions takes.
        pub table_size: u16,
        /// How its instances are aligned.
        pub alignment: u16,
        /// What may be done with it (`TYPEFLAGS`).
        pub flags: u16,
        /// Its version.
        pub major: u16,
        /// The second part of the version.
        pub minor: u16,
        /// What an alias stands for.
        pub alias: TypeDesc,
        /// Always 0.
        pub idl_reserved: u32,
        /// Always 0.
        pub idl_flags: u16,
    }
    /// A function (`FUNCDESC`).
    pub struct FuncDesc {
        /// Its number.
        pub member: i32,
        /// The HRESULTs that it may return; always null.
        pub results: Unique<Conformant<i32>>,
        /// Its parameters.
        pub parameters: Unique<Conformant<ElementDesc>>,
        /// How it is called: 1 by its place in a table, 4 by name.
        pub kind: u32,
        /// How it is invoked: one of [`flags`](crate::automation::dispatch::flags).
        pub how: u32,
        /// The calling convention; 4 is that of all methods.
        pub convention: u32,
        /// How many parameters it has.
        pub parameter_count: i16,
        /// How many of them are optional.
        pub optional_count: i16,
        /// Its place in the table, in octets.
        pub offset: i16,
        /// How many results there are.
        pub result_count: i16,
        /// What it returns.
        pub result: ElementDesc,
        /// What may be done with it (`FUNCFLAGS`).
        pub flags: u16,
    }
    /// A variable (`VARDESC`).
    pub struct VarDesc {
        /// Its number.
        pub member: i32,
        /// Always null.
        pub schema: Unique<WideString>,
        /// Where it is, or its value if it is a constant.
        pub place: VariablePlace,
        /// Its type.
        pub element: ElementDesc,
        /// What may be done with it (`VARFLAGS`).
        pub flags: u16,
        /// The number of its kind.
        pub kind: u32,
    }
    /// The type of a parameter, a result or a variable (`ELEMDESC`).
    pub struct ElementDesc {
        /// The type.
        pub ty: TypeDesc,
        /// Its value where a script gives none.
        pub default: Unique<DefaultValue>,
        /// Which way it travels: see [`passing`](super::passing).
        pub passing: u16,
    }
    /// What an optional parameter is where a script gives none (`PARAMDESCEX`).
    pub struct DefaultValue {
        /// How many octets the structure takes in memory.
        pub size: u32,
        /// The value.
        pub value: VariantPointer,
    }
    /// A type of elements with how many there are (`ARRAYDESC`).
    pub struct ArrayDesc {
        /// The type of each element.
        pub element: TypeDesc,
        /// How many dimensions there are.
        pub count: u16,
        /// The bounds of each of them.
        pub bounds: Conformant<ArrayBound>,
    }
    /// A dimension (`SAFEARRAYBOUND`).
    pub struct ArrayBound {
        /// How many elements.
        pub count: u32,
        /// The index of the first one.
        pub lower: i32,
    }
    /// What a library is (`TLIBATTR`).
    pub struct LibAttr {
        /// Names it for good.
        pub uuid: Uuid,
        /// The language.
        pub locale: u32,
        /// For which system it was made; 1 for 32 bits, 3 for 64.
        pub system: u32,
        /// Its version.
        pub major: u16,
        /// The second part of the version.
        pub minor: u16,
        /// What may be done with it (`LIBFLAGS`).
        pub flags: u16,
    }
}

armilla_dcerpc::ndr_union! {
    /// Where a variable is, by its kind.
    pub enum VariablePlace: u32 {
        /// In each instance, at this offset.
        0 => Instance(u32),
        /// Static.
        1 => Static(u32),
        /// Its value.
        2 => Constant(VariantPointer),
        /// It is got and put by name.
        3 => Named(u32),
    }
}

/// A type (`TYPEDESC`): a union whose discriminant stands before and behind it.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeDesc {
    /// One that needs no more than its number.
    Simple(u16),
    /// A pointer to a type.
    Pointer(Unique<TypeDesc>),
    /// A `SAFEARRAY` of a type.
    SafeArray(Unique<TypeDesc>),
    /// An array whose size is known.
    FixedArray(Unique<ArrayDesc>),
    /// One that another description has, by its handle.
    Named(u32),
}

impl TypeDesc {
    fn number(&self) -> u16 {
        match self {
            Self::Simple(number) => *number,
            Self::Pointer(_) => vt::PTR,
            Self::SafeArray(_) => vt::SAFEARRAY,
            Self::FixedArray(_) => vt::CARRAY,
            Self::Named(_) => vt::USERDEFINED,
        }
    }
}

impl Ndr for TypeDesc {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.align(4);
        let number = self.number();
        number.encode(out)?;
        match self {
            Self::Simple(_) => Ok(()),
            Self::Pointer(to) | Self::SafeArray(to) => aligned(to, out),
            Self::FixedArray(of) => aligned(of, out),
            Self::Named(handle) => aligned(handle, out),
        }?;
        number.encode(out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match self {
            Self::Pointer(to) | Self::SafeArray(to) => to.encode_referents(out),
            Self::FixedArray(of) => of.encode_referents(out),
            Self::Simple(_) | Self::Named(_) => Ok(()),
        }
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.align(4)?;
        let number = u16::decode(input)?;
        if matches!(number, vt::PTR | vt::SAFEARRAY | vt::CARRAY | vt::USERDEFINED) {
            input.align(4)?;
        }
        let ty = match number {
            vt::PTR => Self::Pointer(Unique::decode(input)?),
            vt::SAFEARRAY => Self::SafeArray(Unique::decode(input)?),
            vt::CARRAY => Self::FixedArray(Unique::decode(input)?),
            vt::USERDEFINED => Self::Named(u32::decode(input)?),
            other => Self::Simple(other),
        };
        // The same number again, which says nothing new.
        u16::decode(input)?;
        Ok(ty)
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        match self {
            Self::Pointer(to) | Self::SafeArray(to) => to.decode_referents(input),
            Self::FixedArray(of) => of.decode_referents(input),
            Self::Simple(_) | Self::Named(_) => Ok(()),
        }
    }
}

fn aligned(arm: &impl Ndr, out: &mut Encoder) -> Result<(), NdrError> {
    out.align(4);
    arm.encode(out)
}
