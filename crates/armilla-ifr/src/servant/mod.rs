//! The repository as CORBA objects. It holds no logic: `model` has that.
//!
//! One servant type, [`Def`], is every kind of definition; which interface an object has follows
//! from its kind. `objects` goes from definitions to references and back, `contained`, `container`,
//! `types`, `interfaces` and `values` implement the interfaces, `methods` has what several of them
//! declare alike, `describe` makes the descriptions.

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

/// What every method returns.
type Result<T = (), E = SystemException> = std::result::Result<T, E>;

/// The name under which the repository is published.
pub const REPOSITORY: &str = "InterfaceRepository";

/// Makes objects of all that `store` holds, and gives the repository. It is published under
/// [`REPOSITORY`], so that `corbaloc::HOST:PORT/InterfaceRepository` reaches it, and becomes the
/// initial reference of that name, so that the objects of this ORB tell their interfaces.
///
/// References outlive the process: those to what is in a [`Store`] that is kept, and of a mere
/// [`Model`] those to what has a repository id.
///
/// # Errors
/// `OBJ_ADAPTER` when the ORB serves a repository already; `INITIALIZE` when it cannot listen.
pub fn serve(orb: &Orb, store: impl Into<Store>) -> Result<RepositoryRef> {
    let store = store.into();
    let poa = orb.root_poa().create_poa(REPOSITORY).persistent().user_ids().build()?;
    // The numbers of types without a name mean something else when they are given anew.
    let known = |definition: &Definition| store.is_persistent() || !definition.id.is_empty();
    let known: Vec<DefId> =
        store.model().iter().filter(|(_, d)| known(d)).map(|(id, _)| id).collect();
    let service = Arc::new(Service { store: RwLock::new(store), objects: Objects::new(poa) });
    let root = Def { service: service.clone(), id: ROOT };
    let repository: RepositoryRef = root.reference(ROOT)?;
    // So that references that an earlier process made find them.
    known.into_iter().try_for_each(|id| root.object(id).map(drop))?;
    orb.publish(REPOSITORY, &repository)?;
    orb.register_initial_reference(REPOSITORY, &repository)?;
    Ok(repository)
}

/// What all servants share.
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
    /// Looks at the model. Within `look` no object may be asked for.
    fn read<T>(&self, look: impl FnOnce(&Model) -> Result<T, ModelError>) -> Result<T> {
        Ok(look(self.service.store().model())?)
    }

    /// Changes the model. Within `change` no object may be asked for.
    fn write<T>(&self, change: impl FnOnce(&mut Model) -> Result<T, ModelError>) -> Result<T> {
        let mut store = self.service.store.write().unwrap_or_else(PoisonError::into_inner);
        let (done, gone) = store.change(change)?;
        // Before their names can be given to others.
        gone.into_iter().for_each(|id| self.service.deactivate(id));
        Ok(done)
    }

    /// A copy of what this is.
    fn definition(&self) -> Result<Definition> {
        self.read(|model| model.definition(self.id).cloned())
    }

    /// Changes what belongs to this definition.
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

/// What a method answers whose definition is of another kind than its interface says.
#[cold]
fn wrong_kind<T>() -> Result<T> {
    Err(ModelError::Invalid("the definition is of another kind".to_owned()).into())
}
