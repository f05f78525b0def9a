//! Where the bridge knows interfaces from: its IDL, or the interface repository of a server.

use crate::model::Interface;
use crate::options::BridgeError;
use armilla::{Completion, ExceptionKind, Minor, Object, SystemException, TypeCode};
use armilla_ifr::model::Model;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The interface of an object of COM that no IDL describes.
pub const AUTOMATION: &str = "IDL:armilla/Bridge/Automation:1.0";

/// How many interfaces are remembered that servers have told.
const MOST_TOLD: usize = 1_000;

/// The interfaces that the bridge knows.
#[derive(Debug)]
pub(crate) struct Interfaces {
    model: Model,
    told: Mutex<HashMap<String, Arc<Interface>>>,
}

impl Interfaces {
    /// Those of these files, and the bridge's own.
    pub(crate) fn new(files: &[(String, String)]) -> Result<Self, BridgeError> {
        let own = ("ArmillaBridge.idl".to_owned(), include_str!("../idl/ArmillaBridge.idl").into());
        let mut models = Vec::new();
        for (name, text) in files.iter().chain([&own]) {
            let compiled = armilla_idl::parse_str(name, text, &armilla_idl::Options::new());
            let compiled = compiled.map_err(|errors| BridgeError::Idl(errors.to_string()))?;
            models.push((name.clone(), compiled.model));
        }
        let mut model = Model::new();
        model.add_files(&models).map_err(|error| BridgeError::Idl(error.to_string()))?;
        Ok(Self { model, told: Mutex::default() })
    }

    /// All of them, to be served as an interface repository.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the interface is the other one or inherits from it.
    pub(crate) fn is_a(&self, interface: &str, other: &str) -> bool {
        let known = self.model.lookup_id(interface);
        interface == other || known.is_some_and(|id| self.model.is_a(id, other))
    }

    /// An interface that the IDL has.
    pub(crate) fn known(&self, repository_id: &str) -> Option<Arc<Interface>> {
        if let Some(interface) = self.remembered(repository_id) {
            return Some(interface);
        }
        let id = self.model.lookup_id(repository_id)?;
        let signatures = self.model.signatures(id).ok()?;
        Some(self.remember(repository_id, Interface::new(signatures)))
    }

    /// The interface of an object: that of the IDL, or what the repository of its server says.
    ///
    /// # Errors
    /// `INTF_REPOS` if nobody knows it.
    pub(crate) fn of(&self, object: &Object) -> Result<(String, Arc<Interface>), SystemException> {
        let mut declared = object.ior().type_id;
        if declared.is_empty() {
            // A URL does not tell.
            declared = object.repository_id()?;
        }
        if let Some(interface) = self.known(&declared) {
            return Ok((declared, interface));
        }
        let signatures = armilla_ifr::discover(object).map_err(|exception| {
            let (kind, minor) = (ExceptionKind::IntfRepos, Minor::default());
            SystemException::new(kind, minor, Completion::No)
                .with_reason(format!("nobody knows the interface {declared}: {}", exception))
                .with_hint("give the bridge its IDL with --idl, or serve an interface repository")
        })?;
        let interface = self.remember(&declared, Interface::new(signatures));
        Ok((declared, interface))
    }

    /// A type by its name or repository id.
    pub(crate) fn type_named(&self, name: &str) -> Option<TypeCode> {
        self.model.type_named(name)
    }

    fn remembered(&self, repository_id: &str) -> Option<Arc<Interface>> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(repository_id).cloned()
    }

    fn remember(&self, repository_id: &str, interface: Interface) -> Arc<Interface> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // Servers name interfaces: what they may fill is bounded.
        if told.len() >= MOST_TOLD {
            told.clear();
        }
        let interface = Arc::new(interface);
        told.insert(repository_id.to_owned(), interface.clone());
        interface
    }
}
