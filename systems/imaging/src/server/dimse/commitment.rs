//! Storage commitment (PS3.4, annex J): a modality asks whether its images are kept for good. The
//! report goes out on the association on which it has asked, once that is quiet; if it ends before,
//! on a new one to the peer of this title that the operator has named, and to nobody else.

use super::deadlines::{Deadlines, Timer};
use super::find::{read_identifier, text_of};
use super::message::{
    Command, N_EVENT_REPORT, REPLY, Status, send_command, send_data, short, uid, wait_for_reply,
};
use super::places::{Place, Places};
use super::retrieve::{CONNECT, NATIVE, establish};
use super::wire::{AsClient, Connected, OVER_TLS, Wire};
use super::{Entity, PATIENCE, Serving};
use crate::dicom::is_uid;
use crate::procedures::Commitment;
use dicom_core::value::Value;
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex as _, TransferSyntaxRegistry};
use dicom_ul::association::{Association as _, ClientAssociationOptions, SyncAssociation};
use dicom_ul::pdu::PresentationContextResultReason;
use std::error::Error;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

const CLASS: &str = uids::STORAGE_COMMITMENT_PUSH_MODEL;
const INSTANCE: &str = uids::STORAGE_COMMITMENT_PUSH_MODEL_INSTANCE;

/// The only action.
const REQUEST: u16 = 1;

/// What a report says of all: that they are kept, or that some are not (PS3.4, table J.3-2).
const ALL: u16 = 1;
const NOT_ALL: u16 = 2;

/// How long an association has to be quiet before it gets a report: a peer that goes on with other
/// commands, or releases it, is not disturbed.
pub(super) const QUIET: Duration = Duration::from_secs(1);

/// The requests that came on an association, until it ends.
#[derive(Debug, Default)]
pub(super) struct Reports {
    waiting: Vec<Arc<Commitment>>,
    /// What was sent, with the number of its message.
    sent: Option<(Arc<Commitment>, u16)>,
    messages: u16,
}

impl Reports {
    /// Whether one may be sent.
    pub(super) fn are_due(&self) -> bool {
        !self.waiting.is_empty() && self.sent.is_none()
    }
}

impl<S: Wire> Drop for Serving<'_, S> {
    fn drop(&mut self) {
        let sent = self.reports.sent.take().map(|(commitment, _)| commitment);
        for commitment in self.reports.waiting.drain(..).chain(sent) {
            let has_address = self.entity.titles.peers.contains_key(&commitment.title);
            if !has_address {
                let transaction = &commitment.transaction;
                tracing::warn!(
                    transaction,
                    "a report of storage commitment is dropped: the association is over, and no \
                     --peer has the title of who has asked"
                );
            }
            self.entity.procedures.let_go(&commitment, has_address);
        }
    }
}

