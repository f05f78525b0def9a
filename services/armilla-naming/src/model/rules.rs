//! What each operation of a naming context does (Naming Service 1.3, 2.3.4).

use super::{
    Balance, Bound, Change, ContextId, Group, Member, NameComponent, NameTree, NamingError,
    NotFoundReason, ROOT, ReferenceOctets, Seconds, Step, Target,
};
use std::sync::Arc;

/// The result of the operations of the model.
type Result<T = (), E = NamingError> = std::result::Result<T, E>;

/// What a bind does with a name that is bound already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bind {
    /// `bind`, `bind_context`: it fails with `AlreadyBound`.
    New,
    /// `rebind`, `rebind_context`: it replaces a binding of the same type.
    Replace,
    /// It makes the object a member of a group, which it makes if there is none. A member with the
    /// same reference is replaced.
    Join(Balance),
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A binding of this tree.
    Here(Bound),
    /// A context of another server, which knows the rest of the name.
    Foreign {
        /// The context.
        context: ReferenceOctets,
        /// How many components at the end of the name are left for it.
        rest: usize,
    },
}

/// What an operation that changes bindings does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// These changes, in this order.
    Here {
        /// The changes.
        changes: Vec<Change>,
        /// The context that they create, if they create one.
        created: Option<ContextId>,
    },
    /// A context of another server does it with the rest of the name.
    Foreign {
        /// The context.
        context: ReferenceOctets,
        /// How many components at the end of the name are left for it.
        rest: usize,
    },
}

impl Decision {
    fn one(change: Change) -> Self {
        Self::Here { changes: vec![change], created: None }
    }
}

/// The context of the last component of a name.
enum Place {
    Here { context: ContextId, last: Step },
    Foreign { context: ReferenceOctets, rest: usize },
}

/// The reason of `NotFound` when a binding is not of the type that an operation needs.
const fn mismatch(needs_context: bool) -> NotFoundReason {
    match needs_context {
        true => NotFoundReason::NotContext,
        false => NotFoundReason::NotObject,
    }
}

impl NameTree {
    /// Follows all components but the last.
    fn walk(&self, from: ContextId, name: &[NameComponent]) -> Result<Place> {
        if !self.has(from) {
            return Err(NamingError::Destroyed);
        }
        let Some((last, way)) = name.split_last() else { return Err(NamingError::InvalidName) };
        self.check_name(name)?;
        let mut context = from;
        for (at, component) in way.iter().enumerate() {
            let rest = name.len() - at;
            let not_found = |why| NamingError::NotFound { why, rest };
            let step = Step::new(component).ok_or(NamingError::InvalidName)?;
            let bindings = match self.contexts.get(&context) {
                Some(context) => &context.bindings,
                None => return Err(NamingError::DeadEnd { context, rest }),
            };
            match bindings.get(&step).map(|bound| &bound.target) {
                None => return Err(not_found(NotFoundReason::MissingNode)),
                Some(Target::Object(_) | Target::Group(_)) => {
                    return Err(not_found(NotFoundReason::NotContext));
                }
                Some(Target::Context(next)) => context = *next,
                Some(Target::ForeignContext(reference)) => {
                    return Ok(Place::Foreign { context: reference.clone(), rest: rest - 1 });
                }
            }
        }
        if !self.has(context) {
            return Err(NamingError::DeadEnd { context, rest: 1 });
        }
        let last = Step::new(last).ok_or(NamingError::InvalidName)?;
        Ok(Place::Here { context, last })
    }

    /// The context of the last component of a name, and that component; `None` if the name leads
    /// nowhere, or into another server.
    pub fn place(&self, from: ContextId, name: &[NameComponent]) -> Option<(ContextId, Step)> {
        match self.walk(from, name) {
            Ok(Place::Here { context, last }) => Some((context, last)),
            Ok(Place::Foreign { .. }) | Err(_) => None,
        }
    }

    pub(super) fn check_name(&self, name: &[NameComponent]) -> Result {
        let limits = &self.limits;
        if name.len() > limits.name_components {
            return Err(limit("name_components", limits.name_components, name.len()));
        }
        let octets = name.iter().map(|one| one.id.len() + one.kind.len()).max().unwrap_or(0);
        if octets > limits.component_octets {
            return Err(limit("component_octets", limits.component_octets, octets));
        }
        Ok(())
    }

