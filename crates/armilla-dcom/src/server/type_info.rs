//! Descriptions as objects: `ITypeInfo`, `ITypeLib` and `IProvideClassInfo` (MS-OAUT 3.7, 3.11).

use super::object::{Object, ObjectCall};
use crate::automation::Bstr;
use crate::automation::dispatch::PointerOut;
use crate::automation::type_info::wire::{
    ArrayBound, ArrayDesc, CountOut, DocumentationIn, DocumentationOut, ElementDesc, FlagsOut,
    FuncDesc, FuncDescOut, GetClassInfo, GetContainingTypeLib, GetDocumentation, GetFuncDesc,
    GetImplTypeFlags, GetLibAttr, GetLibraryCount, GetLibraryDocumentation, GetLibraryType,
    GetNames, GetRefTypeInfo, GetRefTypeOfImplType, GetTypeAttr, GetTypeInfoOfGuid,
    GetTypeInfoType, GetVarDesc, GuidIn, HandleIn, HandleOut, IndexIn, KindOut, LibAttr,
    LibAttrOut, LibraryOut, MemberNamesIn, MemberNamesOut, TYPE_INFO, TYPE_LIB, TypeAttr,
    TypeAttrOut, TypeDesc, VarDesc, VarDescOut, VariablePlace,
};
use crate::automation::type_info::{
    Function, Type, TypeDescription, TypeKind, TypeLibrary, passing,
};
use crate::objref::InterfacePointer;
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{ConformantVarying, Operation, Unique};
use armilla_dcerpc::{Status, Uuid};

/// How many names a client gets at once.
const MOST_NAMES: u32 = 1024;

/// How many octets a pointer has in the memory of a program of 64 bits.
const POINTER: u16 = 8;

/// `TYPEFLAG_FCANCREATE`, `TYPEFLAG_FOLEAUTOMATION` and `TYPEFLAG_FDISPATCHABLE`.
const CAN_CREATE: u16 = 2;
const AUTOMATION: u16 = 0x100;
const DISPATCHABLE: u16 = 0x1000;

/// A reference to a description, for the answer to a call.
pub(super) fn type_info(
    call: &ObjectCall<'_>,
    library: &Arc<TypeLibrary>,
    place: usize,
) -> Result<InterfacePointer, Status> {
    let info = TypeInfo { types: library.clone(), place };
    call.exports.pointer(Arc::new(info), TYPE_INFO.uuid)
}

