//! A value behind a trait, without a pointer to it.
//!
//! # Safety contract
//! - *The space holds what the methods were made for*, a `U` or a `Box<U>`: [`Inline::new`] alone
//!   sets the two, always together, and nothing changes them until the drop.
//! - *It is aligned and large enough*: a `U` is put there only where its size and its alignment
//!   allow it.
//! - *It may go to other threads and be seen from them* because every `U` may.

#![allow(unsafe_code)]

use std::fmt;
use std::mem::MaybeUninit;

/// Pointers, so that those in what lies there stay what they are.
type Space = MaybeUninit<[*const (); 2]>;

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
        let mut space = Space::uninit();
        match fits::<U>() {
            true => {
                // SAFETY: the space is writable, and large and aligned enough as was just asked.
                unsafe { space.as_mut_ptr().cast::<U>().write(value) };
                Self {
                    methods: const { &Methods { show: show::<U, T>, drop: drop_in::<U> } },
                    space,
                }
            }
            false => {
                let boxed = Box::new(value);
                // SAFETY: the same; a thin pointer is one word.
                unsafe { space.as_mut_ptr().cast::<Box<U>>().write(boxed) };
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
    unsafe { &*space.as_ptr().cast::<U>() }.show()
}

/// # Safety
/// The space holds a `Box<U>`.
unsafe fn show_boxed<U: Shows<T> + 'static, T: ?Sized>(space: &Space) -> &T {
    // SAFETY: the same.
    unsafe { &*space.as_ptr().cast::<Box<U>>() }.as_ref().show()
}

/// # Safety
/// The space holds a `V`, and nothing afterwards.
unsafe fn drop_in<V>(space: &mut Space) {
    // SAFETY: the same.
    unsafe { space.as_mut_ptr().cast::<V>().drop_in_place() }
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

    #[test]
    fn it_may_be_moved_and_dropped_elsewhere() {
        let text: Arc<str> = "a text".into();
        let value: Inline<dyn Speaks> = Inline::new(Small(text.clone()));
        let word = std::thread::spawn(move || value.get().word()).join().expect("it speaks");
        assert_eq!(word, r#""a text""#);
        assert_eq!(Arc::strong_count(&text), 1);
    }
}