    /// `resolve`: what `name` is bound to.
    ///
    /// # Errors
    /// `NotFound`, `InvalidName`, or a [`DeadEnd`](NamingError::DeadEnd).
    pub fn resolve(&self, from: ContextId, name: &[NameComponent]) -> Result<Found> {
        match self.walk(from, name)? {
            Place::Foreign { context, rest } => Ok(Found::Foreign { context, rest }),
            Place::Here { context, last } => match self.get(context, &last) {
                Some(bound) => Ok(Found::Here(bound.clone())),
                None => Err(missing()),
            },
        }
    }

    /// The binding in a context of a component with this id and kind.
    pub fn find(&self, context: ContextId, id: &str, kind: &str) -> Option<&Bound> {
        self.contexts.get(&context)?.bindings.find(id, kind)
    }

    /// The binding of one step in a context.
    pub fn get(&self, context: ContextId, step: &Step) -> Option<&Bound> {
        self.contexts.get(&context)?.bindings.get(step)
    }

    /// `bind`, `rebind`, `bind_context` and `rebind_context`, by the target and by `how`.
    ///
    /// # Errors
    /// `AlreadyBound`; `NotFound` when a rebind finds a binding of the other type (`not_object` for
    /// a context, `not_context` for an object); those of [`resolve`](Self::resolve); a limit.
    pub fn bind(
        &self,
        from: ContextId,
        name: &[NameComponent],
        target: Target,
        how: Bind,
        now: Seconds,
    ) -> Result<Decision> {
        self.check_target(&target)?;
        let (context, step) = match self.walk(from, name)? {
            Place::Foreign { context, rest } => return Ok(Decision::Foreign { context, rest }),
            Place::Here { context, last } => (context, last),
        };
        let before = self.get(context, &step).map(|bound| &bound.target);
        let target = match (how, before) {
            (Bind::New, Some(_)) => return Err(NamingError::AlreadyBound),
            (Bind::Replace | Bind::Join(_), Some(before))
                if before.is_context() != target.is_context() =>
            {
                let why = mismatch(target.is_context());
                return Err(NamingError::NotFound { why, rest: 1 });
            }
            (Bind::Join(balance), before) => self.join(before, target, balance, now)?,
            (Bind::New | Bind::Replace, _) => target,
        };
        if before.is_none() {
            self.check_room()?;
        }
        let bound = Bound::new(target, now);
        Ok(Decision::one(Change::Bind { context, step, bound }))
    }

    /// The group with one more member. A context does not join a group.
    pub(super) fn join(
        &self,
        before: Option<&Target>,
        target: Target,
        balance: Balance,
        now: Seconds,
    ) -> Result<Target> {
        let Target::Object(reference) = target else { return Ok(target) };
        let mut members = match before {
            Some(Target::Group(group)) => group.members.clone(),
            Some(Target::Object(first)) => vec![Member { reference: first.clone(), since: now }],
            _ => Vec::new(),
        };
        members.retain(|member| member.reference != reference);
        members.push(Member { reference, since: now });
        if members.len() > self.limits.group_members {
            return Err(limit("group_members", self.limits.group_members, members.len()));
        }
        Ok(Target::Group(Arc::new(Group { balance, members })))
    }

    /// Removes one member of a group, and with the last one the binding; or an object that is bound
    /// alone. Nothing happens if the reference is not there any more.
    pub fn leave(
        &self,
        context: ContextId,
        step: &Step,
        reference: &ReferenceOctets,
    ) -> Option<Change> {
        let bound = self.get(context, step)?;
        let unbind = Change::Unbind { context, step: step.clone() };
        match &bound.target {
            Target::Object(object) => (object == reference).then_some(unbind),
            Target::Group(group) => {
                let others = group.members.iter().filter(|member| member.reference != *reference);
                let members: Vec<Member> = others.cloned().collect();
                if members.len() == group.members.len() {
                    return None;
                }
                if members.is_empty() {
                    return Some(unbind);
                }
                let target = Target::Group(Arc::new(Group { balance: group.balance, members }));
                let bound = Bound { target, ..bound.clone() };
                Some(Change::Bind { context, step: step.clone(), bound })
            }
            Target::Context(_) | Target::ForeignContext(_) => None,
        }
    }

