//! Types that cannot be marshalled: references to local interfaces, and values of native types.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A reference to an object with a local interface, which only this process can call (CORBA 3.4
/// Part 1, 7.8.7). It may be nil.
///
/// ```
/// use armilla::LocalRef;
/// use std::sync::Arc;
///
/// /// The trait of `local interface Clock { long now(); };`.
/// trait Clock {
///     fn now(&self) -> i32;
/// }
///
/// struct Stopped;
///
/// impl Clock for Stopped {
///     fn now(&self) -> i32 {
///         0
///     }
/// }
///
/// let clock: LocalRef<dyn Clock> = LocalRef::from(Arc::new(Stopped) as Arc<dyn Clock>);
/// assert_eq!(clock.get().map(Clock::now), Some(0));
/// assert!(LocalRef::<dyn Clock>::nil().is_nil());
/// ```
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

    /// Whether this is the nil reference.
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
    /// Whether both denote the same object, or both are nil.
    fn eq(&self, other: &Self) -> bool {
        same(self.0.as_ref(), other.0.as_ref())
    }
}

impl<I: ?Sized> fmt::Debug for LocalRef<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_nil() { "LocalRef(nil)" } else { "LocalRef(..)" })
    }
}

/// A value of an IDL `native` type, whose Rust type only the program knows. It may be empty.
///
/// ```
/// use armilla::Native;
///
/// let handle = Native::new(7_u64);
/// assert_eq!(handle.get::<u64>(), Some(&7));
/// assert_eq!(handle.get::<String>(), None);
/// ```
#[derive(Clone, Default)]
pub struct Native(Option<Arc<dyn Any + Send + Sync>>);

impl Native {
    /// Creates a native value.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Some(Arc::new(value)))
    }

    /// The value, if it is a `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

impl PartialEq for Native {
    /// Whether both share the same value in memory, or both are empty.
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
