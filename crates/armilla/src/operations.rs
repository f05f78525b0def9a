//! Operation names to numbers: a perfect hash, made when the program is compiled.

/// The operations of an interface, found by name in constant time.
///
/// A name is hashed once. The hash chooses one of `N` buckets, the bucket's displacement turns the
/// hash into the only place where the name can stand, and one comparison decides. The displacements
/// are searched at compile time, so that no two names share a place.
#[derive(Debug)]
pub struct Operations<const N: usize> {
    /// For each bucket the seed that spreads its names, or with [`DIRECT`] set the place itself.
    displacements: [u16; N],
    /// For each place the number of the name that stands there.
    places: [u16; N],
    names: [&'static str; N],
}

/// Marks the displacement of a bucket with a single name: it is the place.
const DIRECT: u16 = 1 << 15;

/// A place that is not taken yet.
const FREE: u16 = u16::MAX;

impl<const N: usize> Operations<N> {
    /// The table for `names`, whose numbers are their indices. Meant for constants.
    ///
    /// # Panics
    /// When two names are equal or there are more than 32,767; the IDL compiler excludes both.
    pub const fn new(names: [&'static str; N]) -> Self {
        assert!(N < DIRECT as usize, "too many operations");
        let mut hashes = [0; N];
        let mut sizes = [0usize; N];
        let mut i = 0;
        while i < N {
            hashes[i] = hash(names[i].as_bytes());
            sizes[bucket(hashes[i], N)] += 1;
            i += 1;
        }
        let mut table = Self { displacements: [0; N], places: [FREE; N], names };
        let mut size = N;
        while size > 0 {
            let mut b = 0;
            while b < N {
                if sizes[b] == size {
                    table.displacements[b] = table.settle(&hashes, b, size);
                }
                b += 1;
            }
            size -= 1;
        }
        table
    }

    /// Finds places for the names of bucket `b` and takes them.
    const fn settle(&mut self, hashes: &[u64; N], b: usize, size: usize) -> u16 {
        if size == 1 {
            let place = self.first_free();
            let mut i = 0;
            while bucket(hashes[i], N) != b {
                i += 1;
            }
            self.places[place] = i as u16;
            return DIRECT | place as u16;
        }
        let mut seed = 0;
        while !self.try_seed(hashes, b, seed) {
            seed += 1;
            assert!(seed < DIRECT, "two operations have the same name");
        }
        seed
    }

    const fn first_free(&self) -> usize {
        let mut place = 0;
        while self.places[place] != FREE {
            place += 1;
        }
        place
    }

    /// Takes the places that `seed` gives to the names of bucket `b`, if all are free.
    const fn try_seed(&mut self, hashes: &[u64; N], b: usize, seed: u16) -> bool {
        let mut i = 0;
        while i < N {
            if bucket(hashes[i], N) == b {
                let place = spread(hashes[i], seed, N);
                if self.places[place] != FREE {
                    self.release(hashes, b, seed, i);
                    return false;
                }
                self.places[place] = i as u16;
            }
            i += 1;
        }
        true
    }

    /// Gives back what names of bucket `b` before number `end` took under `seed`.
    const fn release(&mut self, hashes: &[u64; N], b: usize, seed: u16, end: usize) {
        let mut i = 0;
        while i < end {
            if bucket(hashes[i], N) == b {
                self.places[spread(hashes[i], seed, N)] = FREE;
            }
            i += 1;
        }
    }

    /// The number of the operation `name`.
    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        if N == 0 {
            return None;
        }
        let hash = hash(name.as_bytes());
        let displacement = self.displacements[bucket(hash, N)];
        let place = match displacement & DIRECT {
            0 => spread(hash, displacement, N),
            _ => (displacement & !DIRECT) as usize,
        };
        let number = *self.places.get(place)? as usize;
        (*self.names.get(number)? == name).then_some(number)
    }
}

const fn bucket(hash: u64, n: usize) -> usize {
    ((hash >> 32) % n as u64) as usize
}

const fn spread(hash: u64, seed: u16, n: usize) -> usize {
    let mixed = (hash ^ (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(MULTIPLIER);
    ((mixed >> 32) % n as u64) as usize
}

const MULTIPLIER: u64 = 0xff51_afd7_ed55_8ccd;

/// Eight octets at a time, the last eight overlapping the ones before.
const fn hash(name: &[u8]) -> u64 {
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
        const TABLE: Operations<7> = Operations::new(NAMES);
        for (number, name) in NAMES.iter().enumerate() {
            assert_eq!(TABLE.find(name), Some(number));
        }
        for stranger in ["", "b", "withdrawn", "_get_balanc", "deposit\0"] {
            assert_eq!(TABLE.find(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn an_interface_without_operations_finds_nothing() {
        const TABLE: Operations<0> = Operations::new([]);
        assert_eq!(TABLE.find("anything"), None);
    }

    #[test]
    fn hundreds_of_similar_names_keep_apart() {
        let owned: Vec<String> =
            (0..300).map(|i| format!("get_attribute_number_{i}_of_it")).collect();
        let names: [&'static str; 300] =
            core::array::from_fn(|i| &*Box::leak(owned[i].clone().into_boxed_str()));
        let table = Operations::new(names);
        for (number, name) in names.iter().enumerate() {
            assert_eq!(table.find(name), Some(number));
        }
    }
}
