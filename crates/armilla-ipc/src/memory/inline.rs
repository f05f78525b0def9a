//! A value behind a trait, without a pointer to it.
//!
//! # Safety contract
//! - *The space holds what the methods were made for*, a `U` or a `Box<U>`: [`Inline::new`] alone
//!   sets the two, always together, and nothing changes them until the drop.
//! - *It is aligned and large enough*: a `U` is put there only where its size and its alignment
//!   allow it.
//! - *It may change behind a shared reference*, where the `U` has atomics or cells in it: so the
//!   space is an `UnsafeCell`, and nothing here reads or writes it but as a `U`.
//! - *It may go to other threads and be seen from them* because every `U` may.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::MaybeUninit;

/// Pointers, so that those in what lies there stay what they are.
type Space = UnsafeCell<MaybeUninit<[*const (); 2]>>;

/// A value that shows itself as a `T`, mostly a trait object.
pub trait Shows<T: ?Sized> {
    /// The value as a `T`.
    fn show(&self) -> &T;
}

/// A value of any type, seen as a `T`. Values of up to two words lie in it, greater ones in a box.
pub struct Inline<T: ?Sized + 'static> {
    methods: &'static Methods<T>,
    space: Space,
}

/// What can be done with the value in a space.
struct Methods<T: ?Sized> {
    /// The space holds the value, and is borrowed for as long as what is returned.
    show: unsafe fn(&Space) -> &T,
    /// The same; the value is gone afterwards.
    drop: unsafe fn(&mut Space),
}

impl<T: ?Sized> Inline<T> {
    /// Takes a value.
    pub fn new<U: Shows<T> + Send + Sync + 'static>(value: U) -> Self {
        let space = Space::new(MaybeUninit::uninit());
        match fits::<U>() {
            true => {
                // SAFETY: the space is writable, and large and aligned enough as was just asked.
                unsafe { space.get().cast::<U>().write(value) };
                Self {
                    methods: const { &Methods { show: show::<U, T>, drop: drop_in::<U> } },
                    space,
                }
            }
            false => {
                let boxed = Box::new(value);
                // SAFETY: the same; a thin pointer is one word.
                unsafe { space.get().cast::<Box<U>>().write(boxed) };
                let methods =
                    const { &Methods { show: show_boxed::<U, T>, drop: drop_in::<Box<U>> } };
                Self { methods, space }
            }
        }
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: the space holds what the methods are for.
        unsafe { (self.methods.show)(&self.space) }
    }
}

const fn fits<U>() -> bool {
    size_of::<U>() <= size_of::<Space>() && align_of::<U>() <= align_of::<Space>()
}

/// # Safety
/// The space holds a `U`.
unsafe fn show<U: Shows<T> + 'static, T: ?Sized>(space: &Space) -> &T {
    // SAFETY: so the caller says; the borrow is that of the space.
    unsafe { &*space.get().cast::<U>() }.show()
}

/// # Safety
/// The space holds a `Box<U>`.
unsafe fn show_boxed<U: Shows<T> + 'static, T: ?Sized>(space: &Space) -> &T {
    // SAFETY: the same.
    unsafe { &*space.get().cast::<Box<U>>() }.as_ref().show()
}

/// # Safety
/// The space holds a `V`, and nothing afterwards.
unsafe fn drop_in<V>(space: &mut Space) {
    // SAFETY: the same.
    unsafe { space.get_mut().as_mut_ptr().cast::<V>().drop_in_place() }
}

impl<T: ?Sized> Drop for Inline<T> {
    fn drop(&mut self) {
        // SAFETY: the space holds what the methods are for, for the last time.
        unsafe { (self.methods.drop)(&mut self.space) }
    }
}

// SAFETY: what lies in it may be sent, which `new` asks for.
unsafe impl<T: ?Sized> Send for Inline<T> {}
// SAFETY: what lies in it may be shared, and sharing it gives away nothing but `&U`.
unsafe impl<T: ?Sized> Sync for Inline<T> {}

impl<T: ?Sized> fmt::Debug for Inline<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inline(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    trait Speaks: Send + Sync {
        fn word(&self) -> String;
    }

    macro_rules! speaks {
        ($type:ty) => {
            impl Speaks for $type {
                fn word(&self) -> String {
                    format!("{:?}", self.0)
                }
            }
            impl Shows<dyn Speaks> for $type {
                fn show(&self) -> &(dyn Speaks + 'static) {
                    self
                }
            }
        };
    }

    struct Small(Arc<str>);
    struct Large([Arc<str>; 3]);
    struct Nothing(());
    #[repr(align(64))]
    struct Aligned(u8);
    speaks!(Small);
    speaks!(Large);
    speaks!(Nothing);
    speaks!(Aligned);

    #[test]
    fn values_of_all_sizes_are_seen_and_dropped_once() {
        let text: Arc<str> = "a text".into();
        let all: [Inline<dyn Speaks>; 4] = [
            Inline::new(Small(text.clone())),
            Inline::new(Large([(); 3].map(|()| text.clone()))),
            Inline::new(Nothing(())),
            Inline::new(Aligned(7)),
        ];
        assert_eq!(Arc::strong_count(&text), 5);
        let words = all.each_ref().map(|value| value.get().word());
        let large = r#"["a text", "a text", "a text"]"#;
        assert_eq!(words, [r#""a text""#, large, "()", "7"]);
        drop(all);
        assert_eq!(Arc::strong_count(&text), 1);
    }

    /// A value in the space, and one in a box.
    #[test]
    fn a_value_may_change_behind_a_shared_reference() {
        trait Counts {
            fn next(&self) -> usize;
        }
        struct Count<const N: usize>([AtomicUsize; N]);
        impl<const N: usize> Counts for Count<N> {
            fn next(&self) -> usize {
                self.0.iter().map(|count| count.fetch_add(1, Ordering::Relaxed)).sum()
            }
        }
        impl<const N: usize> Shows<dyn Counts> for Count<N> {
            fn show(&self) -> &(dyn Counts + 'static) {
                self
            }
        }
        let all: [Inline<dyn Counts>; 3] = [
            Inline::new(Count::<1>(Default::default())),
            Inline::new(Count::<2>(Default::default())),
            Inline::new(Count::<5>(Default::default())),
        ];
        for (value, count) in all.iter().zip([1, 2, 5]) {
            assert_eq!([(); 3].map(|()| value.get().next()), [0, count, 2 * count]);
            std::thread::scope(|scope| scope.spawn(|| value.get().next()).join().unwrap());
            assert_eq!(value.get().next(), 4 * count);
        }
    }

    #[test]
    fn it_may_be_moved_and_dropped_elsewhere() {
        let text: Arc<str> = "a text".into();
        let value: Inline<dyn Speaks> = Inline::new(Small(text.clone()));
        let word = std::thread::spawn(move || value.get().word()).join().expect("it speaks");
        assert_eq!(word, r#""a text""#);
        assert_eq!(Arc::strong_count(&text), 1);
    }
}