    /// `unbind`.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve).
    pub fn unbind(&self, from: ContextId, name: &[NameComponent]) -> Result<Decision> {
        match self.walk(from, name)? {
            Place::Foreign { context, rest } => Ok(Decision::Foreign { context, rest }),
            Place::Here { context, last } => match self.get(context, &last) {
                Some(_) => Ok(Decision::one(Change::Unbind { context, step: last })),
                None => Err(missing()),
            },
        }
    }

    /// `new_context`.
    ///
    /// # Errors
    /// [`Destroyed`](NamingError::Destroyed), or the limit of contexts.
    pub fn new_context(&self, from: ContextId, now: Seconds) -> Result<Decision> {
        if !self.has(from) {
            return Err(NamingError::Destroyed);
        }
        let context = self.next_free()?;
        let changes = vec![Change::Create { context, created: now }];
        Ok(Decision::Here { changes, created: Some(context) })
    }

    /// `bind_new_context`.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind) and [`new_context`](Self::new_context).
    pub fn bind_new_context(
        &self,
        from: ContextId,
        name: &[NameComponent],
        now: Seconds,
    ) -> Result<Decision> {
        let created = ContextId(self.next);
        match self.bind(from, name, Target::Context(created), Bind::New, now)? {
            Decision::Here { changes: mut bind, .. } => {
                self.next_free()?;
                let mut changes = vec![Change::Create { context: created, created: now }];
                changes.append(&mut bind);
                Ok(Decision::Here { changes, created: Some(created) })
            }
            foreign => Ok(foreign),
        }
    }

    /// `destroy`.
    ///
    /// # Errors
    /// [`NotEmpty`](NamingError::NotEmpty), [`Destroyed`](NamingError::Destroyed), or
    /// [`Root`](NamingError::Root).
    pub fn destroy(&self, context: ContextId) -> Result<Decision> {
        match self.contexts.get(&context) {
            None => Err(NamingError::Destroyed),
            Some(found) if !found.bindings.is_empty() => Err(NamingError::NotEmpty),
            Some(_) if context == ROOT => Err(NamingError::Root),
            Some(_) => Ok(Decision::one(Change::Destroy { context })),
        }
    }

    fn next_free(&self) -> Result<ContextId> {
        match self.contexts.len() < self.limits.contexts {
            true => Ok(ContextId(self.next)),
            false => Err(limit("contexts", self.limits.contexts, self.contexts.len() + 1)),
        }
    }

    /// Fails if changes that make a way exceed a limit.
    pub(super) fn check_changes(
        &self,
        name: &[NameComponent],
        target: Option<&Target>,
        changes: &[Change],
    ) -> Result {
        self.check_name(name)?;
        target.map_or(Ok(()), |target| self.check_target(target))?;
        let count = |is: fn(&Change) -> bool| changes.iter().filter(|change| is(change)).count();
        let contexts = self.contexts.len() + count(|it| matches!(it, Change::Create { .. }));
        let bindings = self.bindings + count(|it| matches!(it, Change::Bind { .. }));
        if contexts > self.limits.contexts {
            return Err(limit("contexts", self.limits.contexts, contexts));
        }
        match bindings <= self.limits.bindings {
            true => Ok(()),
            false => Err(limit("bindings", self.limits.bindings, bindings)),
        }
    }

    fn check_room(&self) -> Result {
        match self.bindings < self.limits.bindings {
            true => Ok(()),
            false => Err(limit("bindings", self.limits.bindings, self.bindings + 1)),
        }
    }

    fn check_target(&self, target: &Target) -> Result {
        let octets = match target {
            Target::Object(reference) | Target::ForeignContext(reference) => reference.0.len(),
            Target::Context(_) | Target::Group(_) => 0,
        };
        match octets <= self.limits.reference_octets {
            true => Ok(()),
            false => Err(limit("reference_octets", self.limits.reference_octets, octets)),
        }
    }
}

const fn missing() -> NamingError {
    NamingError::NotFound { why: NotFoundReason::MissingNode, rest: 1 }
}

#[cold]
fn limit(name: &str, allowed: usize, wanted: usize) -> NamingError {
    NamingError::Limit(format!("{wanted} exceeds the limit {name} of the service, {allowed}"))
}
