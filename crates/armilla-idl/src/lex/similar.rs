//! Words that differ so little that one is probably meant to be the other.

use strsim::osa_distance;

/// The maximum length of a word that is compared.
const MAX_LENGTH: usize = 32;

/// The word of `words` that `word` is probably meant to be: the nearest one, if about one letter in
/// four at most is wrong, missing, surplus or swapped with its neighbour. Case does not matter.
pub(crate) fn nearest<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let allowed = (word.len() + 1) / 4;
    let far = |other: &str| word.len().abs_diff(other.len()) > allowed;
    let near = words.iter().filter(|other| word.len() <= MAX_LENGTH && !far(other));
    let lower = word.to_ascii_lowercase();
    let near = near.map(|other| (osa_distance(&lower, &other.to_ascii_lowercase()), *other));
    near.filter(|(distance, _)| *distance <= allowed).min_by_key(|(d, _)| *d).map(|(_, it)| it)
}

/// Whether two names differ in one letter, or in two neighbours that are swapped. It takes linear
/// time, so that it can be asked of all names of a scope.
pub(crate) fn is_similar(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() < 3 || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(other).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let (one, other) = (&one[same..], &other[same..]);
    if let ([a, b, one @ ..], [c, d, other @ ..]) = (one, other)
        && (a, b) == (d, c)
    {
        return one == other;
    }
    let skip = |bytes: &[u8], longer: bool| bytes.get(usize::from(longer)..).map(<[u8]>::to_vec);
    let (longer, shorter) = (one.len() >= other.len(), other.len() >= one.len());
    skip(one, longer) == skip(other, shorter)
}

#[cfg(test)]
mod tests {
    use super::{is_similar, nearest};

    #[test]
    fn a_word_with_few_wrong_letters_is_recognized() {
        let words = ["in", "out", "inout", "string", "sequence", "pragma"];
        for (written, meant) in [
            ("inn", Some("in")),
            ("ouut", Some("out")),
            ("strng", Some("string")),
            ("pragam", Some("pragma")),
            ("STRING", Some("string")),
            ("sequnece", Some("sequence")),
            ("squence", Some("sequence")),
            ("x", None),
            ("on", None),
            ("Sting_2", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, &words), meant, "{written}");
        }
    }

    #[test]
    fn names_that_differ_in_one_place_are_similar() {
        for (one, other) in [("Point", "Pont"), ("Pont", "Point"), ("Piont", "Point")] {
            assert!(is_similar(one, other), "{one} {other}");
        }
        for (one, other) in [("Point", "Paint2"), ("ab", "abc"), ("Point", "Pnoti")] {
            assert!(!is_similar(one, other), "{one} {other}");
        }
    }
}
