//! Searching for studies, series and instances: QIDO-RS (PS3.18, section 10.6).

use super::json::{Wanted, answer};
use super::resource::Target;
use super::{Asked, Problem, Web};
use crate::attributes::{self, Field, Matching};
use crate::idl::{Criterion, Level, Missing, Query, Source};
use crate::query::{self, everything};
use armilla_service::axum::http::HeaderValue;
use armilla_service::axum::http::header::{CONTENT_TYPE, WARNING};
use armilla_service::axum::response::{IntoResponse, Response};
use dicom_core::Tag;
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use serde_json::Value;

/// How many answers there are if nothing is said, and at most.
const LIMIT: u32 = 1000;
const MOST: u32 = 10_000;

/// What a search is for.
#[derive(Debug)]
struct Search {
    query: Query,
    wanted: Wanted,
    offset: usize,
    limit: usize,
    fuzzy: bool,
    /// Parameters that say nothing here (PS3.18, 8.3.4).
    ignored: Vec<String>,
}

/// Answers a search.
pub(super) fn search(
    web: &Web,
    asked: &Asked,
    target: &Target,
    level: Level,
) -> Result<Response, Problem> {
    let json = ["application/dicom+json", "application/json"];
    let kind = json.into_iter().find(|kind| asked.accepts(kind)).ok_or_else(|| {
        Problem::not_acceptable("a search is answered with application/dicom+json")
    })?;
    let search = parse(&asked.parameters, target)?;
    let (mut groups, missing) = web.sources.source().groups(&search.query, level)?;
    let more = groups.len() > search.offset + search.limit;
    groups.truncate(search.offset + search.limit);
    let answers = groups.iter().skip(search.offset);
    let answers = answers.map(|group| answer(group, level, &search.wanted, &asked.base));
    let body = Value::Array(answers.collect()).to_string();
    let mut response = ([(CONTENT_TYPE, kind)], body).into_response();
    let mut warn = |what: String| {
        let warning = HeaderValue::from_str(&format!("299 armilla-imaging \"{what}\""));
        response.headers_mut().extend(warning.map(|warning| (Some(WARNING), warning)).ok());
    };
    if search.fuzzy {
        warn("the fuzzymatching parameter is not supported, only literal matching is done".into());
    }
    if !search.ignored.is_empty() {
        let names = plain_text(&search.ignored.join(", "));
        warn(format!("not supported, and ignored: {names}"));
    }
    if more {
        warn(format!("there are more than {} results; ask with offset", search.limit));
    }
    for missing in &missing {
        warn(missing_text(missing));
    }
    Ok(response)
}

/// Says of a server that it does not answer, without what might not go into a header.
pub(super) fn missing_text(missing: &Missing) -> String {
    format!("the server {} does not answer", plain_text(&missing.server))
}

/// A text without what might not go into a header.
fn plain_text(text: &str) -> String {
    let plain = |c: &char| c.is_ascii_graphic() && !['"', '\\'].contains(c) || *c == ' ';
    text.chars().filter(plain).take(200).collect()
}

fn parse(parameters: &[(String, String)], target: &Target) -> Result<Search, Problem> {
    let mut query =
        Query { study: target.study.clone(), series: target.series.clone(), ..everything() };
    let mut wanted = Wanted {
        study_known: !target.study.is_empty(),
        series_known: !target.series.is_empty(),
        ..Wanted::default()
    };
    let (mut offset, mut limit, mut fuzzy, mut ignored) = (0, LIMIT, false, Vec::new());
    let number = |name: &str, text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| Problem::bad(format!("{name}={text}: a number is needed")))
    };
    for (name, value) in parameters {
        match name.as_str() {
            "limit" => limit = number(name, value)?.min(MOST),
            "offset" => offset = number(name, value)?,
            "fuzzymatching" => {
                let wrong = || Problem::bad(format!("{name}={value}: true or false is needed"));
                fuzzy = value.parse().map_err(|_| wrong())?;
            }
            "includefield" if value == "all" => wanted.all = true,
            "includefield" => value.split(',').for_each(|field| match tag(field) {
                Some(tag) => wanted.more.push(tag),
                None => ignored.push(format!("includefield={field}")),
            }),
            _ => match tag(name).map(|tag| (tag, attributes::find(tag))) {
                Some((tags::MODALITIES_IN_STUDY, _)) => query.modality.clone_from(value),
                Some((_, Some(field))) => query.others.extend(criterion(field, name, value)?),
                _ => ignored.push(name.clone()),
            },
        }
    }
    // One more than wanted tells whether there are more.
    query.limit = offset.saturating_add(limit).saturating_add(1);
    Ok(Search { query, wanted, offset: offset as usize, limit: limit as usize, fuzzy, ignored })
}

