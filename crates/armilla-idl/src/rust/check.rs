//! Valid IDL that has no Rust mapping: names that collide in Rust, and TypeCodes that are too
//! large.

use super::amh;
use super::anys;
use super::bitsets;
use super::com;
use super::names;
use super::operation::{self, Callable};
use super::queries;
use super::scope::{self, Scope};
use super::type_codes;
use super::unions;
use super::value_operations;
use super::values;
use super::{roles, timing};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Bitset, ComDefinition, DeclId, DeclKind, Declaration, Flavour, Member, Model, Union, Value,
};
use crate::source::Span;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The maximum number of collisions that one pass returns.
const MAX_COLLISIONS: usize = 500;

/// The result of the check.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The errors.
    pub(super) problems: Vec<Diagnostic>,
    /// The declarations to be renamed: the path in IDL, and the number to append.
    pub(super) collisions: Vec<(String, u32)>,
}

/// Finds the errors of a model.
pub(super) fn check(scope: &Scope<'_>) -> Found {
    let model = scope.model;
    let found = Found::default();
    let mut checker = Checker { scope, model, taken: HashMap::new(), found };
    let made = || model.iter().filter(|(id, _)| scope.makes(*id));
    made().for_each(|(id, declaration)| checker.declaration(id, declaration));
    if checker.found.collisions.is_empty() {
        made().for_each(|(id, declaration)| checker.type_code(id, declaration));
    }
    checker.found
}

/// A declaration that owns a name in Rust.
#[derive(Debug, Clone)]
struct Owner {
    /// Its description in messages.
    what: String,
    span: Span,
    /// Its path in IDL, if it can be renamed.
    path: Option<String>,
    /// Which of two owners keeps the name: the one that ranks higher.
    rank: Rank,
}

impl Owner {
    /// A generated item without a name in IDL.
    fn nameless(what: String, span: Span) -> Self {
        Owner { what, span, path: None, rank: Rank::Derived }
    }

    /// Of two owners the lesser one moves. Operations that meet in several interfaces meet in
    /// different orders, so the later one in the source moves, wherever they meet.
    fn precedence(&self) -> impl Ord + use<> {
        let is_inherited = self.rank >= Rank::Inherited;
        (self.rank, Reverse(is_inherited.then_some((self.span.file, self.span.start))))
    }
}

/// How much a name is to be kept. Of equals the first one in the source keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The name of a declaration.
    Own,
    /// A name that is derived from that of a declaration, which should be kept.
    Derived,
    /// The name of an inherited operation.
    Inherited,
    /// The same, of an interface of an included file, which others know by this name.
    Included,
}

struct Checker<'m> {
    scope: &'m Scope<'m>,
    model: &'m Model,
    /// The owner of each name, by Rust scope and name, and the number of its candidates.
    taken: HashMap<(String, String), (Owner, u32)>,
    found: Found,
}

impl<'m> Checker<'m> {
    /// Declares `name` in the Rust scope `place`, or records a collision.
    fn declare(&mut self, place: &str, name: &str, owner: Owner) {
        let key = (place.to_owned(), name.to_owned());
        let Some((other, count)) = self.taken.get_mut(&key) else {
            self.taken.insert(key, (owner, 1));
            return;
        };
        *count += 1;
        let movable = [&owner, &*other].into_iter().filter(|owner| owner.path.is_some());
        let moved = movable.min_by_key(|owner| owner.precedence());
        if let Some(path) = moved.and_then(|owner| owner.path.as_ref()) {
            // The contents of a renamed scope may not collide after the renaming.
            let is_within = |(outer, _): &(String, u32)| {
                path.strip_prefix(outer)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
            };
            let collisions = &self.found.collisions;
            if collisions.len() < MAX_COLLISIONS && !collisions.iter().any(is_within) {
                self.found.collisions.push((path.clone(), *count));
            }
        }
        let (one, two) = (&other.what, &owner.what);
        let message = format!("{one} and {two} would both be called `{name}` in Rust");
        let diagnostic = Diagnostic::error(Code::RustCollision, owner.span, message)
            .secondary(other.span, "the name is taken here")
            .help(
                "rename one of the two, or only its Rust: `--rename Module::name=new_name`, \
                 `Build::rename`",
            );
        self.found.problems.push(diagnostic);
    }

    /// The declaration `id` itself.
    fn whole(&self, id: DeclId) -> Owner {
        let name = self.scope.idl.scoped_name(id);
        let span = self.model.get(id).span;
        Owner { what: format!("`{name}`"), span, path: Some(name), rank: Rank::Own }
    }

