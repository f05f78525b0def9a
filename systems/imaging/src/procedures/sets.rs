//! Data sets: their texts, what is missing in them, and JSON (PS3.18, annex F).

use super::{Object, ProcedureError};
use dicom_core::dictionary::{DataDictionary as _, DataDictionaryEntry as _};
use dicom_core::value::{PrimitiveValue, Value};
use dicom_core::{DataElement, Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use dicom_object::mem::InMemElement;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex as _, TransferSyntaxRegistry};
use std::hash::{BuildHasher as _, RandomState};

/// The most octets of a data set that is kept.
pub const MOST_SET: usize = 2 << 20;

/// A tag with its name, for people.
pub(super) fn name(tag: Tag) -> String {
    let known = StandardDataDictionary.by_tag(tag);
    let name = known.map(|entry| entry.alias()).unwrap_or_default();
    format!("{name} {tag}").trim_start().to_owned()
}

/// The text of an attribute, without padding; empty if there is none.
pub(super) fn text(set: &Object, tag: Tag) -> String {
    let found = set.get(tag).and_then(|element| element.to_str().ok());
    found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
}

/// The first item of a sequence.
pub(super) fn first_item(set: &Object, tag: Tag) -> Option<&Object> {
    set.get(tag).and_then(|element| element.items()).and_then(<[Object]>::first)
}

/// An attribute that has to have a value.
pub(super) fn needed(set: &Object, tag: Tag) -> Result<String, ProcedureError> {
    match set.get(tag) {
        None => Err(ProcedureError::Missing(tag)),
        Some(_) => Some(text(set, tag))
            .filter(|text| !text.is_empty())
            .ok_or_else(|| ProcedureError::Invalid(tag, "it has no value".to_owned())),
    }
}

/// Sets an attribute.
pub(super) fn put(set: &mut Object, tag: Tag, vr: VR, text: &str) {
    let value = if text.is_empty() { PrimitiveValue::Empty } else { PrimitiveValue::from(text) };
    set.put(DataElement::new(tag, vr, value));
}

/// Sets an attribute unless it has a value.
pub(super) fn put_if_empty(set: &mut Object, tag: Tag, vr: VR, value: &str) {
    if text(set, tag).is_empty() && !value.is_empty() {
        put(set, tag, vr, value);
    }
}

/// Sets a sequence.
pub(super) fn put_items(set: &mut Object, tag: Tag, items: Vec<Object>) {
    let items: Value<Object, _> = Value::Sequence(items.into());
    set.put(InMemElement::new(tag, VR::SQ, items));
}

/// Removes what belongs to the encoding of a data set, which is kept in Unicode.
pub(super) fn without_encoding(set: Object) -> Object {
    let kept = set.into_iter().filter(|element| {
        let tag = dicom_core::header::Header::tag(element);
        tag.1 != 0 && tag.0 > 0x0007 && tag != tags::SPECIFIC_CHARACTER_SET
    });
    Object::from_element_iter(kept)
}

/// Says in which character set the texts of a data set are that is to be written, if any is not in
/// the default one.
pub fn say_set(set: &mut Object) {
    set.remove_element(tags::SPECIFIC_CHARACTER_SET);
    if !is_plain(set) {
        put(set, tags::SPECIFIC_CHARACTER_SET, VR::CS, "ISO_IR 192");
    }
}

fn is_plain(set: &Object) -> bool {
    set.iter().all(|element| match element.items() {
        Some(items) => items.iter().all(is_plain),
        None => element.to_str().map_or(true, |text| text.is_ascii()),
    })
}

/// A data set as JSON.
pub(super) fn to_json(set: &Object) -> String {
    // Only numbers that JSON has not would fail: they become nothing.
    dicom_json::to_string(set).unwrap_or_else(|_| "{}".to_owned())
}

/// Reads a data set from JSON.
///
/// # Errors
/// It is none, or has more than [`MOST_SET`] octets.
pub fn object_from_json(text: &str) -> Result<Object, ProcedureError> {
    if text.len() > MOST_SET {
        return Err(ProcedureError::TooMany(format!("a data set has {MOST_SET} octets at most")));
    }
    dicom_json::from_str(text).map_err(|error| ProcedureError::NoSet(error.to_string()))
}

/// Writes a data set as a peer takes it, with the character set of its texts.
///
/// # Errors
/// The transfer syntax is not known, or has no room for a value.
pub fn object_to_octets(mut set: Object, syntax: &str) -> Result<Vec<u8>, ProcedureError> {
    let no = |error: &dyn std::fmt::Display| ProcedureError::NoSet(error.to_string());
    let known = TransferSyntaxRegistry.get(syntax);
    let syntax = known.ok_or_else(|| no(&"an unknown transfer syntax"))?;
    say_set(&mut set);
    let mut octets = Vec::new();
    set.write_dataset_with_ts(&mut octets, syntax).map_err(|error| no(&error))?;
    Ok(octets)
}

/// A UID that nobody else has (PS3.5, B.2).
pub(super) fn new_uid() -> String {
    let random = || u128::from(RandomState::new().hash_one(std::time::SystemTime::now()));
    let octets = random() << 64 | random();
    // Version 4 and variant 1 of RFC 9562.
    let uuid = octets & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    format!("2.25.{uuid}")
}
