//! References that are found again by name when their server is lost.

use crate::client::{CallChoice, CallSelector, Object};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::{Policies, PolicyCurrent};
use crate::runtime::Orb;
use armilla_giop::url::{ObjectUrl, UrlError};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long one name is asked for.
const PATIENCE: Duration = Duration::from_secs(5);

impl Orb {
    /// The object that the first of `names` leads to which leads to any, to be found again by these
    /// names when it is lost.
    ///
    /// A name is text such as `observatory/dome.device` in the service `NameService`, or a URL:
    /// `corbaname:` of any service, `corbaloc:`. So one may follow another as a fallback.
    ///
    /// If a call through the reference was certainly not executed (`COMPLETED_NO`) because the
    /// server or the object is gone (`TRANSIENT`, `COMM_FAILURE`, `OBJECT_NOT_EXIST`,
    /// `OBJ_ADAPTER`), the names are resolved again, and the call is made once more if they lead to
    /// another object than before. Threads that fail at the same time share one search. A call with
    /// a time limit has it for each of its two attempts; each name is asked for up to five seconds.
    /// For asynchronous calls a thread of the ORB searches. Typed references narrowed from this
    /// one, and copies of it, behave alike; what other programs get is the reference as it was first
    /// resolved.
    ///
    /// ```no_run
    /// # fn example(orb: &armilla::Orb) -> Result<(), armilla::SystemException> {
    /// let dome = orb.resolve_rebinding([
    ///     "corbaname::names-1.example.org#observatory/dome.device",
    ///     "corbaname::names-2.example.org#observatory/dome.device",
    /// ])?;
    /// assert!(!dome.non_existent()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`resolve_name`](Self::resolve_name) and
    /// [`string_to_object`](Self::string_to_object) for the last name; `BAD_PARAM` without names.
    pub fn resolve_rebinding<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Object, SystemException> {
        let names = Names { orb: self.clone(), names: names.into_iter().map(N::into).collect() };
        let found = names.find()?;
        let current = Mutex::new(found.clone());
        Ok(found.with_call_selector(Arc::new(Rebinding { names, current })))
    }
}

/// Names that lead to an object, in the order in which they are tried.
struct Names {
    orb: Orb,
    names: Vec<String>,
}

impl Names {
    /// The object of the first name that leads to one.
    fn find(&self) -> Result<Object, SystemException> {
        let limits = Policies { round_trip_timeout: Some(PATIENCE), ..Policies::default() };
        let _limited = PolicyCurrent::set(limits);
        let mut last = SystemException::bad_param(Minor::default(), "there are no names");
        for name in &self.names {
            let found = match ObjectUrl::parse(name) {
                Err(UrlError::UnknownScheme(_)) => self.orb.resolve_name(name),
                _ => self.orb.string_to_object(name),
            };
            match found {
                Ok(object) if !object.is_nil() => return Ok(object),
                Ok(_) => {}
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Where the calls through a reference with names go.
struct Rebinding {
    names: Names,
    current: Mutex<Object>,
}

impl Rebinding {
    fn current(&self) -> MutexGuard<'_, Object> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallSelector for Rebinding {
    fn select(&self) -> Result<CallChoice<'_>, SystemException> {
        Ok(CallChoice { object: Cow::Owned(self.current().clone()), context: None })
    }

    fn select_again(&self, failed: &Object, why: &SystemException) -> bool {
        let gone = matches!(
            why.kind(),
            ExceptionKind::Transient
                | ExceptionKind::CommFailure
                | ExceptionKind::ObjectNotExist
                | ExceptionKind::ObjAdapter
        );
        if !gone || why.completed() != Completion::No {
            return false;
        }
        // Others wait for the search, and then call what it has found.
        let mut current = self.current();
        if *current != *failed {
            return true;
        }
        match self.names.find() {
            Ok(found) if found != *failed => {
                *current = found;
                true
            }
            _ => false,
        }
    }
}
