//! The checker: from the syntax tree to the model (IDL 4.2, 7.4 and 7.5).
//!
//! It walks the tree once, in source order, because a name of IDL is visible only after its
//! declaration. An invalid declaration keeps its name, as a symbol with an error, so that one
//! mistake is reported once.

mod arithmetic;
mod bases;
mod bits;
mod com;
mod com_again;
mod com_layout;
mod com_names;
mod com_pointers;
mod com_sizes;
mod com_types;
mod component;
mod constant;
mod corba;
mod expected;
mod floating;
mod forward;
mod home;
mod identity;
mod interface;
mod local;
mod lookup;
mod ports;
mod repository;
mod roles;
mod scope;
mod suggest;
mod template;
mod timing;
mod types;
mod union;
mod value;

use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Declaration, Enum, Enumerator, Member, Model, Struct};
use crate::parse::ast::{self, BodyItem, Definition, DefinitionKind, Item, Name};
use crate::session::Session;
use crate::source::{FileId, Span};
use forward::Forward;
use identity::TypePrefix;
use ports::PortType;
use repository::{Ids, Prefix, Saved};
use scope::{Scope, ScopeId, ScopeKind, Target};
use std::collections::{HashMap, HashSet};
use suggest::Unresolved;
use template::{Binding, Template};

/// Checks `items`, the tree of a source whose first file is `main`. The model is valid only if no
/// error was reported.
pub(crate) fn check(session: &mut Session<'_>, main: FileId, items: &[Item]) -> Model {
    let mut checker = Checker {
        session,
        model: Model::default(),
        scopes: scope::initial_scopes(Span { file: main, start: 0, end: 0 }),
        current: ScopeId::FILE,
        scope_of: HashMap::new(),
        forwards: Vec::new(),
        incomplete: HashMap::new(),
        wholes: HashMap::new(),
        abstract_base: None,
        local: HashSet::new(),
        openings: HashMap::new(),
        type_prefixes: HashMap::new(),
        early_prefixes: HashMap::new(),
        prefix: Prefix::default(),
        enclosing_prefixes: Vec::new(),
        including_prefixes: Vec::new(),
        ids: Ids::default(),
        unresolved: Vec::new(),
        included_twice: HashSet::new(),
        in_raises: false,
        constant_text: 0,
        port_types: Vec::new(),
        components_missing: false,
        templates: Vec::new(),
        bindings: Vec::new(),
        ports: HashMap::new(),
        expanded_tokens: 0,
        instantiation_stack: Vec::new(),
        com_forwards: HashSet::new(),
        com_numbers: HashMap::new(),
        com_iids: HashMap::new(),
        com_reasons: HashMap::new(),
        com_later: Vec::new(),
        com_own: HashSet::new(),
    };
    checker.items(items);
    checker.check_forwards();
    checker.check_timed_calls();
    checker.explain_unresolved();
    checker.model.roots = std::mem::take(&mut checker.scopes[0].members);
    checker.model
}

