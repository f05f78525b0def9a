//! Command sets (PS3.7, section 6.3) and their replies.

use super::PATIENCE;
use super::deadlines::Timer;
use super::wire::Wire;
use crate::dicom::check_set;
use crate::store::StoreError;
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::entries::IMPLICIT_VR_LITTLE_ENDIAN;
use dicom_ul::association::{Association, SyncAssociation};
use dicom_ul::pdu::{PDataValue, PDataValueType};
use dicom_ul::{Pdu, ServerAssociation};
use std::error::Error;
use std::io::Read;

// PS3.7, E.1-1
pub(super) const C_STORE: u16 = 0x0001;
pub(super) const C_GET: u16 = 0x0010;
pub(super) const C_FIND: u16 = 0x0020;
pub(super) const C_MOVE: u16 = 0x0021;
pub(super) const C_ECHO: u16 = 0x0030;
pub(super) const C_CANCEL: u16 = 0x0fff;
pub(super) const N_EVENT_REPORT: u16 = 0x0100;
pub(super) const N_SET: u16 = 0x0120;
pub(super) const N_ACTION: u16 = 0x0130;
pub(super) const N_CREATE: u16 = 0x0140;

/// Set in the field of a reply.
pub(super) const REPLY: u16 = 0x8000;

/// A message without a data set.
const NO_DATA: u16 = 0x0101;

/// The most octets of a PDU that is sent, whatever the peer takes: it waits in memory. And the fewest
/// that a peer has to take.
const LARGEST_PDU: u32 = 64 << 10;
const SMALLEST_PDU: u32 = 128;

/// What a PDU has beside the octets of a data set (PS3.8, 9.3.5.1).
const HEAD: u32 = 6;

/// The longest comment of a reply, in characters.
const LONGEST: usize = 64;

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

    /// Whether a data set follows.
    pub(super) fn has_data(&self) -> bool {
        self.number(tags::COMMAND_DATA_SET_TYPE) != NO_DATA
    }

    /// A text of the command, or nothing.
    pub(super) fn text(&self, tag: Tag) -> String {
        let found = self.set.get(tag).and_then(|element| element.to_str().ok());
        found.unwrap_or_default().trim_matches(['\0', ' ']).to_owned()
    }

    /// The SOP class that it is about.
    pub(super) fn class(&self) -> String {
        let found = self.text(tags::AFFECTED_SOP_CLASS_UID);
        if found.is_empty() { self.text(tags::REQUESTED_SOP_CLASS_UID) } else { found }
    }

    /// The SOP instance that it is about.
    pub(super) fn instance(&self) -> String {
        let found = self.text(tags::AFFECTED_SOP_INSTANCE_UID);
        if found.is_empty() { self.text(tags::REQUESTED_SOP_INSTANCE_UID) } else { found }
    }

    /// A number of the command, or 0.
    pub(super) fn number(&self, tag: Tag) -> u16 {
        self.set.get(tag).and_then(|element| element.to_int().ok()).unwrap_or_default()
    }
}

/// The status of a reply (PS3.7, annex C; PS3.4, tables B.2-1, C.4-1, C.4-2 and C.4-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status(pub(super) u16);

