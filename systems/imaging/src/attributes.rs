//! The attributes of an image that can be searched for, by their DICOM tags.

use crate::idl::{Group, Image, Level};
use dicom_core::Tag;
use dicom_dictionary_std::tags;
use std::borrow::Cow;

/// An attribute.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its tag.
    pub tag: Tag,
    /// Whether it is one of a study, a series or an image.
    pub level: Level,
    /// How a pattern is understood.
    pub matching: Matching,
    /// Its value as text.
    pub get: fn(&Image) -> Cow<'_, str>,
}

/// How a pattern is compared (PS3.4, C.2.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// `*` and `?` stand for others; case does not matter.
    Text,
    /// The same for names of people, in any of their alphabets.
    Name,
    /// One of several UIDs.
    Uid,
    /// A date, a time, or a range of them.
    Range,
}

const fn field(
    tag: Tag,
    level: Level,
    matching: Matching,
    get: fn(&Image) -> Cow<'_, str>,
) -> Field {
    Field { tag, level, matching, get }
}

macro_rules! texts {
    ($field:ident) => {
        |image| Cow::Borrowed(image.$field.as_str())
    };
}

macro_rules! numbers {
    ($field:ident) => {
        |image| Cow::Owned(image.$field.to_string())
    };
}

/// All of them, by level.
pub static FIELDS: &[Field] = {
    use Level::{Instances, Series, Studies};
    use Matching::{Name, Range, Text, Uid};
    &[
        field(tags::STUDY_DATE, Studies, Range, texts!(date)),
        field(tags::STUDY_TIME, Studies, Range, texts!(time)),
        field(tags::ACCESSION_NUMBER, Studies, Text, texts!(accession)),
        field(tags::REFERRING_PHYSICIAN_NAME, Studies, Name, texts!(referrer)),
        field(tags::STUDY_DESCRIPTION, Studies, Text, texts!(study_description)),
        field(tags::PATIENT_NAME, Studies, Name, texts!(patient_name)),
        field(tags::PATIENT_ID, Studies, Text, texts!(patient)),
        field(tags::PATIENT_BIRTH_DATE, Studies, Range, texts!(birth_date)),
        field(tags::PATIENT_SEX, Studies, Text, texts!(sex)),
        field(tags::STUDY_INSTANCE_UID, Studies, Uid, texts!(study)),
        field(tags::STUDY_ID, Studies, Text, texts!(study_id)),
        field(tags::MODALITY, Series, Text, texts!(modality)),
        field(tags::SERIES_DESCRIPTION, Series, Text, texts!(description)),
        field(tags::SERIES_INSTANCE_UID, Series, Uid, texts!(series)),
        field(tags::SERIES_NUMBER, Series, Text, numbers!(series_number)),
        field(tags::SOP_CLASS_UID, Instances, Uid, texts!(kind)),
        field(tags::SOP_INSTANCE_UID, Instances, Uid, texts!(uid)),
        field(tags::AVAILABLE_TRANSFER_SYNTAX_UID, Instances, Uid, texts!(syntax)),
        field(tags::INSTANCE_NUMBER, Instances, Text, numbers!(number)),
        field(tags::ROWS, Instances, Text, numbers!(rows)),
        field(tags::COLUMNS, Instances, Text, numbers!(columns)),
        field(tags::BITS_ALLOCATED, Instances, Text, numbers!(bits)),
        field(tags::NUMBER_OF_FRAMES, Instances, Text, numbers!(frames)),
    ]
};

/// The attribute with a tag.
pub fn find(tag: Tag) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.tag == tag)
}

/// An attribute of a study or series that is made of its images; `None` if it is not one.
pub fn counted(tag: Tag, group: &Group) -> Option<String> {
    match tag {
        tags::MODALITIES_IN_STUDY => Some(group.modalities.join("\\")),
        tags::NUMBER_OF_STUDY_RELATED_INSTANCES | tags::NUMBER_OF_SERIES_RELATED_INSTANCES => {
            Some(group.images.to_string())
        }
        tags::NUMBER_OF_STUDY_RELATED_SERIES => Some(group.series.to_string()),
        _ => None,
    }
}

/// A tag as the number that the IDL carries.
pub const fn to_number(tag: Tag) -> u32 {
    (tag.0 as u32) << 16 | tag.1 as u32
}

/// The tag of such a number.
pub const fn from_number(number: u32) -> Tag {
    Tag((number >> 16) as u16, number as u16)
}
