//! Numbers, one by one and in bulk.

use super::Encoder;
use crate::ByteOrder;

impl<'p> Encoder<'p> {
    /// Appends numbers of `size` octets each, whose encoding is their memory.
    pub(crate) fn borrow_numbers(&mut self, octets: &'p [u8], size: usize) {
        if !octets.is_empty() {
            self.align(size);
            self.borrow_payload(octets, size == 8);
        }
    }
}

macro_rules! numbers {
    ($($put:ident $slice:ident $copy:ident $ty:ty),*) => {
        impl<'p> Encoder<'p> {$(
            #[doc = concat!("Appends a `", stringify!($ty), "`, aligned to its size.")]
            #[inline]
            pub fn $put(&mut self, value: $ty) {
                self.align(size_of::<$ty>());
                self.buffer.put(match self.order {
                    ByteOrder::Little => value.to_le_bytes(),
                    ByteOrder::Big => value.to_be_bytes(),
                });
            }

            #[doc = concat!("Appends `", stringify!($ty), "` values without a length.")]
            /// Large slices in the byte order of the machine are borrowed.
            pub fn $slice(&mut self, values: &'p [$ty]) {
                match self.order {
                    ByteOrder::NATIVE => {
                        self.borrow_numbers(bytemuck::cast_slice(values), size_of::<$ty>());
                    }
                    _ => self.$copy(values),
                }
            }

            #[doc = concat!("Appends copies of `", stringify!($ty), "` values without a length.")]
            pub fn $copy(&mut self, values: &[$ty]) {
                const SIZE: usize = size_of::<$ty>();
                if values.is_empty() {
                    return;
                }
                self.align(SIZE);
                if self.order == ByteOrder::NATIVE {
                    return self.buffer.append(bytemuck::cast_slice(values));
                }
                let room = self.buffer.reserve(values.len() * SIZE);
                let places = room.as_chunks_mut::<SIZE>().0.iter_mut().zip(values);
                match self.order {
                    ByteOrder::Little => places.for_each(|(p, v)| *p = v.to_le_bytes()),
                    ByteOrder::Big => places.for_each(|(p, v)| *p = v.to_be_bytes()),
                }
            }
        )*}
    };
}

numbers! {
    put_i8 put_i8s copy_i8s i8, put_i16 put_i16s copy_i16s i16, put_u16 put_u16s copy_u16s u16,
    put_i32 put_i32s copy_i32s i32, put_u32 put_u32s copy_u32s u32, put_i64 put_i64s copy_i64s i64,
    put_u64 put_u64s copy_u64s u64, put_f32 put_f32s copy_f32s f32, put_f64 put_f64s copy_f64s f64
}
