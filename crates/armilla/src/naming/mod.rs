//! The client side of the OMG naming service: binding and resolving by stringified names.

mod context;

use crate::client::Object;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use armilla_giop::url::{self, NameComponent};
use context::{NamingContext, NamingError, NotFoundReason};
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
        let components = components(name)?;
        let mut context = self.name_service()?;
        let Some((last, path)) = components.split_last() else {
            return Err(malformed(name, "empty"));
        };
        for component in path {
            context = enter(&context, component, name)?;
        }
        let last = slice::from_ref(last);
        context.rebind(last, reference.as_ref()).map_err(|error| refused(name, error))
    }

    /// Removes the binding of `name`.
    ///
    /// # Errors
    /// As [`bind_name`](Self::bind_name).
    pub fn unbind_name(&self, name: &str) -> Result<(), SystemException> {
        let components = components(name)?;
        self.name_service()?.unbind(&components).map_err(|error| refused(name, error))
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
        resolve(&NamingContext(context), name)
    }

    fn name_service(&self) -> Result<NamingContext, SystemException> {
        self.resolve_initial_references("NameService").map(NamingContext)
    }
}

fn resolve(context: &NamingContext, name: &str) -> Result<Object, SystemException> {
    context.resolve(&components(name)?).map_err(|error| refused(name, error))
}

/// The context that is bound to `component`, which is made when nothing is bound to it.
fn enter(
    context: &NamingContext,
    component: &NameComponent,
    name: &str,
) -> Result<NamingContext, SystemException> {
    let component = slice::from_ref(component);
    match context.bind_new_context(component) {
        Ok(made) => Ok(made),
        Err(NamingError::AlreadyBound) => match context.resolve(component) {
            Ok(found) => Ok(NamingContext(found)),
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
    let reason = match error {
        NamingError::System(exception) => return exception,
        NamingError::NotFound(why, rest) => return not_found(name, why, &rest),
        NamingError::AlreadyBound => "the name is bound already",
        NamingError::Other(id) if id.contains("/InvalidName:") => "it does not accept the name",
        NamingError::Other(id) if id.contains("/CannotProceed:") => {
            "it cannot go on along the name"
        }
        NamingError::Other(id) => {
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