impl<S: Wire> Serving<'_, S> {
    /// Takes a request.
    pub(super) fn commit(
        &mut self,
        command: &Command,
        octets: &[u8],
    ) -> Result<(), Box<dyn Error>> {
        if command.instance() != INSTANCE {
            let why = "the instance is not that of storage commitment".to_owned();
            return self.refuse(command, Status::NO_INSTANCE, why);
        }
        if command.number(tags::ACTION_TYPE_ID) != REQUEST {
            let why = "storage commitment has the action 1 only".to_owned();
            return self.refuse(command, Status::NO_ACTION, why);
        }
        let set = match read_identifier(octets, &self.syntax(command.context)?) {
            Ok(set) => set,
            Err(error) => return self.refuse(command, Status::INVALID_ARGUMENT, error.to_string()),
        };
        let transaction = text_of(&set, tags::TRANSACTION_UID);
        let references = set.get(tags::REFERENCED_SOP_SEQUENCE).and_then(|found| found.items());
        let reference = |item: &InMemDicomObject| {
            let text = |tag| text_of(item, tag);
            (text(tags::REFERENCED_SOP_CLASS_UID), text(tags::REFERENCED_SOP_INSTANCE_UID))
        };
        let references: Vec<_> = references.unwrap_or_default().iter().map(reference).collect();
        let whole = references.iter().all(|(class, uid)| is_uid(class) && is_uid(uid));
        if !is_uid(&transaction) || references.is_empty() || !whole {
            let why = "a UID of the transaction and of each object is needed".to_owned();
            return self.refuse(command, Status::INVALID_ARGUMENT, why);
        }
        let (title, host) = (self.association.peer_ae_title().to_owned(), self.client.place);
        let title = title.trim_matches(['\0', ' ']).to_owned();
        let (host, attempts, next) = (host.to_string(), 0, 0);
        let commitment = Commitment { title, host, transaction, references, attempts, next };
        match self.entity.procedures.commit(commitment) {
            Ok(commitment) => {
                let (transaction, objects) = (&commitment.transaction, commitment.references.len());
                tracing::info!(transaction, objects, "storage commitment was requested");
                self.reports.waiting.push(commitment);
                self.reply(command, Status::SUCCESS)
            }
            Err(error) => self.refuse(command, Status::TOO_MUCH, error.to_string()),
        }
    }

    /// Reports on this association what was requested on it.
    pub(super) fn report_here(&mut self) -> Result<(), Box<dyn Error>> {
        let accepted = PresentationContextResultReason::Acceptance;
        let contexts = self.association.presentation_contexts().iter();
        let context = contexts
            .filter(|found| found.reason == accepted && found.abstract_syntax == CLASS)
            .map(|found| (found.id, found.transfer_syntax.clone()))
            .next();
        let Some((context, syntax)) = context else { return Ok(()) };
        let Some(commitment) = self.reports.waiting.pop() else { return Ok(()) };
        self.reports.messages = self.reports.messages.wrapping_add(1);
        let message = self.reports.messages;
        self.reports.sent = Some((Arc::clone(&commitment), message));
        let to = (&mut self.association, &self.timer);
        send_report(to, (context, &syntax, message), self.entity, &commitment)
    }

    /// A reply has come to something that was sent here.
    pub(super) fn replied(&mut self, reply: &Command) {
        let number = reply.number(tags::MESSAGE_ID_BEING_RESPONDED_TO);
        let is_it = |(_, message): &mut (Arc<Commitment>, u16)| *message == number;
        if reply.field != N_EVENT_REPORT | REPLY {
            return;
        }
        let Some((commitment, _)) = self.reports.sent.take_if(is_it) else { return };
        match reply.number(tags::STATUS) {
            0 => {
                tracing::info!(transaction = commitment.transaction, "storage commitment is told");
                self.entity.procedures.reported(&commitment);
            }
            status => {
                let transaction = &commitment.transaction;
                tracing::info!(transaction, status, "a report is refused on its association");
                let has_address = self.entity.titles.peers.contains_key(&commitment.title);
                self.entity.procedures.let_go(&commitment, has_address);
            }
        }
    }

    /// Whether nothing comes for so long; at all, without a time.
    pub(super) fn is_quiet(&mut self, pause: Option<Duration>) -> io::Result<bool> {
        let (stream, buffered) = SyncAssociation::get_mut(&mut self.association);
        if !buffered.is_empty() {
            return Ok(false);
        }
        if stream.holds_octets() {
            return Ok(false);
        }
        let stream = stream.tcp();
        match pause {
            Some(pause) => stream.set_read_timeout(Some(pause))?,
            None => stream.set_nonblocking(true)?,
        }
        let there = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        match there {
            Ok(_) => Ok(false),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(true),
                _ => Err(error),
            },
        }
    }
}

/// Sends a report (PS3.4, J.3.3): what is kept at this moment.
fn send_report<S: Wire, A: SyncAssociation<S>>(
    (association, timer): (&mut A, &Timer),
    (context, syntax, message): (u8, &str, u16),
    entity: &Entity,
    commitment: &Commitment,
) -> Result<(), Box<dyn Error>> {
    let (event, set) = report(entity, commitment);
    let syntax = TransferSyntaxRegistry.get(syntax).ok_or("an unknown transfer syntax")?;
    let mut octets = Vec::new();
    set.write_dataset_with_ts(&mut octets, syntax)?;
    let elements = vec![
        uid(tags::AFFECTED_SOP_CLASS_UID, CLASS),
        short(tags::COMMAND_FIELD, N_EVENT_REPORT),
        short(tags::MESSAGE_ID, message),
        uid(tags::AFFECTED_SOP_INSTANCE_UID, INSTANCE),
        short(tags::EVENT_TYPE_ID, event),
    ];
    send_command((&mut *association, timer), context, elements, true)?;
    send_data((association, timer), context, &octets[..])
}