impl Status {
    pub(super) const SUCCESS: Self = Self(0x0000);
    pub(super) const PENDING: Self = Self(0xff00);
    pub(super) const CANCELLED: Self = Self(0xfe00);
    pub(super) const NOT_AUTHORIZED: Self = Self(0x0124);
    pub(super) const MISTYPED: Self = Self(0x0212);
    pub(super) const UNRECOGNIZED: Self = Self(0x0211);
    /// Of a data set: the query, or the image.
    pub(super) const NOT_UNDERSTOOD: Self = Self(0xc000);
    /// More images match than are answered.
    pub(super) const TOO_MANY: Self = Self(0xa700);
    /// No sub-operation could be done.
    pub(super) const NONE_SENT: Self = Self(0xa702);
    pub(super) const UNKNOWN_DESTINATION: Self = Self(0xa801);
    /// Some sub-operations failed.
    pub(super) const SOME_FAILED: Self = Self(0xb000);
    const OUT_OF_RESOURCES: Self = Self(0xa700);
    pub(super) const INVALID_VALUE: Self = Self(0x0106);
    pub(super) const FAILED: Self = Self(0x0110);
    pub(super) const DUPLICATE: Self = Self(0x0111);
    pub(super) const NO_INSTANCE: Self = Self(0x0112);
    pub(super) const INVALID_ARGUMENT: Self = Self(0x0115);
    /// An instance of another class.
    pub(super) const CONFLICT: Self = Self(0x0119);
    pub(super) const NO_ACTION: Self = Self(0x0123);
    pub(super) const MISSING: Self = Self(0x0120);
    /// Of an operation on something else than an image.
    pub(super) const TOO_MUCH: Self = Self(0x0213);

    pub(super) const fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Dicom(_) => Self::NOT_UNDERSTOOD,
            StoreError::Differs(_) => Self::DUPLICATE,
            _ => Self::OUT_OF_RESOURCES,
        }
    }
}

/// How far a C-GET or C-MOVE is, in images.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) remaining: u16,
    pub(super) completed: u16,
    pub(super) failed: u16,
}

/// What a reply tells beside its status.
#[derive(Debug, Default)]
pub(super) struct Details<'a> {
    pub(super) data: Option<&'a [u8]>,
    pub(super) counts: Option<Counts>,
    /// Why, for people; without names.
    pub(super) comment: String,
    /// The same as a number of the service.
    pub(super) error: Option<u16>,
    /// The instance that was made; that of the command otherwise.
    pub(super) instance: Option<&'a str>,
}

/// Replies to a command.
pub(super) fn send_reply<S: Wire>(
    (association, timer): (&mut ServerAssociation<S>, &Timer),
    command: &Command,
    status: Status,
    details: &Details<'_>,
) -> Result<(), Box<dyn Error>> {
    let mut elements = vec![
        uid(tags::AFFECTED_SOP_CLASS_UID, &command.class()),
        short(tags::COMMAND_FIELD, command.field | REPLY),
        short(tags::MESSAGE_ID_BEING_RESPONDED_TO, command.number(tags::MESSAGE_ID)),
        short(tags::STATUS, status.0),
    ];
    if matches!(command.field, C_STORE | N_SET | N_ACTION | N_CREATE) {
        let instance = details.instance.map_or_else(|| command.instance(), str::to_owned);
        elements.push(uid(tags::AFFECTED_SOP_INSTANCE_UID, &instance));
    }
    if command.field == N_ACTION {
        elements.push(short(tags::ACTION_TYPE_ID, command.number(tags::ACTION_TYPE_ID)));
    }
    if let Some(error) = details.error {
        elements.push(short(tags::ERROR_ID, error));
    }
    if let Some(counts) = details.counts {
        if matches!(status, Status::PENDING | Status::CANCELLED) {
            elements.push(short(tags::NUMBER_OF_REMAINING_SUBOPERATIONS, counts.remaining));
        }
        elements.push(short(tags::NUMBER_OF_COMPLETED_SUBOPERATIONS, counts.completed));
        elements.push(short(tags::NUMBER_OF_FAILED_SUBOPERATIONS, counts.failed));
        elements.push(short(tags::NUMBER_OF_WARNING_SUBOPERATIONS, 0));
    }
    if !details.comment.is_empty() {
        let plain = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '?' };
        let comment: String = details.comment.chars().map(plain).take(LONGEST).collect();
        let comment = PrimitiveValue::from(comment);
        elements.push(DataElement::new(tags::ERROR_COMMENT, VR::LO, comment));
    }
    send_command((&mut *association, timer), command.context, elements, details.data.is_some())?;
    match details.data {
        Some(data) => send_data((association, timer), command.context, data),
        None => Ok(()),
    }
}

pub(super) type Element = DataElement<InMemDicomObject>;

