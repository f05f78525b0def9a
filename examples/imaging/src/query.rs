//! Which images match a query.

use crate::idl::{Image, Query};

/// A query for all images.
pub fn everything() -> Query {
    Query { limit: u32::MAX, ..Query::default() }
}

/// Whether an image is what a query looks for.
pub fn matches(query: &Query, image: &Image) -> bool {
    let texts = [
        (&query.patient, &image.patient),
        (&query.patient_name, &image.patient_name),
        (&query.study, &image.study),
        (&query.series, &image.series),
        (&query.modality, &image.modality),
    ];
    texts.iter().all(|(pattern, text)| pattern.is_empty() || matches_text(pattern, text))
        && (query.from.is_empty() || query.from <= image.date)
        && (query.to.is_empty() || !image.date.is_empty() && image.date <= query.to)
}

/// Whether a text matches a pattern in which `*` stands for any characters and `?` for one. It takes
/// time in proportion to the product of the lengths at most.
pub fn matches_text(pattern: &str, text: &str) -> bool {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (pattern, text) = (fold(pattern), fold(text));
    let (mut p, mut t) = (0, 0);
    // Where to go on if the characters behind the last `*` do not match.
    let mut again: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                again = Some((p + 1, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match again {
                Some((after, from)) => {
                    again = Some((after, from + 1));
                    (p, t) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The order in which images are shown.
pub fn order(a: &Image, b: &Image) -> std::cmp::Ordering {
    let key = |image: &Image| (image.study.clone(), image.series.clone(), image.number);
    key(a).cmp(&key(b)).then_with(|| a.uid.cmp(&b.uid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, text) in
            [("*", ""), ("a*c", "abbc"), ("A?C", "abc"), ("*b*b*", "abcb"), ("ä*", "Ärztin")]
        {
            assert!(matches_text(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a*c", "abcd"), ("?", ""), ("*ab", "abc")] {
            assert!(!matches_text(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn dates_are_inclusive_and_images_without_one_lie_before_all() {
        let image = |date: &str| Image { date: date.to_owned(), ..Image::default() };
        let query = Query { from: "20250101".into(), to: "20250102".into(), ..everything() };
        assert!(matches(&query, &image("20250101")) && matches(&query, &image("20250102")));
        assert!(!matches(&query, &image("20250103")) && !matches(&query, &image("")));
    }
}