/// Answers a call of `IProvideClassInfo`: for objects that say what they have. The library has to
/// describe a class.
///
/// # Errors
///
/// What the client is told.
pub fn class_info(call: &ObjectCall<'_>, library: Arc<TypeLibrary>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        GetClassInfo::OPNUM => {
            let place = library.class().ok_or(Status::NOT_IMPLEMENTED)?;
            call.answer(&PointerOut { pointer: Unique::new(type_info(call, &library, place)?) })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

/// A description as an object.
struct TypeInfo {
    types: Arc<TypeLibrary>,
    place: usize,
}

/// The library as an object.
struct Library(Arc<TypeLibrary>);

fn described(library: &TypeLibrary, place: usize) -> Result<&TypeDescription, Status> {
    library.types().get(place).ok_or(Status::ELEMENT_NOT_FOUND)
}

/// What names a type of the library in calls: its place, from 1.
fn handle(library: &TypeLibrary, name: &str) -> Option<u32> {
    u32::try_from(library.place(name)? + 1).ok()
}

impl TypeInfo {
    fn ty(&self) -> Result<&TypeDescription, Status> {
        described(&self.types, self.place)
    }

    fn base(&self, index: u32) -> Result<u32, Status> {
        let name = self.ty()?.bases.get(index as usize).ok_or(Status::ELEMENT_NOT_FOUND)?;
        handle(&self.types, name).ok_or(Status::ELEMENT_NOT_FOUND)
    }

    fn attributes(&self) -> Result<TypeAttr, Status> {
        let ty = self.ty()?;
        let count = |list: usize| u16::try_from(list).unwrap_or(u16::MAX);
        // Those of IUnknown come first, and those of IDispatch where scripts call.
        let (first, flags) = match ty.kind {
            TypeKind::Dispatch => (7, DISPATCHABLE),
            TypeKind::Interface => (3, AUTOMATION),
            TypeKind::Class => (0, CAN_CREATE),
            _ => (0, 0),
        };
        let last = ty.functions.iter().map(|it| it.opnum.saturating_add(1)).max().unwrap_or(0);
        Ok(TypeAttr {
            uuid: ty.uuid,
            locale: 0,
            reserved: 0,
            constructor: -1,
            destructor: -1,
            schema: Unique::NULL,
            instance_size: POINTER.into(),
            kind: ty.kind.number(),
            functions: count(ty.functions.len()),
            variables: count(ty.variables.len()),
            bases: count(ty.bases.iter().filter(|it| handle(&self.types, it).is_some()).count()),
            table_size: last.max(first).saturating_mul(POINTER),
            alignment: POINTER,
            flags,
            major: 1,
            minor: 0,
            alias: TypeDesc::Simple(0),
            idl_reserved: 0,
            idl_flags: 0,
        })
    }

    fn element(&self, ty: &Type, passing: u16) -> ElementDesc {
        ElementDesc { ty: self.wire(ty), default: Unique::NULL, passing }
    }

    fn wire(&self, ty: &Type) -> TypeDesc {
        match ty {
            Type::Simple(number) => TypeDesc::Simple(*number),
            // An interface that the library does not describe is any.
            Type::Pointer(to) if self.unknown(to) => self.wire(&Type::UNKNOWN),
            Type::Pointer(to) => TypeDesc::Pointer(Unique::new(self.wire(to))),
            Type::SafeArray(of) => TypeDesc::SafeArray(Unique::new(self.wire(of))),
            Type::FixedArray(of, sizes) => {
                let bound = |count: &u32| ArrayBound { count: *count, lower: 0 };
                let bounds: Vec<_> = sizes.iter().map(bound).collect();
                let count = u16::try_from(bounds.len()).unwrap_or(u16::MAX);
                let array = ArrayDesc { element: self.wire(of), count, bounds: bounds.into() };
                TypeDesc::FixedArray(Unique::new(array))
            }
            Type::Named(name) => match handle(&self.types, name) {
                Some(handle) => TypeDesc::Named(handle),
                None => self.wire(&Type::VARIANT),
            },
        }
    }

    fn unknown(&self, ty: &Type) -> bool {
        matches!(ty, Type::Named(name) if handle(&self.types, name).is_none())
    }

    fn function(&self, index: u32) -> Result<FuncDesc, Status> {
        let ty = self.ty()?;
        let function = ty.functions.get(index as usize).ok_or(Status::ELEMENT_NOT_FOUND)?;
        let parameters = function.parameters.iter();
        let parameters: Vec<_> = parameters.map(|it| self.element(&it.ty, it.passing)).collect();
        let optional =
            |it: &&crate::automation::type_info::Parameter| it.passing & passing::OPTIONAL != 0;
        let count = |list: usize| i16::try_from(list).unwrap_or(i16::MAX);
        Ok(FuncDesc {
            member: function.member,
            results: Unique::NULL,
            parameter_count: count(parameters.len()),
            parameters: match parameters.is_empty() {
                true => Unique::NULL,
                false => Unique::new(parameters.into()),
            },
            kind: if ty.kind == TypeKind::Dispatch { 4 } else { 1 },
            how: function.how,
            convention: 4,
            optional_count: count(function.parameters.iter().filter(optional).count()),
            offset: count(usize::from(function.opnum) * usize::from(POINTER)),
            result_count: 0,
            result: self.element(&function.result, 0),
            flags: 0,
        })
    }

    fn variable(&self, index: u32) -> Result<VarDesc, Status> {
        let ty = self.ty()?;
        let variable = ty.variables.get(index as usize).ok_or(Status::ELEMENT_NOT_FOUND)?;
        Ok(VarDesc {
            member: variable.member,
            schema: Unique::NULL,
            place: VariablePlace::Named(0),
            element: self.element(&variable.ty, 0),
            flags: 0,
            kind: 3,
        })
    }

    fn names(&self, member: i32) -> Result<Vec<&str>, Status> {
        let ty = self.ty()?;
        if let Some(function) = ty.functions.iter().find(|it| it.member == member) {
            let parameters = function.parameters.iter().map(|it| &*it.name);
            return Ok(core::iter::once(&*function.name).chain(parameters).collect());
        }
        let variable = ty.variables.iter().find(|it| it.member == member);
        Ok(Vec::from([&*variable.ok_or(Status::ELEMENT_NOT_FOUND)?.name]))
    }

    fn documentation(&self, member: i32) -> Result<(&str, &str), Status> {
        let ty = self.ty()?;
        if member == -1 {
            return Ok((&ty.name, &ty.documentation));
        }
        match ty.functions.iter().find(|it| it.member == member) {
            Some(Function { name, documentation, .. }) => Ok((name, documentation)),
            None => self.names(member).map(|names| (names[0], "")),
        }
    }
}

/// Name and documentation, as far as they are wanted.
fn told((name, documentation): (&str, &str), wanted: u32) -> DocumentationOut {
    let text = |bit: u32, text: &str| match wanted & bit != 0 && !text.is_empty() {
        true => text.into(),
        false => Bstr::null(),
    };
    DocumentationOut {
        name: text(1, name),
        documentation: text(2, documentation),
        help_context: 0,
        help_file: Bstr::null(),
    }
}

impl Object for TypeInfo {
    fn supports(&self, iid: Uuid) -> bool {
        iid == TYPE_INFO.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            GetTypeAttr::OPNUM => {
                let attributes = Unique::new(self.attributes()?);
                call.answer(&TypeAttrOut { attributes, reserved: 0 })
            }
            GetFuncDesc::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                let function = Unique::new(self.function(index)?);
                call.answer(&FuncDescOut { function, reserved: 0 })
            }
            GetVarDesc::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                let variable = Unique::new(self.variable(index)?);
                call.answer(&VarDescOut { variable, reserved: 0 })
            }
            GetNames::OPNUM => {
                let MemberNamesIn { member, most } = call.arguments()?;
                let maximum = most.min(MOST_NAMES);
                let names = self.names(member)?.into_iter().take(maximum as usize);
                let values: Vec<Bstr> = names.map(Bstr::from).collect();
                let count = values.len() as u32;
                let names = ConformantVarying { maximum, first: 0, values };
                call.answer(&MemberNamesOut { names, count })
            }
            GetRefTypeOfImplType::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                call.answer(&HandleOut { handle: self.base(index)? })
            }
            GetImplTypeFlags::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                self.base(index)?;
                let default = self.ty()?.kind == TypeKind::Class && index == 0;
                call.answer(&FlagsOut { flags: default.into() })
            }
            GetDocumentation::OPNUM => {
                let DocumentationIn { member, wanted } = call.arguments()?;
                call.answer(&told(self.documentation(member)?, wanted))
            }
            GetRefTypeInfo::OPNUM => {
                let HandleIn { handle } = call.arguments()?;
                let place = (handle as usize).checked_sub(1).ok_or(Status::ELEMENT_NOT_FOUND)?;
                described(&self.types, place)?;
                let pointer = Unique::new(type_info(call, &self.types, place)?);
                call.answer(&PointerOut { pointer })
            }
            GetContainingTypeLib::OPNUM => {
                let library = Arc::new(Library(self.types.clone()));
                let type_library = Unique::new(call.exports.pointer(library, TYPE_LIB.uuid)?);
                call.answer(&LibraryOut { type_library, index: self.place as u32 })
            }
            // Functions outside of objects are in modules, and there is none.
            13 => Err(Status::BAD_MODULE_KIND),
            4 | 16 | 17 => Err(Status::NOT_IMPLEMENTED),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

