//! Which images match a query.

use crate::attributes::{self, Matching};
use crate::idl::{Criterion, Group, Image, Level, Query};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A query for all images.
pub fn everything() -> Query {
    Query { limit: u32::MAX, ..Query::default() }
}

/// Whether an image is what a query looks for.
pub fn matches(query: &Query, image: &Image) -> bool {
    let texts = [(&query.patient, &image.patient), (&query.modality, &image.modality)];
    let name = &query.patient_name;
    texts.iter().all(|(pattern, text)| pattern.is_empty() || matches_text(pattern, text))
        && (name.is_empty() || matches_name(name, &image.patient_name))
        && (query.study.is_empty() || matches_uid(&query.study, &image.study))
        && (query.series.is_empty() || matches_uid(&query.series, &image.series))
        && (query.from.is_empty() || query.from <= image.date)
        && (query.to.is_empty() || !image.date.is_empty() && image.date <= query.to)
        && query.others.iter().all(|wanted| matches_attribute(wanted, image))
}

/// Whether an image has an attribute; one that cannot be searched for matches nothing.
fn matches_attribute(wanted: &Criterion, image: &Image) -> bool {
    let Some(field) = attributes::find(attributes::from_number(wanted.tag)) else { return false };
    let (pattern, text) = (&wanted.pattern, (field.get)(image));
    match field.matching {
        _ if pattern.is_empty() => true,
        Matching::Text => matches_text(pattern, &text),
        Matching::Name => matches_name(pattern, &text),
        Matching::Uid => matches_uid(pattern, &text),
        Matching::Range => {
            let (from, to) = range(pattern);
            // A time of 1015 lies behind 10, and not behind 1015.
            let cut = |end: &str| text.get(..end.len()).unwrap_or(&text).to_owned();
            !text.is_empty()
                && (from.is_empty() || *from <= *text)
                && (to.is_empty() || *cut(&to) <= *to)
        }
    }
}

/// Whether a name matches as a whole, or as it is written in one of its alphabets (PS3.5, 6.2.1.1).
/// What a name leaves out at its end does not count.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let short = |text: &str| text.trim_end_matches(['^', '=', ' ']).to_owned();
    let pattern = short(pattern);
    matches_text(&pattern, &short(name))
        || name.split('=').any(|group| matches_text(&pattern, &short(group)))
}

/// Whether a UID is one of several; `*` is any.
fn matches_uid(pattern: &str, uid: &str) -> bool {
    pattern.split('\\').any(|one| one == uid || one == "*")
}

/// The ends of a range of dates or times: `A`, `A-`, `-B` or `A-B` (PS3.4, C.2.2.2.5).
pub fn range(text: &str) -> (String, String) {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    (from.trim().to_owned(), to.trim().to_owned())
}

/// What an image is part of.
pub fn key(image: &Image, level: Level) -> &str {
    match level {
        Level::Studies => &image.study,
        Level::Series => &image.series,
        Level::Instances => &image.uid,
    }
}

/// Images as studies, series or images, the latest studies first.
pub fn group<'i>(images: impl IntoIterator<Item = &'i Image>, level: Level) -> Vec<Group> {
    let mut groups: BTreeMap<&str, Vec<&Image>> = BTreeMap::new();
    for image in images {
        groups.entry(key(image, level)).or_default().push(image);
    }
    let group = |images: Vec<&Image>| {
        let set = |field: fn(&Image) -> &str| -> BTreeSet<&str> {
            images.iter().map(|image| field(image)).collect()
        };
        let first = images.iter().min_by(|a, b| order(a, b))?;
        Some(Group {
            first: Image::clone(first),
            modalities: set(|image| &image.modality).into_iter().map(str::to_owned).collect(),
            series: set(|image| &image.series).len() as u32,
            images: set(|image| &image.uid).len() as u32,
        })
    };
    let mut groups: Vec<_> = groups.into_values().filter_map(group).collect();
    groups.sort_by(|a, b| group_order(&a.first, &b.first));
    groups
}

