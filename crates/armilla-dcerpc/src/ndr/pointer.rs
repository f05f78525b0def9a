//! Pointers within structures, and those at the top that may be null (C706 14.3.10 to 14.3.12).

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{NdrError, NdrErrorKind};
use super::value::Ndr;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ops::Deref;

/// A unique pointer: null, or to a value of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unique<T>(Place<T>);

/// A reference pointer within a structure or an array: it is never null.
///
/// A reference pointer that is a parameter leaves no trace on the wire; its type in a table is that
/// of the value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference<T>(Place<T>);

/// What a pointer leads to, also before that is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place<T> {
    Null,
    /// It follows after the structure.
    Later,
    Here(Box<T>),
}

impl<T: Ndr> Place<T> {
    fn write(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match self {
            Self::Here(value) => value.write(out),
            Self::Null | Self::Later => Ok(()),
        }
    }

    fn read(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        if matches!(self, Self::Later) {
            *self = Self::Here(Box::new(input.nested(T::read)?));
        }
        Ok(())
    }
}

impl<T> Unique<T> {
    /// The pointer that leads nowhere.
    pub const NULL: Self = Self(Place::Null);

    /// A pointer to this value.
    pub fn new(value: T) -> Self {
        Self(Place::Here(Box::new(value)))
    }

    /// What it leads to; `None` if it is null.
    pub fn get(&self) -> Option<&T> {
        match &self.0 {
            Place::Here(value) => Some(value),
            Place::Null | Place::Later => None,
        }
    }

    /// Takes out what it leads to; `None` if it is null.
    pub fn into_inner(self) -> Option<T> {
        match self.0 {
            Place::Here(value) => Some(*value),
            Place::Null | Place::Later => None,
        }
    }
}

impl<T> Default for Unique<T> {
    fn default() -> Self {
        Self::NULL
    }
}

impl<T> From<Option<T>> for Unique<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::NULL, Self::new)
    }
}

impl<T: Ndr> Ndr for Unique<T> {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match &self.0 {
            Place::Here(_) => {
                out.referent();
            }
            Place::Null | Place::Later => out.number([0; 4]),
        }
        Ok(())
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.write(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        Ok(Self(if input.u32()? == 0 { Place::Null } else { Place::Later }))
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        self.0.read(input)
    }
}

impl<T> Reference<T> {
    /// A pointer to this value.
    pub fn new(value: T) -> Self {
        Self(Place::Here(Box::new(value)))
    }

    /// What it leads to. It is `None` only in [`Ndr::decode_referents`] of a type that holds it,
    /// before that has read it.
    pub fn get(&self) -> Option<&T> {
        match &self.0 {
            Place::Here(value) => Some(value),
            Place::Null | Place::Later => None,
        }
    }

    /// Takes out what it leads to; see [`Reference::get`].
    pub fn into_inner(self) -> Option<T> {
        match self.0 {
            Place::Here(value) => Some(*value),
            Place::Null | Place::Later => None,
        }
    }
}

impl<T: Ndr> Ndr for Reference<T> {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.referent();
        Ok(())
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.write(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        match input.u32()? {
            0 => Err(input.error(NdrErrorKind::NullReference)),
            _ => Ok(Self(Place::Later)),
        }
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        self.0.read(input)
    }
}

/// A full pointer: null, or to a value that others may lead to as well. The value travels once,
/// and the pointers to it are equal again where they arrive. Circles cannot be expressed.
#[derive(Debug, Clone)]
pub struct Full<T> {
    value: Option<Arc<T>>,
    /// The referent id of a value that follows after the structure.
    later: Option<u32>,
}

impl<T> Full<T> {
    /// The pointer that leads nowhere.
    pub const NULL: Self = Self { value: None, later: None };

    /// A pointer to this value, which others may share.
    pub fn new(value: Arc<T>) -> Self {
        Self { value: Some(value), later: None }
    }

    /// What it leads to; `None` if it is null.
    pub fn get(&self) -> Option<&Arc<T>> {
        self.value.as_ref()
    }

    /// Whether both lead to the same value, or are both null.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

impl<T> Default for Full<T> {
    fn default() -> Self {
        Self::NULL
    }
}

impl<T: PartialEq> PartialEq for Full<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Where the value lies, as a number: two pointers to it are equal.
fn place<T>(value: &Arc<T>) -> usize {
    core::ptr::from_ref(value.deref()).addr()
}

impl<T: Ndr + 'static> Ndr for Full<T> {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match &self.value {
            Some(value) => out.full_referent(place(value)),
            None => out.number([0; 4]),
        }
        Ok(())
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match &self.value {
            Some(value) if out.first_time(place(value)) => value.write(out),
            _ => Ok(()),
        }
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        let id = input.u32()?;
        Ok(Self { value: None, later: (id != 0).then_some(id) })
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        let Some(id) = self.later.take() else { return Ok(()) };
        if let Some(value) = input.alias::<Arc<T>>(id)? {
            self.value = Some(value);
            return Ok(());
        }
        input.remember::<Arc<T>>(id, None);
        let value = Arc::new(input.nested(T::read)?);
        input.remember(id, Some(value.clone()));
        self.value = Some(value);
        Ok(())
    }
}
