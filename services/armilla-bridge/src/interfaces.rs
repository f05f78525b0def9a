//! Where the bridge knows interfaces from: its IDL, or the interface repository of a server.

use crate::model::Interface;
use crate::number::Numbered;
use crate::options::BridgeError;
use armilla::{Completion, ExceptionKind, Minor, Object, SystemException, TypeCode};
use armilla_dcerpc::Status;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::client::{Error as ComError, Proxy};
use armilla_idl::model::{DeclId, DeclKind};
use armilla_ifr::model::{Model, ModelError};
use std::collections::{BTreeMap, HashMap};
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
    /// Interfaces of CORBA, by repository id, whose objects of COM have one that the IDL of COM has.
    of_com: HashMap<String, Arc<Numbered>>,
    /// How views are called by number, by the repository id of the interface.
    views: Mutex<HashMap<String, Arc<[Arc<Numbered>]>>>,
}

impl Interfaces {
    /// Those of these files, and the bridge's own.
    pub(crate) fn new(
        files: &[(String, String)],
        by_number: &BTreeMap<String, String>,
    ) -> Result<Self, BridgeError> {
        let own = ("ArmillaBridge.idl".to_owned(), include_str!("../idl/ArmillaBridge.idl").into());
        let mut models = Vec::new();
        for (name, text) in files.iter().chain([&own]) {
            let compiled = armilla_idl::parse_str(name, text, &armilla_idl::Options::new());
            let compiled = compiled.map_err(|errors| BridgeError::Idl(errors.to_string()))?;
            models.push((name.clone(), compiled.model));
        }
        let mut model = Model::new();
        model.add_files(&models).map_err(|error| BridgeError::Idl(error.to_string()))?;
        let of_com = pairs(&model, &models, by_number)?;
        let (told, views) = Default::default();
        Ok(Self { model, told, of_com, views })
    }

    /// The interface by which objects of COM are called by number that stand for one of CORBA: that of the
    /// IDL of COM, or else that of the view.
    fn of_objects(&self, repository_id: &str) -> Option<Arc<Numbered>> {
        match self.of_com.get(repository_id) {
            Some(numbered) => Some(numbered.clone()),
            None => self.numbered(repository_id).first().cloned(),
        }
    }

    /// Whether objects of COM with an interface of CORBA have one of the IDL of COM.
    pub(crate) fn of_com(&self, repository_id: &str) -> Option<&Arc<Numbered>> {
        self.of_com.get(repository_id)
    }

    /// How the operations of an interface are called by number by this proxy, if they are.
    pub(crate) fn called_by(&self, proxy: &Proxy, repository_id: &str) -> Option<Arc<Numbered>> {
        self.of_objects(repository_id).filter(|numbered| numbered.iid == proxy.iid())
    }

    /// A proxy by which the operations of an interface are called: by number if the object can be called
    /// so, or else by name.
    ///
    /// # Errors
    /// If the object can be called neither way.
    pub(crate) fn proxy_for(&self, proxy: Proxy, repository_id: &str) -> Result<Proxy, ComError> {
        let numbered = self.of_objects(repository_id);
        let by_name = proxy.iid() == DISPATCH.uuid;
        let Some(numbered) = numbered else {
            return if by_name { Ok(proxy) } else { proxy.query_interface(DISPATCH.uuid) };
        };
        let preferred = self.of_com.contains_key(repository_id);
        if proxy.iid() == numbered.iid || by_name && !preferred {
            return Ok(proxy);
        }
        match proxy.query_interface(numbered.iid) {
            Err(error) if error.status() == Some(Status::NO_INTERFACE) && by_name => Ok(proxy),
            Err(error) if error.status() == Some(Status::NO_INTERFACE) => {
                proxy.query_interface(DISPATCH.uuid)
            }
            found => found,
        }
    }

    /// How views of an interface are called by number: by the view of the interface, by those of its bases,
    /// and by interfaces of COM that stand for them. Without IDL there are none.
    pub(crate) fn numbered(&self, repository_id: &str) -> Arc<[Arc<Numbered>]> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = views.get(repository_id) {
            return known.clone();
        }
        // Only what the IDL has is remembered: servers cannot fill it.
        let Some(interface) = self.model.lookup_id(repository_id) else { return Arc::default() };
        let all = self.model.with_bases(interface);
        let of_com = all.iter().filter_map(|id| self.of_com.get(&self.model.get(*id)?.id).cloned());
        let own = all.iter().filter_map(|id| Numbered::of_corba(&self.model, *id).ok());
        // An interface that comes from COM is its own view.
        let own = own.filter(|own| !self.of_com.values().any(|it| it.iid == own.iid));
        let found: Arc<[_]> = own.map(Arc::new).chain(of_com).collect();
        views.insert(repository_id.to_owned(), found.clone());
        found
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

/// Which interfaces of CORBA stand for interfaces of COM: those that are named, and those whose repository id
/// is the IID.
fn pairs(
    model: &Model,
    files: &[(String, armilla_idl::model::Model)],
    named: &BTreeMap<String, String>,
) -> Result<HashMap<String, Arc<Numbered>>, BridgeError> {
    let of_com = files.iter().flat_map(|(_, idl)| {
        let all = idl.iter().filter(|(_, it)| matches!(it.kind, DeclKind::Com(_)));
        all.map(move |(id, declaration)| (idl, id, declaration))
    });
    let of_com: Vec<_> = of_com.collect();
    let mut pairs = HashMap::new();
    for (idl, id, declaration) in &of_com {
        let repository_id = &declaration.repository_id;
        if model.lookup_id(repository_id).is_some() {
            pairs.insert(repository_id.clone(), pair(model, repository_id, idl, *id)?);
        }
    }
    for (repository_id, name) in named {
        let found = of_com.iter().find(|(idl, id, declaration)| {
            idl.scoped_name(*id) == *name || declaration.name == *name
        });
        let unknown = || BridgeError::Unknown(format!("no IDL has the interface of COM {name}"));
        let (idl, id, _) = found.ok_or_else(unknown)?;
        pairs.insert(repository_id.clone(), pair(model, repository_id, idl, *id)?);
    }
    Ok(pairs)
}

/// An interface of COM for the operations of one of CORBA.
fn pair(
    model: &Model,
    repository_id: &str,
    idl: &armilla_idl::model::Model,
    id: DeclId,
) -> Result<Arc<Numbered>, BridgeError> {
    let unknown = || BridgeError::Unknown(format!("no IDL has the interface {repository_id}"));
    let interface = model.lookup_id(repository_id).ok_or_else(unknown)?;
    let invalid = |error: ModelError| BridgeError::Idl(error.to_string());
    let signatures = model.signatures(interface).map_err(invalid)?;
    let numbered = Numbered::of_com(idl, id, &signatures);
    let unlike = |why| {
        let name = idl.scoped_name(id);
        BridgeError::Idl(format!("{name} does not stand for {repository_id}: {why}"))
    };
    numbered.map(Arc::new).map_err(unlike)
}

/// The views of the interfaces of these files, as MIDL: for programs of COM that call by number.
///
/// # Errors
/// If the IDL has errors.
pub fn midl(files: &[(String, String)]) -> Result<String, BridgeError> {
    let interfaces = Interfaces::new(files, &BTreeMap::new())?;
    crate::number::midl(&interfaces.model).map_err(|error| BridgeError::Idl(error.to_string()))
}
