//! The perfect hash of operation names, built at compile time.

use armilla_giop::OperationName;

/// The operations of an interface: a perfect hash table from names to numbers.
///
/// A lookup hashes the name once. The hash selects one of `N` buckets; the bucket's displacement
/// maps the hash to one of `M` slots; and one comparison decides. The displacements are computed at
/// compile time, so that no two names share a slot. `M` is a power of two and at least 2·`N`,
/// which keeps the search short.
#[derive(Debug)]
pub struct Operations<const N: usize, const M: usize> {
    /// The displacement of each bucket: a seed, or with [`DIRECT`] set the slot itself.
    displacements: [u16; N],
    /// The number of the name in each slot.
    places: [u16; M],
    names: [&'static str; N],
    /// Whether the whole name is hashed, because some names have the same length and ends.
    whole: bool,
}

/// Marks the displacement of a bucket with a single name: the displacement is the slot.
const DIRECT: u16 = 1 << 15;

/// No name: an empty slot, or the end of a chain.
const NONE: u16 = u16::MAX;

/// The names of each bucket as linked lists, while the table is built.
struct Chains<const N: usize> {
    hashes: [u64; N],
    /// The first name in each bucket, and the number of names in it.
    first: [u16; N],
    sizes: [u16; N],
    /// The next name in the same bucket.
    next: [u16; N],
}

impl<const N: usize> Chains<N> {
    const fn new(names: &[&str; N], whole: bool) -> Self {
        let mut chains = Self { hashes: [0; N], first: [NONE; N], sizes: [0; N], next: [NONE; N] };
        let mut i = 0;
        while i < N {
            let hash =
                if whole { hash(names[i].as_bytes()) } else { hash_ends(names[i].as_bytes()) };
            let b = bucket(hash, N);
            chains.hashes[i] = hash;
            chains.next[i] = chains.first[b];
            chains.first[b] = i as u16;
            chains.sizes[b] += 1;
            i += 1;
        }
        chains
    }

    /// Whether no two names have the same hash.
    const fn are_distinct(&self) -> bool {
        let mut i = 0;
        while i < N {
            let mut other = self.next[i];
            while other != NONE {
                if self.hashes[other as usize] == self.hashes[i] {
                    return false;
                }
                other = self.next[other as usize];
            }
            i += 1;
        }
        true
    }

