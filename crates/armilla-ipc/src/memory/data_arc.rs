//! An `Arc` that knows where its value lies.
//!
//! # Safety contract
//! The pointer comes from [`Arc::into_raw`], and a [`DataArc`] owns one strong count of that `Arc`
//! from then until it is dropped.

#![allow(unsafe_code)]

use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// An [`Arc`] that stores the address of its value instead of that of its counts. For a trait
/// object the address of the value depends on its alignment: an `Arc` looks that up and computes
/// the address with each access.
pub struct DataArc<T: ?Sized>(NonNull<T>);

// SAFETY: it is an `Arc<T>`.
unsafe impl<T: ?Sized + Send + Sync> Send for DataArc<T> {}
// SAFETY: the same.
unsafe impl<T: ?Sized + Send + Sync> Sync for DataArc<T> {}

impl<T: ?Sized> From<Arc<T>> for DataArc<T> {
    fn from(arc: Arc<T>) -> Self {
        // SAFETY: the address of a value is not null.
        Self(unsafe { NonNull::new_unchecked(Arc::into_raw(arc).cast_mut()) })
    }
}

impl<T: ?Sized> Deref for DataArc<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value lives as long as the count that this owns.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ?Sized> Clone for DataArc<T> {
    fn clone(&self) -> Self {
        // SAFETY: the pointer comes from `Arc::into_raw`, and this owns a count.
        unsafe { Arc::increment_strong_count(self.0.as_ptr()) };
        Self(self.0)
    }
}

impl<T: ?Sized> Drop for DataArc<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from `Arc::into_raw`, and the count that this owns goes with
        // it.
        drop(unsafe { Arc::from_raw(self.0.as_ptr()) });
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for DataArc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Aligned(u8);

    trait Value: Send + Sync {
        fn value(&self) -> u8;
    }

    impl Value for Aligned {
        fn value(&self) -> u8 {
            assert!(std::ptr::from_ref(self).is_aligned());
            self.0
        }
    }

    #[test]
    fn it_shares_its_value_with_other_counts() {
        let arc: Arc<dyn Value> = Arc::new(Aligned(7));
        let one = DataArc::from(arc.clone());
        let other = one.clone();
        assert_eq!((one.value(), other.value(), Arc::strong_count(&arc)), (7, 7, 3));
        drop((one, other));
        assert_eq!(Arc::strong_count(&arc), 1);
    }
}
