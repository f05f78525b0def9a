//! Queries (PS3.4, annex C): studies, series and images, with the attributes that are asked for.

use crate::idl::{Image, Query};
use crate::query::everything;
use crate::store::Store;
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex, TransferSyntaxRegistry};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;

/// The most answers to one query.
const MOST: usize = 10_000;

/// The images of one study, series or image.
type Group = Vec<Arc<Image>>;

/// The encoded answers to an identifier.
pub(super) fn answers(
    store: &Store,
    identifier: &[u8],
    syntax: &str,
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let syntax = TransferSyntaxRegistry.get(syntax).ok_or("an unknown transfer syntax")?;
    let wanted = InMemDicomObject::read_dataset_with_ts(identifier, syntax)?;
    let text = |tag| {
        let found = wanted.get(tag).and_then(|element| element.to_str().ok());
        found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
    };
    let level = text(tags::QUERY_RETRIEVE_LEVEL);
    let key: fn(&Image) -> &str = match level.as_str() {
        "PATIENT" => |image| &image.patient,
        "STUDY" => |image| &image.study,
        "SERIES" => |image| &image.series,
        "IMAGE" => |image| &image.uid,
        other => return Err(format!("{other:?} is no level of a query").into()),
    };
    let modality = text(tags::MODALITY) + &text(tags::MODALITIES_IN_STUDY);
    let (from, to) = dates(&text(tags::STUDY_DATE));
    let query = Query {
        patient: text(tags::PATIENT_ID),
        patient_name: text(tags::PATIENT_NAME),
        study: text(tags::STUDY_INSTANCE_UID),
        series: text(tags::SERIES_INSTANCE_UID),
        modality,
        from,
        to,
        ..everything()
    };
    let uid = text(tags::SOP_INSTANCE_UID);
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for image in store.find(&query) {
        if uid.is_empty() || uid.split('\\').any(|uid| uid == image.uid) {
            groups.entry(key(&image).to_owned()).or_default().push(image);
        }
    }
    let asked: Vec<Tag> = wanted.tags().collect();
    let answer = |group: &Group| {
        let elements = asked.iter().map(|tag| element(*tag, group, &level));
        let mut octets = Vec::new();
        let answer = InMemDicomObject::from_element_iter(elements);
        answer.write_dataset_with_ts(&mut octets, syntax)?;
        Ok(octets)
    };
    groups.values().take(MOST).map(answer).collect()
}

/// The ends of a range of dates: `A`, `A-`, `-B` or `A-B` (PS3.4, C.2.2.2.5).
fn dates(text: &str) -> (String, String) {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    (from.trim().to_owned(), to.trim().to_owned())
}

/// An attribute of a group; empty if it is not known.
fn element(tag: Tag, group: &Group, level: &str) -> DataElement<InMemDicomObject> {
    let set = |field: fn(&Image) -> &str| {
        let values: BTreeSet<&str> = group.iter().map(|image| field(image)).collect();
        values.into_iter().collect::<Vec<_>>().join("\\")
    };
    let count = |field: fn(&Image) -> &str| {
        group.iter().map(|image| field(image)).collect::<BTreeSet<_>>().len().to_string()
    };
    let Some(first) = group.first() else {
        return DataElement::new(tag, VR::UN, PrimitiveValue::Empty);
    };
    let text = match tag {
        tags::QUERY_RETRIEVE_LEVEL => level.to_owned(),
        tags::PATIENT_ID => first.patient.clone(),
        tags::PATIENT_NAME => first.patient_name.clone(),
        tags::STUDY_INSTANCE_UID => first.study.clone(),
        tags::STUDY_DATE => first.date.clone(),
        tags::MODALITIES_IN_STUDY => set(|image| &image.modality),
        tags::MODALITY => first.modality.clone(),
        tags::SERIES_INSTANCE_UID => first.series.clone(),
        tags::SERIES_DESCRIPTION => first.description.clone(),
        tags::SOP_INSTANCE_UID => first.uid.clone(),
        tags::SOP_CLASS_UID => first.kind.clone(),
        tags::INSTANCE_NUMBER => first.number.to_string(),
        tags::NUMBER_OF_STUDY_RELATED_INSTANCES | tags::NUMBER_OF_SERIES_RELATED_INSTANCES => {
            group.len().to_string()
        }
        tags::NUMBER_OF_STUDY_RELATED_SERIES => count(|image| &image.series),
        _ => String::new(),
    };
    let entry = StandardDataDictionary.by_tag(tag);
    let vr = entry.map_or(VR::UN, |entry| entry.vr().relaxed());
    let value = if text.is_empty() { PrimitiveValue::Empty } else { PrimitiveValue::from(text) };
    DataElement::new(tag, vr, value)
}

#[cfg(test)]
mod tests {
    use super::dates;

    #[test]
    fn ranges_of_dates_may_be_open() {
        let ends = |text| {
            let (from, to) = dates(text);
            format!("{from}..{to}")
        };
        assert_eq!(ends("20250101"), "20250101..20250101");
        assert_eq!(
            (ends("20250101-"), ends("-20250102")),
            ("20250101..".into(), "..20250102".into())
        );
        assert_eq!(
            (ends("20250101-20250102"), ends("")),
            ("20250101..20250102".into(), "..".into())
        );
    }
}
