//! Arrays that are too large for the stack.

use crate::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use core::slice;

/// An IDL array of `N` elements on the heap: a slice whose length is part of its type. It is
/// created from a `Vec` of this length, or from one value for all elements.
///
/// ```
/// use armilla_cdr::LargeArray;
///
/// let mut image = LargeArray::<u8, 307_200>::filled(0);
/// image[640] = 255;
/// assert_eq!(image.len(), 307_200);
/// assert!(LargeArray::<u8, 307_200>::try_from(vec![0; 3]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LargeArray<T, const N: usize>(Box<[T]>);

impl<T, const N: usize> LargeArray<T, N> {
    /// An array with `value` as every element.
    pub fn filled(value: T) -> Self
    where
        T: Clone,
    {
        Self(alloc::vec![value; N].into())
    }
}

impl<T: Default, const N: usize> Default for LargeArray<T, N> {
    fn default() -> Self {
        Self((0..N).map(|_| T::default()).collect())
    }
}

impl<T, const N: usize> TryFrom<Vec<T>> for LargeArray<T, N> {
    /// The error for a number of elements other than `N`.
    type Error = Vec<T>;

    fn try_from(elements: Vec<T>) -> Result<Self, Vec<T>> {
        if elements.len() == N { Ok(Self(elements.into())) } else { Err(elements) }
    }
}

impl<T, const N: usize> From<LargeArray<T, N>> for Vec<T> {
    fn from(array: LargeArray<T, N>) -> Self {
        array.0.into()
    }
}

impl<T, const N: usize> Deref for LargeArray<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for LargeArray<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<'t, T, const N: usize> IntoIterator for &'t LargeArray<T, N> {
    type Item = &'t T;
    type IntoIter = slice::Iter<'t, T>;

    fn into_iter(self) -> slice::Iter<'t, T> {
        self.0.iter()
    }
}

impl<T: Encode, const N: usize> Encode for LargeArray<T, N> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        T::encode_slice(&self.0, out)
    }
}

impl<'a, T: Decode<'a>, const N: usize> Decode<'a> for LargeArray<T, N> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        T::decode_vec(input, N).map(|elements| Self(elements.into()))
    }
}

impl<'a> Decoder<'a> {
    /// Reads a large array. `element` reads an element. Reserves no more memory than the remaining
    /// octets justify.
    ///
    /// # Errors
    /// Those of `element`.
    pub fn large_array_with<T, const N: usize>(
        &mut self,
        element: impl FnMut(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<LargeArray<T, N>> {
        self.elements(N, element).map(|elements| LargeArray(elements.into()))
    }
}

impl<T: Typed, const N: usize> Typed for LargeArray<T, N> {
    fn type_code() -> TypeCode {
        // IDL lengths have 32 bits.
        TypeCode::array(T::type_code(), u32::try_from(N).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteOrder;

    #[test]
    fn on_the_wire_it_is_an_array() {
        let large: LargeArray<u16, 3> = alloc::vec![1, 2, 3].try_into().unwrap();
        let mut out = Encoder::new(ByteOrder::Big);
        large.encode(&mut out).unwrap();
        let octets = out.to_vec();
        assert_eq!(octets, [0, 1, 0, 2, 0, 3]);
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert_eq!(LargeArray::<u16, 3>::decode(&mut input).unwrap(), large);
        assert_eq!(LargeArray::<u16, 3>::type_code(), <[u16; 3]>::type_code());
    }

    #[test]
    fn a_short_message_is_refused_before_memory_is_reserved() {
        let octets = [0; 64];
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert!(LargeArray::<u32, 4_000_000_000>::decode(&mut input).is_err());
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert!(input.large_array_with::<_, 4_000_000_000>(Decoder::u32).is_err());
    }
}
