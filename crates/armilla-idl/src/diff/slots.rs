//! Ordered lists: members, parameters, enumerators, state.

use super::{Diff, Location};
use crate::model::{Enumerator, Member, Parameter, Type};
use crate::source::Span;
use std::collections::HashMap;

/// One entry of an ordered list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot<'m> {
    name: &'m str,
    span: Span,
    /// Its type; an enumerator has none.
    ty: Option<&'m Type>,
}

/// The kind of a list, for messages.
pub(super) struct List {
    /// `member`
    pub(super) noun: &'static str,
    /// Why a change of the list is breaking.
    pub(super) why: &'static str,
}

impl Diff<'_> {
    /// Compares two lists of the declaration `name`.
    pub(super) fn slots(&mut self, name: &str, list: &List, old: &[Slot<'_>], new: &[Slot<'_>]) {
        let (old_at, new_at) = (positions(old), positions(new));
        let mut last = None;
        let mut moved = false;
        for (index, before) in old.iter().enumerate() {
            match new_at.get(before.name).copied() {
                Some(at) => {
                    moved |= last.is_some_and(|last| at < last);
                    last = Some(at);
                    self.slot_type(name, list, before, &new[at]);
                }
                None => {
                    let successor = new
                        .get(index)
                        .filter(|after| old.len() == new.len() && !old_at.contains_key(after.name));
                    self.slot_gone(name, list, before, successor);
                }
            }
        }
        let replaced =
            |index: usize| old.len() == new.len() && !new_at.contains_key(old[index].name);
        for (index, after) in new.iter().enumerate() {
            if !old_at.contains_key(after.name) && !replaced(index) {
                let message = format!("{} `{}` is new", list.noun, after.name);
                let change = list.change("added");
                self.breaking(change, name, message, list.why, Location::in_new(after.span));
            }
        }
        if let (true, Some(before), Some(after)) = (moved, old.first(), new.first()) {
            let message = format!("the order of the {}s changed", list.noun);
            let location = Location::both(before.span, after.span);
            self.breaking(list.change("moved"), name, message, list.why, location);
        }
    }

    fn slot_type(&mut self, name: &str, list: &List, before: &Slot<'_>, after: &Slot<'_>) {
        if let (Some(a), Some(b)) = (before.ty, after.ty) {
            let whose = format!("the type of {} `{}`", list.noun, after.name);
            let change = list.change("type");
            self.type_of(name, &change, &whose, (a, b), Location::both(before.span, after.span));
        }
    }

    /// Reports an entry without a match: renamed if a new entry has its position, otherwise
    /// removed.
    fn slot_gone(
        &mut self,
        name: &str,
        list: &List,
        before: &Slot<'_>,
        successor: Option<&Slot<'_>>,
    ) {
        let Some(after) = successor else {
            let message = format!("{} `{}` was removed", list.noun, before.name);
            let change = list.change("removed");
            return self.breaking(change, name, message, list.why, Location::in_old(before.span));
        };
        let message = format!("{} `{}` was called `{}`", list.noun, after.name, before.name);
        let why = "its position is marshalled, not its name, which only TypeCodes contain";
        let location = Location::both(before.span, after.span);
        self.compatible(list.change("renamed"), name, message, why, location);
        self.slot_type(name, list, before, after);
    }
}

impl List {
    fn change(&self, what: &str) -> String {
        format!("{}-{what}", self.noun.replace(' ', "-"))
    }
}

/// The index of each name in a list.
fn positions<'m>(slots: &[Slot<'m>]) -> HashMap<&'m str, usize> {
    slots.iter().enumerate().map(|(index, slot)| (slot.name, index)).collect()
}

impl<'m> From<&'m Member> for Slot<'m> {
    fn from(member: &'m Member) -> Self {
        Slot { name: &member.name, span: member.span, ty: Some(&member.ty) }
    }
}

impl<'m> From<&'m Parameter> for Slot<'m> {
    fn from(parameter: &'m Parameter) -> Self {
        Slot { name: &parameter.name, span: parameter.span, ty: Some(&parameter.ty) }
    }
}

impl<'m> From<&'m Enumerator> for Slot<'m> {
    fn from(enumerator: &'m Enumerator) -> Self {
        Slot { name: &enumerator.name, span: enumerator.span, ty: None }
    }
}

/// The entries of a list as slots.
pub(super) fn slots<'m, T>(list: &'m [T]) -> Vec<Slot<'m>>
where
    Slot<'m>: From<&'m T>,
{
    list.iter().map(Slot::from).collect()
}
