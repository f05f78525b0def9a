//! Structs, exceptions, unions, enums, valuetypes and the types of bits.

use super::slots::{List, slots};
use super::{Diff, Location};
use crate::model::{
    Bitmask, Bitset, Case, DeclId, DeclKind, Enum, Flavour, Interface, Model, Struct, Union, Value,
};

const MEMBERS: List =
    List { noun: "member", why: "members are marshalled in order, without their names" };

const STATE: List = List {
    noun: "state member",
    why: "the state is marshalled member by member, without their names",
};

const ENUMERATORS: List = List {
    noun: "enumerator",
    why: "enumerators travel as their numbers, and a number means the same to both only if the \
          lists are equal",
};

const LABELS: &str = "a receiver that does not declare the label cannot decode what follows it";

impl<'m> Diff<'m> {
    pub(super) fn structure(&mut self, name: &str, old: &Struct, new: &Struct, location: Location) {
        self.base(name, old.base, new.base, location);
        self.slots(name, &MEMBERS, &slots(&old.members), &slots(&new.members));
    }

    fn base(&mut self, name: &str, old: Option<DeclId>, new: Option<DeclId>, location: Location) {
        let same = match (old, new) {
            (None, None) => true,
            (Some(old), Some(new)) => self.same_declaration(old, new),
            _ => false,
        };
        if !same {
            let message = "its base changed".to_owned();
            let why = "the members of the base are marshalled first";
            self.breaking("base-changed", name, message, why, location);
        }
    }

    pub(super) fn enumeration(&mut self, name: &str, old: &Enum, new: &Enum) {
        self.slots(name, &ENUMERATORS, &slots(&old.enumerators), &slots(&new.enumerators));
    }

    /// The order of the cases does not matter, only the member that a label selects.
    pub(super) fn union(&mut self, name: &str, old: &Union, new: &Union, location: Location) {
        let types = (&old.discriminator, &new.discriminator);
        self.type_of(name, "discriminator-type", "the type of the discriminator", types, location);
        for before in &old.cases {
            match new.cases.iter().find(|after| self.share_label(before, after)) {
                Some(after) => self.case(name, before, after),
                None => {
                    let message = format!("the case of `{}` was removed", before.member.name);
                    let location = Location::in_old(before.member.span);
                    self.breaking("case-removed", name, message, LABELS, location);
                }
            }
        }
        for after in &new.cases {
            if !old.cases.iter().any(|before| self.share_label(before, after)) {
                let message = format!("the case of `{}` is new", after.member.name);
                self.breaking(
                    "case-added",
                    name,
                    message,
                    LABELS,
                    Location::in_new(after.member.span),
                );
            }
        }
    }

    fn case(&mut self, name: &str, old: &Case, new: &Case) {
        let (a, b) = (&old.member, &new.member);
        let location = Location::both(a.span, b.span);
        let count = old.labels.len() == new.labels.len();
        if !count || old.default != new.default || !self.labels_within(old, new) {
            let message = format!("the labels of `{}` changed", b.name);
            self.breaking("labels-changed", name, message, LABELS, location);
        }
        if a.name != b.name {
            let message = format!("member `{}` was called `{}`", b.name, a.name);
            let why = "its label is marshalled, not its name, which only TypeCodes contain";
            self.compatible("member-renamed", name, message, why, location);
        }
        let whose = format!("the type of member `{}`", b.name);
        self.type_of(name, "member-type", &whose, (&a.ty, &b.ty), location);
    }

    fn labels_within(&self, old: &Case, new: &Case) -> bool {
        let same = |label| new.labels.iter().any(|other| self.same_value(label, other));
        old.labels.iter().all(same)
    }

    fn share_label(&self, old: &Case, new: &Case) -> bool {
        let same = |label| new.labels.iter().any(|other| self.same_value(label, other));
        old.default && new.default || old.labels.iter().any(same)
    }

