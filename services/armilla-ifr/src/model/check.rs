//! The rules for new and changed definitions (CORBA 3.4 Part 1, 14.5).

use super::{DefId, Flavour, Kind, Model, ModelError, Parameter, Result, Value};
use armilla::TypeCode;
use armilla::dynamic::{ParameterMode, TypeCodeError, TypeCodeErrorKind};
use std::collections::{BTreeSet, HashMap};

#[cold]
fn wrong<T>(what: &str) -> Result<T> {
    Err(ModelError::Invalid(what.to_owned()))
}

impl Model {
    pub(super) fn check_id(&self, repository_id: &str) -> Result {
        if !repository_id.contains(':') {
            let what =
                format!("{repository_id:?} is no repository id: those look like IDL:Name:1.0");
            let kind = TypeCodeErrorKind::RepositoryId;
            return Err(ModelError::Type(TypeCodeError { kind, what }));
        }
        match self.lookup_id(repository_id) {
            Some(_) => Err(ModelError::IdTaken(repository_id.to_owned())),
            None => Ok(()),
        }
    }

    /// Checks that `name` is free in a container, or belongs to `except`.
    pub(super) fn check_name(&self, container: DefId, name: &str, except: Option<DefId>) -> Result {
        if !is_identifier(name) {
            let (kind, what) = (TypeCodeErrorKind::Name, format!("{name:?} is no IDL identifier"));
            return Err(ModelError::Type(TypeCodeError { kind, what }));
        }
        let is_other = |id: &DefId| Some(*id) != except;
        if self.named(container, name).is_some_and(|id| is_other(&id)) {
            return Err(ModelError::NameTaken(name.to_owned()));
        }
        // Only operations and attributes may not hide inherited names. The name alone does not show
        // whether the definition is one.
        let scopes = self.with_bases(container).into_iter();
        let mut inherited = scopes.filter_map(|scope| self.named(scope, name));
        match inherited.any(|id| self.is_callable(id) && is_other(&id)) {
            true => Err(ModelError::NameInherited(name.to_owned())),
            false => Ok(()),
        }
    }

    /// Checks that no operation or attribute in a derived scope has the name of this one.
    pub(super) fn check_derived(&self, callable: DefId) -> Result {
        let definition = self.definition(callable)?;
        let Some(scope) = definition.container().filter(|_| self.is_callable(callable)) else {
            return Ok(());
        };
        let derived = self.with_derived(scope).into_iter().filter(|derived| *derived != scope);
        let mut named = derived.filter_map(|derived| self.named(derived, &definition.name));
        match named.any(|named| self.is_callable(named)) {
            true => Err(ModelError::NameInherited(definition.name.clone())),
            false => Ok(()),
        }
    }

    /// An interface or a valuetype, and all that derive from it or support it.
    fn with_derived(&self, id: DefId) -> BTreeSet<DefId> {
        let (mut all, mut next) = (BTreeSet::from([id]), vec![id]);
        while let Some(base) = next.pop() {
            let inherits = |user: &DefId| {
                self.get(*user).is_some_and(|user| user.kind.bases().contains(&base))
            };
            let derived = self.index.users(base).filter(inherits);
            next.extend(derived.filter(|derived| all.insert(*derived)));
        }
        all
    }

    fn is_callable(&self, id: DefId) -> bool {
        let kind = self.get(id).map(|definition| &definition.kind);
        matches!(kind, Some(Kind::Operation { .. } | Kind::Attribute { .. }))
    }

    /// Checks that operations and attributes of the bases and of `scope` have different names.
    pub(super) fn check_inherited_names(&self, scope: Option<DefId>, kind: &Kind) -> Result {
        let scopes = self.all_with_bases(kind.bases()).into_iter().chain(scope);
        let mut names = HashMap::new();
        for id in scopes.flat_map(|scope| self.index.contents(scope)) {
            if !self.is_callable(id) {
                continue;
            }
            let name = self.definition(id)?.name.to_ascii_lowercase();
            if names.insert(name, id).is_some_and(|other| other != id) {
                return Err(ModelError::NameInherited(self.definition(id)?.name.clone()));
            }
        }
        Ok(())
    }

