//! Command sets (PS3.7, section 6.3) and their replies.

use crate::dicom::check_set;
use crate::store::StoreError;
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::entries::IMPLICIT_VR_LITTLE_ENDIAN;
use dicom_ul::pdu::{PDataValue, PDataValueType};
use dicom_ul::{Pdu, ServerAssociation};
use std::error::Error;
use std::net::TcpStream;

// PS3.7, E.1-1
pub(super) const C_STORE: u16 = 0x0001;
pub(super) const C_FIND: u16 = 0x0020;
pub(super) const C_ECHO: u16 = 0x0030;
pub(super) const C_CANCEL: u16 = 0x0fff;

/// Set in the field of a reply.
const REPLY: u16 = 0x8000;

/// A message without a data set.
const NO_DATA: u16 = 0x0101;

/// A command.
pub(super) struct Command {
    /// What to do.
    pub(super) field: u16,
    /// The presentation context in which it came.
    pub(super) context: u8,
    set: InMemDicomObject,
}

impl Command {
    pub(super) fn read(octets: &[u8], context: u8) -> Result<Self, Box<dyn Error>> {
        check_set(octets, uids::IMPLICIT_VR_LITTLE_ENDIAN)?;
        let set =
            InMemDicomObject::read_dataset_with_ts(octets, &IMPLICIT_VR_LITTLE_ENDIAN.erased())?;
        let field = set.element(tags::COMMAND_FIELD)?.to_int()?;
        Ok(Self { field, context, set })
    }

    /// A text of the command, or nothing.
    pub(super) fn text(&self, tag: Tag) -> String {
        let found = self.set.get(tag).and_then(|element| element.to_str().ok());
        found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
    }

    fn number(&self, tag: Tag) -> u16 {
        self.set.get(tag).and_then(|element| element.to_int().ok()).unwrap_or_default()
    }
}

/// The status of a reply (PS3.7, annex C; PS3.4, tables B.2-1 and C.4-1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Status(u16);

impl Status {
    pub(super) const SUCCESS: Self = Self(0x0000);
    pub(super) const PENDING: Self = Self(0xff00);
    pub(super) const NOT_AUTHORIZED: Self = Self(0x0124);
    pub(super) const UNRECOGNIZED: Self = Self(0x0211);
    /// Of a data set: the query, or the image.
    pub(super) const NOT_UNDERSTOOD: Self = Self(0xc000);
    const OUT_OF_RESOURCES: Self = Self(0xa700);
    const DUPLICATE: Self = Self(0x0111);

    pub(super) const fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Dicom(_) => Self::NOT_UNDERSTOOD,
            StoreError::Differs(_) => Self::DUPLICATE,
            _ => Self::OUT_OF_RESOURCES,
        }
    }
}

/// Replies to a command, with a data set if there is one.
pub(super) fn send_reply(
    association: &mut ServerAssociation<TcpStream>,
    command: &Command,
    status: Status,
    data: Option<&[u8]>,
) -> Result<(), Box<dyn Error>> {
    let short = |tag, value: u16| DataElement::new(tag, VR::US, PrimitiveValue::from(value));
    let text = |tag| {
        let text = PrimitiveValue::from(command.text(tag));
        DataElement::new(tag, VR::UI, text)
    };
    let kind = if data.is_some() { 0 } else { NO_DATA };
    let mut elements = vec![
        text(tags::AFFECTED_SOP_CLASS_UID),
        short(tags::COMMAND_FIELD, command.field | REPLY),
        short(tags::MESSAGE_ID_BEING_RESPONDED_TO, command.number(tags::MESSAGE_ID)),
        short(tags::COMMAND_DATA_SET_TYPE, kind),
        short(tags::STATUS, status.0),
    ];
    if command.field == C_STORE {
        elements.push(text(tags::AFFECTED_SOP_INSTANCE_UID));
    }
    let set = InMemDicomObject::command_from_element_iter(elements);
    let mut octets = Vec::new();
    set.write_dataset_with_ts(&mut octets, &IMPLICIT_VR_LITTLE_ENDIAN.erased())?;
    let presentation_context_id = command.context;
    let value =
        |value_type, data| PDataValue { presentation_context_id, value_type, is_last: true, data };
    let message = Pdu::PData { data: vec![value(PDataValueType::Command, octets)] };
    association.send(&message)?;
    if let Some(data) = data {
        let message = Pdu::PData { data: vec![value(PDataValueType::Data, data.to_vec())] };
        association.send(&message)?;
    }
    Ok(())
}
