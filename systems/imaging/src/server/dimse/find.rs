//! Queries (PS3.4, annex C): studies, series and images, with the attributes that are asked for.

use crate::attributes;
use crate::dicom::read_set;
use crate::idl::{Criterion, Group, Level, Query};
use crate::procedures::say_set;
use crate::query::everything;
use crate::store::Store;
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use dicom_encoding::TransferSyntax;
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex, TransferSyntaxRegistry};
use std::collections::BTreeSet;
use std::error::Error;

/// The most answers to one query.
pub(super) const MOST: usize = 10_000;

/// The answers to a query.
pub(super) struct Answers {
    pub(super) encoded: Vec<Vec<u8>>,
    /// Whether there are more than may be.
    pub(super) more: bool,
}

/// What a request asks for, with its texts in Unicode.
pub(super) fn read_identifier(
    identifier: &[u8],
    syntax: &str,
) -> Result<InMemDicomObject, Box<dyn Error>> {
    Ok(read_set(identifier, syntax)?)
}

fn transfer_syntax(uid: &str) -> Result<&'static TransferSyntax, &'static str> {
    TransferSyntaxRegistry.get(uid).ok_or("an unknown transfer syntax")
}

/// The text of an attribute, without padding; empty if there is none.
pub(super) fn text_of(identifier: &InMemDicomObject, tag: Tag) -> String {
    let found = identifier.get(tag).and_then(|element| element.to_str().ok());
    found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
}

/// The answers to an identifier.
pub(super) fn answers(
    store: &Store,
    identifier: &[u8],
    syntax: &str,
) -> Result<Answers, Box<dyn Error>> {
    let wanted = read_identifier(identifier, syntax)?;
    let syntax = transfer_syntax(syntax)?;
    let text = |tag| text_of(&wanted, tag);
    let level = text(tags::QUERY_RETRIEVE_LEVEL);
    let by = match level.as_str() {
        "PATIENT" | "STUDY" => Level::Studies,
        "SERIES" => Level::Series,
        "IMAGE" => Level::Instances,
        other => return Err(format!("{other:?} is no level of a query").into()),
    };
    let asked: Vec<Tag> = wanted.tags().collect();
    let others = asked
        .iter()
        .filter(|tag| attributes::find(**tag).is_some())
        .map(|tag| Criterion { tag: attributes::to_number(*tag), pattern: text(*tag) });
    let others = others.filter(|wanted| !wanted.pattern.is_empty()).collect();
    let modality = text(tags::MODALITIES_IN_STUDY);
    let mut groups = store.groups(&Query { modality, others, ..everything() }, by);
    if level == "PATIENT" {
        let mut seen = BTreeSet::new();
        groups.retain(|group| seen.insert(group.first.patient.clone()));
    }
    let answer = |group: &Group| {
        let elements = asked.iter().map(|tag| element(*tag, group, &level));
        let mut octets = Vec::new();
        let mut answer = InMemDicomObject::from_element_iter(elements);
        say_set(&mut answer);
        answer.write_dataset_with_ts(&mut octets, syntax)?;
        Ok(octets)
    };
    let answers = groups.iter().take(MOST).map(answer).collect::<Result<_, Box<dyn Error>>>();
    Ok(Answers { encoded: answers?, more: groups.len() > MOST })
}

/// An attribute of a group; empty if it is not known.
fn element(tag: Tag, group: &Group, level: &str) -> DataElement<InMemDicomObject> {
    let text = match tag {
        tags::QUERY_RETRIEVE_LEVEL => level.to_owned(),
        _ => match attributes::counted(tag, group) {
            Some(text) => text,
            None => attributes::find(tag).map_or_else(String::new, |field| {
                let text = (field.get)(&group.first);
                text.into_owned()
            }),
        },
    };
    let entry = StandardDataDictionary.by_tag(tag);
    let vr = entry.map_or(VR::UN, |entry| entry.vr().relaxed());
    let value = match (text.is_empty(), vr, text.parse::<u16>()) {
        (true, ..) => PrimitiveValue::Empty,
        (false, VR::US, Ok(number)) => PrimitiveValue::from(number),
        _ => PrimitiveValue::from(text),
    };
    DataElement::new(tag, vr, value)
}