    /// An item that is generated for the declaration `id`; `role` describes it.
    fn beside(&self, id: DeclId, role: &str) -> Owner {
        let what = format!("{role} of `{}`", self.scope.idl.get(id).name);
        Owner { what, rank: Rank::Derived, ..self.whole(id) }
    }

    /// The owner `name` within the declaration `id`.
    fn part(&self, id: DeclId, name: &str, span: Span) -> Owner {
        let path = Some(format!("{}::{name}", self.scope.idl.scoped_name(id)));
        Owner { what: format!("`{name}`"), span, path, rank: Rank::Own }
    }

    /// A method that is derived from `callable` of `id`.
    fn method(&self, id: DeclId, callable: &Callable<'_>) -> Owner {
        let path = format!("{}::{}", self.scope.idl.scoped_name(id), callable.idl_name);
        let is_setter = callable.wire_name.starts_with("_set_");
        let what = if is_setter { format!("the setter of `{path}`") } else { format!("`{path}`") };
        let rank = if is_setter { Rank::Derived } else { Rank::Own };
        Owner { what, span: callable.span, path: Some(path), rank }
    }

    /// A method that is inherited from `base`. Code of another crate keeps its names.
    fn inherited(&self, base: DeclId, callable: &Callable<'_>) -> Owner {
        let own = self.method(base, callable);
        let included = self.model.get(base).included;
        let rank = if included { Rank::Included } else { Rank::Inherited };
        Owner { rank, path: own.path.filter(|_| self.scope.makes(base)), ..own }
    }

