//! The repository as a CORBA object, without rules of its own: `model` has those.
//!
//! `registry` is what servers and activators call, `jacorb` what servers of JacORB call,
//! `operators` what operators call, `service` assembles everything.

mod jacorb;
mod operators;
mod registry;
mod service;

pub use service::{ImplementationRepository, ImplementationRepositoryBuilder};

use crate::engine::{CommandError, Engine};
use crate::host::is_this_host;
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use std::sync::{Arc, Weak};

/// The servant. It does not keep the repository alive, because an ORB keeps servants until its end.
pub(crate) struct RepositoryServant {
    engine: Weak<Engine>,
    orb: Orb,
    /// Whether clients on other hosts may do what operators do.
    remote_operators: bool,
}

impl RepositoryServant {
    pub(crate) fn new(engine: &Arc<Engine>, orb: &Orb, remote_operators: bool) -> Self {
        Self { engine: Arc::downgrade(engine), orb: orb.clone(), remote_operators }
    }

    fn engine(&self) -> Result<Arc<Engine>, SystemException> {
        self.engine.upgrade().ok_or_else(|| {
            system(ExceptionKind::ObjectNotExist, "the implementation repository has ended")
        })
    }

    /// Checks that the client may change what is started where: that is as much as a login.
    fn check_operator(&self) -> Result<Arc<Engine>, SystemException> {
        let local = self.orb.caller().ok().flatten().as_ref().is_none_or(is_this_host);
        match local || self.remote_operators {
            true => self.engine(),
            false => Err(system(
                ExceptionKind::NoPermission,
                "operators and activators work on the host of the implementation repository; \
                 `--remote-operators` admits those on others",
            )),
        }
    }
}

#[cold]
fn system(kind: ExceptionKind, what: &str) -> SystemException {
    SystemException::new(kind, Minor::default(), Completion::No).with_reason(what.to_owned())
}

/// A command that failed, as a user exception of each operation.
macro_rules! command_errors {
    ($($raises:ty),*) => {$(
        impl From<CommandError> for armilla::Error<$raises> {
            fn from(error: CommandError) -> Self {
                match error {
                    CommandError::Unknown(name) => crate::corba::UnknownServer { name }.into(),
                    CommandError::Refused(reason) => crate::corba::Refused { reason }.into(),
                }
            }
        }
    )*};
}

use crate::corba::repository::{
    LogRaises, RemoveRaises, ReplaceRaises, RestartRaises, StartRaises,
};
command_errors!(LogRaises, RemoveRaises, ReplaceRaises, RestartRaises, StartRaises);
