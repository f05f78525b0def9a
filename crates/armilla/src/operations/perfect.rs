//! The perfect hash from operation names to numbers, built at compile time.

use armilla_giop::OperationName;

/// The operations of an interface, found by name in constant time.
///
/// A name is hashed once. The hash chooses one of `N` buckets, the bucket's displacement turns the
/// hash into the only one of `M` places where the name can stand, and one comparison decides. The
/// displacements are searched at compile time, so that no two names share a place; `M` is a power
/// of two and at least twice `N`, so that the search is short.
#[derive(Debug)]
pub struct Operations<const N: usize, const M: usize> {
    /// For each bucket the seed that spreads its names, or with [`DIRECT`] set the place itself.
    displacements: [u16; N],
    /// For each place the number of the name that stands there.
    places: [u16; M],
    names: [&'static str; N],
    /// Whether all of a name is hashed, for the ends do not tell these apart.
    whole: bool,
}

/// Marks the displacement of a bucket with a single name: it is the place.
const DIRECT: u16 = 1 << 15;

/// No name: a place that is not taken, or the end of a chain.
const NONE: u16 = u16::MAX;

/// The names of each bucket as chains through the names, while a table is made.
struct Chains<const N: usize> {
    hashes: [u64; N],
    /// The first name of each bucket, and how many it has.
    first: [u16; N],
    sizes: [u16; N],
    /// The next name of the same bucket.
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
    /// The table for the names in `list`, whose numbers are their indices. Meant for constants.
    ///
    /// # Panics
    /// When two names are equal, there are not `N` or more than 32,767, or `M` is too small; the
    /// IDL compiler excludes all of that.
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
        // The largest buckets first: they need the most places at once.
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

    /// Gives the names that are alone in their bucket what places are left.
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

    /// Finds the seed under which all names of bucket `b` get free places, and takes them.
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

    /// Gives back what the names of bucket `b` before `end` took under `seed`.
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

/// The place of a name among `m`, a power of two.
const fn spread(hash: u64, seed: u16, m: usize) -> usize {
    let mixed = (hash ^ (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(MULTIPLIER);
    (mixed >> 32) as usize & (m - 1)
}

const MULTIPLIER: u64 = 0xff51_afd7_ed55_8ccd;

/// Eight octets at a time, the last eight overlapping the ones before.
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

/// Only the first and the last eight octets, which tell most names apart.
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

/// Fewer than eight octets as one number.
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
