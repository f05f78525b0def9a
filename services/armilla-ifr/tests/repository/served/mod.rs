//! A repository that is asked from another process, as it were.

// No test uses all of it.
#![allow(dead_code)]

use armilla::{ExceptionKind, Minor, Orb, SystemException};
use armilla_ifr::corba::{Container, RepositoryRef};
use armilla_ifr::model::Model;
use armilla_tests::orbs::{client, listening, travel};

/// A repository that serves a model, and a reference to it from another ORB.
pub(crate) struct Served {
    orb: Orb,
    pub(crate) client: Orb,
    pub(crate) repository: RepositoryRef,
}

impl Served {
    pub(crate) fn new(model: Model) -> Self {
        Self::by(listening(), model)
    }

    pub(crate) fn by(orb: Orb, model: Model) -> Self {
        let client = client();
        let repository = travel(&armilla_ifr::serve(&orb, model).unwrap(), &client);
        // The server has started: what is destroyed does not exist any more.
        orb.perform_work().unwrap();
        Self { orb, client, repository }
    }

    pub(crate) fn lookup<I: armilla::codegen::Interface + ?Sized>(
        &self,
        name: &str,
    ) -> armilla::Ref<I> {
        let found = self.repository.lookup(name).unwrap();
        assert!(!found.is_nil(), "{name}");
        found.object().narrow().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

pub(crate) fn failure<T: std::fmt::Debug>(
    outcome: Result<T, SystemException>,
) -> (ExceptionKind, Minor) {
    let exception = outcome.unwrap_err();
    (exception.kind(), exception.minor())
}
