//! What an object says of itself: by `IDispatch` or `IProvideClassInfo` (MS-OAUT 3.7).

use super::error::Error;
use super::proxy::Proxy;
use crate::automation::dispatch::{DISPATCH, GetTypeInfo, GetTypeInfoCount, TypeInfoIn};
use crate::automation::type_info::wire::{
    ArrayDesc, DocumentationIn, GetClassInfo, GetDocumentation, GetFuncDesc, GetNames,
    GetRefTypeInfo, GetRefTypeOfImplType, GetTypeAttr, GetVarDesc, HandleIn, IndexIn,
    MemberNamesIn, PROVIDE_CLASS_INFO, TypeAttr, TypeDesc,
};
use crate::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeKind, VariableDescription,
};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use armilla_dcerpc::Status;

/// The language that neither side cares about.
const NEUTRAL: u32 = 0;
/// How many members of a type are read, and how many interfaces of a class.
const MOST_MEMBERS: u16 = 4096;
const MOST_INTERFACES: usize = 64;
/// How many names a member may have with its parameters.
const MOST_NAMES: u32 = 256;
/// How deep pointers to pointers are followed.
const DEEPEST: usize = 16;

impl Proxy {
    /// What the object says that it has: the interface that scripts use, or the class and its
    /// interfaces. It is empty if the object does not say.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn describe(&self) -> Result<Vec<TypeDescription>, Error> {
        if let Some(by_name) = self.interface(DISPATCH.uuid)?
            && by_name.call::<GetTypeInfoCount>(&())?.count > 0
        {
            let given = TypeInfoIn { index: 0, locale: NEUTRAL };
            let info = by_name.call::<GetTypeInfo>(&given)?.info;
            return match by_name.pointer(&info)? {
                Some(info) => Reader::new(info).read().map(|ty| Vec::from([ty])),
                None => Ok(Vec::new()),
            };
        }
        let Some(classy) = self.interface(PROVIDE_CLASS_INFO.uuid)? else { return Ok(Vec::new()) };
        let class = classy.call::<GetClassInfo>(&())?.pointer;
        let Some(class) = classy.pointer(&class)? else { return Ok(Vec::new()) };
        Reader::new(class).read_class()
    }

    /// Another interface of the object; `None` if it does not have it.
    fn interface(&self, iid: armilla_dcerpc::Uuid) -> Result<Option<Self>, Error> {
        if self.iid() == iid {
            return Ok(Some(self.clone()));
        }
        match self.query_interface(iid) {
            Err(error) if error.status() == Some(Status::NO_INTERFACE) => Ok(None),
            found => found.map(Some),
        }
    }
}

/// Reads one description, and the names of those that it refers to.
struct Reader {
    info: Proxy,
    names: BTreeMap<u32, String>,
}

impl Reader {
    fn new(info: Proxy) -> Self {
        Self { info, names: BTreeMap::new() }
    }

    /// A class, then its interfaces.
    fn read_class(mut self) -> Result<Vec<TypeDescription>, Error> {
        let attributes = self.attributes()?;
        let mut all = Vec::from([self.with(&attributes)?]);
        for index in 0..attributes.bases.min(MOST_INTERFACES as u16) {
            let handle = self.base(index.into())?;
            if let Some(info) = self.referred(handle)? {
                all.push(Self::new(info).read()?);
            }
        }
        Ok(all)
    }

    fn read(mut self) -> Result<TypeDescription, Error> {
        let attributes = self.attributes()?;
        self.with(&attributes)
    }

    fn attributes(&self) -> Result<TypeAttr, Error> {
        let found = self.info.call::<GetTypeAttr>(&())?.attributes.into_inner();
        found.ok_or_else(|| self.info.missing("attributes of a type"))
    }

    fn with(&mut self, attributes: &TypeAttr) -> Result<TypeDescription, Error> {
        let (name, documentation) = self.documentation(&self.info, -1)?;
        let functions = (0..attributes.functions.min(MOST_MEMBERS))
            .map(|index| self.function(index.into(), attributes))
            .collect::<Result<_, _>>()?;
        let variables = (0..attributes.variables.min(MOST_MEMBERS))
            .map(|index| self.variable(index.into()))
            .collect::<Result<_, _>>()?;
        let bases = (0..attributes.bases.min(MOST_INTERFACES as u16))
            .map(|index| {
                let handle = self.base(index.into())?;
                self.name_of(handle)
            })
            .collect::<Result<_, Error>>()?;
        let kind = TypeKind::from_number(attributes.kind);
        let uuid = attributes.uuid;
        Ok(TypeDescription { name, documentation, uuid, kind, functions, variables, bases })
    }

