//! A naming service that is asked from another process, as it were.

// No test uses all of it.
#![allow(dead_code)]

use armilla::{Completion, Error, ExceptionKind, Object, Orb, OrbBuilder};
use armilla_cos_naming::{NameComponent, NamingContextExtRef};
use armilla_naming::model::parse_name;
use armilla_naming::{NamingService, NamingServiceBuilder};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A naming service, and its root context as another ORB sees it.
pub(crate) struct Served {
    pub(crate) service: NamingService,
    pub(crate) client: Orb,
    pub(crate) root: NamingContextExtRef,
    orb: Orb,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::by(NamingService::builder())
    }

    pub(crate) fn by(builder: NamingServiceBuilder) -> Self {
        Self::at(builder, &[])
    }

    /// The same at further endpoints.
    pub(crate) fn at(builder: NamingServiceBuilder, endpoints: &[&str]) -> Self {
        let orb = Orb::builder();
        let orb = endpoints.iter().try_fold(orb, |orb, endpoint| orb.listen(endpoint));
        Self::with(orb.unwrap(), builder)
    }

    /// The same with an ORB that has more than endpoints.
    pub(crate) fn with(orb: OrbBuilder, builder: NamingServiceBuilder) -> Self {
        let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let service = builder.serve(&orb).unwrap();
        orb.perform_work().unwrap();
        let client = Orb::new().unwrap();
        let root = client.resolve(service.url()).unwrap();
        Self { service, client, root, orb }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

/// A name from its text.
pub(crate) fn name(text: &str) -> Vec<NameComponent> {
    let steps = parse_name(text).unwrap().into_iter();
    steps.map(|step| NameComponent { id: step.id, kind: step.kind }).collect()
}

/// A reference to an object that nobody serves.
pub(crate) fn object(orb: &Orb, key: &str) -> Object {
    orb.string_to_object(&format!("corbaloc::127.0.0.1:1/{key}")).unwrap()
}

/// A reference as another ORB reads it.
pub(crate) fn travel(object: &Object, to: &Orb) -> Object {
    to.string_to_object(&to.object_to_string(object).unwrap()).unwrap()
}

/// The system exception of a call that declares exceptions.
pub(crate) fn system<T: std::fmt::Debug, E: std::fmt::Debug>(
    outcome: Result<T, Error<E>>,
) -> ExceptionKind {
    match outcome {
        Err(Error::System(exception)) => {
            assert_ne!(exception.completed(), Completion::Yes);
            exception.kind()
        }
        other => panic!("{other:?}"),
    }
}

/// A directory for a test, which goes with the value.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = format!("armilla-naming-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(path);
        std::fs::remove_dir_all(&path).ok();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
