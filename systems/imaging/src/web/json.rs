//! Groups of images as DICOM JSON (PS3.18, annex F).

use crate::attributes::{self, FIELDS};
use crate::idl::{Group, Level};
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::{Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use serde_json::{Map, Value, json};

/// Which attributes an answer has.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// All that are known.
    pub(super) all: bool,
    /// Beside those that an answer of its level always has.
    pub(super) more: Vec<Tag>,
    /// Whether what is the same for a whole study, or series, stands in the path.
    pub(super) study_known: bool,
    pub(super) series_known: bool,
}

impl Wanted {
    /// Whether an answer of one level has attributes of another.
    fn includes(&self, tag: Tag, of: Level, answer: Level) -> bool {
        let uid = [tags::STUDY_INSTANCE_UID, tags::SERIES_INSTANCE_UID].contains(&tag);
        let above = match of {
            Level::Studies => !self.study_known,
            Level::Series => !self.series_known,
            Level::Instances => true,
        };
        rank(of) <= rank(answer)
            && (of == answer || uid || above || self.all || self.more.contains(&tag))
    }
}

const fn rank(level: Level) -> u8 {
    match level {
        Level::Studies => 0,
        Level::Series => 1,
        Level::Instances => 2,
    }
}

/// An answer to a search. `base` is the URL of the service.
pub(super) fn answer(group: &Group, level: Level, wanted: &Wanted, base: &str) -> Value {
    let mut object = Map::new();
    let mut put = |tag: Tag, value: Value| {
        object.insert(format!("{:04X}{:04X}", tag.0, tag.1), value);
    };
    for field in FIELDS.iter().filter(|field| wanted.includes(field.tag, field.level, level)) {
        put(field.tag, attribute(field.tag, &(field.get)(&group.first)));
    }
    let counts: &[Tag] = match level {
        Level::Studies => &[
            tags::MODALITIES_IN_STUDY,
            tags::NUMBER_OF_STUDY_RELATED_SERIES,
            tags::NUMBER_OF_STUDY_RELATED_INSTANCES,
        ],
        Level::Series => &[tags::NUMBER_OF_SERIES_RELATED_INSTANCES],
        Level::Instances => &[],
    };
    for tag in counts {
        put(*tag, attribute(*tag, &attributes::counted(*tag, group).unwrap_or_default()));
    }
    put(tags::INSTANCE_AVAILABILITY, attribute(tags::INSTANCE_AVAILABILITY, "ONLINE"));
    let image = &group.first;
    let mut url = format!("{base}/studies/{}", image.study);
    if level != Level::Studies {
        url += &format!("/series/{}", image.series);
    }
    if level == Level::Instances {
        url += &format!("/instances/{}", image.uid);
    }
    put(tags::RETRIEVE_URL, attribute(tags::RETRIEVE_URL, &url));
    Value::Object(object)
}

/// An attribute with a value as text; several values have `\` between them.
pub(super) fn attribute(tag: Tag, text: &str) -> Value {
    let vr = StandardDataDictionary.by_tag(tag).map_or(VR::UN, |entry| entry.vr().relaxed());
    let name = vr.to_string();
    if text.is_empty() {
        return json!({ "vr": name });
    }
    let value = |text: &str| match vr {
        VR::IS | VR::US | VR::UL | VR::SS | VR::SL => {
            text.trim().parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
        }
        VR::PN => {
            let names = ["Alphabetic", "Ideographic", "Phonetic"].into_iter().zip(text.split('='));
            names
                .filter(|(_, name)| !name.is_empty())
                .map(|(kind, name)| (kind, json!(name)))
                .collect()
        }
        _ => json!(text),
    };
    // A URL is one value whatever it contains.
    let values: Vec<Value> = match vr {
        VR::UR | VR::LT | VR::ST | VR::UT => vec![value(text)],
        _ => text.split('\\').map(value).collect(),
    };
    json!({ "vr": name, "Value": values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idl::Image;

    #[test]
    fn values_are_of_the_kind_of_their_attribute() {
        assert_eq!(attribute(tags::ROWS, "7"), json!({ "vr": "US", "Value": [7] }));
        assert_eq!(attribute(tags::STUDY_ID, ""), json!({ "vr": "SH" }));
        let names = json!({ "vr": "PN", "Value": [{ "Alphabetic": "Doe^J", "Phonetic": "x" }] });
        assert_eq!(attribute(tags::PATIENT_NAME, "Doe^J==x"), names);
        let several = json!({ "vr": "CS", "Value": ["CT", "MR"] });
        assert_eq!(attribute(tags::MODALITIES_IN_STUDY, "CT\\MR"), several);
    }

    #[test]
    fn an_answer_has_what_its_level_has_and_what_is_not_in_the_path() {
        let first =
            Image { study: "1".into(), series: "2".into(), uid: "3".into(), ..Image::default() };
        let group = Group { first, images: 5, series: 2, ..Group::default() };
        let known = Wanted { study_known: true, ..Wanted::default() };
        let has = |level, wanted: &Wanted, tag: &str| {
            answer(&group, level, wanted, "http://h").get(tag).is_some()
        };
        assert!(has(Level::Studies, &known, "00100010") && has(Level::Studies, &known, "00201208"));
        assert!(
            !has(Level::Studies, &known, "00200011") && !has(Level::Series, &known, "00100010")
        );
        assert!(has(Level::Series, &known, "0020000D") && has(Level::Series, &known, "00201209"));
        assert!(has(Level::Instances, &Wanted::default(), "00100010"));
        assert!(has(Level::Instances, &Wanted { all: true, ..known }, "00100010"));
        let url = &answer(&group, Level::Series, &Wanted::default(), "http://h")["00081190"];
        assert_eq!(url["Value"][0], "http://h/studies/1/series/2");
    }
}