    /// The same for a changed definition and all that derive from it.
    pub(super) fn check_all_inherited_names(&self, id: DefId) -> Result {
        self.with_derived(id).into_iter().try_for_each(|derived| {
            self.check_inherited_names(Some(derived), &self.definition(derived)?.kind)
        })
    }

    /// Checks that the definitions that `kind` refers to exist and are of the right kind.
    pub(super) fn check_kind(&self, kind: &Kind) -> Result {
        let bases = kind.bases();
        if bases.iter().collect::<BTreeSet<_>>().len() < bases.len() {
            return wrong("a definition would inherit twice from the same");
        }
        match kind {
            Kind::Interface { flavour, bases } => self.check_bases(*flavour, bases),
            Kind::Value(value) => self.check_value(value),
            Kind::Operation { result, oneway, parameters, exceptions, .. } => {
                self.check_operation(*result, *oneway, parameters, exceptions)
            }
            Kind::Attribute { ty, get_exceptions, set_exceptions, .. } => {
                self.check_exceptions(get_exceptions)?;
                self.check_exceptions(set_exceptions)?;
                self.check_value_type(*ty)
            }
            Kind::Constant { ty, value } => self.check_constant(*ty, value.type_code()),
            Kind::String(0) | Kind::Wstring(0) => {
                wrong("strings without a bound are primitives: get_primitive has them")
            }
            kind => match self.all(&kind.references(), Kind::is_type) {
                true => Ok(()),
                false => wrong("what should be a type is none"),
            },
        }
    }

    /// Checks that all of these exist and satisfy a predicate.
    fn all(&self, ids: &[DefId], is: impl Fn(&Kind) -> bool) -> bool {
        ids.iter().all(|id| self.get(*id).is_some_and(|definition| is(&definition.kind)))
    }

    fn check_exceptions(&self, exceptions: &[DefId]) -> Result {
        match self.all(exceptions, |kind| matches!(kind, Kind::Exception(_))) {
            true => Ok(()),
            false => wrong("what is raised is no exception"),
        }
    }

    /// Checks that the type of a parameter or an attribute has values.
    fn check_value_type(&self, ty: DefId) -> Result {
        match self.all(&[ty], Kind::is_type) && !matches!(self.type_code(ty)?, TypeCode::Void) {
            true => Ok(()),
            false => wrong("what should be a type is none"),
        }
    }

    fn check_bases(&self, flavour: Flavour, bases: &[DefId]) -> Result {
        let may_be = |kind: &Kind| match kind {
            Kind::Interface { flavour: base, .. } => match flavour {
                Flavour::Plain => *base != Flavour::Local,
                Flavour::Abstract => *base == Flavour::Abstract,
                Flavour::Local => true,
            },
            _ => false,
        };
        match self.all(bases, may_be) {
            true => Ok(()),
            false => wrong("an interface of this kind cannot have such a base"),
        }
    }

    fn check_value(&self, value: &Value) -> Result {
        let is_abstract = |wanted: bool| {
            move |kind: &Kind| match kind {
                Kind::Value(base) => base.is_abstract == wanted,
                _ => false,
            }
        };
        let is_interface = |kind: &Kind| matches!(kind, Kind::Interface { .. });
        if !self.all(value.base.as_slice(), is_abstract(false))
            || !self.all(&value.abstract_bases, is_abstract(true))
            || !self.all(&value.supported, is_interface)
        {
            return wrong("a base of a valuetype is none");
        }
        let has_state = value.base.is_some() || !value.initializers.is_empty();
        if value.is_abstract && (value.is_custom || has_state) {
            let what =
                "an abstract valuetype is not custom, and has no concrete base or initializers";
            return wrong(what);
        }
        if value.is_truncatable && (value.is_custom || value.is_abstract) {
            return wrong("a custom or abstract valuetype is not truncatable");
        }
        for initializer in &value.initializers {
            self.check_exceptions(&initializer.exceptions)?;
            initializer.members.iter().try_for_each(|member| self.check_value_type(member.ty))?;
        }
        Ok(())
    }

