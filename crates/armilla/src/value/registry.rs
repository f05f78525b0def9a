//! The valuetypes that an ORB knows beside those that the IDL of parameters tells.

use super::{Kind, State};
use crate::exception::{Minor, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use armilla_cdr::TypeCode;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// By repository id.
#[derive(Default)]
pub(crate) struct Values(RwLock<HashMap<Cow<'static, str>, Known>>);

enum Known {
    /// A type of the program.
    Compiled(Kind),
    /// One of which the program has the TypeCode.
    Described(TypeCode),
}

impl Part for Values {
    const SLOT: PartSlot = PartSlot::Values;
}

impl Orb {
    /// Makes the valuetype `T` known, so that values of it are accepted where the IDL that `T` comes
    /// from does not tell: as a [`ValueBase`](crate::ValueBase), and as a type of other IDL that
    /// `T` inherits from. It takes the place of another one with its repository id:
    /// `register_value_factory` (CORBA 3.4 Part 1, 8.5.4).
    pub fn register_value<T: State>(&self) {
        let mut values = self.part::<Values>().0.write().unwrap_or_else(PoisonError::into_inner);
        values.insert(T::REPOSITORY_ID.into(), Known::Compiled(Kind::of::<T>()));
    }

    /// Makes a valuetype known that the program has only the TypeCode of, from an interface repository
    /// for instance: so that [dynamic calls](crate::dynamic), dynamic servants and `any`s take its values
    /// whole where the declared type is one that it inherits from. One that was registered with
    /// [`register_value`](Self::register_value) stays as it is.
    ///
    /// ```
    /// # use armilla::{Orb, TypeCode};
    /// let name = ("name", TypeCode::String(0), true);
    /// let shape = TypeCode::value("IDL:Shape:1.0", "Shape", 0, TypeCode::Null, [name]);
    /// let radius = ("radius", TypeCode::Double, true);
    /// let cycle = TypeCode::value("IDL:Circle:1.0", "Circle", 0, shape, [radius]);
    /// let orb = Orb::new()?;
    /// orb.register_value_type(&cycle)?;
    /// assert!(orb.has_value("IDL:Circle:1.0"));
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when it is not the type of a valuetype, or of a boxed value.
    pub fn register_value_type(&self, type_code: &TypeCode) -> Result<(), SystemException> {
        let code = type_code.resolved();
        let Some(id) = code.id().filter(|_| code.is_valuetype()) else {
            let what = format!("{:?} is no valuetype", code.kind());
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        };
        let mut values = self.part::<Values>().0.write().unwrap_or_else(PoisonError::into_inner);
        match values.get(id) {
            Some(Known::Compiled(_)) => {}
            _ => drop(values.insert(id.to_owned().into(), Known::Described(code.clone()))),
        }
        Ok(())
    }

    /// Forgets the valuetype that was registered with this repository id: `unregister_value_factory`. What
    /// the IDL of a parameter tells stays known.
    ///
    /// # Errors
    /// `BAD_PARAM` (reason 1) when none is registered.
    pub fn unregister_value(&self, repository_id: &str) -> Result<(), SystemException> {
        let mut values = self.part::<Values>().0.write().unwrap_or_else(PoisonError::into_inner);
        match values.remove(repository_id) {
            Some(_) => Ok(()),
            None => {
                let what = format!("no valuetype {repository_id:?} is registered");
                Err(SystemException::bad_param(Minor::BAD_PARAM_NO_VALUE_FACTORY, what))
            }
        }
    }

    /// Whether a valuetype is registered with this repository id: `lookup_value_factory`.
    pub fn has_value(&self, repository_id: &str) -> bool {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        values.contains_key(repository_id)
    }

    /// The valuetype of the program with this repository id, if it was registered.
    pub(crate) fn value_kind(&self, repository_id: &str) -> Option<Kind> {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        match values.get(repository_id)? {
            Known::Compiled(kind) => Some(*kind),
            Known::Described(_) => None,
        }
    }

    /// The TypeCode of the valuetype with this repository id, if it was registered.
    pub(crate) fn value_type_code(&self, repository_id: &str) -> Option<TypeCode> {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        match values.get(repository_id)? {
            Known::Compiled(kind) => Some(kind.type_code()),
            Known::Described(code) => Some(code.clone()),
        }
    }

    /// How deep the values of a message may lead to one another.
    pub(crate) fn value_depth(&self) -> u32 {
        self.settings().value_depth
    }
}
