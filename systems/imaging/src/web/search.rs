//! Searching for studies, series and instances: QIDO-RS (PS3.18, section 10.6).

use super::json::{Wanted, answer};
use super::resource::Target;
use super::{Asked, Problem, Web};
use crate::attributes;
use crate::idl::{Criterion, Level, Missing, Query, Source};
use crate::query::everything;
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
    let plain = |c: &char| c.is_ascii_graphic() && !['"', '\\'].contains(c) || *c == ' ';
    let server: String = missing.server.chars().filter(plain).take(200).collect();
    format!("the server {server} does not answer")
}

fn parse(parameters: &[(String, String)], target: &Target) -> Result<Search, Problem> {
    let mut query =
        Query { study: target.study.clone(), series: target.series.clone(), ..everything() };
    let mut wanted = Wanted {
        study_known: !target.study.is_empty(),
        series_known: !target.series.is_empty(),
        ..Wanted::default()
    };
    let (mut offset, mut limit, mut fuzzy) = (0, LIMIT, false);
    let number = |name: &str, text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| Problem::bad(format!("{name}={text}: a number is needed")))
    };
    for (name, value) in parameters {
        match name.as_str() {
            "limit" => limit = number(name, value)?.min(MOST),
            "offset" => offset = number(name, value)?,
            "fuzzymatching" => fuzzy = value == "true",
            "includefield" if value == "all" => wanted.all = true,
            "includefield" => {
                let fields = value.split(',').map(tag);
                wanted.more.extend(fields.collect::<Result<Vec<_>, _>>()?);
            }
            _ => match tag(name)? {
                tags::MODALITIES_IN_STUDY => query.modality.clone_from(value),
                tag if attributes::find(tag).is_some() => {
                    let pattern = value.replace(',', "\\");
                    let uids = matches!(attributes::find(tag), Some(field)
                        if field.matching == attributes::Matching::Uid);
                    let pattern = if uids { pattern } else { value.clone() };
                    query.others.push(Criterion { tag: attributes::to_number(tag), pattern });
                }
                _ => return Err(Problem::bad(format!("{name} cannot be searched for here"))),
            },
        }
    }
    // One more than wanted tells whether there are more.
    query.limit = offset.saturating_add(limit).saturating_add(1);
    Ok(Search { query, wanted, offset: offset as usize, limit: limit as usize, fuzzy })
}

/// A tag as eight hexadecimal digits or by its keyword. Of a path into a sequence the first one.
fn tag(text: &str) -> Result<Tag, Problem> {
    let text = text.split('.').next().unwrap_or(text);
    let unknown =
        || Problem::bad(format!("{text:?} is no attribute: a keyword or GGGGEEEE is needed"));
    if text.len() == 8 && text.bytes().all(|octet| octet.is_ascii_hexdigit()) {
        return u32::from_str_radix(text, 16).map(attributes::from_number).map_err(|_| unknown());
    }
    StandardDataDictionary.by_name(text).map(|entry| entry.tag()).ok_or_else(unknown)
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
    fn what_is_not_understood_is_named() {
        for (text, part) in [
            ("limit=x", "limit=x"),
            ("offset=-1", "offset=-1"),
            ("PatientAge=7", "PatientAge"),
            ("Nonsense=7", "Nonsense"),
            ("includefield=Nonsense", "Nonsense"),
        ] {
            let what = read(text).unwrap_err().what;
            assert!(what.contains(part), "{what}");
        }
    }
}