fn report(entity: &Entity, commitment: &Commitment) -> (u16, InMemDicomObject) {
    let (mut kept, mut failed) = (Vec::new(), Vec::new());
    for (class, instance) in &commitment.references {
        let mut item = InMemDicomObject::from_element_iter([
            uid(tags::REFERENCED_SOP_CLASS_UID, class),
            uid(tags::REFERENCED_SOP_INSTANCE_UID, instance),
        ]);
        match why_not(entity, class, instance) {
            None => kept.push(item),
            Some(status) => {
                item.put(short(tags::FAILURE_REASON, status.0));
                failed.push(item);
            }
        }
    }
    let event = if failed.is_empty() { ALL } else { NOT_ALL };
    let title = PrimitiveValue::from(entity.titles.own.as_str());
    let mut set = InMemDicomObject::from_element_iter([
        uid(tags::TRANSACTION_UID, &commitment.transaction),
        DataElement::new(tags::RETRIEVE_AE_TITLE, VR::AE, title),
    ]);
    for (tag, items) in [(tags::REFERENCED_SOP_SEQUENCE, kept), (tags::FAILED_SOP_SEQUENCE, failed)]
    {
        if !items.is_empty() {
            set.put(DataElement::new(tag, VR::SQ, Value::Sequence(items.into())));
        }
    }
    (event, set)
}

/// Why an object is not kept for good (PS3.3, C.14.1.1); `None` if it is.
fn why_not(entity: &Entity, class: &str, instance: &str) -> Option<Status> {
    match entity.store.entry(instance) {
        None => Some(Status::NO_INSTANCE),
        Some(image) if image.kind != class => Some(Status::CONFLICT),
        // It was acknowledged, and its file is gone.
        Some(_) => (!entity.store.holds(instance)).then_some(Status::FAILED),
    }
}

/// Reports on new associations, in a thread, as long as the process runs.
///
/// # Errors
/// The system has no thread.
pub(super) fn start(
    entity: &Arc<Entity>,
    deadlines: &Deadlines,
    attempts: &Places<String>,
) -> io::Result<()> {
    let (entity, deadlines, attempts) = (Arc::clone(entity), deadlines.clone(), attempts.clone());
    let work = move || {
        loop {
            let commitment = entity.procedures.wait_for_due();
            let transaction = &commitment.transaction;
            match report_anew(&entity, &commitment, (&deadlines, &attempts)) {
                Ok(()) => {
                    tracing::info!(transaction, "storage commitment is told");
                    entity.procedures.reported(&commitment);
                }
                Err(error) => {
                    let again = entity.procedures.failed(&commitment, &entity.retry);
                    tracing::warn!(transaction, %error, again, "storage commitment is not told");
                }
            }
        }
    };
    thread::Builder::new().name("dicom-reports".to_owned()).spawn(work)?;
    Ok(())
}

/// Connects to who has asked, as the provider of the service (PS3.7, D.3.3.4), and reports.
fn report_anew(
    entity: &Entity,
    commitment: &Commitment,
    (deadlines, attempts): (&Deadlines, &Places<String>),
) -> Result<(), Box<dyn Error>> {
    let title = &commitment.title;
    let address = entity.titles.peers.get(title).ok_or("no --peer has this title any more")?;
    let attempt = attempts.take(title.clone()).ok_or("the peer has not answered others yet")?;
    match address.strip_prefix(OVER_TLS) {
        None => report_at::<TcpStream>(entity, commitment, (address, attempt), deadlines),
        Some(address) => report_at::<AsClient>(entity, commitment, (address, attempt), deadlines),
    }
}

fn report_at<T: Connected>(
    entity: &Entity,
    commitment: &Commitment,
    (address, attempt): (&str, Place<String>),
    deadlines: &Deadlines,
) -> Result<(), Box<dyn Error>> {
    let options = ClientAssociationOptions::new()
        .calling_ae_title(entity.titles.own.clone())
        .called_ae_title(commitment.title.clone())
        .connection_timeout(CONNECT)
        .read_timeout(PATIENCE)
        .write_timeout(PATIENCE)
        .with_presentation_context(CLASS, NATIVE.to_vec())
        .with_role_selection(CLASS, false, true);
    let mut association = establish::<T>(options, address, (&entity.tls, attempt))?;
    if !association.requestor_roles_for(CLASS).scp {
        association.release().ok();
        return Err("the peer does not let this server report: it grants no role of an SCP".into());
    }
    let timer = deadlines.watch(association.inner_stream().tcp())?;
    let accepted = PresentationContextResultReason::Acceptance;
    let mut contexts = association.presentation_contexts().iter();
    let context = contexts.find(|found| found.reason == accepted);
    let context = context.map(|found| (found.id, found.transfer_syntax.clone()));
    let (context, syntax) = context.ok_or("the peer takes no reports")?;
    send_report((&mut association, &timer), (context, &syntax, 1), entity, commitment)?;
    timer.limit(PATIENCE);
    let (reply, _) = wait_for_reply(&mut association, (N_EVENT_REPORT, 1))?;
    // The report was made, however it ends.
    association.release().ok();
    match reply.number(tags::STATUS) {
        0 => Ok(()),
        status => Err(format!("the peer has refused the report: {status:04x}").into()),
    }
}