    pub(super) fn value(
        &mut self,
        name: &str,
        (old_id, old): (DeclId, &'m Value),
        (new_id, new): (DeclId, &'m Value),
        location: Location,
    ) {
        if !(old.defined && new.defined) {
            return;
        }
        if old.modifier != new.modifier {
            let message = "it changed between abstract, custom and neither".to_owned();
            let why = "the state is marshalled by other rules";
            self.breaking("value-kind-changed", name, message, why, location);
        }
        if old.truncatable && !new.truncatable {
            let why = "only a truncatable value is sent with the ids and chunks with which a \
                       program reads it that knows its base alone";
            let message = "it is not truncatable any more".to_owned();
            self.breaking("truncatable-changed", name, message, why, location);
        } else if new.truncatable && !old.truncatable {
            let why = "a receiver reads a value with and without chunks";
            let message = "it is truncatable now".to_owned();
            self.compatible("truncatable-changed", name, message, why, location);
        }
        self.bases(
            name,
            (old_id, &self.parents(self.old, old)),
            (new_id, &self.parents(self.new, new)),
            location,
        );
        let state = |value: &'m Value| value.state.iter().map(|state| (&state.member).into());
        let (before, after): (Vec<_>, Vec<_>) = (state(old).collect(), state(new).collect());
        self.slots(name, &STATE, &before, &after);
        let why = "each side has its own implementation of a valuetype: only its state travels";
        self.at_home(why, |diff| {
            diff.supported(name, old, new, location);
            diff.exports(name, old_id, new_id);
            diff.initializers(name, old, new);
        });
    }

    /// What a value may be passed as: its bases, and the abstract interfaces that it supports.
    fn parents(&self, model: &Model, value: &Value) -> Vec<DeclId> {
        let supports = value.supports.iter().copied();
        let is_abstract = |id: &DeclId| is_abstract(model, *id);
        value.bases.iter().copied().chain(supports.filter(is_abstract)).collect()
    }

    /// The other interfaces that a value supports: those of objects that it may be an
    /// implementation of.
    fn supported(&mut self, name: &str, old: &Value, new: &Value, location: Location) {
        for (gone, model, ids, others) in [
            (true, self.old, &old.supports, &new.supports),
            (false, self.new, &new.supports, &old.supports),
        ] {
            for id in ids.iter().filter(|id| !is_abstract(model, **id)) {
                let same = |other: &DeclId| match gone {
                    true => self.same_declaration(*id, *other),
                    false => self.same_declaration(*other, *id),
                };
                if !others.iter().any(same) {
                    let word = if gone { "no longer supports" } else { "now supports" };
                    let message = format!("it {word} `{}`", model.scoped_name(*id));
                    self.source_only("supports-changed", name, message, "", location);
                }
            }
        }
    }

    fn initializers(&mut self, name: &str, old: &Value, new: &Value) {
        for before in &old.initializers {
            let name = format!("{name}::{}", before.name);
            match new.initializers.iter().find(|after| after.name == before.name) {
                None => {
                    let location = Location::in_old(before.span);
                    let message = "the factory was removed".to_owned();
                    self.source_only("factory-removed", &name, message, "", location);
                }
                Some(after) => self.initializer(&name, before, after),
            }
        }
        for after in &new.initializers {
            if !old.initializers.iter().any(|before| before.name == after.name) {
                let (name, location) =
                    (format!("{name}::{}", after.name), Location::in_new(after.span));
                let message = "the factory is new".to_owned();
                self.source_only("factory-added", &name, message, "", location);
            }
        }
    }

    pub(super) fn bitmask(&mut self, name: &str, old: &Bitmask, new: &Bitmask, location: Location) {
        let size = |bound: u32| bound.next_power_of_two().clamp(8, 64);
        if size(old.bound) != size(new.bound) {
            let message = format!("it has {} bits and had {}", new.bound, old.bound);
            let why = "it is marshalled as an integer of another size";
            self.breaking("bound-changed", name, message, why, location);
        }
        for flag in &old.flags {
            let found = new.flags.iter().find(|other| other.name == flag.name);
            if found.is_none_or(|other| other.position != flag.position) {
                let message = format!("flag `{}` was removed or moved to another bit", flag.name);
                let new = found.map(|other| other.span);
                let why = "a bit means something else to an old program than to a new one";
                let location = Location { old: Some(flag.span), new };
                self.breaking("flag-changed", name, message, why, location);
            }
        }
        for flag in &new.flags {
            if !old.flags.iter().any(|other| other.name == flag.name) {
                let message = format!("flag `{}` is new", flag.name);
                let why = "an old program ignores the bit";
                self.compatible("flag-added", name, message, why, Location::in_new(flag.span));
            }
        }
    }

    pub(super) fn bitset(&mut self, name: &str, old: &Bitset, new: &Bitset, location: Location) {
        self.base(name, old.base, new.base, location);
        let same = old.fields.len() == new.fields.len()
            && old
                .fields
                .iter()
                .zip(&new.fields)
                .all(|(a, b)| (&a.name, a.bits) == (&b.name, b.bits));
        if !same {
            let message = "its fields changed".to_owned();
            let why = "a bit means something else to an old program than to a new one";
            self.breaking("fields-changed", name, message, why, location);
        }
    }
}

fn is_abstract(model: &Model, id: DeclId) -> bool {
    let kind = &model.get(id).kind;
    matches!(kind, DeclKind::Interface(Interface { flavour: Flavour::Abstract, .. }))
}
