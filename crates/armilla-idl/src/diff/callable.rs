//! Interfaces, their operations and attributes.

use super::slots::{List, slots};
use super::{Diff, Location};
use crate::model::{
    Attribute, DeclId, DeclKind, Direction, Export, Initializer, Interface, Model, Operation,
};
use crate::source::Span;

const PARAMETERS: List =
    List { noun: "parameter", why: "parameters are marshalled in order, without their names" };

impl<'m> Diff<'m> {
    pub(super) fn interface(
        &mut self,
        name: &str,
        (old_id, old): (DeclId, &'m Interface),
        (new_id, new): (DeclId, &'m Interface),
        location: Location,
    ) {
        if !(old.defined && new.defined) {
            // A forward declaration has nothing to compare.
            return;
        }
        if old.flavour != new.flavour {
            let message = "it changed between local, abstract and neither".to_owned();
            let why = "references to local, abstract and other interfaces are marshalled \
                       differently or not at all";
            self.breaking("interface-kind-changed", name, message, why, location);
        }
        self.bases(name, (old_id, &old.bases), (new_id, &new.bases), location);
        self.exports(name, old_id, new_id);
    }

    /// Compares the bases of two declarations. A base that became indirect is still a base.
    pub(super) fn bases(
        &mut self,
        name: &str,
        (old_id, old): (DeclId, &[DeclId]),
        (new_id, new): (DeclId, &[DeclId]),
        location: Location,
    ) {
        let old_all = self.old.ancestors(old_id);
        let new_all = self.new.ancestors(new_id);
        for base in old {
            if !new_all.iter().any(|other| self.same_declaration(*base, *other)) {
                let message =
                    format!("it no longer inherits from `{}`", self.old.scoped_name(*base));
                let why = "an old program uses it as an object of this base";
                self.breaking("base-removed", name, message, why, location);
            }
        }
        for base in new {
            if !old_all.iter().any(|other| self.same_declaration(*other, *base)) {
                let message = format!("it now inherits from `{}`", self.new.scoped_name(*base));
                let why = "an old program has not got the base and behaves as before";
                self.compatible("base-added", name, message, why, location);
            }
        }
    }

    /// Compares the operations and attributes of two declarations. An operation that moved to a
    /// base is still there: requests name the operation, not the interface.
    pub(super) fn exports(&mut self, name: &str, old_id: DeclId, new_id: DeclId) {
        let old_all = all_exports(self.old, old_id);
        let new_all = all_exports(self.new, new_id);
        for before in own_exports(self.old, old_id) {
            let name = format!("{name}::{}", before.name());
            let found = new_all.iter().find(|after| after.name() == before.name());
            match (before, found) {
                (Export::Operation(a), Some(Export::Operation(b))) => self.operation(&name, a, b),
                (Export::Attribute(a), Some(Export::Attribute(b))) => self.attribute(&name, a, b),
                (before, other) => {
                    let new = other.map(|other| other.span());
                    let location = Location { old: Some(before.span()), new };
                    let what = before.what();
                    let message = match other {
                        None => format!("the {what} was removed"),
                        Some(other) => format!("it is an {} and was an {what}", other.what()),
                    };
                    let why = "an old client calls it, and a new server answers BAD_OPERATION";
                    self.breaking(format!("{what}-removed"), &name, message, why, location);
                }
            }
        }
        for after in own_exports(self.new, new_id) {
            if !old_all.iter().any(|before| before.name() == after.name()) {
                let name = format!("{name}::{}", after.name());
                let message = format!("the {} is new", after.what());
                let why = "an old client does not call it; an old server answers BAD_OPERATION";
                let location = Location::in_new(after.span());
                self.compatible(format!("{}-added", after.what()), &name, message, why, location);
            }
        }
    }

    fn operation(&mut self, name: &str, old: &Operation, new: &Operation) {
        let location = Location::both(old.span, new.span);
        if old.oneway != new.oneway {
            let word = if new.oneway { "oneway now" } else { "not oneway any more" };
            let why = "one side waits for a reply that the other does not send";
            self.breaking("oneway-changed", name, format!("it is {word}"), why, location);
        }
        match (&old.result, &new.result) {
            (None, None) => {}
            (Some(a), Some(b)) => self.type_of(name, "result", "the result", (a, b), location),
            (_, new) => {
                let word = if new.is_some() { "a result" } else { "no result" };
                let why = "the result is marshalled before the other values of a reply";
                self.breaking("result-changed", name, format!("it has {word} now"), why, location);
            }
        }
        self.slots(name, &PARAMETERS, &slots(&old.parameters), &slots(&new.parameters));
        if old.parameters.len() == new.parameters.len() {
            for (a, b) in old.parameters.iter().zip(&new.parameters) {
                self.direction(
                    name,
                    (a.direction, b.direction),
                    &b.name,
                    Location::both(a.span, b.span),
                );
            }
        }
        self.raises(name, "", (&old.raises, &new.raises), location);
        self.context(name, &old.context, &new.context, location);
    }

    /// The order of the names does not matter: a request has pairs of a name and a value.
    fn context(&mut self, name: &str, old: &[String], new: &[String], location: Location) {
        let message = "its context changed".to_owned();
        if old.is_empty() != new.is_empty() {
            let why = "the values of the context are marshalled after the parameters";
            self.breaking("context-changed", name, message, why, location);
        } else if old.iter().any(|one| !new.contains(one))
            || new.iter().any(|one| !old.contains(one))
        {
            let why = "each value of a context is marshalled with its name, and any may be absent";
            self.compatible("context-changed", name, message, why, location);
        }
    }

    pub(super) fn initializer(&mut self, name: &str, old: &Initializer, new: &Initializer) {
        self.slots(name, &PARAMETERS, &slots(&old.parameters), &slots(&new.parameters));
        let location = Location::both(old.span, new.span);
        self.raises(name, "", (&old.raises, &new.raises), location);
    }

    fn direction(
        &mut self,
        name: &str,
        (old, new): (Direction, Direction),
        parameter: &str,
        location: Location,
    ) {
        if old != new {
            let (old, new) = (word(old), word(new));
            let message = format!("parameter `{parameter}` is `{new}` and was `{old}`");
            let why = "it is marshalled in the request, in the reply or in both";
            self.breaking("parameter-direction-changed", name, message, why, location);
        }
    }

    /// `when` is empty for an operation; for an attribute it is the accessor that raises.
    fn raises(
        &mut self,
        name: &str,
        when: &str,
        (old, new): (&[DeclId], &[DeclId]),
        location: Location,
    ) {
        let why = "a client that does not declare the exception gets UNKNOWN instead";
        for id in old {
            if !new.iter().any(|other| self.same_declaration(*id, *other)) {
                let message = format!("it no longer raises `{}`{when}", self.old.scoped_name(*id));
                self.breaking("raises-removed", name, message, why, location);
            }
        }
        for id in new {
            if !old.iter().any(|other| self.same_declaration(*other, *id)) {
                let message = format!("it now raises `{}`{when}", self.new.scoped_name(*id));
                self.breaking("raises-added", name, message, why, location);
            }
        }
    }

    fn attribute(&mut self, name: &str, old: &Attribute, new: &Attribute) {
        let location = Location::both(old.span, new.span);
        self.type_of(name, "attribute-type", "its type", (&old.ty, &new.ty), location);
        match (old.readonly, new.readonly) {
            (false, true) => {
                let message = "it is now readonly".to_owned();
                let why = "an old client sets it, and a new server answers BAD_OPERATION";
                self.breaking("attribute-readonly", name, message, why, location);
            }
            (true, false) => {
                let message = "it is no longer readonly".to_owned();
                let why = "an old client does not set it";
                self.compatible("attribute-writable", name, message, why, location);
            }
            _ => {}
        }
        self.raises(name, " when it is read", (&old.get_raises, &new.get_raises), location);
        if !old.readonly && !new.readonly {
            self.raises(name, " when it is set", (&old.set_raises, &new.set_raises), location);
        }
    }
}

impl Export {
    fn name(&self) -> &str {
        match self {
            Export::Operation(operation) => &operation.name,
            Export::Attribute(attribute) => &attribute.name,
        }
    }

    fn span(&self) -> Span {
        match self {
            Export::Operation(operation) => operation.span,
            Export::Attribute(attribute) => attribute.span,
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Export::Operation(_) => "operation",
            Export::Attribute(_) => "attribute",
        }
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "inout",
    }
}

fn own_exports(model: &Model, id: DeclId) -> &[Export] {
    match &model.get(id).kind {
        DeclKind::Interface(interface) => &interface.exports,
        DeclKind::Value(value) => &value.exports,
        _ => &[],
    }
}

/// The operations and attributes of `id`, then the inherited ones.
fn all_exports(model: &Model, id: DeclId) -> Vec<&Export> {
    let inherited = model.ancestors(id).into_iter().flat_map(|base| own_exports(model, base));
    own_exports(model, id).iter().chain(inherited).collect()
}