struct Checker<'s, 'o> {
    session: &'s mut Session<'o>,
    model: Model,
    scopes: Vec<Scope>,
    current: ScopeId,
    /// The scope of each declaration that has one.
    scope_of: HashMap<DeclId, ScopeId>,
    forwards: Vec<Forward>,
    /// Declarations that are not completely defined at this point of the walk, with the index of
    /// the forward declaration if the definition has not begun.
    incomplete: HashMap<DeclId, Option<usize>>,
    /// The declarations that contain values of each declaration.
    wholes: HashMap<DeclId, Vec<DeclId>>,
    /// `CORBA::AbstractBase`, if a source uses it and none declares it.
    abstract_base: Option<DeclId>,
    /// Declarations that contain local interfaces.
    local: HashSet<DeclId>,
    /// How often each module was reopened.
    openings: HashMap<DeclId, u32>,
    /// The prefixes of scopes with `typeprefix`.
    type_prefixes: HashMap<DeclId, TypePrefix>,
    /// The prefixes of modules that a scope has not opened yet, by the keys of their names.
    early_prefixes: HashMap<(ScopeId, String), (String, Span)>,
    prefix: Prefix,
    /// The prefixes of the scopes that enclose the current one.
    enclosing_prefixes: Vec<Saved>,
    /// The prefixes of the files that include the current one.
    including_prefixes: Vec<Saved>,
    ids: Ids,
    /// The names that were not found.
    unresolved: Vec<Unresolved>,
    /// The files without an include guard that were reported.
    included_twice: HashSet<FileId>,
    /// Whether names in `raises` are being resolved.
    in_raises: bool,
    /// The size of all string constants together, in octets.
    constant_text: usize,
    port_types: Vec<PortType>,
    /// Whether the missing module `Components` was reported.
    components_missing: bool,
    templates: Vec<Template>,
    /// The bindings of template parameters.
    bindings: Vec<Binding>,
    /// The ports of components, by component and key.
    ports: HashMap<(DeclId, String), Span>,
    /// The number of tokens from expanded template modules and port types.
    expanded_tokens: usize,
    /// The stack of instantiations: the spans of the templates' names.
    instantiation_stack: Vec<Span>,
    /// The interfaces of MIDL that were declared forward.
    com_forwards: HashSet<String>,
    /// The values of the enums of COM.
    com_numbers: HashMap<String, com_again::Numbered>,
    /// The interfaces of COM, by their IIDs.
    com_iids: HashMap<String, Name>,
    /// Why types of MIDL cannot travel, by their keys.
    com_reasons: HashMap<String, String>,
    /// Other names of structs of MIDL that are not declared yet: the struct, and the name.
    com_later: Vec<(String, Name)>,
    /// Names of Windows that the IDL declares as something else.
    com_own: HashSet<String>,
}

