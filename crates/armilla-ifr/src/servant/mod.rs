//! The repository as CORBA objects. It holds no logic: `model` has that.
//!
//! One servant type, [`Def`], is every kind of definition; which interface an object has follows
//! from its kind. `objects` goes from definitions to references and back, `contained`, `container`,
//! `types`, `interfaces` and `values` implement the interfaces, `describe` makes the descriptions.

mod contained;
mod container;
mod describe;
mod interfaces;
mod objects;
mod types;
mod values;

use crate::corba::RepositoryRef;
use crate::model::{DefId, Definition, Kind, Model, ModelError, ROOT};
use armilla::{Orb, SystemException};
use objects::Objects;
use std::sync::{Arc, PoisonError, RwLock};

/// What every method returns.
type Result<T = (), E = SystemException> = std::result::Result<T, E>;

/// The name under which the repository is published.
pub const REPOSITORY: &str = "InterfaceRepository";

/// Makes objects of all that `model` holds, and gives the repository. It is published under
/// [`REPOSITORY`], so that `corbaloc::HOST:PORT/InterfaceRepository` reaches it, and becomes the
/// initial reference of that name, so that the objects of this ORB tell their interfaces.
///
/// References to definitions outlive the process: they name them by their repository ids.
///
/// # Errors
/// `OBJ_ADAPTER` when the ORB serves a repository already; `INITIALIZE` when it cannot listen.
pub fn serve(orb: &Orb, model: Model) -> Result<RepositoryRef> {
    let poa = orb.root_poa().create_poa(REPOSITORY).persistent().user_ids().build()?;
    let named: Vec<DefId> =
        model.iter().filter(|(_, d)| !d.id.is_empty()).map(|(id, _)| id).collect();
    let service = Arc::new(Service { model: RwLock::new(model), objects: Objects::new(poa) });
    let root = Def { service: service.clone(), id: ROOT };
    let repository: RepositoryRef = root.reference(ROOT)?;
    // So that references that an earlier process made find them.
    named.into_iter().try_for_each(|id| root.object(id).map(drop))?;
    orb.publish(REPOSITORY, &repository)?;
    orb.register_initial_reference(REPOSITORY, &repository)?;
    Ok(repository)
}

/// What all servants share.
struct Service {
    model: RwLock<Model>,
    objects: Objects,
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
        let model = self.service.model.read().unwrap_or_else(PoisonError::into_inner);
        Ok(look(&model)?)
    }

    /// Changes the model.
    fn write<T>(&self, change: impl FnOnce(&mut Model) -> Result<T, ModelError>) -> Result<T> {
        let mut model = self.service.model.write().unwrap_or_else(PoisonError::into_inner);
        Ok(change(&mut model)?)
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
fn mismatched<T>() -> Result<T> {
    Err(ModelError::Invalid("the definition is of another kind".to_owned()).into())
}
