//! The servant of all contexts: the default servant of their POA. The object id says which context
//! an operation is for, so contexts cost no activation.

use super::Names;
use super::exceptions::{Failure, bad_param, destroyed, ended};
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
        match self.names.store.change(decide) {
            Ok(Decision::Here { created, .. }) => Ok(Step::Done(created.unwrap_or(ROOT))),
            Ok(Decision::Foreign { context, rest }) => {
                Ok(Step::Next(self.names.next(&context, name, rest)?))
            }
            Err(error) => Err(self.names.change_failure(error, name)),
        }
    }

    fn bind_target<'n>(
        &self,
        name: &'n [NameComponent],
        target: Target,
        how: Bind,
    ) -> Local<'n, ContextId> {
        let (this, steps) = (self.this, components(name));
        self.change(name, |tree| {
            self.names.permit(tree, Operation::Bind, this, &steps)?;
            let shared = self.names.balance(tree, this, &steps).filter(|_| !target.is_context());
            tree.bind(this, &steps, target.clone(), shared.map_or(how, Bind::Join), now())
        })
    }

    fn bind_object<'n>(
        &self,
        name: &'n [NameComponent],
        object: &Object,
        how: Bind,
    ) -> Local<'n, ContextId> {
        if object.is_nil() {
            return Err(bad_param("a name cannot be bound to a nil reference").into());
        }
        self.bind_target(name, Target::Object(to_octets(object)?), how)
    }

    fn bind_a_context<'n>(
        &self,
        name: &'n [NameComponent],
        context: &NamingContextRef,
        how: Bind,
    ) -> Local<'n, ContextId> {
        if context.is_nil() {
            return Err(bad_param("a name cannot be bound to a nil context").into());
        }
        self.bind_target(name, self.names.context_target(context)?, how)
    }

    fn resolve_here<'n>(&self, name: &'n [NameComponent]) -> Local<'n, Object> {
        let steps = components(name);
        let found = {
            let tree = self.names.store.read();
            let permitted = self.names.permit(&tree, Operation::Read, self.this, &steps);
            permitted.and_then(|()| tree.resolve(self.this, &steps))
        };
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
}

/// The failure of an operation without a `raises` clause.
fn plain(failure: Failure) -> SystemException {
    match failure {
        Failure::System(exception) => exception,
        _ => destroyed(&NamingError::Destroyed),
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
        match self.request()?.bind_object(n, obj, Bind::New)? {
            Step::Done(_) => Ok(()),
            Step::Next(next) => next.go_on(|context, rest| context.bind(rest, obj)),
        }
    }

    fn rebind(&self, n: &[NameComponent], obj: &Object) -> Raising<(), RebindRaises> {
        match self.request()?.bind_object(n, obj, Bind::Replace)? {
            Step::Done(_) => Ok(()),
            Step::Next(next) => next.go_on(|context, rest| context.rebind(rest, obj)),
        }
    }

    fn bind_context(
        &self,
        n: &[NameComponent],
        nc: &NamingContextRef,
    ) -> Raising<(), BindContextRaises> {
        match self.request()?.bind_a_context(n, nc, Bind::New)? {
            Step::Done(_) => Ok(()),
            Step::Next(next) => next.go_on(|context, rest| context.bind_context(rest, nc)),
        }
    }

    fn rebind_context(
        &self,
        n: &[NameComponent],
        nc: &NamingContextRef,
    ) -> Raising<(), RebindContextRaises> {
        match self.request()?.bind_a_context(n, nc, Bind::Replace)? {
            Step::Done(_) => Ok(()),
            Step::Next(next) => next.go_on(|context, rest| context.rebind_context(rest, nc)),
        }
    }

    fn resolve(&self, n: &[NameComponent]) -> Raising<Object, ResolveRaises> {
        match self.request()?.resolve_here(n)? {
            Step::Done(object) => Ok(object),
            Step::Next(next) => next.go_on(|context, rest| context.resolve(rest)),
        }
    }

    fn unbind(&self, n: &[NameComponent]) -> Raising<(), UnbindRaises> {
        let (request, steps) = (self.request()?, components(n));
        match request.change(n, |tree| {
            request.names.permit(tree, Operation::Unbind, request.this, &steps)?;
            tree.unbind(request.this, &steps)
        })? {
            Step::Done(_) => Ok(()),
            Step::Next(next) => next.go_on(|context, rest| context.unbind(rest)),
        }
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
        let (request, steps) = (self.request()?, components(n));
        match request.change(n, |tree| {
            request.names.permit(tree, Operation::Bind, request.this, &steps)?;
            tree.bind_new_context(request.this, &steps, now())
        })? {
            Step::Done(created) => Ok(request.names.context(created)?.assume()),
            Step::Next(next) => next.go_on(|context, rest| context.bind_new_context(rest)),
        }
    }

    fn destroy(&self) -> Raising<(), DestroyRaises> {
        let request = self.request()?;
        request.change(&[], |tree| {
            request.names.permit(tree, Operation::Unbind, request.this, &[])?;
            tree.destroy(request.this)
        })?;
        Ok(())
    }

    fn list(&self, how_many: u32) -> Result<(BindingList, BindingIteratorRef), SystemException> {
        let Request { names, this } = self.request()?;
        let how_many = names.iterators.at_most(how_many);
        let listed = {
            let tree = names.store.read();
            let permitted = names.permit(&tree, Operation::Read, this, &[]);
            permitted.and_then(|()| tree.list(this, None, how_many))
        };
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
        match self.request()?.resolve_here(&name)? {
            Step::Done(object) => Ok(object),
            Step::Next(next) => {
                let object = next.go_on(|context, rest| context.resolve(rest));
                object.map_err(|error| match error {
                    Error::System(exception) => exception.into(),
                    Error::User(ResolveRaises::NotFound(exception)) => exception.into(),
                    Error::User(ResolveRaises::CannotProceed(exception)) => exception.into(),
                    Error::User(ResolveRaises::InvalidName(exception)) => exception.into(),
                })
            }
        }
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
