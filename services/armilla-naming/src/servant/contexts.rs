//! The servant of all contexts: the default servant of their POA. The object id says which context
//! an operation is for, so contexts cost no activation.

use super::Names;
use super::exceptions::{Failure, bad_param, destroyed, ended, plain};
use super::foreign::{Local, Step};
use super::iterators::binding;
use super::now;
use super::references::{context_of, from_octets, to_octets};
use crate::access::Operation;
use crate::model::{
    self, AddressError, Bind, ContextId, Decision, Found, NameTree, NamingError, ROOT, Target,
    corbaname, parse_name, stringify_name,
};
use armilla::{Current, Error, Object, ServantBase, SystemException};
use armilla_cos_naming::naming_context::*;
use armilla_cos_naming::naming_context_ext::*;
use armilla_cos_naming::*;
use std::sync::{Arc, Weak};

/// The result of an operation with a `raises` clause.
type Raising<T, E> = Result<T, Error<E>>;

/// The servant of the contexts. It does not keep the service alive.
pub(super) struct Contexts(pub(super) Weak<Names>);

impl Contexts {
    /// The request that the thread is serving.
    fn request(&self) -> Result<Request, SystemException> {
        let names = self.0.upgrade().ok_or_else(ended)?;
        let current = names.orb.poa_current()?;
        let context = context_of(current.object_id());
        let this = context.ok_or_else(|| destroyed(&NamingError::Destroyed))?;
        Ok(Request { names, this })
    }
}

/// A request for a context.
struct Request {
    names: Arc<Names>,
    this: ContextId,
}

impl Request {
    /// Decides and makes a change. The result is the context that it creates, if it does.
    fn change<'n>(
        &self,
        name: &'n [NameComponent],
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Local<'n, ContextId> {
        match self.names.change(decide) {
            Ok(Decision::Here { created, .. }) => Ok(Step::Done(created.unwrap_or(ROOT))),
            Ok(Decision::Foreign { context, rest }) => {
                Ok(Step::Next(self.names.next(&context, name, rest)?))
            }
            Err(error) => Err(self.names.change_failure(error, name)),
        }
    }

    /// Does an operation here, and where references to other contexts lead on the way. Those that
    /// lead back are followed in the tree, without a call.
    fn follow<'n, T, E: From<CannotProceed>>(
        mut self,
        mut name: &'n [NameComponent],
        here: impl Fn(&Self, &'n [NameComponent]) -> Local<'n, T>,
        there: impl FnOnce(&NamingContextRef, &[NameComponent]) -> Raising<T, E>,
    ) -> Raising<T, E>
    where
        Error<E>: From<Failure>,
    {
        loop {
            let next = match here(&self, name)? {
                Step::Done(done) => return Ok(done),
                Step::Next(next) => next,
            };
            // The rest is shorter than the name, so this ends.
            match next.own {
                Some(own) => (self.this, name) = (own, next.rest),
                None => return next.go_on(&self.names, there),
            }
        }
    }

    fn bind_target<'n>(
        &self,
        name: &'n [NameComponent],
        target: &Target,
        how: Bind,
    ) -> Local<'n, ()> {
        let (this, steps) = (self.this, components(name));
        let bound = self.change(name, |tree| {
            self.names.permit_bind(tree, this, &steps, target)?;
            let shared = self.names.balance(tree, this, &steps).filter(|_| !target.is_context());
            tree.bind(this, &steps, target.clone(), shared.map_or(how, Bind::Join), now())
        })?;
        Ok(bound.map(drop))
    }

    fn object_target(object: &Object) -> Result<Target, SystemException> {
        match object.is_nil() {
            true => Err(bad_param("a name cannot be bound to a nil reference")),
            false => Ok(Target::Object(to_octets(object)?)),
        }
    }

    fn context_target(&self, context: &NamingContextRef) -> Result<Target, SystemException> {
        match context.is_nil() {
            true => Err(bad_param("a name cannot be bound to a nil context")),
            false => self.names.context_target(context),
        }
    }

    fn resolve_here<'n>(&self, name: &'n [NameComponent]) -> Local<'n, Object> {
        let steps = components(name);
        let found = self.names.read(|tree| {
            self.names.permit(tree, Operation::Read, self.this, &steps)?;
            tree.resolve(self.this, &steps)
        });
        let bound = match found.map_err(|error| self.names.failure(error, name))? {
            Found::Here(bound) => bound,
            Found::Foreign { context, rest } => {
                return Ok(Step::Next(self.names.next(&context, name, rest)?));
            }
        };
        Ok(Step::Done(match &bound.target {
            Target::Object(octets) | Target::ForeignContext(octets) => {
                from_octets(&self.names.orb, octets)?
            }
            Target::Context(context) => self.names.context(*context)?,
            Target::Group(group) => self.names.member(group)?,
        }))
    }

    fn bind_new_here<'n>(&self, name: &'n [NameComponent]) -> Local<'n, NamingContextRef> {
        let steps = components(name);
        let created = self.change(name, |tree| {
            self.names.permit(tree, Operation::Bind, self.this, &steps)?;
            tree.bind_new_context(self.this, &steps, now())
        })?;
        Ok(match created {
            Step::Done(created) => Step::Done(self.names.context(created)?.assume()),
            Step::Next(next) => Step::Next(next),
        })
    }
}