    fn base(&self, index: u32) -> Result<u32, Error> {
        Ok(self.info.call::<GetRefTypeOfImplType>(&IndexIn { index })?.handle)
    }

    fn referred(&self, handle: u32) -> Result<Option<Proxy>, Error> {
        let found = self.info.call::<GetRefTypeInfo>(&HandleIn { handle })?;
        self.info.pointer(&found.pointer)
    }

    fn documentation(&self, info: &Proxy, member: i32) -> Result<(String, String), Error> {
        let told = info.call::<GetDocumentation>(&DocumentationIn { member, wanted: 3 })?;
        Ok((told.name.to_text(), told.documentation.to_text()))
    }

    /// The name of a type that this one refers to. Where the server does not give it, that says so.
    fn name_of(&mut self, handle: u32) -> Result<String, Error> {
        if let Some(name) = self.names.get(&handle) {
            return Ok(name.clone());
        }
        let name = match self.referred(handle) {
            Ok(Some(info)) => self.documentation(&info, -1)?.0,
            Err(error) if error.status().is_none() => return Err(error),
            Ok(None) | Err(_) => format!("type #{handle}"),
        };
        self.names.insert(handle, name.clone());
        Ok(name)
    }

    fn member_names(&self, member: i32) -> Result<Vec<String>, Error> {
        let given = MemberNamesIn { member, most: MOST_NAMES };
        let found = self.info.call::<GetNames>(&given)?;
        Ok(found.names.values.iter().map(|name| name.to_text()).collect())
    }

    fn function(&mut self, index: u32, ty: &TypeAttr) -> Result<Function, Error> {
        let found = self.info.call::<GetFuncDesc>(&IndexIn { index })?.function.into_inner();
        let found = found.ok_or_else(|| self.info.missing("a function"))?;
        let mut names = self.member_names(found.member)?.into_iter();
        let name = names.next().unwrap_or_default();
        let documentation = self.documentation(&self.info, found.member)?.1;
        let elements = found.parameters.into_inner().map_or(Vec::new(), |elements| elements.0);
        let parameters = elements.into_iter().map(|element| {
            // The new value of a property has no name.
            let name = names.next().unwrap_or_else(|| "value".into());
            Ok(Parameter { name, ty: self.ty(&element.ty, 0)?, passing: element.passing })
        });
        let parameters = parameters.collect::<Result<_, Error>>()?;
        // Its place in a table whose entries have the size of a pointer.
        let pointer = u16::try_from(ty.instance_size).unwrap_or(0);
        let offset = u16::try_from(found.offset).unwrap_or(0);
        Ok(Function {
            member: found.member,
            name,
            documentation,
            how: found.how,
            opnum: offset.checked_div(pointer).unwrap_or(0),
            parameters,
            result: self.ty(&found.result.ty, 0)?,
        })
    }

    fn variable(&mut self, index: u32) -> Result<VariableDescription, Error> {
        let found = self.info.call::<GetVarDesc>(&IndexIn { index })?.variable.into_inner();
        let found = found.ok_or_else(|| self.info.missing("a variable"))?;
        let name = self.member_names(found.member)?.into_iter().next().unwrap_or_default();
        let ty = self.ty(&found.element.ty, 0)?;
        Ok(VariableDescription { member: found.member, name, ty })
    }

    fn ty(&mut self, ty: &TypeDesc, depth: usize) -> Result<Type, Error> {
        if depth > DEEPEST {
            return Err(self.info.missing("an end of pointers to pointers"));
        }
        Ok(match ty {
            TypeDesc::Simple(number) => Type::Simple(*number),
            TypeDesc::Pointer(to) => match to.get() {
                Some(to) => self.ty(to, depth + 1)?.pointer(),
                None => Type::VOID.pointer(),
            },
            TypeDesc::SafeArray(of) => match of.get() {
                Some(of) => self.ty(of, depth + 1)?.array(),
                None => Type::VARIANT.array(),
            },
            TypeDesc::FixedArray(of) => match of.get() {
                Some(ArrayDesc { element, bounds, .. }) => {
                    let sizes = bounds.0.iter().map(|bound| bound.count).collect();
                    Type::FixedArray(self.ty(element, depth + 1)?.into(), sizes)
                }
                None => Type::VOID.pointer(),
            },
            TypeDesc::Named(handle) => Type::Named(self.name_of(*handle)?),
        })
    }
}
