//! The valuetypes that a program registers with an ORB.
//!
//! The types that the IDL of a parameter declares need no registration; they are in
//! `Valuetype::FAMILY`.

use super::{Kind, State};
use crate::exception::{Minor, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use armilla_cdr::TypeCode;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The registered valuetypes, by repository id.
#[derive(Default)]
pub(crate) struct Values(RwLock<HashMap<Cow<'static, str>, Known>>);

enum Known {
    /// A type that the IDL compiler generated.
    Compiled(Kind),
    /// A type of which the program has only the TypeCode.
    Described(TypeCode),
}

impl Part for Values {
    const SLOT: PartSlot = PartSlot::Values;
}

impl Orb {
    /// Registers the valuetype `T`: `register_value_factory` (CORBA 3.4 Part 1, 8.5.4). It replaces
    /// a type with the same repository id.
    ///
    /// Registration is needed where the declared type of a parameter does not lead to `T`: where it
    /// is [`ValueBase`](crate::ValueBase), or a base of `T` from another IDL file.
    #[doc(alias = "register_value_factory")]
    pub fn register_value<T: State>(&self) {
        let mut values = self.part::<Values>().0.write().unwrap_or_else(PoisonError::into_inner);
        values.insert(T::REPOSITORY_ID.into(), Known::Compiled(Kind::of::<T>()));
    }

    /// Registers a valuetype of which the program has only the TypeCode, for example from an
    /// interface repository. [Dynamic calls](crate::dynamic), dynamic servants and `any`s then
    /// accept its values untruncated where the declared type is one of its bases. It does not
    /// replace a type that was registered with [`register_value`](Self::register_value).
    ///
    /// ```
    /// # use armilla::{Orb, TypeCode};
    /// let name = ("name", TypeCode::String(0), true);
    /// let shape = TypeCode::value("IDL:Shape:1.0", "Shape", 0, TypeCode::Null, [name]);
    /// let radius = ("radius", TypeCode::Double, true);
    /// let circle = TypeCode::value("IDL:Circle:1.0", "Circle", 0, shape, [radius]);
    /// let orb = Orb::new()?;
    /// orb.register_value_type(&circle)?;
    /// assert!(orb.has_value("IDL:Circle:1.0"));
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when the TypeCode is not that of a valuetype or a boxed value.
    pub fn register_value_type(&self, type_code: &TypeCode) -> Result<(), SystemException> {
        let code = type_code.resolved();
        let Some(id) = code.id().filter(|_| code.is_valuetype()) else {
            let what = format!("{:?} is not a valuetype", code.kind());
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        };
        let mut values = self.part::<Values>().0.write().unwrap_or_else(PoisonError::into_inner);
        match values.get(id) {
            Some(Known::Compiled(_)) => {}
            _ => drop(values.insert(id.to_owned().into(), Known::Described(code.clone()))),
        }
        Ok(())
    }

    /// Removes the valuetype with this repository id: `unregister_value_factory`. The types that
    /// the IDL of a parameter declares stay known.
    ///
    /// ```
    /// # use armilla::{Orb, TypeCode};
    /// let orb = Orb::new()?;
    /// let next = ("next", TypeCode::recursive("IDL:Node:1.0"), true);
    /// let node = TypeCode::value("IDL:Node:1.0", "Node", 0, TypeCode::Null, [next]);
    /// orb.register_value_type(&node)?;
    /// orb.unregister_value("IDL:Node:1.0")?;
    /// assert!(!orb.has_value("IDL:Node:1.0"));
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 1) when no type with this id is registered.
    #[doc(alias = "unregister_value_factory")]
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
    #[doc(alias = "lookup_value_factory")]
    pub fn has_value(&self, repository_id: &str) -> bool {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        values.contains_key(repository_id)
    }

    /// The registered compiled valuetype with this repository id.
    pub(crate) fn value_kind(&self, repository_id: &str) -> Option<Kind> {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        match values.get(repository_id)? {
            Known::Compiled(kind) => Some(*kind),
            Known::Described(_) => None,
        }
    }

    /// The TypeCode of the registered valuetype with this repository id.
    pub(crate) fn value_type_code(&self, repository_id: &str) -> Option<TypeCode> {
        let values = self.part::<Values>().0.read().unwrap_or_else(PoisonError::into_inner);
        match values.get(repository_id)? {
            Known::Compiled(kind) => Some(kind.type_code()),
            Known::Described(code) => Some(code.clone()),
        }
    }

    /// How deeply the values of a message may be nested.
    pub(crate) fn value_depth(&self) -> u32 {
        self.settings().value_depth
    }
}