impl Checker<'_, '_> {
    fn items(&mut self, items: &[Item]) {
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Definition(definition)
                    if self.is_early_prefix(definition, &items[at + 1..]) => {}
                Item::Definition(definition) => {
                    self.definition(definition);
                }
                Item::Pragma(pragma, span) => self.pragma(pragma, *span),
                Item::EnterFile => {
                    let saved = self.saved_prefix();
                    self.including_prefixes.push(saved);
                    self.prefix = Prefix::default();
                }
                Item::LeaveFile => {
                    self.prefix =
                        self.including_prefixes.pop().map(|saved| saved.prefix).unwrap_or_default();
                }
            }
        }
    }

    /// Checks a definition. Returns the declaration if it is a type.
    fn definition(&mut self, definition: &Definition) -> Option<DeclId> {
        let docs = &definition.docs;
        if self.repeats_corba(&definition.kind) {
            return None;
        }
        match &definition.kind {
            DefinitionKind::Module { name, items } => self.module(name, docs, items),
            DefinitionKind::Interface { flavour, name, bases, items } => {
                self.interface(*flavour, name, docs, bases, items);
            }
            DefinitionKind::Com(interface) => self.com(interface, docs),
            DefinitionKind::ComType(definition) => self.com_definition(definition, docs),
            DefinitionKind::ComGroup(all) => self.com_group(all, docs),
            DefinitionKind::ComForward(name) => self.com_forward(name),
            DefinitionKind::Value(value) => self.value(value, docs),
            DefinitionKind::ValueBox { name, ty } => self.value_box(name, ty, docs),
            DefinitionKind::StateMember { public, ty, declarators } => {
                self.state_member(*public, ty, declarators, docs);
            }
            DefinitionKind::Initializer(initializer) => self.initializer(initializer, docs),
            DefinitionKind::Component(component) => self.component(component, docs),
            DefinitionKind::Home(home) => self.home(home, docs),
            DefinitionKind::PortType { name, items } => self.port_type(name, items),
            // The enclosing construct checks these.
            DefinitionKind::Port(_) | DefinitionKind::HomeOperation { .. } => {}
            DefinitionKind::Template(template) => self.template(template),
            DefinitionKind::Instance(instance) => self.instance(instance, docs),
            DefinitionKind::Native { name } => {
                self.add(name, docs, DeclKind::Native);
            }
            DefinitionKind::Bitmask(body) => self.bitmask(body, docs),
            DefinitionKind::Bitset(body) => self.bitset(body, docs),
            DefinitionKind::TypeId { name, id, id_span } => self.type_id(name, id, *id_span),
            DefinitionKind::TypePrefix { name, prefix, prefix_span } => {
                self.type_prefix(name, prefix, *prefix_span);
            }
            DefinitionKind::ModulePrefix { prefix, prefix_span } => {
                self.module_prefix(prefix, *prefix_span);
            }
            DefinitionKind::Import { name } => self.import(name),
            DefinitionKind::Forward { kind, name } => self.forward(*kind, name),
            DefinitionKind::Struct(body) => return Some(self.structure(body, docs)),
            DefinitionKind::Exception(body) => self.exception(body, docs),
            DefinitionKind::Union(union) => return Some(self.union(union, docs)),
            DefinitionKind::Enum(body) => return Some(self.enumeration(body, docs)),
            DefinitionKind::Typedef { ty, declarators } => self.typedef(ty, declarators, docs),
            DefinitionKind::Const { ty, name, value } => self.constant(ty, name, value, docs),
            DefinitionKind::Operation(operation) => self.operation(operation, docs),
            DefinitionKind::Attribute(attribute) => self.attribute(attribute, docs),
            DefinitionKind::Unsupported { name } => {
                if let Some(name) = name {
                    self.declare(name, Target::Error);
                }
            }
        }
        None
    }

    fn module(&mut self, name: &Name, docs: &[String], items: &[Item]) {
        let known = self.scope().names.get(&scope::key(&name.text)).map(|entry| entry.target);
        let id = match (self.opened(name), known) {
            (Some(id), _) => {
                self.reopen(id, name.span, docs);
                id
            }
            (None, Some(Target::CorbaModule)) if name.text == "CORBA" => {
                self.scope_mut().names.remove(&scope::key(&name.text));
                let id = self.add(name, docs, DeclKind::Module(Vec::new()));
                self.scopes[ScopeId::CORBA.0].decl = Some(id);
                self.scopes[ScopeId::CORBA.0].name = Some(name.clone());
                self.scope_of.insert(id, ScopeId::CORBA);
                id
            }
            _ => self.add(name, docs, DeclKind::Module(Vec::new())),
        };
        self.claim_early_prefix(id, name);
        let outer = self.enter(ScopeKind::Module, Some(id), name);
        self.items(items);
        let members = self.scope().members.clone();
        self.model.declarations[id.index()].kind = DeclKind::Module(members);
        self.leave(outer);
    }

    /// The module `name` in the current scope.
    fn opened(&self, name: &Name) -> Option<DeclId> {
        match self.scope().names.get(&scope::key(&name.text))?.target {
            Target::Decl(id) => {
                let known = self.model.get(id);
                let same = matches!(known.kind, DeclKind::Module(_)) && known.name == name.text;
                same.then_some(id)
            }
            _ => None,
        }
    }

    fn reopen(&mut self, id: DeclId, span: Span, docs: &[String]) {
        *self.openings.entry(id).or_default() += 1;
        let included = !self.session.sources().is_main(span.file);
        let module = &mut self.model.declarations[id.index()];
        module.included &= included;
        if module.docs.is_empty() {
            module.docs = docs.to_vec();
        }
    }

    pub(super) fn structure(&mut self, body: &ast::Struct, docs: &[String]) -> DeclId {
        let base = body.base.as_ref().and_then(|name| {
            self.base_type(name, "a struct", |kind| matches!(kind, DeclKind::Struct(_)))
        });
        let empty = Struct { base, ..Struct::default() };
        let id = self.define(&body.name, docs, DeclKind::Struct(empty));
        self.incomplete.insert(id, None);
        let checked = self.members(id, body);
        self.incomplete.remove(&id);
        self.model.declarations[id.index()].kind = DeclKind::Struct(checked);
        self.record_local(id);
        id
    }

    fn exception(&mut self, body: &ast::Struct, docs: &[String]) {
        let id = self.add(&body.name, docs, DeclKind::Exception(Struct::default()));
        let checked = self.members(id, body);
        self.model.declarations[id.index()].kind = DeclKind::Exception(checked);
        self.record_local(id);
    }

    fn members(&mut self, id: DeclId, body: &ast::Struct) -> Struct {
        let base = match &self.model.get(id).kind {
            DeclKind::Struct(body) => body.base,
            _ => None,
        };
        let outer = self.enter(ScopeKind::Body, Some(id), &body.name);
        self.scope_mut().bases =
            base.and_then(|base| self.scope_of.get(&base).copied()).into_iter().collect();
        let mut members = Vec::new();
        for item in &body.body {
            let member = match item {
                BodyItem::Member(member) => member,
                BodyItem::Marker(marker) => {
                    self.items(std::slice::from_ref(marker));
                    continue;
                }
            };
            let ty = self.ty(&member.ty);
            for declarator in &member.declarators {
                let docs = &member.docs;
                members.extend(self.member(ty.as_ref(), declarator, docs, Target::Member));
            }
        }
        let nested = std::mem::take(&mut self.scope_mut().members);
        self.leave(outer);
        Struct { base, nested, members }
    }

    /// A member of a struct, an exception, a union or a valuetype; `None` if it is not valid.
    fn member(
        &mut self,
        ty: Option<&crate::model::Type>,
        declarator: &ast::Declarator,
        docs: &[String],
        target: Target,
    ) -> Option<Member> {
        let ty = self.declarator_type(ty, declarator);
        self.declare(&declarator.name, target);
        let Name { text, span } = declarator.name.clone();
        Some(Member { name: text, ty: ty?, docs: docs.to_vec(), span })
    }

    fn enumeration(&mut self, body: &ast::Enum, docs: &[String]) -> DeclId {
        let id = self.add(&body.name, docs, DeclKind::Enum(Enum::default()));
        let mut enumerators = Vec::new();
        for (index, (name, docs)) in body.enumerators.iter().enumerate() {
            self.declare(name, Target::Enumerator(id, index as u32));
            enumerators.push(Enumerator {
                name: name.text.clone(),
                repository_id: self.repository_id(&name.text),
                docs: docs.clone(),
                span: name.span,
            });
        }
        self.model.declarations[id.index()].kind = DeclKind::Enum(Enum { enumerators });
        id
    }

    pub(super) fn typedef(
        &mut self,
        ty: &ast::TypeSpec,
        declarators: &[ast::Declarator],
        docs: &[String],
    ) {
        let ty = self.ty(ty);
        for declarator in declarators {
            if self.repeats(&declarator.name, "a typedef") {
                continue;
            }
            match self.declarator_type(ty.as_ref(), declarator) {
                Some(ty) => {
                    let id = self.add(&declarator.name, docs, DeclKind::Typedef(ty));
                    self.record_local(id);
                }
                None => self.declare(&declarator.name, Target::Error),
            }
        }
    }
}

