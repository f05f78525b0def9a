//! A copy of a decoder's remaining input that outlives the octets.

use super::{Decoder, FragmentedOctets};
use crate::{ByteOrder, CodeSets, WideFormat};
use alloc::vec::Vec;

/// A copy of the remaining input of a [`Decoder`], which can be read any number of times.
///
/// ```
/// use armilla_cdr::{ByteOrder, Decoder};
///
/// let kept = {
///     let octets = [7, 0, 0, 0, 0, 0, 0, 42];
///     let mut input = Decoder::new(&octets, ByteOrder::Big);
///     input.u8()?;
///     input.to_owned_input()
/// };
/// assert_eq!(kept.decoder().u32()?, 42);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OwnedInput {
    octets: FragmentedOctets,
    position: usize,
    order: ByteOrder,
    code_sets: CodeSets,
    wide: WideFormat,
}

impl Decoder<'_> {
    /// Copies the remaining input. Indirections in the copy cannot refer to values before it. The
    /// [context](Self::context) is not copied.
    pub fn to_owned_input(&self) -> OwnedInput {
        let (octets, position) = match self.fragments {
            Some(fragments) => (fragments.clone(), fragments.octets().len() - self.remaining()),
            None => {
                // No value has an alignment of more than eight.
                let start = self.position.min(self.octets.len()) & !7;
                let octets = self.octets.get(start..).map_or_else(Vec::new, <[u8]>::to_vec);
                (FragmentedOctets::new(octets, 0), self.position - start)
            }
        };
        let Self { order, code_sets, wide, .. } = *self;
        OwnedInput { octets, position, order, code_sets, wide }
    }
}

impl OwnedInput {
    /// A decoder at the position where the input was copied.
    pub fn decoder(&self) -> Decoder<'_> {
        let decoder = self.octets.decoder(self.position, self.order);
        decoder.with_code_sets(self.code_sets).with_wide_format(self.wide)
    }
}
