//! C-GET and C-MOVE (PS3.4, C.4.2 and C.4.3): images go to who asks, on the association on which it
//! asks, or to another application entity whose address the operator has named.

use super::deadlines::{Deadlines, Timer};
use super::find::{read_identifier, text_of};
use super::message::{
    C_CANCEL, C_GET, C_STORE, Command, Counts, Details, Status, send_command, send_data, short,
    uid, wait_for_reply,
};
use super::places::Place;
use super::wire::{AsClient, Connected, OVER_TLS, Wire};
use super::{Entity, PATIENCE, Serving};
use crate::access::Operation;
use crate::attributes;
use crate::audit::Subject;
use crate::dicom;
use crate::idl::{Criterion, Image, Query};
use crate::query::everything;
use crate::store::Store;
use armilla_tls::Tls;
use dicom_core::{DataElement, PrimitiveValue, Tag, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::InMemDicomObject;
use dicom_transfer_syntax_registry::{TransferSyntaxIndex, TransferSyntaxRegistry};
use dicom_ul::Pdu;
use dicom_ul::association::{
    Association, ClientAssociation, ClientAssociationOptions, SyncAssociation,
};
use dicom_ul::pdu::PresentationContextResultReason;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs::File;
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// The most images of one retrieval: a reply counts in 16 bits.
const MOST: usize = u16::MAX as usize;

/// The most presentation contexts of an association (PS3.8, 9.3.2.2).
const MOST_CONTEXTS: usize = 128;

/// How long it may take to connect to another application entity.
pub(super) const CONNECT: Duration = Duration::from_secs(10);

/// How long it may take until there is an association.
const ESTABLISH: Duration = Duration::from_secs(20);

/// What every application entity reads.
pub(super) const NATIVE: [&str; 2] =
    [uids::EXPLICIT_VR_LITTLE_ENDIAN, uids::IMPLICIT_VR_LITTLE_ENDIAN];

/// The images that an identifier names: by the unique keys of its level and those above.
pub(super) fn wanted(
    store: &Store,
    identifier: &[u8],
    syntax: &str,
) -> Result<Vec<Arc<Image>>, Box<dyn Error>> {
    let wanted = read_identifier(identifier, syntax)?;
    let text = |tag| text_of(&wanted, tag);
    let keys: [(&str, Tag); 4] = [
        ("PATIENT", tags::PATIENT_ID),
        ("STUDY", tags::STUDY_INSTANCE_UID),
        ("SERIES", tags::SERIES_INSTANCE_UID),
        ("IMAGE", tags::SOP_INSTANCE_UID),
    ];
    let level = text(tags::QUERY_RETRIEVE_LEVEL);
    let Some(at) = keys.iter().position(|(name, _)| *name == level) else {
        return Err(format!("{level:?} is no level of a retrieval").into());
    };
    let (_, key) = keys[at];
    if text(key).is_empty() || text(key).contains(['*', '?']) {
        return Err(format!("the level {level} needs its key {key}, without * or ?").into());
    }
    let criterion =
        |(_, tag): &(_, Tag)| Criterion { tag: attributes::to_number(*tag), pattern: text(*tag) };
    let others = keys[..=at].iter().map(criterion).filter(|one| !one.pattern.is_empty()).collect();
    Ok(store.find(&Query { others, ..everything() }))
}

/// What came of sending an image.
enum Sent {
    Stored,
    Failed(String),
    /// The peer has asked to stop.
    Cancelled,
}

/// In which context an image goes, and whether it goes as its file has it.
struct Way {
    context: u8,
    syntax: String,
    as_it_is: bool,
}

/// The way of an image on an association whose other side takes such images.
fn way(association: &impl Association, image: &Image) -> Option<Way> {
    let accepted = PresentationContextResultReason::Acceptance;
    let contexts = association.presentation_contexts().iter();
    let contexts: Vec<_> = contexts
        .filter(|found| found.reason == accepted && found.abstract_syntax == image.kind)
        .collect();
    let with = |syntax: &str| contexts.iter().find(|found| found.transfer_syntax == syntax);
    let same = with(&image.syntax).map(|found| (found, true));
    let found =
        same.or_else(|| NATIVE.iter().find_map(|syntax| with(syntax)).map(|found| (found, false)));
    found.map(|(found, as_it_is)| Way {
        context: found.id,
        syntax: found.transfer_syntax.clone(),
        as_it_is,
    })
}

/// The data set of an image as it goes.
fn data_set(store: &Store, image: &Image, way: &Way) -> Result<File, Box<dyn Error>> {
    let path = store.path(&image.uid);
    if way.as_it_is {
        return Ok(dicom::data_set(&path)?);
    }
    // What is converted waits on the disk: memory does not hold it for a slow peer.
    let mut file = store.scratch()?;
    dicom::convert(&path, &way.syntax, &mut file)?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

/// Who has asked another server to send an image: title and message.
type Originator<'a> = (&'a str, u16);

/// Sends an image, and waits until the other side has it. An error ends the association.
fn send_image<S: Wire, A: SyncAssociation<S>>(
    (association, timer): (&mut A, &Timer),
    (store, image): (&Store, &Image),
    message: u16,
    originator: Option<Originator<'_>>,
) -> Result<Sent, Box<dyn Error>> {
    let Some(way) = way(association, image) else {
        return Ok(Sent::Failed(format!("the peer takes no {} in {}", image.kind, image.syntax)));
    };
    let data = match data_set(store, image, &way) {
        Ok(data) => data,
        Err(error) => return Ok(Sent::Failed(error.to_string())),
    };
    let mut elements = vec![
        uid(tags::AFFECTED_SOP_CLASS_UID, &image.kind),
        short(tags::COMMAND_FIELD, C_STORE),
        short(tags::MESSAGE_ID, message),
        short(tags::PRIORITY, 0),
        uid(tags::AFFECTED_SOP_INSTANCE_UID, &image.uid),
    ];
    if let Some((title, message)) = originator {
        let title = PrimitiveValue::from(title);
        let tag = tags::MOVE_ORIGINATOR_APPLICATION_ENTITY_TITLE;
        elements.push(DataElement::new(tag, VR::AE, title));
        elements.push(short(tags::MOVE_ORIGINATOR_MESSAGE_ID, message));
    }
    send_command((&mut *association, timer), way.context, elements, true)?;
    send_data((&mut *association, timer), way.context, data)?;
    timer.limit(PATIENCE);
    let stored = stored(association, message);
    timer.rest();
    stored
}

/// Waits for the reply to a C-STORE.
fn stored<S: Wire, A: SyncAssociation<S>>(
    association: &mut A,
    message: u16,
) -> Result<Sent, Box<dyn Error>> {
    let (reply, cancelled) = wait_for_reply(association, (C_STORE, message))?;
    // Of warnings, the image was stored (PS3.4, table B.2-1).
    Ok(match reply.number(tags::STATUS) {
        _ if cancelled => Sent::Cancelled,
        0 | 0xb000..=0xbfff => Sent::Stored,
        other => Sent::Failed(format!("the peer has refused it: {other:04x}")),
    })
}

/// An association with another application entity.
struct Other<T: Wire> {
    association: ClientAssociation<T>,
    timer: Timer,
}

/// Connects to another application entity for these images.
fn connect<T: Connected>(
    entity: &Entity,
    (name, address): (&str, &str),
    images: &[Arc<Image>],
    (deadlines, attempt): (&Deadlines, Place<String>),
) -> Result<Other<T>, Box<dyn Error>> {
    let kinds: BTreeSet<_> = images.iter().map(|image| &image.kind).collect();
    let both: BTreeSet<_> = images.iter().map(|image| (&image.kind, &image.syntax)).collect();
    let native = kinds.into_iter().map(|kind| (kind, NATIVE.map(str::to_owned).to_vec()));
    let encoded = both.into_iter().filter(|(_, syntax)| !NATIVE.contains(&syntax.as_str()));
    let encoded = encoded.map(|(kind, syntax)| (kind, vec![syntax.clone()]));
    let options = ClientAssociationOptions::new()
        .calling_ae_title(entity.titles.own.clone())
        .called_ae_title(name.to_owned())
        .connection_timeout(CONNECT)
        .read_timeout(PATIENCE)
        .write_timeout(PATIENCE);
    let contexts = native.chain(encoded).take(MOST_CONTEXTS);
    let options = contexts.fold(options, |options, (kind, syntaxes)| {
        options.with_presentation_context(kind.clone(), syntaxes)
    });
    let mut association = establish::<T>(options, address, (&entity.tls, attempt))?;
    let timer = deadlines.watch(association.inner_stream().tcp())?;
    Ok(Other { association, timer })
}

/// Asks for an association. The library waits for each octet of the answer anew, and for how many
/// there are: so it waits in a thread of its own, which counts as an attempt until it ends.
pub(super) fn establish<T: Connected>(
    options: ClientAssociationOptions<'static>,
    address: &str,
    (tls, attempt): (&Tls, Place<String>),
) -> Result<ClientAssociation<T>, Box<dyn Error>> {
    let (tell, told) = mpsc::sync_channel(1);
    let (address, tls) = (address.to_owned(), tls.clone());
    let ask = move || {
        let _attempt = attempt;
        // Nobody may wait any more; the association is then closed.
        tell.send(T::connect(options, &address, &tls)).ok();
    };
    thread::Builder::new().name("dicom-peer".to_owned()).spawn(ask)?;
    let made = told.recv_timeout(ESTABLISH);
    let made = made.map_err(|_| format!("there was no association within {ESTABLISH:?}"))?;
    made.map_err(|error| -> Box<dyn Error> { error })
}

impl<S: Wire> Serving<'_, S> {
    /// Sends what an identifier names.
    pub(super) fn retrieve(
        &mut self,
        command: &Command,
        identifier: &[u8],
    ) -> Result<(), Box<dyn Error>> {
        let syntax = self.syntax(command.context)?;
        let images = match wanted(&self.entity.store, identifier, &syntax) {
            Ok(images) if images.len() <= MOST => images,
            Ok(images) => {
                let why = format!("{} images match, at most {MOST} are sent", images.len());
                return self.refuse(command, Status::TOO_MANY, why);
            }
            Err(error) => return self.refuse(command, Status::NOT_UNDERSTOOD, error.to_string()),
        };
        if command.field == C_GET || images.is_empty() {
            return self.send_all(command, &images, None::<Other<TcpStream>>);
        }
        let name = command.text(tags::MOVE_DESTINATION);
        let Some(address) = self.entity.titles.peers.get(&name) else {
            let why = "the destination is not one that --peer names".to_owned();
            return self.refuse(command, Status::UNKNOWN_DESTINATION, why);
        };
        let Some(attempt) = self.attempts.take(name.clone()) else {
            let why = "the destination has not answered others yet".to_owned();
            return self.refuse(command, Status::NONE_SENT, why);
        };
        match address.strip_prefix(OVER_TLS) {
            None => self.move_to::<TcpStream>(command, &images, (&name, address), attempt),
            Some(address) => self.move_to::<AsClient>(command, &images, (&name, address), attempt),
        }
    }

    /// Sends images to another application entity.
    fn move_to<T: Connected>(
        &mut self,
        command: &Command,
        images: &[Arc<Image>],
        (name, address): (&str, &str),
        attempt: Place<String>,
    ) -> Result<(), Box<dyn Error>> {
        match connect::<T>(self.entity, (name, address), images, (self.deadlines, attempt)) {
            Ok(other) => self.send_all(command, images, Some(other)),
            Err(error) => {
                tracing::warn!(peer = name, %error, "no association for a C-MOVE");
                let why = "the destination does not answer".to_owned();
                self.refuse(command, Status::NONE_SENT, why)
            }
        }
    }

    /// Sends images, here or to another application entity, and tells how far it is.
    fn send_all<T: Wire>(
        &mut self,
        command: &Command,
        images: &[Arc<Image>],
        mut other: Option<Other<T>>,
    ) -> Result<(), Box<dyn Error>> {
        let mut counts = Counts { remaining: images.len() as u16, ..Counts::default() };
        let (mut failed, mut end, mut broken) = (Vec::new(), None, None::<String>);
        for (number, image) in images.iter().enumerate() {
            let sent = match &broken {
                Some(why) => Sent::Failed(why.clone()),
                None => match self.send_one(command, image, number as u16 + 1, &mut other) {
                    // Without the association to the other one, what is left fails.
                    Err(error) if other.is_some() => {
                        Sent::Failed(broken.insert(error.to_string()).clone())
                    }
                    sent => sent?,
                },
            };
            counts.remaining -= 1;
            match sent {
                Sent::Stored => counts.completed += 1,
                Sent::Cancelled => {
                    counts.completed += 1;
                    end = Some(Status::CANCELLED);
                    break;
                }
                Sent::Failed(why) => {
                    tracing::info!(uid = image.uid, why, "an image was not sent");
                    counts.failed += 1;
                    failed.push(image.uid.clone());
                }
            }
            let details = Details { counts: Some(counts), ..Details::default() };
            self.send(command, Status::PENDING, &details)?;
            if other.is_some() && self.is_cancelled()? {
                end = Some(Status::CANCELLED);
                break;
            }
        }
        if let Some(Other { association, timer }) = other.filter(|_| broken.is_none()) {
            timer.limit(PATIENCE);
            // The images are there, however it ends.
            association.release().ok();
        }
        let status = end.unwrap_or(match (counts.completed, counts.failed) {
            (_, 0) => Status::SUCCESS,
            (0, _) => Status::NONE_SENT,
            _ => Status::SOME_FAILED,
        });
        self.conclude(command, status, counts, &failed)
    }

    fn send_one<T: Wire>(
        &mut self,
        command: &Command,
        image: &Image,
        number: u16,
        other: &mut Option<Other<T>>,
    ) -> Result<Sent, Box<dyn Error>> {
        let (study, series) = (&image.study, &image.series);
        let subject = Subject { what: "file", study, series, image: &image.uid };
        if !self.permits(Operation::Read, subject) {
            return Ok(Sent::Failed("the rules forbid it".to_owned()));
        }
        let what = (&self.entity.store, image);
        match other {
            Some(other) => {
                let title = self.association.peer_ae_title().to_owned();
                let originator = (title.as_str(), command.number(tags::MESSAGE_ID));
                send_image((&mut other.association, &other.timer), what, number, Some(originator))
            }
            None if !self.association.requestor_roles_for(&image.kind).scp => {
                let why = format!("the peer has not said that it takes {}", image.kind);
                Ok(Sent::Failed(why))
            }
            None => send_image((&mut self.association, &self.timer), what, number, None),
        }
    }

    /// Whether who has asked wants no more.
    fn is_cancelled(&mut self) -> Result<bool, Box<dyn Error>> {
        if self.is_quiet(None)? {
            return Ok(false);
        }
        self.timer.limit(PATIENCE);
        let received = self.association.receive();
        self.timer.rest();
        match received? {
            Pdu::PData { data } => {
                let [value] = &data[..] else { return Err("several values out of turn".into()) };
                let command = Command::read(&value.data, value.presentation_context_id)?;
                Ok(command.field == C_CANCEL)
            }
            other => Err(format!("unexpected: {}", other.short_description()).into()),
        }
    }

    /// The last reply, with the images that were not sent.
    fn conclude(
        &mut self,
        command: &Command,
        status: Status,
        counts: Counts,
        failed: &[String],
    ) -> Result<(), Box<dyn Error>> {
        let syntax = self.syntax(command.context)?;
        let syntax = TransferSyntaxRegistry.get(&syntax).ok_or("an unknown transfer syntax")?;
        let mut data = Vec::new();
        if !failed.is_empty() {
            let list = PrimitiveValue::Strs(failed.iter().cloned().collect());
            let list = DataElement::new(tags::FAILED_SOP_INSTANCE_UID_LIST, VR::UI, list);
            InMemDicomObject::from_element_iter([list]).write_dataset_with_ts(&mut data, syntax)?;
        }
        let data = (!data.is_empty()).then_some(&data[..]);
        let details = Details { data, counts: Some(counts), ..Details::default() };
        self.send(command, status, &details)
    }
}