/// The name as the model has it.
fn components(name: &[NameComponent]) -> Vec<model::NameComponent> {
    let component =
        |one: &NameComponent| model::NameComponent { id: one.id.clone(), kind: one.kind.clone() };
    name.iter().map(component).collect()
}

/// The name of a text.
fn name_of(text: &str) -> Result<Name, Failure> {
    let name = parse_name(text).map_err(|_| Failure::InvalidName(InvalidName))?;
    Ok(name.into_iter().map(|step| NameComponent { id: step.id, kind: step.kind }).collect())
}

impl NamingContext for Contexts {
    fn bind(&self, n: &[NameComponent], obj: &Object) -> Raising<(), BindRaises> {
        let (request, target) = (self.request()?, Request::object_target(obj)?);
        let here = |request: &Request, n| request.bind_target(n, &target, Bind::New);
        request.follow(n, here, |context, rest| context.bind(rest, obj))
    }

    fn rebind(&self, n: &[NameComponent], obj: &Object) -> Raising<(), RebindRaises> {
        let (request, target) = (self.request()?, Request::object_target(obj)?);
        let here = |request: &Request, n| request.bind_target(n, &target, Bind::Replace);
        request.follow(n, here, |context, rest| context.rebind(rest, obj))
    }

    fn bind_context(
        &self,
        n: &[NameComponent],
        nc: &NamingContextRef,
    ) -> Raising<(), BindContextRaises> {
        let request = self.request()?;
        let target = request.context_target(nc)?;
        let here = |request: &Request, n| request.bind_target(n, &target, Bind::New);
        request.follow(n, here, |context, rest| context.bind_context(rest, nc))
    }

    fn rebind_context(
        &self,
        n: &[NameComponent],
        nc: &NamingContextRef,
    ) -> Raising<(), RebindContextRaises> {
        let request = self.request()?;
        let target = request.context_target(nc)?;
        let here = |request: &Request, n| request.bind_target(n, &target, Bind::Replace);
        request.follow(n, here, |context, rest| context.rebind_context(rest, nc))
    }

    fn resolve(&self, n: &[NameComponent]) -> Raising<Object, ResolveRaises> {
        self.request()?.follow(n, Request::resolve_here, |context, rest| context.resolve(rest))
    }