impl Object for Library {
    fn supports(&self, iid: Uuid) -> bool {
        iid == TYPE_LIB.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let library = &self.0;
        let answer = |place: usize| {
            described(library, place)?;
            let pointer = Unique::new(type_info(call, library, place)?);
            call.answer(&PointerOut { pointer })
        };
        match call.opnum {
            GetLibraryCount::OPNUM => {
                call.answer(&CountOut { count: library.types().len() as u32 })
            }
            GetLibraryType::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                answer(index as usize)
            }
            GetTypeInfoType::OPNUM => {
                let IndexIn { index } = call.arguments()?;
                let kind = described(library, index as usize)?.kind.number();
                call.answer(&KindOut { kind })
            }
            GetTypeInfoOfGuid::OPNUM => {
                let GuidIn { uuid } = call.arguments()?;
                let place = library.types().iter().position(|ty| ty.uuid == uuid);
                answer(place.ok_or(Status::ELEMENT_NOT_FOUND)?)
            }
            GetLibAttr::OPNUM => {
                let (uuid, system) = (library.uuid, 3);
                let attributes = LibAttr { uuid, locale: 0, system, major: 1, minor: 0, flags: 0 };
                call.answer(&LibAttrOut { attributes: Unique::new(attributes), reserved: 0 })
            }
            GetLibraryDocumentation::OPNUM => {
                let DocumentationIn { member, wanted } = call.arguments()?;
                let about = match usize::try_from(member) {
                    Err(_) => (&*library.name, ""),
                    Ok(place) => {
                        let ty = described(library, place)?;
                        (&*ty.name, &*ty.documentation)
                    }
                };
                call.answer(&told(about, wanted))
            }
            8 | 10 | 11 => Err(Status::NOT_IMPLEMENTED),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}
