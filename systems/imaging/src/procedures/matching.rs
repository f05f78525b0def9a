//! Which data sets match the keys of a query, and what of them is returned (PS3.4, C.2.2.2).

use super::Object;
use super::sets::text;
use crate::query::{matches_name, matches_text, range};
use dicom_core::header::Header as _;
use dicom_core::value::Value;
use dicom_core::{DataElement, VR};
use dicom_dictionary_std::tags;
use dicom_object::mem::InMemElement;

/// Whether a data set has what each key with a value asks for. The keys of an item of a sequence are
/// those of one item of the data set.
pub fn matches(keys: &Object, set: &Object) -> bool {
    let moment =
        [tags::SCHEDULED_PROCEDURE_STEP_START_DATE, tags::SCHEDULED_PROCEDURE_STEP_START_TIME];
    let together = matches_moment(keys, set);
    keys.iter().all(|key| match together {
        Some(matched) if moment.contains(&key.tag()) => matched,
        _ => matches_element(key, set.get(key.tag())),
    })
}

/// A range of dates and one of times are one of moments (PS3.4, table K.6-1): from the first time of
/// the first day to the last time of the last day. `None` unless there are both.
fn matches_moment(keys: &Object, set: &Object) -> Option<bool> {
    let date = |of: &Object| text(of, tags::SCHEDULED_PROCEDURE_STEP_START_DATE).replace('.', "");
    let time = |of: &Object| text(of, tags::SCHEDULED_PROCEDURE_STEP_START_TIME).replace(':', "");
    let (days, times) = (date(keys), time(keys));
    if !days.contains('-') || !times.contains('-') {
        return None;
    }
    let ((first, last), (from, to)) = (range(&days), range(&times));
    let (day, moment) = (date(set), padded(&time(set), 6));
    let after = first.is_empty() || (&day, &moment) >= (&first, &padded(&from, 6));
    let before = last.is_empty() || day < last || day == last && is_until(&moment, &to);
    Some(!day.is_empty() && after && before)
}

fn matches_element(key: &InMemElement, found: Option<&InMemElement>) -> bool {
    // A worklist has no levels, and some ask with one.
    let beside = [tags::SPECIFIC_CHARACTER_SET, tags::QUERY_RETRIEVE_LEVEL];
    if key.tag().1 == 0 || beside.contains(&key.tag()) {
        return true;
    }
    if let Some(items) = key.items() {
        let Some(keys) = items.first().filter(|keys| !is_universal(keys)) else { return true };
        let found = found.and_then(InMemElement::items).unwrap_or_default();
        return found.iter().any(|item| matches(keys, item));
    }
    let patterns = values(key);
    if patterns.is_empty() {
        return true;
    }
    let Some(found) = found else { return patterns.iter().any(|pattern| pattern == "*") };
    let vr = if key.vr() == VR::UN { found.vr() } else { key.vr() };
    let mut values = values(found);
    if values.is_empty() {
        values.push(String::new());
    }
    values.iter().any(|value| patterns.iter().any(|pattern| matches_value(vr, pattern, value)))
}

/// Whether no key of an item has a value.
fn is_universal(keys: &Object) -> bool {
    keys.iter().all(|key| match key.items() {
        Some(items) => items.iter().all(is_universal),
        None => values(key).is_empty(),
    })
}

/// The values that are not empty.
fn values(element: &InMemElement) -> Vec<String> {
    let text = element.to_str().unwrap_or_default();
    // Of these, `\` is a character like others (PS3.5, 6.4).
    let one = [VR::LT, VR::ST, VR::UT, VR::UR].contains(&element.vr());
    let texts = text.split(|c| c == '\\' && !one).map(|text| text.trim_matches(['\0', ' ']));
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn matches_value(vr: VR, pattern: &str, value: &str) -> bool {
    match vr {
        VR::UI => pattern == value || pattern == "*",
        VR::PN => matches_name(pattern, value),
        _ if value.is_empty() => pattern == "*",
        VR::DA => is_within(&pattern.replace('.', ""), &value.replace('.', ""), 8),
        VR::TM => is_within(&pattern.replace(':', ""), &value.replace(':', ""), 6),
        VR::DT => is_within(pattern, value, 14),
        _ => matches_text(pattern, value),
    }
}

/// Whether a date or time of so many digits is in a range.
fn is_within(pattern: &str, value: &str, digits: usize) -> bool {
    let ((from, to), value) = (range(pattern), padded(value, digits));
    (from.is_empty() || padded(&from, digits) <= value) && is_until(&value, &to)
}

/// Whether a moment is not behind the end of a range, which may have fewer digits.
fn is_until(value: &str, end: &str) -> bool {
    end.is_empty() || value.get(..end.len()).unwrap_or(value) <= end
}

fn padded(value: &str, digits: usize) -> String {
    format!("{value:0<digits$}")
}

/// What a query returns of a data set that matches: the attributes of its keys, empty where there is
/// no value, and of a sequence the items that match. A sequence without keys comes whole.
pub fn answer(keys: &Object, set: &Object) -> Object {
    let asked = keys.iter().filter(|key| key.tag().1 != 0);
    let asked = asked.filter(|key| key.tag() != tags::SPECIFIC_CHARACTER_SET);
    Object::from_element_iter(asked.map(|key| {
        let (tag, found) = (key.tag(), set.get(key.tag()));
        match (key.items(), found.map(|found| found.items())) {
            (Some(keys), Some(Some(items))) => {
                let keys = keys.first().filter(|keys| keys.iter().next().is_some());
                let items = items.iter().filter(|item| keys.is_none_or(|keys| matches(keys, item)));
                let items =
                    items.map(|item| keys.map_or_else(|| item.clone(), |k| answer(k, item)));
                let items: Vec<Object> = items.collect();
                DataElement::new(tag, VR::SQ, Value::Sequence(items.into()))
            }
            (_, Some(_)) => found.cloned().unwrap_or_else(|| DataElement::empty(tag, key.vr())),
            (Some(_), None) => DataElement::new(tag, VR::SQ, Value::Sequence(Vec::new().into())),
            (None, None) => DataElement::empty(tag, key.vr()),
        }
    }))
}
