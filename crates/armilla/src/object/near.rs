//! What never leaves its process: references to local interfaces, and values of native types.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A reference to an object of a local interface, which lives in this process and cannot be called
/// from another (CORBA 3.4 Part 1, 7.8.7). It may be nil.
pub struct LocalRef<I: ?Sized>(Option<Arc<I>>);

impl<I: ?Sized> LocalRef<I> {
    /// The nil reference.
    pub const fn nil() -> Self {
        Self(None)
    }

    /// The object; `None` for the nil reference.
    pub fn get(&self) -> Option<&I> {
        self.0.as_deref()
    }

    /// Whether it denotes no object.
    pub const fn is_nil(&self) -> bool {
        self.0.is_none()
    }
}

impl<I: ?Sized> From<Arc<I>> for LocalRef<I> {
    fn from(object: Arc<I>) -> Self {
        Self(Some(object))
    }
}

impl<I: ?Sized> Clone for LocalRef<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I: ?Sized> Default for LocalRef<I> {
    fn default() -> Self {
        Self::nil()
    }
}

impl<I: ?Sized> PartialEq for LocalRef<I> {
    /// Whether both denote the same object, or none.
    fn eq(&self, other: &Self) -> bool {
        same(self.0.as_ref(), other.0.as_ref())
    }
}

impl<I: ?Sized> fmt::Debug for LocalRef<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_nil() { "LocalRef(nil)" } else { "LocalRef(..)" })
    }
}

/// A value of a type that IDL calls `native`, of which only the program knows what it is.
#[derive(Clone, Default)]
pub struct Native(Option<Arc<dyn Any + Send + Sync>>);

impl Native {
    /// A native value.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Some(Arc::new(value)))
    }

    /// The value, if it is a `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

impl PartialEq for Native {
    /// Whether both are the same value in memory, or none.
    fn eq(&self, other: &Self) -> bool {
        same(self.0.as_ref(), other.0.as_ref())
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Native(..)")
    }
}

fn same<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
        (a, b) => a.is_none() && b.is_none(),
    }
}