/// A tag as eight hexadecimal digits or by its keyword. Of a path into a sequence the first one.
fn tag(text: &str) -> Option<Tag> {
    let text = text.split('.').next().unwrap_or(text);
    if text.len() == 8 && text.bytes().all(|octet| octet.is_ascii_hexdigit()) {
        return u32::from_str_radix(text, 16).map(attributes::from_number).ok();
    }
    StandardDataDictionary.by_name(text).map(|entry| entry.tag())
}

/// What an attribute is to be; nothing if any value will do.
fn criterion(field: &Field, name: &str, value: &str) -> Result<Option<Criterion>, Problem> {
    let wrong = |how: &str| Err(Problem::bad(format!("{name}={value}: {how}")));
    let pattern = match field.matching {
        _ if value.is_empty() || value == "*" => return Ok(None),
        Matching::Uid => {
            let uid = |text: &str| {
                text == "*" || text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.')
            };
            match value.split([',', '\\']).all(uid) {
                true => value.replace(',', "\\"),
                false => return wrong("a UID is needed, or several with commas between them"),
            }
        }
        Matching::Range => {
            let (from, to) = query::range(value);
            let end =
                |text: &str| text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.');
            match end(&from) && end(&to) {
                true => value.to_owned(),
                false => return wrong("FROM-TO is needed, of dates YYYYMMDD or times HHMMSS"),
            }
        }
        _ => value.to_owned(),
    };
    Ok(Some(Criterion { tag: attributes::to_number(field.tag), pattern }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Search, Problem> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        let pairs: Vec<_> = pairs.map(|(name, value)| (name.into(), value.into())).collect();
        parse(&pairs, &Target::default())
    }

    #[test]
    fn attributes_have_keywords_and_numbers() {
        let search =
            read("PatientID=P*&0020000D=1,2&ModalitiesInStudy=CT&limit=5&offset=7").unwrap();
        let others = &search.query.others;
        assert_eq!((others[0].tag, others[0].pattern.as_str()), (0x0010_0020, "P*"));
        assert_eq!((others[1].tag, others[1].pattern.as_str()), (0x0020_000d, "1\\2"));
        assert_eq!(search.query.modality, "CT");
        assert_eq!((search.limit, search.offset, search.query.limit), (5, 7, 13));
        let search = read("includefield=PatientSex,00100030&includefield=all").unwrap();
        assert!(search.wanted.all && search.wanted.more.len() == 2);
    }

    #[test]
    fn values_that_are_not_understood_are_named() {
        for (text, part) in [
            ("limit=x", "limit=x"),
            ("offset=-1", "offset=-1"),
            ("fuzzymatching=perhaps", "fuzzymatching=perhaps"),
            ("StudyDate=yesterday", "StudyDate=yesterday"),
            ("StudyTime=10-noon", "StudyTime=10-noon"),
            ("StudyInstanceUID=1.2,x", "StudyInstanceUID=1.2,x"),
        ] {
            let what = read(text).unwrap_err().what;
            assert!(what.contains(part), "{what}");
        }
    }

    #[test]
    fn parameters_that_say_nothing_here_are_ignored_and_named() {
        let text = "_=17&access_token=x&orderby=StudyDate&PatientAge=7&Nonsense=7&00091001=1\
                    &includefield=Nonsense,PatientSex&PatientID=P7&StudyDate=*";
        let search = read(text).unwrap();
        let names = ["_", "access_token", "orderby", "PatientAge", "Nonsense", "00091001"];
        assert_eq!(search.ignored[..6], names);
        assert_eq!(search.ignored[6..], ["includefield=Nonsense"]);
        assert_eq!((search.query.others.len(), search.wanted.more.len()), (1, 1));
    }
}