/// The order in which studies are shown, and what is in them.
pub fn group_order(a: &Image, b: &Image) -> Ordering {
    let time = |image: &Image| (image.date.clone(), image.time.clone());
    time(b)
        .cmp(&time(a))
        .then_with(|| a.study.cmp(&b.study))
        .then_with(|| (a.series_number, &a.series).cmp(&(b.series_number, &b.series)))
        .then_with(|| (a.number, &a.uid).cmp(&(b.number, &b.uid)))
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
pub fn order(a: &Image, b: &Image) -> Ordering {
    let key = |image: &Image| (image.study.clone(), image.series.clone(), image.number);
    key(a).cmp(&key(b)).then_with(|| a.uid.cmp(&b.uid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dicom_dictionary_std::tags;

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
    fn attributes_are_compared_as_their_kind_wants() {
        let image = Image {
            study: "1.2.3".into(),
            time: "101530".into(),
            accession: "A7".into(),
            number: 12,
            ..Image::default()
        };
        let found = |tag, pattern: &str| {
            let tag = attributes::to_number(tag);
            let others = vec![Criterion { tag, pattern: pattern.into() }];
            matches(&Query { others, ..everything() }, &image)
        };
        assert!(found(tags::ACCESSION_NUMBER, "a*") && !found(tags::ACCESSION_NUMBER, "7"));
        assert!(found(tags::STUDY_INSTANCE_UID, "9\\1.2.3"));
        assert!(!found(tags::STUDY_INSTANCE_UID, "1.2.*"));
        for (range, expected) in
            [("10-11", true), ("1015", true), ("-1015", true), ("1016-", false), ("-10", true)]
        {
            assert_eq!(found(tags::STUDY_TIME, range), expected, "{range}");
        }
        assert!(found(tags::INSTANCE_NUMBER, "12") && !found(tags::INSTANCE_NUMBER, "1"));
        assert!(!found(tags::PATIENT_AGE, "7"), "it is no attribute that is known");
    }

    #[test]
    fn names_match_in_each_alphabet_and_without_empty_parts() {
        for (pattern, name) in [
            ("yamada^tarou", "Yamada^Tarou=山田^太郎"),
            ("山田^*", "Yamada^Tarou=山田^太郎"),
            ("Yamada^Tarou=山田^太郎", "Yamada^Tarou=山田^太郎="),
            ("Doe^Jane^^", "Doe^Jane"),
            ("Doe^Jane", "Doe^Jane^^^"),
        ] {
            assert!(matches_name(pattern, name), "{pattern} {name}");
        }
        assert!(!matches_name("Doe", "Doe^Jane") && !matches_name("田", "Yamada=山田"));
    }

    #[test]
    fn ranges_may_be_open() {
        let ends = |text| {
            let (from, to) = range(text);
            format!("{from}..{to}")
        };
        assert_eq!(ends("20250101"), "20250101..20250101");
        assert_eq!(ends("20250101-"), "20250101..");
        assert_eq!(ends("-20250102"), "..20250102");
        assert_eq!(
            (ends("20250101-20250102"), ends("")),
            ("20250101..20250102".into(), "..".into())
        );
    }

    #[test]
    fn groups_count_what_they_hold_and_the_latest_study_is_first() {
        let image = |study: &str, series: &str, uid: &str, date: &str| Image {
            study: study.into(),
            series: series.into(),
            uid: uid.into(),
            date: date.into(),
            modality: if series == "b" { "CT" } else { "MR" }.into(),
            ..Image::default()
        };
        let images = [
            image("1", "a", "a1", "2024"),
            image("1", "a", "a2", "2024"),
            image("1", "b", "b1", "2024"),
            image("2", "c", "c1", "2025"),
        ];
        let studies = group(&images, Level::Studies);
        let shown = |group: &Group| {
            (group.first.study.clone(), group.series, group.images, group.modalities.join(" "))
        };
        let expected = [("2".into(), 1, 1, "MR".into()), ("1".into(), 2, 3, "CT MR".to_owned())];
        assert_eq!(studies.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(
            (group(&images, Level::Series).len(), group(&images, Level::Instances).len()),
            (3, 4)
        );
    }

    #[test]
    fn dates_are_inclusive_and_images_without_one_lie_before_all() {
        let image = |date: &str| Image { date: date.to_owned(), ..Image::default() };
        let query = Query { from: "20250101".into(), to: "20250102".into(), ..everything() };
        assert!(matches(&query, &image("20250101")) && matches(&query, &image("20250102")));
        assert!(!matches(&query, &image("20250103")) && !matches(&query, &image("")));
    }
}
