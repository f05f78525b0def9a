//! Interfaces of COM: names of Windows, attributes of MIDL, pointers.

use super::Checker;
use super::com_types::{array_of, unique};
use super::scope::ScopeKind;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::similar::nearest;
use crate::model::{
    ComBase, ComInterface, ComMember, ComMethod, ComParameter, ComType, DeclId, DeclKind, Direction,
};
use crate::parse::ast::{self, MidlAttribute, Name, ScopedName};
use crate::source::Span;

/// The attributes that interfaces, methods and parameters may have. The others of MIDL change what
/// travels, or are for other kinds of interfaces.
const OF_INTERFACES: &[&str] =
    &["object", "uuid", "pointer_default", "dual", "oleautomation", "helpstring", "version"];
const OF_METHODS: &[&str] = &["propget", "propput", "id", "helpstring", "success_codes"];
const OF_PARAMETERS: &[&str] =
    &["in", "out", "retval", "size_is", "length_is", "string", "unique", "ref", "iid_is"];

/// Why a pointer is refused.
pub(super) const NESTED_POINTERS: &str = "pointers to pointers are not supported here";

/// The most methods of an interface with its bases: their numbers have 16 bits.
const MAX_METHODS: usize = 1024;

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
    pub(super) fn check_midl(&mut self, attributes: &[MidlAttribute], known: &[&str], what: &str) {
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
        let names: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
        for parameter in &method.parameters {
            self.check_sizes(&parameter.attributes, &names, "parameter of the method");
        }
        let (name, span, docs) = (method.name.text.clone(), method.name.span, method.docs.clone());
        let success_codes = has("success_codes");
        ComMethod { name, member, opnum, docs, span, success_codes, parameters }
    }

    /// Checks that what an attribute names is a parameter of the method, or a member of the struct.
    pub(super) fn check_sizes(&mut self, attributes: &[MidlAttribute], known: &[&str], what: &str) {
        for attribute in attributes {
            if !matches!(attribute.name.as_str(), "size_is" | "length_is" | "iid_is") {
                continue;
            }
            let text = attribute.text.as_deref().unwrap_or_default();
            let name = text.trim_start_matches(',').trim_start_matches('*');
            if known.contains(&name) || name.parse::<u32>().is_ok() {
                continue;
            }
            let message = format!("`{}({text})` names no {what}", attribute.name);
            let error = Diagnostic::error(Code::BadCom, attribute.span, message);
            let help = "only the name of one can stand there, `*name` for one that is a \
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
                None => {
                    let why = "an `out` parameter is a pointer";
                    return self.bad_pointer(&parameter.name, spec.span, why);
                }
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
            _ => self.bad_pointer(&parameter.name, spec.span, NESTED_POINTERS),
        }
    }

    pub(super) fn bad_pointer(&mut self, name: &Name, span: Span, why: &str) -> Option<ComType> {
        let message = format!("`{}` has a type that cannot travel: {why}", name.text);
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "an array has `size_is`, and `size_is(, *count)` if the method allocates it";
        self.session.report(error.help(help));
        None
    }

    pub(super) fn is_com(&self, id: DeclId) -> bool {
        matches!(self.model.get(id).kind, DeclKind::Com(_))
    }
}

/// Whether `text` is a UUID in lower case.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hex = |group: &&str| group.chars().all(|c| c.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_hex)
}
