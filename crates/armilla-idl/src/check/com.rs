//! Interfaces of COM: names of Windows, attributes of MIDL, pointers.

use super::Checker;
use super::scope::{ScopeKind, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::similar::nearest;
use crate::model::{
    ComBase, ComInterface, ComMember, ComMethod, ComParameter, ComType, DeclId, DeclKind,
    Direction, Primitive,
};
use crate::parse::ast::{self, MidlAttribute, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

/// The attributes that interfaces, methods and parameters may have. The others of MIDL change what
/// travels, or are for other kinds of interfaces.
const OF_INTERFACES: &[&str] =
    &["object", "uuid", "pointer_default", "dual", "oleautomation", "helpstring", "version"];
const OF_METHODS: &[&str] = &["propget", "propput", "id", "helpstring"];
const OF_PARAMETERS: &[&str] =
    &["in", "out", "retval", "size_is", "length_is", "string", "unique", "ref", "iid_is"];

/// The most methods of an interface with its bases: their numbers have 16 bits.
const MAX_METHODS: usize = 1024;

/// What a name of Windows stands for, where the IDL declares nothing of that name.
fn known(name: &str) -> Option<ComType> {
    Some(match name {
        "CHAR" => ComType::I1,
        "BYTE" | "UCHAR" | "BOOLEAN" => ComType::U1,
        "SHORT" => ComType::I2,
        "USHORT" | "WORD" | "WCHAR" | "OLECHAR" | "VARTYPE" => ComType::U2,
        "LONG" | "INT" | "BOOL" | "DISPID" | "HRESULT" | "SCODE" => ComType::I4,
        "ULONG" | "UINT" | "DWORD" | "LCID" => ComType::U4,
        "LONGLONG" => ComType::I8,
        "ULONGLONG" => ComType::U8,
        "FLOAT" => ComType::R4,
        "DOUBLE" => ComType::R8,
        "VARIANT_BOOL" => ComType::VariantBool,
        "GUID" | "IID" | "CLSID" | "REFGUID" | "REFIID" | "REFCLSID" => ComType::Guid,
        "DATE" => ComType::Date,
        "CURRENCY" | "CY" => ComType::Currency,
        "DECIMAL" => ComType::Decimal,
        "BSTR" => ComType::Bstr,
        "VARIANT" => ComType::Variant,
        "SAFEARRAY" => ComType::SafeArray,
        "LPWSTR" | "LPCWSTR" | "LPOLESTR" | "LPCOLESTR" => ComType::WideString,
        "IUnknown" => ComType::Object(Some(ComBase::Unknown)),
        "IDispatch" => ComType::Object(Some(ComBase::Dispatch)),
        _ => return None,
    })
}

/// What a type of IDL stands for.
fn of_primitive(primitive: Primitive) -> Option<ComType> {
    Some(match primitive {
        Primitive::Int8 => ComType::I1,
        Primitive::Octet | Primitive::UInt8 | Primitive::Char | Primitive::Boolean => ComType::U1,
        Primitive::Short => ComType::I2,
        Primitive::UShort | Primitive::WChar => ComType::U2,
        Primitive::Long => ComType::I4,
        Primitive::ULong => ComType::U4,
        Primitive::LongLong => ComType::I8,
        Primitive::ULongLong => ComType::U8,
        Primitive::Float => ComType::R4,
        Primitive::Double => ComType::R8,
        Primitive::LongDouble => return None,
    })
}

impl Checker<'_, '_> {
    pub(super) fn com(&mut self, interface: &ast::ComInterface, docs: &[String]) {
        let name = &interface.name;
        self.check_midl(&interface.attributes, OF_INTERFACES, "an interface of COM");
        let iid = self.iid(interface);
        let base = self.com_base(interface.base.as_ref(), name.span);
        let empty = ComInterface { iid: iid.unwrap_or_default(), base, methods: Vec::new() };
        let id = self.add(name, docs, DeclKind::Com(empty));
        if let DeclKind::Com(ComInterface { iid, .. }) = &self.model.get(id).kind {
            self.model.declarations[id.index()].repository_id = format!("DCE:{iid}");
        }
        let first = self.first_opnum(base);
        let outer = self.enter(ScopeKind::Interface, Some(id), name);
        let mut methods: Vec<ComMethod> = Vec::new();
        for method in &interface.methods {
            let opnum = first + methods.len();
            if opnum > MAX_METHODS {
                let message = format!("an interface of COM has at most {MAX_METHODS} methods");
                self.error(Code::BadCom, method.name.span, message);
                break;
            }
            let checked = self.com_method(method, opnum as u16);
            let same = methods.iter().find(|known| known.full_name() == checked.full_name());
            if let Some(same) = same.map(|same| same.span) {
                let message = format!("`{}` is declared twice", checked.name);
                let error = Diagnostic::error(Code::BadCom, checked.span, message);
                self.session.report(error.secondary(same, "declared here"));
                continue;
            }
            methods.push(checked);
        }
        self.leave(outer);
        if let DeclKind::Com(data) = &mut self.model.declarations[id.index()].kind {
            data.methods = methods;
        }
    }

    /// Reports attributes that stand where they mean nothing, or that are not supported.
    fn check_midl(&mut self, attributes: &[MidlAttribute], known: &[&str], what: &str) {
        for attribute in attributes {
            if known.contains(&attribute.name.as_str()) {
                continue;
            }
            let message = format!("`{}` is not supported for {what}", attribute.name);
            let error = Diagnostic::error(Code::BadCom, attribute.span, message);
            self.session.report(match nearest(&attribute.name, known) {
                Some(meant) => error.help(format!("did you mean `{meant}`?")),
                None => error.help(format!("supported are {}", known.join(", "))),
            });
        }
    }

    fn iid(&mut self, interface: &ast::ComInterface) -> Option<String> {
        let uuid = interface.attributes.iter().find(|attribute| attribute.name == "uuid");
        let text = uuid.and_then(|attribute| attribute.text.as_deref()).unwrap_or_default();
        let iid = text.trim_matches(['{', '}']).to_ascii_lowercase();
        if is_uuid(&iid) {
            return Some(iid);
        }
        let span = uuid.map_or(interface.name.span, |attribute| attribute.span);
        let message = match uuid {
            Some(_) => format!("`{text}` is not a UUID"),
            None => format!("`{}` has no `uuid`", interface.name.text),
        };
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "write `@uuid(\"6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01\")` before it";
        self.session.report(error.help(help));
        None
    }

    fn com_base(&mut self, base: Option<&ScopedName>, interface: Span) -> ComBase {
        let Some(base) = base else {
            let message = "an interface of COM inherits from `IUnknown` or another one";
            let error = Diagnostic::error(Code::BadCom, interface, message);
            self.session.report(error.help("write `: IUnknown` behind its name"));
            return ComBase::Unknown;
        };
        match self.com_type_of(base) {
            Some(ComType::Object(Some(base))) => base,
            Some(_) => {
                let message = format!("`{}` is no interface of COM", base.first.text);
                self.error(Code::BadCom, base.span(), message);
                ComBase::Unknown
            }
            None => ComBase::Unknown,
        }
    }

    /// The number of the first method of an interface with this base.
    fn first_opnum(&self, base: ComBase) -> usize {
        match base {
            ComBase::Unknown => 3,
            ComBase::Dispatch => 7,
            ComBase::Interface(id) => match &self.model.get(id).kind {
                DeclKind::Com(data) => self.first_opnum(data.base) + data.methods.len(),
                _ => 3,
            },
        }
    }

    fn com_method(&mut self, method: &ast::ComMethod, opnum: u16) -> ComMethod {
        self.check_midl(&method.attributes, OF_METHODS, "a method");
        let has = |name: &str| method.attributes.iter().any(|attribute| attribute.name == name);
        let member = match () {
            () if has("propget") => ComMember::Get,
            () if has("propput") => ComMember::Put,
            () => ComMember::Method,
        };
        let mut parameters: Vec<ComParameter> = Vec::new();
        for parameter in &method.parameters {
            let Some(checked) = self.com_parameter(parameter) else { continue };
            let same = parameters.iter().find(|known| known.name == checked.name);
            if let Some(same) = same.map(|same| same.span) {
                let message = format!("two parameters have the name `{}`", checked.name);
                let error = Diagnostic::error(Code::BadCom, checked.span, message);
                self.session.report(error.secondary(same, "declared here"));
                continue;
            }
            parameters.push(checked);
        }
        for parameter in &method.parameters {
            self.check_sizes(parameter, &parameters);
        }
        let (name, span, docs) = (method.name.text.clone(), method.name.span, method.docs.clone());
        ComMethod { name, member, opnum, docs, span, parameters }
    }

    /// Checks that what an attribute names is a parameter of the method.
    fn check_sizes(&mut self, parameter: &ast::ComParameter, known: &[ComParameter]) {
        for attribute in &parameter.attributes {
            if !matches!(attribute.name.as_str(), "size_is" | "length_is" | "iid_is") {
                continue;
            }
            let text = attribute.text.as_deref().unwrap_or_default();
            let name = text.trim_start_matches(',').trim_start_matches('*');
            if known.iter().any(|known| known.name == name) || name.parse::<u32>().is_ok() {
                continue;
            }
            let message = format!("`{}({text})` names no parameter of the method", attribute.name);
            let error = Diagnostic::error(Code::BadCom, attribute.span, message);
            let help = "only the name of a parameter can stand there, `*name` for one that is a \
                        pointer, or a number; expressions are not supported";
            self.session.report(error.help(help));
        }
    }

    fn com_parameter(&mut self, parameter: &ast::ComParameter) -> Option<ComParameter> {
        self.check_midl(&parameter.attributes, OF_PARAMETERS, "a parameter");
        let has = |name: &str| parameter.attributes.iter().any(|it| it.name == name);
        let direction = match (has("in"), has("out")) {
            (true, true) => Direction::InOut,
            (false, true) => Direction::Out,
            (true, false) => Direction::In,
            (false, false) => {
                let message = format!("the direction of `{}` is missing", parameter.name.text);
                let error = Diagnostic::error(Code::BadCom, parameter.name.span, message);
                self.session.report(error.help("write `[in]` or `[out]` before its type"));
                return None;
            }
        };
        let ty = self.com_parameter_type(parameter, direction)?;
        let (name, span) = (parameter.name.text.clone(), parameter.name.span);
        Some(ComParameter { name, span, direction, retval: has("retval"), ty })
    }

    /// What travels for a parameter, once its pointers are understood.
    fn com_parameter_type(
        &mut self,
        parameter: &ast::ComParameter,
        direction: Direction,
    ) -> Option<ComType> {
        let ast::ComTypeSpec { ty: spec, stars } = &parameter.ty;
        let has = |name: &str| parameter.attributes.iter().any(|it| it.name == name);
        let (mut ty, sequence) = self.com_base_type(spec)?;
        let mut stars = stars + usize::from(parameter.brackets);
        if has("string") && ty == ComType::U2 {
            (ty, stars) = (ComType::WideString, stars.saturating_sub(1));
        }
        // IDL has no pointers: there an `out` parameter is what it is.
        let plain = stars == 0;
        let sized = has("size_is") || has("length_is");
        // Only a string that is a parameter itself is behind a pointer without a trace.
        let alone = direction == Direction::In && !sized && !sequence && !has("unique");
        if ty == ComType::WideString && !alone {
            ty = unique(ty);
        }
        if sequence {
            let array = array_of(ty, has("length_is"));
            return Some(if direction == Direction::In { array } else { unique(array) });
        }
        if let ComType::Object(interface) = &mut ty {
            stars = stars.saturating_sub(1);
            *interface = interface.filter(|_| !has("iid_is"));
        }
        if direction != Direction::In && !plain {
            stars = match stars.checked_sub(1) {
                Some(stars) => stars,
                None => return self.bad_pointer(parameter, "an `out` parameter is a pointer"),
            };
        }
        // The array itself is the pointer that is left, or the one that was an `out` parameter's.
        let outer = parameter.attributes.iter().any(|attribute| {
            attribute.name == "size_is"
                && attribute.text.as_deref().is_some_and(|text| text.starts_with(','))
        });
        match (sized, stars) {
            (true, 0) if direction != Direction::In => Some(array_of(ty, has("length_is"))),
            (true, 1) if direction == Direction::In && !has("unique") => {
                Some(array_of(ty, has("length_is")))
            }
            (true, 1) if outer || direction == Direction::In => {
                Some(unique(array_of(ty, has("length_is"))))
            }
            (false, 0) => Some(ty),
            (false, 1) if direction == Direction::In && !has("unique") => Some(ty),
            (false, 1) => Some(unique(ty)),
            _ => self.bad_pointer(parameter, "pointers to pointers are not supported here"),
        }
    }

    fn bad_pointer(&mut self, parameter: &ast::ComParameter, why: &str) -> Option<ComType> {
        let message = format!("`{}` has a type that cannot travel: {why}", parameter.name.text);
        let error = Diagnostic::error(Code::BadCom, parameter.ty.ty.span, message);
        let help = "an array has `size_is`, and `size_is(, *count)` if the method allocates it";
        self.session.report(error.help(help));
        None
    }

    /// The type before the stars, and whether it is a sequence of it.
    fn com_base_type(&mut self, spec: &TypeSpec) -> Option<(ComType, bool)> {
        let ty = match &spec.kind {
            TypeKind::Primitive(primitive) => of_primitive(*primitive),
            TypeKind::WString(None) => Some(ComType::WideString),
            TypeKind::Any => Some(ComType::Variant),
            TypeKind::Named(name) => return Some((self.com_type_of(name)?, false)),
            TypeKind::Sequence(element, None) => {
                let (element, nested) = self.com_base_type(element)?;
                return if nested {
                    self.unsupported_in_com(spec.span)
                } else {
                    Some((element, true))
                };
            }
            _ => None,
        };
        match ty {
            Some(ty) => Some((ty, false)),
            None => self.unsupported_in_com(spec.span),
        }
    }

    fn unsupported_in_com<T>(&mut self, span: Span) -> Option<T> {
        let message = "this type is not supported in interfaces of COM";
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "supported are numbers, `BSTR`, `VARIANT`, `SAFEARRAY(T)`, `LPWSTR`, `GUID`, \
                    `CURRENCY`, `DATE`, `DECIMAL`, interfaces, and arrays of them; for a struct, \
                    write its table with `ndr_struct!`";
        self.session.report(error.help(help));
        None
    }

    /// What a name stands for: an interface of COM that the IDL declares, or a name of Windows.
    fn com_type_of(&mut self, name: &ScopedName) -> Option<ComType> {
        let plain = !name.absolute && name.rest.is_empty();
        if plain && let Some(ty) = known(&name.first.text) {
            return Some(ty);
        }
        let target = self.resolve(name)?;
        match target {
            Target::Decl(id) if self.is_com(id) => {
                Some(ComType::Object(Some(ComBase::Interface(id))))
            }
            Target::Error => None,
            _ => self.unsupported_in_com(name.span()),
        }
    }

    fn is_com(&self, id: DeclId) -> bool {
        matches!(self.model.get(id).kind, DeclKind::Com(_))
    }
}

fn unique(ty: ComType) -> ComType {
    ComType::Unique(Box::new(ty))
}

fn array_of(element: ComType, varying: bool) -> ComType {
    let element = Box::new(element);
    if varying { ComType::Varying(element) } else { ComType::Array(element) }
}

/// Whether `text` is a UUID in lower case.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hex = |group: &&str| group.chars().all(|c| c.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_hex)
}
