//! The client side of the OMG naming service: binding and resolving by stringified names.

mod context;
mod rebinding;

use crate::client::{Object, Waiting};
use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use armilla_giop::url::{self, NameComponent};
use context::{NamingContext, NamingError, NotFoundReason, Refusal};
use std::slice;

impl Orb {
    /// Binds `reference` to `name` in the naming service that the initial reference `NameService`
    /// denotes, in place of what was bound there. Contexts on the way that do not exist are made.
    ///
    /// The name is stringified: `observatory/dome.device` (Naming Service 1.3, 2.4.5).
    ///
    /// ```no_run
    /// # use armilla::{Object, Orb};
    /// # fn example(dome: Object) -> Result<(), armilla::SystemException> {
    /// let arguments = ["-ORBInitRef", "NameService=corbaloc::names.example.org/NameService"];
    /// let orb = Orb::from_args(arguments.map(String::from))?;
    /// orb.bind_name("observatory/dome.device", &dome)?;
    /// assert_eq!(orb.resolve_name("observatory/dome.device")?, dome);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when the name is malformed or the service refuses it; those of
    /// [`resolve_initial_references`](Self::resolve_initial_references) and of a call.
    pub fn bind_name(
        &self,
        name: &str,
        reference: impl AsRef<Object>,
    ) -> Result<(), SystemException> {
        Waiting::blocking(|waiting| self.bind(name, reference.as_ref(), waiting))
    }

    /// [`bind_name`](Self::bind_name) without blocking a thread.
    ///
    /// # Errors
    /// Those of [`bind_name`](Self::bind_name).
    pub async fn bind_name_async(
        &self,
        name: &str,
        reference: &Object,
    ) -> Result<(), SystemException> {
        self.bind(name, reference, Waiting::Task).await
    }

    async fn bind(
        &self,
        name: &str,
        reference: &Object,
        waiting: Waiting,
    ) -> Result<(), SystemException> {
        let components = components(name)?;
        let Some((last, path)) = components.split_last() else {
            return Err(malformed(name, "empty"));
        };
        let mut context = self.name_service(waiting).await?;
        for component in path {
            context = enter(&context, component, name).await?;
        }
        let last = slice::from_ref(last);
        context.rebind(last, reference).await.map_err(|error| refused(name, error))
    }

    /// Removes the binding of `name`.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub fn unbind_name(&self, name: &str) -> Result<(), SystemException> {
        Waiting::blocking(|waiting| self.unbind(name, waiting))
    }

    /// [`unbind_name`](Self::unbind_name) without blocking a thread.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub async fn unbind_name_async(&self, name: &str) -> Result<(), SystemException> {
        self.unbind(name, Waiting::Task).await
    }

    async fn unbind(&self, name: &str, waiting: Waiting) -> Result<(), SystemException> {
        let components = components(name)?;
        let context = self.name_service(waiting).await?;
        context.unbind(&components).await.map_err(|error| refused(name, error))
    }

    /// The object that is bound to `name`.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub fn resolve_name(&self, name: &str) -> Result<Object, SystemException> {
        Waiting::blocking(|waiting| self.look_up_name(name, waiting))
    }

    /// [`resolve_name`](Self::resolve_name) without blocking a thread.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub async fn resolve_name_async(&self, name: &str) -> Result<Object, SystemException> {
        self.look_up_name(name, Waiting::Task).await
    }

    async fn look_up_name(&self, name: &str, waiting: Waiting) -> Result<Object, SystemException> {
        resolve(&self.name_service(waiting).await?, name).await
    }

    async fn name_service(&self, waiting: Waiting) -> Result<NamingContext, SystemException> {
        let context = self.initial_reference(url::NAME_SERVICE, waiting).await?;
        Ok(NamingContext(context, waiting))
    }
}

/// The object of a `corbaname:` URL: what `name` is bound to in `context`, or that itself when the
/// name is empty.
pub(crate) async fn resolve_corbaname(
    context: Object,
    name: &str,
    waiting: Waiting,
) -> Result<Object, SystemException> {
    if name.is_empty() {
        return Ok(context);
    }
    resolve(&NamingContext(context, waiting), name).await
}

async fn resolve(context: &NamingContext, name: &str) -> Result<Object, SystemException> {
    context.resolve(&components(name)?).await.map_err(|error| refused(name, error))
}

/// The context that is bound to `component`, which is made when nothing is bound to it.
async fn enter(
    context: &NamingContext,
    component: &NameComponent,
    name: &str,
) -> Result<NamingContext, SystemException> {
    let component = slice::from_ref(component);
    match context.bind_new_context(component).await {
        Ok(made) => Ok(made),
        Err(Error::User(Refusal::AlreadyBound)) => match context.resolve(component).await {
            Ok(found) => Ok(NamingContext(found, context.1)),
            Err(error) => Err(refused(name, error)),
        },
        Err(error) => Err(refused(name, error)),
    }
}

fn components(name: &str) -> Result<Vec<NameComponent>, SystemException> {
    url::parse_name(name).map_err(|error| malformed(name, &error.to_string()))
}

fn malformed(name: &str, why: &str) -> SystemException {
    SystemException::bad_param(Minor::NAMING_FAILED, format!("{name:?} is no name: {why}"))
}

/// What the service answered, as a system exception.
fn refused(name: &str, error: NamingError) -> SystemException {
    let refusal = match error {
        Error::System(exception) => return exception,
        Error::User(refusal) => refusal,
    };
    let reason = match refusal {
        Refusal::NotFound(why, rest) => return not_found(name, why, &rest),
        Refusal::AlreadyBound => "the name is bound already",
        Refusal::Other(id) if id.contains("/InvalidName:") => "it does not accept the name",
        Refusal::Other(id) if id.contains("/CannotProceed:") => "it cannot go on along the name",
        Refusal::Other(id) => {
            return failed(format!("the naming service refused {name:?}: {id}"));
        }
    };
    failed(format!("the naming service refused {name:?}: {reason}"))
}

/// Nothing is bound to a name; `rest` is the name from the component that failed.
fn not_found(name: &str, why: NotFoundReason, rest: &[NameComponent]) -> SystemException {
    let what = match why {
        NotFoundReason::MissingNode => "is not there",
        NotFoundReason::NotContext => "is no naming context",
        NotFoundReason::NotObject => "is a naming context, not an object",
    };
    let rest = url::stringify_name(rest);
    failed(format!("the naming service does not know {name:?}: {rest:?} {what}"))
        .with_hint("`armilla naming list` shows what is bound")
}

fn failed(what: String) -> SystemException {
    SystemException::new(ExceptionKind::BadParam, Minor::NAMING_FAILED, Completion::Yes)
        .with_reason(what)
}
