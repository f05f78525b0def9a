//! Interfaces of COM: names of Windows, attributes of MIDL, pointers.

use super::Checker;
use super::com_pointers::{Declared, Place, words};
use super::com_types::is_known;
use super::scope::ScopeKind;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::similar::nearest;
use crate::model::{
    ComBase, ComInterface, ComMember, ComMethod, ComParameter, ComType, DeclId, DeclKind, Direction,
};
use crate::parse::ast::{Name, ScopedName};
use crate::parse::com_ast::{self as ast, MidlAttribute};
use crate::parse::plain;
use crate::source::Span;

/// The attributes that interfaces, methods and parameters may have. The others of MIDL change what
/// travels, or are for other kinds of interfaces.
const OF_INTERFACES: &[&str] = &[
    "object",
    "uuid",
    "pointer_default",
    "dual",
    "oleautomation",
    "helpstring",
    "version",
    "local",
    "odl",
    "hidden",
    "nonextensible",
    "restricted",
    "helpcontext",
    "helpstringcontext",
    "lcid",
    "async_uuid",
    "custom",
    "annotation",
    "proxy",
    "contract",
    "exclusiveto",
    "unique",
];
const OF_METHODS: &[&str] = &[
    "propget",
    "propput",
    "propputref",
    "id",
    "helpstring",
    "success_codes",
    "local",
    "call_as",
    "hidden",
    "restricted",
    "helpcontext",
    "helpstringcontext",
    "source",
    "vararg",
    "custom",
    "annotation",
    "bindable",
    "requestedit",
    "displaybind",
    "defaultbind",
    "defaultcollelem",
    "nonbrowsable",
    "uidefault",
    "immediatebind",
    "replaceable",
    "readonly",
];
const OF_PARAMETERS: &[&str] = &[
    "in",
    "out",
    "retval",
    "size_is",
    "length_is",
    "max_is",
    "last_is",
    "first_is",
    "string",
    "unique",
    "ref",
    "ptr",
    "iid_is",
    "optional",
    "defaultvalue",
    "range",
    "lcid",
    "annotation",
    "custom",
    "switch_is",
    "switch_type",
];

/// The most methods of an interface with its bases: their numbers have 16 bits.
const MAX_METHODS: usize = 1024;

impl Checker<'_, '_> {
    pub(super) fn com(&mut self, interface: &ast::ComInterface, docs: &[String]) {
        let name = &interface.name;
        let has = |name: &str| interface.attributes.iter().any(|it| it.name == name);
        // One without methods holds types alone.
        if !has("uuid")
            && (has("local") || interface.base.is_none() && interface.methods.is_empty())
        {
            return match self.declared_elsewhere(name) {
                true => (),
                false => self.com_forward(name),
            };
        }
        if self.declared_elsewhere(name) {
            return self.com_interface_again(interface);
        }
        self.check_midl(&interface.attributes, OF_INTERFACES, "an interface of COM");
        let iid = self.iid(&interface.attributes, &interface.name);
        if iid.is_none() && self.session.is_imported(name.span.file) {
            return self.com_forward(name);
        }
        let base = self.com_base(interface.base.as_ref(), name.span);
        if let Some(iid) = &iid {
            self.com_identified(iid, name);
        }
        let empty =
            ComInterface { iid: iid.unwrap_or_default(), base, methods: Vec::new(), slots: 0 };
        let id = self.add(name, docs, DeclKind::Com(empty));
        if let DeclKind::Com(ComInterface { iid, .. }) = &self.model.get(id).kind {
            self.model.declarations[id.index()].repository_id = format!("DCE:{iid}");
        }
        let first = self.first_opnum(base);
        let outer = self.enter(ScopeKind::Interface, Some(id), name);
        let slots = slots(&interface.methods);
        let methods = self.com_methods(&interface.methods, &slots, first);
        self.leave(outer);
        if let DeclKind::Com(data) = &mut self.model.declarations[id.index()].kind {
            data.methods = methods;
            data.slots = slots.iter().max().map_or(0, |last| last + 1);
        }
    }

    /// The methods that travel, behind the number `first`.
    pub(super) fn com_methods_of(
        &mut self,
        given: &[ast::ComMethod],
        first: usize,
    ) -> Vec<ComMethod> {
        self.com_methods(given, &slots(given), first)
    }