/// A number of a command.
pub(super) fn short(tag: Tag, value: u16) -> Element {
    DataElement::new(tag, VR::US, PrimitiveValue::from(value))
}

/// An identifier of a command.
pub(super) fn uid(tag: Tag, value: &str) -> Element {
    DataElement::new(tag, VR::UI, PrimitiveValue::from(value))
}

/// Sends a command, behind which a data set follows or not.
pub(super) fn send_command<S: Wire, A: SyncAssociation<S>>(
    to: (&mut A, &Timer),
    context: u8,
    mut elements: Vec<Element>,
    has_data: bool,
) -> Result<(), Box<dyn Error>> {
    elements.push(short(tags::COMMAND_DATA_SET_TYPE, if has_data { 0 } else { NO_DATA }));
    let set = InMemDicomObject::command_from_element_iter(elements);
    let mut data = Vec::new();
    set.write_dataset_with_ts(&mut data, &IMPLICIT_VR_LITTLE_ENDIAN.erased())?;
    let value_type = PDataValueType::Command;
    let value = PDataValue { presentation_context_id: context, value_type, is_last: true, data };
    send_value(to, value)
}

/// Sends a data set in PDUs that the peer takes, each within its time.
pub(super) fn send_data<S: Wire, A: SyncAssociation<S>>(
    (association, timer): (&mut A, &Timer),
    context: u8,
    mut from: impl Read,
) -> Result<(), Box<dyn Error>> {
    let taken = Association::peer_max_pdu_length(association);
    if taken < SMALLEST_PDU {
        return Err(format!("the peer takes PDUs of {taken} octets only").into());
    }
    let room = u64::from(taken.min(LARGEST_PDU) - HEAD);
    let mut next = |octets: &mut Vec<u8>| {
        octets.clear();
        from.by_ref().take(room).read_to_end(octets)
    };
    let (mut data, mut behind) = (Vec::new(), Vec::new());
    next(&mut data)?;
    loop {
        let is_last = next(&mut behind)? == 0;
        let value_type = PDataValueType::Data;
        let value = PDataValue { presentation_context_id: context, value_type, is_last, data };
        send_value((&mut *association, timer), value)?;
        if is_last {
            return Ok(());
        }
        data = std::mem::take(&mut behind);
    }
}

fn send_value<S: Wire, A: SyncAssociation<S>>(
    (association, timer): (&mut A, &Timer),
    value: PDataValue,
) -> Result<(), Box<dyn Error>> {
    timer.limit(PATIENCE);
    let sent = SyncAssociation::send(association, &Pdu::PData { data: vec![value] });
    timer.rest();
    Ok(sent?)
}

/// Waits for the reply to a command, and says whether the other side has asked to stop before.
pub(super) fn wait_for_reply<S: Wire, A: SyncAssociation<S>>(
    association: &mut A,
    (field, message): (u16, u16),
) -> Result<(Command, bool), Box<dyn Error>> {
    let (mut octets, mut cancelled) = (Vec::new(), false);
    loop {
        let values = match SyncAssociation::receive(association)? {
            Pdu::PData { data } => data,
            other => return Err(format!("unexpected: {}", other.short_description()).into()),
        };
        for value in values {
            if value.value_type != PDataValueType::Command {
                return Err("a data set where a reply belongs".into());
            }
            octets.extend_from_slice(&value.data);
            if octets.len() > super::MOST_COMMAND {
                return Err("a command is too large".into());
            }
            if !value.is_last {
                continue;
            }
            let reply = Command::read(&std::mem::take(&mut octets), value.presentation_context_id)?;
            match reply.field {
                C_CANCEL => cancelled = true,
                found if found == field | REPLY => {
                    let right = reply.number(tags::MESSAGE_ID_BEING_RESPONDED_TO) == message;
                    return match right {
                        true => Ok((reply, cancelled)),
                        false => Err("the reply to another command".into()),
                    };
                }
                other => return Err(format!("the command {other:04x} out of turn").into()),
            }
        }
    }
}