    fn declaration(&mut self, id: DeclId, declaration: &'m Declaration) {
        let modules = queries::enclosing_modules(self.model, id).join("::");
        let name = scope::name(declaration);
        let span = declaration.span;
        let own = format!("{modules}::{name}");
        // Types, traits and modules share a namespace. Constants have one, and so have the fields,
        // variants and methods of a type.
        match &declaration.kind {
            DeclKind::Const(_) => self.declare(&format!("{modules} values"), &name, self.whole(id)),
            _ => self.declare(&modules, &name, self.whole(id)),
        }
        match &declaration.kind {
            DeclKind::Module(_) | DeclKind::Native | DeclKind::Const(_) => {}
            DeclKind::Com(_) => {
                let proxy = com::proxy_name(declaration);
                let what = format!("the proxy of `{}`", declaration.name);
                self.declare(&modules, &proxy, Owner::nameless(what, span));
                self.module_of(&modules, id);
            }
            DeclKind::ComType(definition) => self.com_type(id, &modules, &own, definition),
            DeclKind::Typedef(_) if type_codes::has_function(self.scope, id) => {
                self.functions_of_typedef(&modules, id);
            }
            DeclKind::Typedef(_) => {}
            DeclKind::Interface(data) => {
                self.reference(&modules, id);
                self.module_of(&modules, id);
                if self.scope.options.amh && data.flavour != Flavour::Local {
                    self.amh(&modules, id);
                }
                self.interface(id, &modules, declaration);
            }
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                if queries::struct_members(self.model, data).is_empty() {
                    self.constructor(&modules, id);
                }
                if !data.nested.is_empty() {
                    self.module_of(&modules, id);
                }
                self.members(id, &own, queries::struct_members(self.model, data).into_iter());
            }
            DeclKind::Union(data) => {
                if !data.nested.is_empty() {
                    self.module_of(&modules, id);
                }
                self.union(id, &own, data);
            }
            DeclKind::Enum(data) => {
                for variant in &data.enumerators {
                    let name = names::variant(&variant.name);
                    self.declare(&own, &name, self.part(id, &variant.name, variant.span));
                }
            }
            DeclKind::Value(data) => {
                self.reference(&modules, id);
                self.value_operations(&modules, id, data, declaration);
                if queries::concrete_base(self.model, data).is_some() {
                    let base = values::base_field(data);
                    let what = format!("the state of the base of `{}`", declaration.name);
                    self.declare(&own, &base, Owner::nameless(what, span));
                }
                self.members(id, &own, data.state.iter().map(|state| &state.member));
            }
            DeclKind::ValueBox(_) => {
                self.reference(&modules, id);
                self.constructor(&modules, id);
            }
            DeclKind::Bitset(data) => {
                self.constructor(&modules, id);
                self.bitset(id, &own, data, span);
            }
            DeclKind::Bitmask(data) => {
                self.constructor(&modules, id);
                for flag in &data.flags {
                    let name = names::upper(&flag.name);
                    self.declare(&own, &name, self.part(id, &flag.name, flag.span));
                }
            }
        }
    }

    fn com_type(&mut self, id: DeclId, modules: &str, own: &str, definition: &'m ComDefinition) {
        match definition {
            // It needs no name: an alias is what it stands for.
            ComDefinition::Alias(_) => {}
            ComDefinition::Class(_) => self.module_of(modules, id),
            ComDefinition::Dispatch(data) => {
                self.module_of(modules, id);
                for member in &data.members {
                    let name = names::upper(&member.name);
                    self.declare(own, &name, Owner::nameless(member.name.clone(), member.span));
                }
            }
            ComDefinition::Union(data) => {
                self.module_of(modules, id);
                for field in data.arms.iter().filter_map(|arm| arm.field.as_ref()) {
                    let name = names::camel(&field.name);
                    self.declare(own, &name, Owner::nameless(field.name.clone(), field.span));
                }
            }
            ComDefinition::Struct(fields) => {
                self.module_of(modules, id);
                for field in fields {
                    let name = names::snake(&field.name);
                    self.declare(own, &name, Owner::nameless(field.name.clone(), field.span));
                }
            }
            ComDefinition::Enum(data) => {
                self.constructor(modules, id);
                for value in &data.values {
                    let name = names::upper(&value.name);
                    self.declare(own, &name, Owner::nameless(value.name.clone(), value.span));
                }
            }
        }
    }

    /// A struct without named fields is a function or a constant, too.
    fn constructor(&mut self, modules: &str, id: DeclId) {
        let name = scope::name(self.model.get(id));
        self.declare(&format!("{modules} values"), &name, self.whole(id));
    }

    /// The accessors of the fields, those of its base first.
    fn bitset(&mut self, id: DeclId, own: &str, data: &Bitset, span: Span) {
        if let Some(base) = data.base
            && let DeclKind::Bitset(data) = &self.model.get(base).kind
        {
            self.bitset(base, own, data, span);
        }
        let DeclKind::Bitset(idl) = &self.scope.idl.get(id).kind else { return };
        let fields = data.fields.iter().zip(&idl.fields);
        for (name, idl) in fields.filter_map(|(a, b)| a.name.as_ref().zip(b.name.as_ref())) {
            let field = Owner { span, ..self.part(id, idl, span) };
            let what = format!("the setter of {}", field.what);
            self.declare(own, &names::snake(name), field.clone());
            let setter = Owner { what, rank: Rank::Derived, ..field };
            self.declare(own, &bitsets::setter(name), setter);
        }
    }

    /// The type alias of references to an interface or of handles of a value.
    fn reference(&mut self, modules: &str, id: DeclId) {
        let name = scope::reference_name(self.model.get(id));
        self.declare(modules, &name, self.beside(id, "the reference type"));
    }

    /// The functions that return the TypeCode of a typedef, and an `any` of it.
    fn functions_of_typedef(&mut self, modules: &str, id: DeclId) {
        let (declaration, values) = (self.model.get(id), format!("{modules} values"));
        let name = type_codes::function_name(declaration);
        self.declare(&values, &name, self.beside(id, "the TypeCode"));
        let name = anys::function_name(declaration);
        self.declare(&values, &name, self.beside(id, "the constructor of an `any`"));
    }

    /// The trait of an interface's servants that reply later.
    fn amh(&mut self, modules: &str, id: DeclId) {
        let name = scope::amh_name(self.model.get(id));
        let owner = self.beside(id, "the trait of the servants that reply later");
        self.declare(modules, &name, owner);
    }

    /// The module for the declarations within a declaration that is not a module in IDL.
    fn module_of(&mut self, modules: &str, id: DeclId) {
        let name = names::module(&self.model.get(id).name);
        self.declare(modules, &name, self.beside(id, "the module"));
    }

    fn members(&mut self, id: DeclId, own: &str, members: impl Iterator<Item = &'m Member>) {
        for member in members {
            let name = names::snake(&member.name);
            self.declare(own, &name, self.part(id, &member.name, member.span));
        }
    }

    fn union(&mut self, id: DeclId, own: &str, data: &'m Union) {
        for case in &data.cases {
            let member = &case.member;
            let name = names::variant(&member.name);
            self.declare(own, &name, self.part(id, &member.name, member.span));
        }
        if unions::has_unlisted(self.model, data) {
            let declaration = self.model.get(id);
            let what = format!("the variant of `{}` for other discriminators", declaration.name);
            self.declare(own, unions::UNLISTED, Owner::nameless(what, declaration.span));
        }
    }

    /// Reports a type whose TypeCode would be too large.
    fn type_code(&mut self, id: DeclId, declaration: &Declaration) {
        let has_one = matches!(
            declaration.kind,
            DeclKind::Struct(_)
                | DeclKind::Exception(_)
                | DeclKind::Union(_)
                | DeclKind::Value(_)
                | DeclKind::ValueBox(_)
        );
        if has_one && type_codes::is_too_large(self.scope, id) {
            let span = declaration.span;
            let message = "the type is too entangled with others for a TypeCode";
            self.found.problems.push(Diagnostic::error(Code::Unsupported, span, message));
        }
    }

    fn interface(&mut self, id: DeclId, modules: &str, declaration: &'m Declaration) {
        let companion = match modules {
            "" => names::module(&declaration.name),
            modules => format!("{modules}::{}", names::module(&declaration.name)),
        };
        self.declare(&companion, "skeleton", self.beside(id, "the skeleton"));
        if self.scope.options.amh {
            self.declare(&companion, amh::SKELETON, self.beside(id, "the skeleton"));
        }
        self.functions_of_interface(id, &companion);
        let methods = format!("{modules} methods of {}", declaration.name);
        for callable in operation::callables(self.scope, id) {
            self.callable(id, &methods, &companion, &callable);
        }
        // Two inherited methods of one name could be called on neither the trait object nor a
        // reference. A collision within one base is reported there.
        for base in queries::all_bases(self.model, id) {
            let mut inherited = operation::callables(self.scope, base);
            let mut seen = HashSet::new();
            inherited.retain(|callable| seen.insert(callable.method.clone()));
            for callable in inherited {
                let inherited = self.inherited(base, &callable);
                self.declare(&methods, &callable.method, inherited);
            }
        }
    }

    /// What the module of an interface has beside types.
    fn functions_of_interface(&mut self, id: DeclId, companion: &str) {
        let values = format!("{companion} values");
        self.declare(&values, "tie", self.beside(id, "the function that ties a servant"));
        if self.scope.options.amh {
            self.declare(&values, "tie_amh", self.beside(id, "the function that ties a servant"));
        }
        if timing::table(self.scope, id).is_some() {
            self.declare(&values, timing::TABLE, self.beside(id, "the timing"));
        }
        if roles::table(self.scope, id).is_some() {
            self.declare(&values, roles::TABLE, self.beside(id, "the roles"));
        }
    }

    /// The traits of a valuetype and their exceptions.
    fn value_operations(
        &mut self,
        modules: &str,
        id: DeclId,
        data: &'m Value,
        declaration: &'m Declaration,
    ) {
        let callables = value_operations::callables(self.scope, id);
        let initializers = value_operations::initializers(self.scope, id, data);
        let module = names::module(&declaration.name);
        let companion = if modules.is_empty() { module } else { format!("{modules}::{module}") };
        let traits = [
            (scope::operations_name(declaration), "operations", callables),
            (scope::factory_name(declaration), "initializers", initializers),
        ];
        let mut raises_something = false;
        for (name, kind, callables) in traits {
            if !callables.is_empty() {
                self.declare(modules, &name, self.beside(id, &format!("the trait of the {kind}")));
            }
            let methods = format!("{modules} {kind} of {}", declaration.name);
            for callable in &callables {
                self.callable(id, &methods, &companion, callable);
                raises_something |= !callable.raises.is_empty();
            }
        }
        if raises_something || !data.nested.is_empty() {
            self.module_of(modules, id);
        }
    }

    /// A method, its exceptions and its parameters.
    fn callable(&mut self, id: DeclId, methods: &str, companion: &str, callable: &Callable<'m>) {
        let method = self.method(id, callable);
        if let Some(raises) = callable.raises_name() {
            let what = format!("the exceptions of {}", method.what);
            self.declare(companion, &raises, Owner { what, rank: Rank::Derived, ..method.clone() });
        }
        self.declare(methods, &callable.method, method);
        let own = format!("{methods}::{}", callable.wire_name);
        for parameter in &callable.parameters {
            let within = format!("{}::{}", callable.idl_name, parameter.idl_name);
            let what = format!("`{}`", parameter.idl_name);
            let owner = Owner { what, ..self.part(id, &within, parameter.span) };
            self.declare(&own, &parameter.name, owner);
        }
    }
}