    const fn largest(&self) -> u16 {
        let mut largest = 0;
        let mut b = 0;
        while b < N {
            if self.sizes[b] > largest {
                largest = self.sizes[b];
            }
            b += 1;
        }
        largest
    }
}

impl<const N: usize, const M: usize> Operations<N, M> {
    /// Builds the table for `list`. The number of a name is its index. Meant for constants.
    ///
    /// # Panics
    /// When two names are equal, their number is not `N` or exceeds 32,767, or `M` is too small.
    /// The IDL compiler prevents all of these.
    pub const fn new(list: &[&'static str]) -> Self {
        assert!(M < DIRECT as usize && M.is_power_of_two() && M >= 2 * N, "a bad table size");
        assert!(list.len() == N, "a table for other names");
        let mut names = [""; N];
        let mut i = 0;
        while i < N {
            names[i] = list[i];
            i += 1;
        }
        let mut chains = Chains::new(&names, false);
        let whole = !chains.are_distinct();
        if whole {
            chains = Chains::new(&names, true);
        }
        let mut table = Self { displacements: [0; N], places: [NONE; M], names, whole };
        let mut size = chains.largest();
        // The largest buckets first, because they need the most free slots at once.
        while size > 1 {
            let mut b = 0;
            while b < N {
                if chains.sizes[b] == size {
                    table.displacements[b] = table.find_seed(&chains, b);
                }
                b += 1;
            }
            size -= 1;
        }
        table.place_singles(&chains);
        table
    }

    /// Assigns the remaining slots to the names that are alone in their buckets.
    const fn place_singles(&mut self, chains: &Chains<N>) {
        let mut place = 0;
        let mut b = 0;
        while b < N {
            if chains.sizes[b] == 1 {
                while self.places[place] != NONE {
                    place += 1;
                }
                self.places[place] = chains.first[b];
                self.displacements[b] = DIRECT | place as u16;
            }
            b += 1;
        }
    }

    /// Finds a seed that maps all names of bucket `b` to free slots, and occupies these.
    const fn find_seed(&mut self, chains: &Chains<N>, b: usize) -> u16 {
        let mut seed = 0;
        while !self.try_seed(chains, b, seed) {
            seed += 1;
            assert!(seed < DIRECT, "two operations have the same name");
        }
        seed
    }

    const fn try_seed(&mut self, chains: &Chains<N>, b: usize, seed: u16) -> bool {
        let mut i = chains.first[b];
        while i != NONE {
            let place = spread(chains.hashes[i as usize], seed, M);
            if self.places[place] != NONE {
                self.release(chains, b, seed, i);
                return false;
            }
            self.places[place] = i;
            i = chains.next[i as usize];
        }
        true
    }

    /// Frees the slots that the names of bucket `b` before `end` have under `seed`.
    const fn release(&mut self, chains: &Chains<N>, b: usize, seed: u16, end: u16) {
        let mut i = chains.first[b];
        while i != end {
            self.places[spread(chains.hashes[i as usize], seed, M)] = NONE;
            i = chains.next[i as usize];
        }
    }

    /// The number of the operation `name`.
    #[inline]
    pub fn find(&self, name: OperationName<'_>) -> Option<usize> {
        if N == 0 {
            return None;
        }
        let hash = if self.whole { hash(name.as_bytes()) } else { hash_ends(name.as_bytes()) };
        let displacement = self.displacements[bucket(hash, N)];
        let place = match displacement & DIRECT {
            0 => spread(hash, displacement, M),
            _ => (displacement & !DIRECT) as usize,
        };
        let number = *self.places.get(place)? as usize;
        (name == **self.names.get(number)?).then_some(number)
    }
}

const fn bucket(hash: u64, n: usize) -> usize {
    (((hash >> 32) * n as u64) >> 32) as usize
}

/// The slot of a hash among `m` slots; `m` is a power of two.
const fn spread(hash: u64, seed: u16, m: usize) -> usize {
    let mixed = (hash ^ (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(MULTIPLIER);
    (mixed >> 32) as usize & (m - 1)
}

const MULTIPLIER: u64 = 0xff51_afd7_ed55_8ccd;

/// Hashes eight octets at a time. The last eight may overlap those before.
pub(super) const fn hash(name: &[u8]) -> u64 {
    let mut hash = name.len() as u64;
    let mut rest = name;
    while let Some((word, behind)) = rest.split_first_chunk() {
        hash = mix(hash, u64::from_le_bytes(*word));
        rest = behind;
    }
    if rest.is_empty() {
        return hash;
    }
    let last = match name.last_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => short_word(rest),
    };
    mix(hash, last)
}

/// Hashes the length and the first and last eight octets, which distinguish most names.
#[inline(always)]
const fn hash_ends(name: &[u8]) -> u64 {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => {
            let hash = mix(name.len() as u64, u64::from_le_bytes(*first));
            mix(hash, u64::from_le_bytes(*last))
        }
        _ => hash(name),
    }
}

/// Fewer than eight octets as a number.
const fn short_word(octets: &[u8]) -> u64 {
    let mut word = 0;
    let mut i = 0;
    while i < octets.len() {
        word = word << 8 | octets[i] as u64;
        i += 1;
    }
    word
}

const fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(MULTIPLIER);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> OperationName<'_> {
        OperationName::new(name.as_bytes()).unwrap()
    }

    #[test]
    fn every_name_is_found_under_its_number() {
        const NAMES: [&str; 7] = [
            "a",
            "_get_balance",
            "_set_balance",
            "deposit",
            "withdraw",
            "withdrew",
            "withdraw_all",
        ];
        const TABLE: Operations<7, 16> = Operations::new(&NAMES);
        for (number, name) in NAMES.iter().enumerate() {
            assert_eq!(TABLE.find(named(name)), Some(number));
        }
        for stranger in ["", "b", "withdrawn", "_get_balanc", "deposit\0"] {
            assert_eq!(TABLE.find(named(stranger)), None, "{stranger}");
        }
    }

    #[test]
    fn an_interface_without_operations_finds_nothing() {
        const TABLE: Operations<0, 1> = Operations::new(&[]);
        assert_eq!(TABLE.find(named("anything")), None);
    }

    #[test]
    fn thousands_of_similar_names_keep_apart() {
        let names: [&'static str; 3000] = core::array::from_fn(|i| {
            &*Box::leak(format!("get_attribute_number_{i}_of_it").into_boxed_str())
        });
        let table = Operations::<3000, 8192>::new(&names);
        for (number, name) in names.iter().enumerate() {
            assert_eq!(table.find(named(name)), Some(number));
        }
    }
}