    /// The methods that travel; `slots` are their places behind the number `first`.
    fn com_methods(
        &mut self,
        given: &[ast::ComMethod],
        slots: &[usize],
        first: usize,
    ) -> Vec<ComMethod> {
        let mut methods: Vec<ComMethod> = Vec::new();
        for (method, slot) in given.iter().zip(slots) {
            let opnum = first + slot;
            if opnum > MAX_METHODS {
                let message = format!("an interface of COM has at most {MAX_METHODS} methods");
                self.error(Code::BadCom, method.name.span, message);
                break;
            }
            if method.local {
                continue;
            }
            let Some(checked) = self.com_method(method, opnum as u16) else { continue };
            let same = methods.iter().find(|known| known.full_name() == checked.full_name());
            if let Some(same) = same.map(|same| same.span) {
                let message = format!("`{}` is declared twice", checked.name);
                let error = Diagnostic::error(Code::BadCom, checked.span, message);
                self.session.report(error.secondary(same, "declared here"));
                continue;
            }
            methods.push(checked);
        }
        methods.sort_by_key(|method| method.opnum);
        methods
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

    /// The `uuid` among the attributes of `name`.
    pub(super) fn iid(&mut self, attributes: &[MidlAttribute], name: &Name) -> Option<String> {
        let uuid = attributes.iter().find(|attribute| attribute.name == "uuid");
        let text = uuid.and_then(|attribute| attribute.text.as_deref()).unwrap_or_default();
        let iid = text.trim_matches(['{', '}']).to_ascii_lowercase();
        if is_uuid(&iid) {
            return Some(iid);
        }
        let span = uuid.map_or(name.span, |attribute| attribute.span);
        let message = match uuid {
            Some(_) => format!("`{text}` is not a UUID"),
            None => format!("`{}` has no `uuid`", name.text),
        };
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "write `@uuid(\"6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01\")` before it";
        self.session.report(error.help(help));
        None
    }

    pub(super) fn com_base(&mut self, base: Option<&ScopedName>, interface: Span) -> ComBase {
        let Some(base) = base else {
            let message = "an interface of COM inherits from `IUnknown` or another one";
            let error = Diagnostic::error(Code::BadCom, interface, message);
            self.session.report(error.help("write `: IUnknown` behind its name"));
            return ComBase::Unknown;
        };
        match self.com_type_of(base).map(|base| base.alias.ty) {
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
    pub(super) fn first_opnum(&self, base: ComBase) -> usize {
        match base {
            ComBase::Unknown => 3,
            ComBase::Dispatch => 7,
            ComBase::Interface(id) => match &self.model.get(id).kind {
                DeclKind::Com(data) => self.first_opnum(data.base) + data.slots,
                _ => 3,
            },
        }
    }

    /// `None` if a parameter cannot travel.
    fn com_method(&mut self, method: &ast::ComMethod, opnum: u16) -> Option<ComMethod> {
        self.check_midl(&method.attributes, OF_METHODS, "a method");
        let has = |name: &str| method.attributes.iter().any(|attribute| attribute.name == name);
        let member = match () {
            () if has("propget") => ComMember::Get,
            () if has("propput") || has("propputref") => ComMember::Put,
            () => ComMember::Method,
        };
        let (mut parameters, mut whole): (Vec<ComParameter>, bool) = (Vec::new(), true);
        for parameter in &method.parameters {
            let Some(checked) = self.com_parameter(parameter) else {
                whole = false;
                continue;
            };
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
            self.check_names(&parameter.attributes, &names, "parameter of the method");
        }
        let known: Vec<_> = parameters.iter().map(|it| (&*it.name, &it.ty)).collect();
        let of = |name: &str| method.parameters.iter().find(|it| it.name.text == name);
        let bounds = parameters.iter().map(|it| match of(&it.name) {
            Some(given) => {
                let what = "parameter of the method";
                let bounds = self.com_bounds(&given.attributes, &known, what);
                if given.ty.is_sequence() { Vec::new() } else { bounds }
            }
            None => Vec::new(),
        });
        let bounds: Vec<_> = bounds.collect();
        parameters.iter_mut().zip(bounds).for_each(|(it, bounds)| it.bounds = bounds);
        let (name, span, docs) = (method.name.text.clone(), method.name.span, method.docs.clone());
        let success_codes = has("success_codes");
        whole.then_some(ComMethod { name, member, opnum, docs, span, success_codes, parameters })
    }

    /// Checks that what an attribute names is a parameter of the method, or a member of the struct.
    pub(super) fn check_names(&mut self, attributes: &[MidlAttribute], known: &[&str], what: &str) {
        const NAMING: &[&str] = &["iid_is", "switch_is"];
        for attribute in attributes.iter().filter(|it| NAMING.contains(&it.name.as_str())) {
            let text = attribute.text.as_deref().unwrap_or_default();
            let missing = words(text).find(|word| {
                let name = plain(word);
                !known.contains(&&*name) && !is_known(word) && !self.is_number(&name)
            });
            let number = text.contains(|c: char| c.is_ascii_digit());
            if missing.is_none() && (number || words(text).next().is_some()) {
                continue;
            }
            let message = match missing {
                Some(word) if word.len() != text.len() => {
                    format!("`{word}` in `{}({text})` names no {what}", attribute.name)
                }
                _ => format!("`{}({text})` names no {what}", attribute.name),
            };
            let error = Diagnostic::error(Code::BadCom, attribute.span, message);
            let help = "the names of some can stand there, `*name` for one that is a pointer, \
                        numbers and constants";
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
            // What MIDL takes a parameter without a direction for.
            (false, false) if self.session.midl.contains(&parameter.name.span.file) => {
                Direction::In
            }
            (false, false) => {
                let message = format!("the direction of `{}` is missing", parameter.name.text);
                let error = Diagnostic::error(Code::BadCom, parameter.name.span, message);
                self.session.report(error.help("write `[in]` or `[out]` before its type"));
                return None;
            }
        };
        let declared = Declared {
            name: &parameter.name,
            ty: &parameter.ty,
            dimensions: &parameter.dimensions,
            attributes: &parameter.attributes,
            place: Place::Parameter(direction),
        };
        let ty = self.com_declared(&declared)?;
        let (name, span) = (parameter.name.text.clone(), parameter.name.span);
        Some(ComParameter { name, span, direction, retval: has("retval"), ty, bounds: Vec::new() })
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

/// The place of each method: one that travels for a local one (`call_as`) has that of the local one.
fn slots(methods: &[ast::ComMethod]) -> Vec<usize> {
    let called = |method: &ast::ComMethod| {
        let attribute = method.attributes.iter().find(|it| it.name == "call_as");
        attribute.and_then(|it| it.text.clone())
    };
    let (mut all, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    for method in methods {
        let of_local = called(method).and_then(|name| {
            let at = methods.iter().position(|it| it.local && it.name.text == name)?;
            all.get(at).copied()
        });
        all.push(of_local.unwrap_or(next));
        next += usize::from(of_local.is_none());
    }
    all
}
