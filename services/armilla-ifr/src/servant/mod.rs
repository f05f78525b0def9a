//! The repository as CORBA objects, without logic of its own: `model` has the rules.
//!
//! One servant type, [`Def`], implements every kind of definition; the kind determines the
//! interface of the object. `objects` maps definitions to references and back, `contained`,
//! `container`, `types`, `interfaces` and `values` implement the interfaces, `methods` has what
//! several of them declare alike, `describe` makes the descriptions.

mod contained;
mod container;
mod describe;
mod interfaces;
mod methods;
mod objects;
mod types;
mod values;

use crate::corba::RepositoryRef;
use crate::model::{DefId, Definition, Kind, Model, ModelError, ROOT};
use crate::store::Store;
use armilla::{Orb, SystemException};
use objects::Objects;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The result of every method.
type Result<T = (), E = SystemException> = std::result::Result<T, E>;

/// The name under which the repository is published.
pub const REPOSITORY: &str = "InterfaceRepository";

/// Publishes the definitions of `store` as CORBA objects, and returns the repository. It is
/// available as `corbaloc::HOST:PORT/InterfaceRepository` ([`REPOSITORY`]), and as the initial
/// reference of that name, through which the objects of this ORB answer `get_interface`.
///
/// References stay valid after a restart: all references if the [`Store`] is persistent, and those
/// to definitions with a repository id if it is a [`Model`] in memory.
///
/// # Errors
/// `OBJ_ADAPTER` if the ORB serves a repository already; `INITIALIZE` if it cannot listen.
///
/// # Examples
/// ```
/// use armilla::Orb;
/// use armilla_ifr::corba::Repository;
/// use armilla_ifr::model::{Kind, Model, ROOT};
///
/// let mut model = Model::new();
/// model.create(ROOT, "IDL:Bank:1.0", "Bank", "1.0", Kind::Module)?;
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let repository = armilla_ifr::serve(&orb, model)?;
/// assert!(!repository.lookup_id("IDL:Bank:1.0")?.is_nil());
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(orb: &Orb, store: impl Into<Store>) -> Result<RepositoryRef> {
    let store = store.into();
    let poa = orb.root_poa().create_poa(REPOSITORY).persistent().user_ids().build()?;
    // In memory, the number of an anonymous type may denote another type after a restart.
    let known = |definition: &Definition| store.is_persistent() || !definition.id.is_empty();
    let known: Vec<DefId> =
        store.model().iter().filter(|(_, d)| known(d)).map(|(id, _)| id).collect();
    let service = Arc::new(Service { store: RwLock::new(store), objects: Objects::new(poa) });
    let root = Def { service: service.clone(), id: ROOT };
    let repository: RepositoryRef = root.reference(ROOT)?;
    // Activate all objects to which references of an earlier process may exist.
    known.into_iter().try_for_each(|id| root.object(id).map(drop))?;
    orb.publish(REPOSITORY, &repository)?;
    orb.register_initial_reference(REPOSITORY, &repository)?;
    Ok(repository)
}

/// The shared state of all servants.
struct Service {
    store: RwLock<Store>,
    objects: Objects,
}

impl Service {
    fn store(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The servant of one definition.
#[derive(Clone)]
struct Def {
    service: Arc<Service>,
    id: DefId,
}

impl Def {
    /// Reads the model under its lock. `look` must not call [`object`](Self::object), which locks,
    /// too.
    fn read<T>(&self, look: impl FnOnce(&Model) -> Result<T, ModelError>) -> Result<T> {
        Ok(look(self.service.store().model())?)
    }

    /// Changes the model under its lock. `change` must not call [`object`](Self::object).
    fn write<T>(&self, change: impl FnOnce(&mut Model) -> Result<T, ModelError>) -> Result<T> {
        let mut store = self.service.store.write().unwrap_or_else(PoisonError::into_inner);
        let (done, gone) = store.change(change)?;
        // Deactivate before the object ids can be reused.
        gone.into_iter().for_each(|id| self.service.deactivate(id));
        Ok(done)
    }

    /// A copy of this definition.
    fn definition(&self) -> Result<Definition> {
        self.read(|model| model.definition(self.id).cloned())
    }

    /// Changes the data of this definition.
    fn change(&self, change: impl FnOnce(&mut Kind)) -> Result {
        self.write(|model| {
            let mut kind = model.definition(self.id)?.kind.clone();
            change(&mut kind);
            model.set_kind(self.id, kind)
        })
    }

    fn type_code(&self, id: DefId) -> Result<armilla::TypeCode> {
        self.read(|model| model.type_code(id))
    }
}

/// The error of a method if the definition is not of the kind of its interface.
#[cold]
fn wrong_kind<T>() -> Result<T> {
    Err(ModelError::Invalid("the definition is of another kind".to_owned()).into())
}