    fn check_operation(
        &self,
        result: DefId,
        oneway: bool,
        parameters: &[Parameter],
        exceptions: &[DefId],
    ) -> Result {
        self.check_exceptions(exceptions)?;
        if !self.all(&[result], Kind::is_type) {
            return wrong("what should be a type is none");
        }
        parameters.iter().try_for_each(|parameter| self.check_value_type(parameter.ty))?;
        let returns = !matches!(self.type_code(result)?, TypeCode::Void)
            || parameters.iter().any(|p| p.mode != ParameterMode::In);
        match oneway && (returns || !exceptions.is_empty()) {
            true => Err(ModelError::Oneway),
            false => Ok(()),
        }
    }

    fn check_constant(&self, ty: DefId, given: &TypeCode) -> Result {
        let code = self.type_code(ty)?;
        let is_simple = match code.resolved() {
            TypeCode::Sequence(..) | TypeCode::Array(..) => false,
            TypeCode::Any | TypeCode::TypeCode | TypeCode::Principal => false,
            TypeCode::Null | TypeCode::Void => false,
            // Among the types with a repository id, only enums have constants.
            code => code.id().is_none() || matches!(code, TypeCode::Enum(_)),
        };
        if !is_simple {
            return wrong("there are no constants of the type");
        }
        // Enums with the same repository id are equivalent.
        match code.is_equivalent(given) && code.member_count() == given.member_count() {
            true => Ok(()),
            false => wrong("the value of a constant is of another type"),
        }
    }

    /// Checks that a definition that becomes `kind` does not inherit from itself.
    pub(super) fn check_inheritance(&self, id: DefId, kind: &Kind) -> Result {
        match self.all_with_bases(kind.bases()).contains(&id) {
            true => wrong("a definition would inherit from itself"),
            false => Ok(()),
        }
    }

    /// Checks that a changed definition may hold its contents.
    pub(super) fn check_contents(&self, id: DefId) -> Result {
        let kind = &self.definition(id)?.kind;
        let mut contents = self.index.contents(id).filter_map(|id| self.get(id));
        match contents.find(|inner| !kind.may_contain(&inner.kind)) {
            None => Ok(()),
            Some(inner) => {
                let name = &inner.name;
                Err(ModelError::Invalid(format!("{name} could not stand there any more")))
            }
        }
    }

    /// Checks that a type or exception has a valid TypeCode.
    pub(super) fn check_type(&self, id: DefId) -> Result {
        match self.definition(id)?.kind.has_type_code() {
            true => self.type_code(id).map(drop),
            false => Ok(()),
        }
    }

    /// Checks that the users of a changed type stay valid.
    pub(super) fn check_users(&self, id: DefId) -> Result {
        if !self.definition(id)?.kind.has_type_code() {
            return Ok(());
        }
        let users = self.with_users(BTreeSet::from([id]), |_| true);
        users.into_iter().try_for_each(|user| {
            let definition = self.definition(user)?;
            let checked = match &definition.kind {
                Kind::Constant { .. } | Kind::Operation { .. } | Kind::Attribute { .. } => {
                    self.check_kind(&definition.kind)
                }
                kind @ Kind::Value(_) => self.check_kind(kind).and_then(|()| self.check_type(user)),
                _ => self.check_type(user),
            };
            checked.map_err(|error| match user == id {
                true => error,
                false => {
                    let user = self.absolute_name(user);
                    ModelError::Invalid(format!("{user} could not exist any more: {error}"))
                }
            })
        })
    }
}

/// Whether `name` is an IDL identifier.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && characters.all(|c| c.is_alphanumeric() || c == '_')
}
