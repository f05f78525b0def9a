//! The client side of the OMG naming service: the generated interfaces, and binding and resolving
//! by stringified names.

// As the IDL compiler wrote it.
#[rustfmt::skip]
#[path = "generated/cos_naming.rs"]
mod generated;

pub use generated::cos_naming::*;

use crate::client::Object;
use crate::exception::{Completion, Error, ExceptionKind, Minor, Raises, SystemException};
use crate::runtime::Orb;
use armilla_giop::url;
use naming_context::{BindNewContextRaises, NotFoundReason, ResolveRaises, UnbindRaises};
use std::fmt;

impl Orb {
    /// Binds `reference` to `name` in the naming service that the initial reference `NameService`
    /// denotes, in place of what was bound there. Contexts on the way that do not exist are made.
    ///
    /// The name is stringified: `observatory/dome.device` (Naming Service 1.3, 2.4.5).
    ///
    /// # Errors
    /// `BAD_PARAM` when the name is malformed or the service refuses it; those of
    /// [`resolve_initial_references`](Self::resolve_initial_references) and of a call.
    pub fn bind_name(
        &self,
        name: &str,
        reference: impl AsRef<Object>,
    ) -> Result<(), SystemException> {
        let steps = steps(name)?;
        let mut context = self.name_service()?;
        let Some((last, ways)) = steps.split_last() else { return Err(malformed(name, "empty")) };
        for way in ways {
            context = enter(&context, way, name)?;
        }
        let last = std::slice::from_ref(last);
        context.rebind(last, reference.as_ref()).map_err(|error| refused(name, error))
    }

    /// Removes the binding of `name`.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub fn unbind_name(&self, name: &str) -> Result<(), SystemException> {
        let steps = steps(name)?;
        self.name_service()?.unbind(&steps).map_err(|error| match error {
            Error::User(UnbindRaises::NotFound(exception)) => not_found(name, exception),
            error => refused(name, error),
        })
    }

    /// The object that is bound to `name`.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub fn resolve_name(&self, name: &str) -> Result<Object, SystemException> {
        resolve(&self.name_service()?, name)
    }

    /// The object of a `corbaname:` URL: what `name` is bound to in `context`, or that itself when
    /// the name is empty.
    pub(crate) fn resolve_corbaname(
        &self,
        context: Object,
        name: &str,
    ) -> Result<Object, SystemException> {
        if name.is_empty() {
            return Ok(context);
        }
        resolve(&context.assume(), name)
    }

    fn name_service(&self) -> Result<NamingContextRef, SystemException> {
        Ok(self.resolve_initial_references("NameService")?.assume())
    }
}

fn resolve(context: &NamingContextRef, name: &str) -> Result<Object, SystemException> {
    context.resolve(&steps(name)?).map_err(|error| match error {
        Error::User(ResolveRaises::NotFound(exception)) => not_found(name, exception),
        error => refused(name, error),
    })
}

/// Nothing is bound to a name; the service says from which step on.
fn not_found(name: &str, exception: naming_context::NotFound) -> SystemException {
    let rest = exception.rest_of_name.into_iter();
    let rest: Vec<_> =
        rest.map(|step| url::NameComponent { id: step.id, kind: step.kind }).collect();
    let what = match exception.why {
        NotFoundReason::MissingNode => "is not there",
        NotFoundReason::NotContext => "is no naming context",
        NotFoundReason::NotObject => "is a naming context, not an object",
    };
    let rest = url::stringify_name(&rest);
    let what = format!("the naming service does not know {name:?}: {rest:?} {what}");
    SystemException::new(ExceptionKind::BadParam, Minor::NAMING_FAILED, Completion::Yes)
        .with_reason(what)
        .with_hint("`armilla naming list` shows what is bound")
}

/// The context at `way`, made when it does not exist.
fn enter(
    context: &NamingContextRef,
    way: &NameComponent,
    name: &str,
) -> Result<NamingContextRef, SystemException> {
    let way = std::slice::from_ref(way);
    match context.bind_new_context(way) {
        Ok(made) => Ok(made),
        Err(Error::User(BindNewContextRaises::AlreadyBound(_))) => match context.resolve(way) {
            Ok(found) => Ok(found.assume()),
            Err(error) => Err(refused::<ResolveRaises>(name, error)),
        },
        Err(error) => Err(refused(name, error)),
    }
}

fn steps(name: &str) -> Result<Name, SystemException> {
    let parsed = url::parse_name(name).map_err(|error| malformed(name, &error.to_string()))?;
    Ok(parsed.into_iter().map(|step| NameComponent { id: step.id, kind: step.kind }).collect())
}

fn malformed(name: &str, why: &str) -> SystemException {
    SystemException::bad_param(Minor::NAMING_FAILED, format!("{name:?} is no name: {why}"))
}

/// What the service answered, as a system exception.
fn refused<E: Raises + fmt::Display + fmt::Debug>(name: &str, error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(exception) => {
            SystemException::new(ExceptionKind::BadParam, Minor::NAMING_FAILED, Completion::Yes)
                .with_reason(format!("the naming service refused {name:?}: {exception}"))
        }
    }
}