    fn unbind(&self, n: &[NameComponent]) -> Raising<(), UnbindRaises> {
        let here = |request: &Request, n| {
            let steps = components(n);
            let unbound = request.change(n, |tree| {
                request.names.permit_unbind(tree, request.this, &steps)?;
                tree.unbind(request.this, &steps)
            })?;
            Ok(unbound.map(drop))
        };
        self.request()?.follow(n, here, |context, rest| context.unbind(rest))
    }

    fn new_context(&self) -> Result<NamingContextRef, SystemException> {
        let request = self.request()?;
        match request.change(&[], |tree| {
            request.names.permit(tree, Operation::Bind, request.this, &[])?;
            tree.new_context(request.this, now())
        }) {
            Ok(Step::Done(created)) => Ok(request.names.context(created)?.assume()),
            Ok(Step::Next(_)) => Err(destroyed(&NamingError::Destroyed)),
            Err(failure) => Err(plain(failure)),
        }
    }

    fn bind_new_context(
        &self,
        n: &[NameComponent],
    ) -> Raising<NamingContextRef, BindNewContextRaises> {
        let there =
            |context: &NamingContextRef, rest: &[NameComponent]| context.bind_new_context(rest);
        self.request()?.follow(n, Request::bind_new_here, there)
    }

    fn destroy(&self) -> Raising<(), DestroyRaises> {
        let request = self.request()?;
        request.change(&[], |tree| {
            request.names.permit_destroy(tree, request.this)?;
            tree.destroy(request.this)
        })?;
        Ok(())
    }

    fn list(&self, how_many: u32) -> Result<(BindingList, BindingIteratorRef), SystemException> {
        let Request { names, this } = self.request()?;
        let how_many = names.iterators.at_most(how_many);
        let listed = names.read(|tree| {
            names.permit(tree, Operation::Read, this, &[])?;
            tree.list(this, None, how_many)
        });
        let mut listed = listed.map_err(|error| plain(names.failure(error, &[])))?;
        let iterator = match listed.more {
            false => BindingIteratorRef::nil(),
            true => {
                let last = listed.bindings.last().map(|(step, _)| step.clone());
                names.iterators.open(&names, this, last)?
            }
        };
        Ok((listed.bindings.drain(..).map(binding).collect(), iterator))
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }
}

impl NamingContextExt for Contexts {
    fn to_string(&self, n: &[NameComponent]) -> Raising<StringName, ToStringRaises> {
        self.request()?;
        match n {
            [] => Err(InvalidName.into()),
            n => Ok(stringify_name(&components(n))),
        }
    }

    fn to_name(&self, sn: &str) -> Raising<Name, ToNameRaises> {
        self.request()?;
        Ok(name_of(sn)?)
    }

    fn to_url(&self, addr: &str, sn: &str) -> Raising<UrlString, ToUrlRaises> {
        self.request()?;
        corbaname(addr, sn).map_err(|error| match error {
            AddressError::Address(_) => InvalidAddress.into(),
            AddressError::Name(_) => InvalidName.into(),
        })
    }

    fn resolve_str(&self, sn: &str) -> Raising<Object, ResolveStrRaises> {
        let name = name_of(sn)?;
        self.resolve(&name).map_err(|error| match error {
            Error::System(exception) => exception.into(),
            Error::User(ResolveRaises::NotFound(exception)) => exception.into(),
            Error::User(ResolveRaises::CannotProceed(exception)) => exception.into(),
            Error::User(ResolveRaises::InvalidName(exception)) => exception.into(),
        })
    }
}

impl ServantBase for Contexts {
    fn non_existent(&self, current: &Current) -> Result<bool, SystemException> {
        let context = context_of(current.object_id());
        let names = self.0.upgrade().ok_or_else(ended)?;
        Ok(!context.is_some_and(|context| names.store.read().has(context)))
    }

    fn is_a(&self, current: &Current, repository_id: &str) -> Result<bool, SystemException> {
        match self.non_existent(current)? {
            true => Err(destroyed(&NamingError::Destroyed)),
            false => Ok(current.servant().is_a(current.object_id(), repository_id)),
        }
    }
}