/// Declarations and scopes.
impl Checker<'_, '_> {
    /// Adds a declaration to the model and to the current scope.
    fn add(&mut self, name: &Name, docs: &[String], kind: DeclKind) -> DeclId {
        let id = self.model.next_id();
        let repository_id = self.repository_id(&name.text);
        self.model.declarations.push(Declaration {
            name: name.text.clone(),
            scope: self.scope().decl,
            repository_id,
            span: name.span,
            docs: docs.to_vec(),
            included: !self.session.sources().is_main(name.span.file),
            kind,
        });
        self.scope_mut().members.push(id);
        self.declare(name, Target::Decl(id));
        id
    }

    /// Enters the scope of `decl`, which may be reopened. Returns the outer scope for
    /// [`leave`](Self::leave).
    fn enter(&mut self, kind: ScopeKind, decl: Option<DeclId>, name: &Name) -> ScopeId {
        let outer = self.current;
        let saved = self.saved_prefix();
        self.enclosing_prefixes.push(saved);
        let known = decl.and_then(|decl| self.scope_of.get(&decl).copied());
        self.current = known.unwrap_or_else(|| {
            let id = ScopeId(self.scopes.len());
            let mut scope = Scope::new(kind, Some(self.current), Some(name.clone()));
            scope.decl = decl.or(self.scope().decl);
            self.scopes.push(scope);
            id
        });
        if let Some(decl) = decl {
            self.scope_of.insert(decl, self.current);
            match self.type_prefixes.get(&decl) {
                Some(known) => self.prefix = known.inside.clone(),
                None => self.prefix.enter(&name.text),
            }
        }
        outer
    }

    fn leave(&mut self, outer: ScopeId) {
        self.current = outer;
        if let Some(saved) = self.enclosing_prefixes.pop() {
            self.prefix = saved.prefix;
        }
    }

    fn scope(&self) -> &Scope {
        &self.scopes[self.current.0]
    }

    fn scope_mut(&mut self) -> &mut Scope {
        &mut self.scopes[self.current.0]
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.session.report(Diagnostic::error(code, span, message));
    }
}
