//! The cursor of a dynamic value, and access to its components (CORBA 3.4 Part 1, 9.2.3.5).

use super::comparison::Comparison;
use super::shared::Shared;
use super::tree::{Content, is_octet};
use super::union::Discriminator;
use super::{DynAny, Result};
use armilla_cdr::TypeCode;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A mutable borrow of a component of a [`DynAny`].
///
/// Dropping it applies the changes in two cases. Other handles of a valuetype see the change of a
/// member then; of several borrows of the same member, the last that is dropped with a change wins.
/// And a union gets the member that a changed discriminator selects.
///
/// ```
/// use armilla::dynamic::DynAny;
/// use armilla::{Any, TypeCode};
///
/// let mut samples = DynAny::from_any(&Any::new(&vec![1_i32, 2, 3])?)?;
/// assert_eq!(samples.component_count(), 3);
/// samples.seek(1);
/// samples.current_component()?.unwrap().insert_long(20)?;
/// assert_eq!(samples.to_any()?.get::<Vec<i32>>()?, Some(vec![1, 20, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Component<'d>(Place<'d>);

enum Place<'d> {
    Own(&'d mut DynAny),
    Discriminator(Discriminator<'d>),
    /// A member of a valuetype.
    Member(Member<'d>),
}

/// A member of a valuetype, which other handles may access at the same time.
struct Member<'d> {
    value: &'d Shared,
    index: usize,
    original: Arc<DynAny>,
    /// The copy that is changed, created on the first mutable access.
    changed: Option<DynAny>,
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if let Some(changed) = self.changed.take() {
            let is_same = Comparison::is_same_as;
            self.value.put(self.index, &self.original, changed, is_same);
        }
    }
}

impl DynAny {
    /// The number of components. They are the members of a struct or valuetype, the elements of a
    /// sequence or array, and the discriminator and the member of a union.
    pub fn component_count(&self) -> usize {
        match &self.content {
            Content::Octets(octets) => octets.len(),
            Content::Parts(parts) => parts.len(),
            Content::Union(union) => 1 + usize::from(union.member.is_some()),
            Content::Value(Some(value)) => value.count(),
            _ => 0,
        }
    }

    /// Moves the cursor to the component `index`. Returns `false` if there is none; the cursor is
    /// at no component then.
    pub fn seek(&mut self, index: usize) -> bool {
        self.current = (index < self.component_count()).then_some(index);
        self.current.is_some()
    }

    /// Moves the cursor to the first component.
    pub fn rewind(&mut self) {
        self.seek(0);
    }

    /// Moves the cursor to the next component. Returns `false` if there is none; the cursor is at
    /// no component then.
    #[allow(clippy::should_implement_trait)] // CORBA has this name, and it is not an iterator.
    pub fn next(&mut self) -> bool {
        self.seek(self.current.map_or(0, |current| current + 1))
    }

    /// The index of the component at the cursor.
    pub const fn current(&self) -> Option<usize> {
        self.current
    }

    /// The component at the cursor; `None` when the cursor is at no component.
    ///
    /// # Errors
    /// [`TypeMismatch`](super::DynAnyError::TypeMismatch) for values of types that have no
    /// components, such as an empty exception.
    pub fn current_component(&mut self) -> Result<Option<Component<'_>>> {
        let composed = match &self.content {
            Content::Parts(parts) => {
                let is_struct =
                    matches!(self.resolved(), TypeCode::Struct(_) | TypeCode::Exception(_));
                !(is_struct && parts.is_empty())
            }
            Content::Octets(_) | Content::Union(_) | Content::Value(_) => true,
            _ => false,
        };
        match self.current {
            _ if !composed => Err(self.mismatch("composed")),
            Some(current) => Ok(self.component(current)),
            None => Ok(None),
        }
    }

    /// The component `index`. The cursor does not move.
    pub fn component(&mut self, index: usize) -> Option<Component<'_>> {
        self.expand();
        if index == 0 && matches!(self.content, Content::Union(_)) {
            return Discriminator::of(self).map(|place| Component(Place::Discriminator(place)));
        }
        Some(Component(match &mut self.content {
            Content::Parts(parts) => Place::Own(parts.get_mut(index)?),
            Content::Union(union) if index == 1 => Place::Own(union.member.as_mut()?),
            Content::Value(Some(value)) => {
                let original = value.state().get(index)?.clone();
                Place::Member(Member { value, index, original, changed: None })
            }
            _ => return None,
        }))
    }

    /// Expands elements that are stored as octets into values.
    pub(super) fn expand(&mut self) {
        let Content::Octets(octets) = &self.content else { return };
        let (TypeCode::Sequence(element, _) | TypeCode::Array(element, _)) = self.resolved() else {
            return;
        };
        let is_char = matches!(self.types.resolve(element), TypeCode::Char);
        debug_assert!(is_octet(self.types.resolve(element)));
        let part = |octet: &u8| match is_char {
            true => Content::Char(*octet),
            false => Content::Octet(*octet),
        };
        let part = |octet| Self::with((**element).clone(), &self.types, part(octet));
        self.content = Content::Parts(octets.iter().map(part).collect());
    }
}

impl Deref for Component<'_> {
    type Target = DynAny;

    fn deref(&self) -> &DynAny {
        match &self.0 {
            Place::Own(component) => component,
            Place::Discriminator(discriminator) => discriminator.value(),
            Place::Member(member) => member.changed.as_ref().unwrap_or(&member.original),
        }
    }
}

impl DerefMut for Component<'_> {
    fn deref_mut(&mut self) -> &mut DynAny {
        match &mut self.0 {
            Place::Own(component) => component,
            Place::Discriminator(discriminator) => discriminator.value_mut(),
            Place::Member(member) => {
                member.changed.get_or_insert_with(|| (*member.original).clone())
            }
        }
    }
}

impl std::fmt::Debug for Component<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
