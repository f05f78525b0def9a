//! Homes: each becomes three interfaces (CORBA 3.4 Part 3, 6.7).

use super::component::suffixed;
use super::{Checker, bases};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Home, Interface, Role, Type};
use crate::parse::ast::{self, DefinitionKind, HomeOperation, Item, Operation, TypeKind, TypeSpec};

impl Checker<'_, '_> {
    pub(super) fn home(&mut self, home: &ast::Home, docs: &[String]) {
        let name = &home.name;
        let base = home.base.as_ref().and_then(|base| {
            self.base(base, "a home", |kind| {
                matches!(kind, DeclKind::Interface(Interface { role: Role::Home(_), .. }))
            })
        });
        let supports = self.base_interfaces(&home.supports);
        let component = self.base(&home.manages, "a component", |kind| {
            matches!(kind, DeclKind::Interface(Interface { role: Role::Component(_), .. }))
        });
        let primary_key = home.primary_key.as_ref().and_then(|key| self.primary_key(key));
        let explicit = self.explicit(home, base, &supports, component);
        let implicit = match component {
            Some(component) => self.implicit(home, component, primary_key),
            None => None,
        };
        let role = Role::Home(Home {
            base,
            supports: bases::ids(&supports),
            manages: component,
            primary_key,
        });
        let both: Vec<bases::Base> =
            [explicit, implicit].into_iter().flatten().map(|id| (id, name.span)).collect();
        let interface = Interface { role, ..Interface::default() };
        self.define_interface(interface, name, docs, &both, |_| {});
    }

    /// The explicit interface: the operations that the home declares.
    fn explicit(
        &mut self,
        home: &ast::Home,
        base: Option<DeclId>,
        supports: &[bases::Base],
        component: Option<DeclId>,
    ) -> Option<DeclId> {
        let span = home.name.span;
        let inherited = match (base, &home.base) {
            // The first base of a home is its explicit interface.
            (Some(base), _) => match &self.model.get(base).kind {
                DeclKind::Interface(home) => home.bases.first().map(|explicit| (*explicit, span)),
                _ => None,
            },
            (None, Some(_)) => None,
            (None, None) => self.component_base("CCMHome", span),
        };
        let bases: Vec<bases::Base> =
            inherited.into_iter().chain(supports.iter().copied()).collect();
        let name = suffixed(&home.name, "Explicit");
        let id = self.define_interface(Interface::default(), &name, &[], &bases, |checker| {
            for item in &home.items {
                checker.home_item(item, component);
            }
        });
        Some(id)
    }

    fn home_item(&mut self, item: &Item, component: Option<DeclId>) {
        let Item::Definition(definition) = item else {
            return self.items(std::slice::from_ref(item));
        };
        let DefinitionKind::HomeOperation { kind, initializer } = &definition.kind else {
            self.definition(definition);
            return;
        };
        let failure = match kind {
            HomeOperation::Factory => "CreateFailure",
            HomeOperation::Finder => "FinderFailure",
        };
        let name = &initializer.name;
        let mut raises = self.component_exceptions(&[failure], name.span);
        raises.extend(initializer.raises.iter().cloned());
        let result = component.map(|component| TypeSpec {
            kind: TypeKind::Known(Type::Named(component)),
            span: name.span,
        });
        let operation = Operation {
            oneway: None,
            result,
            name: name.clone(),
            parameters: initializer.parameters.clone(),
            raises,
            context: Vec::new(),
            parameter_docs: Vec::new(),
            timing: Vec::new(),
        };
        self.operation(&operation, &definition.docs);
    }

    /// The implicit interface, which depends on whether there is a primary key.
    fn implicit(
        &mut self,
        home: &ast::Home,
        component: DeclId,
        primary_key: Option<DeclId>,
    ) -> Option<DeclId> {
        let base = match home.primary_key {
            Some(_) => None,
            None => self.component_base("KeylessCCMHome", home.name.span),
        };
        let bases: Vec<bases::Base> = base.into_iter().collect();
        let name = &suffixed(&home.name, "Implicit");
        let id = self.define_interface(Interface::default(), name, &[], &bases, |checker| {
            let component = || TypeKind::Known(Type::Named(component));
            let Some(key) = primary_key else {
                let create = "create".to_owned();
                let raises = ["CreateFailure"];
                return checker.implied(name, create, Some(component()), Vec::new(), &raises, &[]);
            };
            let key = || TypeKind::Known(Type::Named(key));
            let mut add = |verb: &str, result, given: (&str, TypeKind), raises: &[&str]| {
                let given = vec![(given.0.to_owned(), given.1)];
                checker.implied(name, verb.to_owned(), result, given, raises, &[]);
            };
            let raises = ["CreateFailure", "DuplicateKeyValue", "InvalidKey"];
            add("create", Some(component()), ("key", key()), &raises);
            let raises = ["FinderFailure", "UnknownKeyValue", "InvalidKey"];
            add("find_by_primary_key", Some(component()), ("key", key()), &raises);
            let raises = ["RemoveFailure", "UnknownKeyValue", "InvalidKey"];
            add("remove", None, ("key", key()), &raises);
            add("get_primary_key", Some(key()), ("comp", component()), &[]);
        });
        Some(id)
    }

    /// The valuetype of a primary key, which must inherit from `Components::PrimaryKeyBase`.
    fn primary_key(&mut self, name: &ast::ScopedName) -> Option<DeclId> {
        let (id, span) = self.base_values(std::slice::from_ref(name)).pop()?;
        let (root, _) = self.component_base("PrimaryKeyBase", span)?;
        let scopes = self.base_scopes(&[(id, span), (root, span)]);
        let ancestors = self.ancestors(&scopes[..1]);
        if !scopes.last().is_some_and(|root| ancestors.contains(root)) {
            let message = "a primary key must inherit from `Components::PrimaryKeyBase`";
            let error = Diagnostic::error(Code::BadPort, span, message);
            self.session.report(error.secondary(self.model.get(id).span, "declared here"));
        }
        Some(id)
    }
}
