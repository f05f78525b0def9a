//! Maps of IDL 4: on the wire a sequence of pairs.

use crate::{CdrResult, Decode, Decoder, Encode, Encoder};
use alloc::collections::BTreeMap;

impl<'a> Decoder<'a> {
    /// Reads a map. `pair` reads a pair. The last of several values for one key counts.
    ///
    /// # Errors
    /// Those of `pair`.
    pub fn map_with<K: Ord, V>(
        &mut self,
        pair: impl FnMut(&mut Self) -> CdrResult<(K, V)>,
    ) -> CdrResult<BTreeMap<K, V>> {
        self.sequence_with(pair).map(|pairs| pairs.into_iter().collect())
    }

    /// Reads a map of at most `bound` pairs. `pair` reads a pair.
    ///
    /// # Errors
    /// When there are more; those of `pair`.
    pub fn bounded_map_with<K: Ord, V>(
        &mut self,
        bound: u32,
        pair: impl FnMut(&mut Self) -> CdrResult<(K, V)>,
    ) -> CdrResult<BTreeMap<K, V>> {
        self.bounded_sequence_with(bound, pair).map(|pairs| pairs.into_iter().collect())
    }
}

impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_length(self.len())?;
        self.iter().try_for_each(|(key, value)| {
            key.encode(out)?;
            value.encode(out)
        })
    }
}

impl<'a, K: Decode<'a> + Ord, V: Decode<'a>> Decode<'a> for BTreeMap<K, V> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.map_with(|input| Ok((K::decode(input)?, V::decode(input)?)))
    }
}
