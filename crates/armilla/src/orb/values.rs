//! The valuetypes that an ORB knows beside those that the IDL of parameters tells.

use super::Orb;
use crate::exception::{Minor, SystemException};
use crate::value::{Kind, State};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// By repository id.
#[derive(Default)]
pub(super) struct Values(RwLock<HashMap<&'static str, Kind>>);

impl Orb {
    /// Makes the valuetype `T` known, so that values of it are accepted where the IDL that `T` comes
    /// from does not tell: as a [`ValueBase`](crate::ValueBase), and as a type of other IDL that
    /// `T` inherits from. It takes the place of another one with its repository id:
    /// `register_value_factory` (CORBA 3.4 Part 1, 8.5.4).
    pub fn register_value<T: State>(&self) {
        let mut values = self.0.values.0.write().unwrap_or_else(PoisonError::into_inner);
        values.insert(T::REPOSITORY_ID, Kind::of::<T>());
    }

    /// Forgets the valuetype that was registered with this repository id: `unregister_value_factory`. What
    /// the IDL of a parameter tells stays known.
    ///
    /// # Errors
    /// `BAD_PARAM` (reason 1) when none is registered.
    pub fn unregister_value(&self, repository_id: &str) -> Result<(), SystemException> {
        let mut values = self.0.values.0.write().unwrap_or_else(PoisonError::into_inner);
        match values.remove(repository_id) {
            Some(_) => Ok(()),
            None => {
                let what = format!("no valuetype {repository_id:?} is registered");
                Err(SystemException::bad_param(Minor::OMG_1, what))
            }
        }
    }

    /// Whether a valuetype is registered with this repository id: `lookup_value_factory`.
    pub fn has_value(&self, repository_id: &str) -> bool {
        self.value_kind(repository_id).is_some()
    }

    /// The valuetype with this repository id, if it was registered.
    pub(crate) fn value_kind(&self, repository_id: &str) -> Option<Kind> {
        let values = self.0.values.0.read().unwrap_or_else(PoisonError::into_inner);
        values.get(repository_id).copied()
    }

    /// How deep the values of a message may lead to one another.
    pub(crate) fn value_depth(&self) -> u32 {
        self.settings().value_depth
    }
}
