//! Strings that share one buffer: a `sequence<string>` without an allocation for each string.

use crate::ascii::is_ascii_text;
use crate::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Index, Range};

/// A `sequence<string>` in a shared, immutable buffer: clones and slices are cheap and share it.
///
/// ```
/// use armilla_cdr::SharedStrings;
///
/// let stars: SharedStrings = ["Vega", "Deneb", "Altair"].into_iter().collect();
/// assert_eq!((&stars[1], stars.get(3)), ("Deneb", None));
/// assert!(stars.slice(1..3).iter().eq(["Deneb", "Altair"]));
/// ```
#[derive(Clone, Default)]
pub struct SharedStrings {
    buffer: Arc<StringBuffer>,
    /// The range of strings in the buffer.
    first: usize,
    end: usize,
}

#[derive(Default)]
struct StringBuffer {
    /// All strings, concatenated.
    all: String,
    /// The end of each string.
    ends: Vec<usize>,
    /// Whether all strings are ASCII without NUL, and so the same in every code set.
    is_ascii: bool,
}

impl StringBuffer {
    /// The octets of the string at this index, which must exist.
    fn range(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }
}

impl SharedStrings {
    fn new(all: String, ends: Vec<usize>) -> Self {
        let (end, is_ascii) = (ends.len(), is_ascii_text(all.as_bytes()));
        Self { buffer: Arc::new(StringBuffer { all, ends, is_ascii }), first: 0, end }
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The string at this index, if it exists.
    pub fn get(&self, index: usize) -> Option<&str> {
        (index < self.len()).then(|| &self.buffer.all[self.buffer.range(self.first + index)])
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        (self.first..self.end).map(|number| &self.buffer.all[self.buffer.range(number)])
    }

    /// A range of the strings, which shares the buffer.
    ///
    /// # Panics
    /// When the range is not within `0..len`.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let Range { start, end } = range;
        assert!(start <= end && end <= self.len(), "{start}..{end} of {} texts", self.len());
        Self { buffer: self.buffer.clone(), first: self.first + start, end: self.first + end }
    }
}

impl Index<usize> for SharedStrings {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        match self.get(index) {
            Some(text) => text,
            None => panic!("there is no text {index} of {}", self.len()),
        }
    }
}

impl<S: AsRef<str>> FromIterator<S> for SharedStrings {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let texts = texts.into_iter();
        let (mut all, mut ends) = (String::new(), Vec::with_capacity(texts.size_hint().0));
        for text in texts {
            all.push_str(text.as_ref());
            ends.push(all.len());
        }
        Self::new(all, ends)
    }
}

impl<S: AsRef<str>> From<&[S]> for SharedStrings {
    fn from(texts: &[S]) -> Self {
        texts.iter().collect()
    }
}

impl From<Vec<String>> for SharedStrings {
    fn from(texts: Vec<String>) -> Self {
        texts.iter().collect()
    }
}

impl From<&SharedStrings> for Vec<String> {
    fn from(texts: &SharedStrings) -> Self {
        texts.iter().map(String::from).collect()
    }
}

impl PartialEq for SharedStrings {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for SharedStrings {}

impl PartialOrd for SharedStrings {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SharedStrings {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl Hash for SharedStrings {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|text| text.hash(state));
    }
}

impl fmt::Debug for SharedStrings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Encode for SharedStrings {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_length(self.len())?;
        if !self.buffer.is_ascii {
            return self.iter().try_for_each(|text| out.put_string(text));
        }
        self.iter().try_for_each(|text| out.put_text(text.as_bytes()))
    }
}

impl<'a> Decode<'a> for SharedStrings {
    /// Copies all strings and validates them together, if they do not depend on the code set.
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let count = input.length()?;
        let mut again = input.clone();
        let left = input.remaining();
        // Each has a length, which is 0 for the empty strings of some ORBs.
        let (mut all, mut ends) = (Vec::new(), Vec::with_capacity(count.min(left / 4)));
        for number in 0..count {
            let text = match input.octets()? {
                [] => &[],
                [text @ .., 0] => text,
                _ => return Err(input.error(CdrErrorKind::MissingNul)),
            };
            if number == 0 {
                // The strings of a sequence often have the same length.
                all.reserve(text.len().saturating_mul(count).min(left));
            }
            all.extend_from_slice(text);
            ends.push(all.len());
        }
        if is_ascii_text(&all)
            && let Ok(all) = String::from_utf8(all)
        {
            return Ok(Self {
                buffer: Arc::new(StringBuffer { all, ends, is_ascii: true }),
                first: 0,
                end: count,
            });
        }
        let texts = (0..count).map(|_| again.string());
        texts.collect::<CdrResult<Self>>()
    }
}

impl Typed for SharedStrings {
    fn type_code() -> TypeCode {
        TypeCode::sequence(TypeCode::String(0), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteOrder, CodeSet};
    use alloc::borrow::ToOwned;
    use alloc::format;

    fn encoded<T: Encode>(value: &T, code_set: CodeSet) -> CdrResult<Vec<u8>> {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Little, code_set);
        value.encode(&mut out)?;
        Ok(out.to_vec())
    }

    fn decoded<'a, T: Decode<'a>>(octets: &'a [u8], code_set: CodeSet) -> CdrResult<T> {
        T::decode(&mut Decoder::new(octets, ByteOrder::Little).with_code_set(code_set))
    }

    #[test]
    fn slices_and_clones_are_the_same_buffer() {
        let texts: SharedStrings = ["a", "", "ccc"].into_iter().collect();
        let (last, same) = (texts.slice(1..3), texts.clone());
        assert_eq!(last[1].as_ptr(), texts[2].as_ptr());
        assert_eq!((last.len(), last.get(2), &last[0]), (2, None, ""));
        assert_eq!((&same, same == last), (&texts, false));
        assert!(last < texts && SharedStrings::default().is_empty());
        assert_eq!(format!("{texts:?}"), r#"["a", "", "ccc"]"#);
    }

    #[test]
    fn they_travel_like_strings_one_by_one() {
        for code_set in [CodeSet::Iso8859_1, CodeSet::Utf8] {
            for texts in [&[][..], &["plain", "", "texts"], &["Größe", "x"]] {
                let strings: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
                let shared = SharedStrings::from(texts);
                let octets = encoded(&strings, code_set).unwrap();
                assert_eq!(encoded(&shared, code_set).unwrap(), octets);
                assert_eq!(decoded::<SharedStrings>(&octets, code_set).unwrap(), shared);
                assert_eq!(Vec::<String>::from(&shared), strings);
            }
        }
    }

    #[test]
    fn what_is_wrong_in_one_string_is_wrong_in_all() {
        let unsayable = SharedStrings::from(&["plain", "日本"][..]);
        assert!(encoded(&unsayable, CodeSet::Iso8859_1).is_err());
        let texts = SharedStrings::from(&["one", "two"][..]);
        let octets = encoded(&texts, CodeSet::Utf8).unwrap();
        for (place, octet) in [(8, 0), (11, 1), (16, 0xff), (12, 5), (0, 3), (0, 255)] {
            let mut wrong = octets.clone();
            wrong[place] = octet;
            let shared = decoded::<SharedStrings>(&wrong, CodeSet::Utf8);
            let single = decoded::<Vec<String>>(&wrong, CodeSet::Utf8);
            assert!(shared.is_err() && single.is_err(), "{octet} at {place}");
        }
    }
}
