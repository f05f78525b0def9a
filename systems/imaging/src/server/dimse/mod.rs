//! The DICOM protocol of modalities and workstations (PS3.7, PS3.8): C-ECHO, C-STORE, C-FIND, C-GET
//! and C-MOVE. A thread serves each association.

mod arriving;
mod deadlines;
mod find;
mod message;
mod places;
mod retrieve;

use crate::access::Operation;
use crate::audit::{Client, Denied, Guard, Subject};
use crate::idl::Image;
use crate::store::{Store, StoreError};
use arriving::Arriving;
use deadlines::{Deadlines, Pace, Timer};
use dicom_dictionary_std::{tags, uids};
use dicom_object::FileMetaTableBuilder;
use dicom_ul::association::server::{Negotiation, ServerAssociationOptions};
use dicom_ul::pdu::{PDataValue, PDataValueType, RequestorRoles};
use dicom_ul::{Pdu, ServerAssociation};
use find::Answers;
use message::{Command, Details, Status, send_reply};
use places::Places;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How many associations there may be, and how many of one host: others always find some.
const MOST: usize = 64;
const MOST_OF_HOST: usize = MOST / 2;

/// How many associations may be asked for at one peer (C-MOVE) that has not answered yet.
const MOST_ATTEMPTS: usize = 4;

/// How long a peer may take to say what it wants, so that those who say nothing keep nobody out for
/// long (ARTIM timer, PS3.8, 9.1.5).
const GREETING: Duration = Duration::from_secs(10);

/// How long a peer may be silent afterwards, and how long it may take for a PDU.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most octets of a command set, and of the identifier of a query.
const MOST_COMMAND: usize = 1 << 16;

/// What others know of this server, and it of them.
#[derive(Debug, Clone, Default)]
pub struct Titles {
    /// The application entity title that this server answers with.
    pub own: String,
    /// The addresses of those to which it sends images (C-MOVE), by their titles: HOST:PORT.
    pub peers: BTreeMap<String, String>,
}

/// Serves modalities at an address, in threads, as long as the process runs.
///
/// # Errors
/// The address is taken or is not of this host, or the system has no thread.
pub fn serve(
    address: &str,
    titles: Titles,
    store: &Store,
    guard: &Guard,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let local = listener.local_addr()?;
    let (titles, store, guard) = (Arc::new(titles), store.clone(), guard.clone());
    let (places, deadlines) = (Places::new(MOST, MOST_OF_HOST), Deadlines::start()?);
    let attempts = Places::new(MOST, MOST_ATTEMPTS);
    let accept = move || {
        for socket in listener.incoming() {
            // Without a descriptor there may be one in a moment.
            let Ok(socket) = socket else {
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            let peer = socket.peer_addr().map(|peer| peer.ip());
            // A peer without an address has gone already.
            let Ok(peer) = peer else { continue };
            let Some(place) = places.take(places::host(peer)) else {
                tracing::warn!(%peer, "as many associations are open as may be; another is closed");
                continue;
            };
            let (titles, store, guard) = (Arc::clone(&titles), store.clone(), guard.clone());
            let limits = (deadlines.clone(), attempts.clone());
            let serve = move || {
                let _place = place;
                if let Err(error) = associate(socket, &titles, &store, (&guard, &limits)) {
                    tracing::info!(%error, "an association was broken off");
                }
            };
            let thread = thread::Builder::new().name("dicom-association".to_owned());
            if let Err(error) = thread.spawn(serve) {
                tracing::warn!(%error, "no thread for an association; it is closed");
            }
        }
    };
    thread::Builder::new().name("dicom-listener".to_owned()).spawn(accept)?;
    Ok(local)
}

fn associate(
    socket: TcpStream,
    titles: &Titles,
    store: &Store,
    (guard, (deadlines, attempts)): (&Guard, &(Deadlines, Places<String>)),
) -> Result<(), Box<dyn Error>> {
    let timer = deadlines.watch(&socket)?;
    timer.limit(GREETING);
    let place = socket.peer_addr()?.ip().into();
    let client = Client { place, token: None, by: "dicom" };
    let mut association = ServerAssociationOptions::new()
        .ae_title(titles.own.as_str())
        .with_abstract_syntax(uids::VERIFICATION)
        .promiscuous(true)
        .with_negotiation(AsProposed)
        .read_timeout(GREETING)
        .write_timeout(PATIENCE)
        .establish(socket)?;
    association.inner_stream().set_read_timeout(Some(PATIENCE))?;
    let (title, peers) = (titles.own.as_str(), &titles.peers);
    let (command, task, pace) = (Vec::new(), None, None);
    let mut serving = Serving {
        association,
        timer,
        pace,
        deadlines,
        attempts,
        title,
        peers,
        store,
        guard,
        client,
        command,
        task,
    };
    loop {
        match serving.receive()? {
            Pdu::PData { data } => {
                for value in data {
                    serving.take(value)?;
                }
            }
            Pdu::ReleaseRQ => {
                serving.timer.limit(PATIENCE);
                return Ok(serving.association.send(&Pdu::ReleaseRP)?);
            }
            Pdu::AbortRQ { .. } => return Ok(()),
            other => return Err(format!("unexpected: {}", other.short_description()).into()),
        }
    }
}

/// Who asks for images may take them as well (PS3.7, D.3.3.4).
struct AsProposed;

impl Negotiation for AsProposed {
    fn negotiate_roles(&self, _: &str, scu: bool, scp: bool) -> Option<RequestorRoles> {
        Some(RequestorRoles { scu, scp })
    }
}

/// An association.
struct Serving<'a> {
    association: ServerAssociation<TcpStream>,
    timer: Timer,
    /// Of the message that has begun to come.
    pace: Option<Pace>,
    deadlines: &'a Deadlines,
    /// Associations that are being asked for, by the titles of the peers.
    attempts: &'a Places<String>,
    title: &'a str,
    peers: &'a BTreeMap<String, String>,
    store: &'a Store,
    guard: &'a Guard,
    client: Client,
    /// The octets of the command so far.
    command: Vec<u8>,
    task: Option<(Command, Task)>,
}

/// What the data set behind a command is for.
enum Task {
    /// It goes to the disk as it comes. What failed is told when all of it has come.
    Store(Result<Box<Arriving>, StoreError>),
    Find(Vec<u8>),
    Retrieve(Vec<u8>),
    /// The rules forbid it; the data set is passed over.
    Denied,
}

impl Serving<'_> {
    /// Receives the next PDU, which is to be there in time.
    fn receive(&mut self) -> Result<Pdu, Box<dyn Error>> {
        let begun = Instant::now();
        self.timer.limit(self.pace.as_ref().map_or(PATIENCE, Pace::limit));
        let received = self.association.receive();
        self.timer.rest();
        let received = received?;
        if let Pdu::PData { data } = &received {
            let octets = data.iter().map(|value| value.data.len()).sum();
            // The silence before a message is none of its time.
            let waited = if self.pace.is_some() { begun.elapsed() } else { Duration::ZERO };
            self.pace.get_or_insert_default().came(octets, waited);
        }
        Ok(received)
    }

    fn take(&mut self, value: PDataValue) -> Result<(), Box<dyn Error>> {
        match value.value_type {
            PDataValueType::Command => {
                self.command.extend_from_slice(&value.data);
                if self.command.len() > MOST_COMMAND {
                    return Err("a command is too large".into());
                }
                match value.is_last {
                    true => self.begin(value.presentation_context_id),
                    false => Ok(()),
                }
            }
            PDataValueType::Data => {
                self.add(&value.data)?;
                match value.is_last {
                    true => self.finish(),
                    false => Ok(()),
                }
            }
        }
    }

    /// A command is complete.
    fn begin(&mut self, context: u8) -> Result<(), Box<dyn Error>> {
        let command = Command::read(&std::mem::take(&mut self.command), context)?;
        if !command.has_data() {
            self.pace = None;
        }
        match command.field {
            message::C_ECHO => self.reply(&command, Status::SUCCESS),
            message::C_STORE => {
                let uid = command.text(tags::AFFECTED_SOP_INSTANCE_UID);
                let subject = Subject { what: "file", image: &uid, ..Subject::default() };
                let task = match self.permits(Operation::Store, subject) {
                    true => Task::Store(self.incoming(&command)?),
                    false => Task::Denied,
                };
                self.task = Some((command, task));
                Ok(())
            }
            message::C_FIND => {
                let subject = Subject { what: "search", ..Subject::default() };
                let task = match self.permits(Operation::Read, subject) {
                    true => Task::Find(Vec::new()),
                    false => Task::Denied,
                };
                self.task = Some((command, task));
                Ok(())
            }
            message::C_GET | message::C_MOVE => {
                let subject = Subject { what: "retrieval", ..Subject::default() };
                let task = match self.permits(Operation::Read, subject) {
                    true => Task::Retrieve(Vec::new()),
                    false => Task::Denied,
                };
                self.task = Some((command, task));
                Ok(())
            }
            // Results come at once, so there is nothing to cancel.
            message::C_CANCEL => Ok(()),
            _ => self.reply(&command, Status::UNRECOGNIZED),
        }
    }

    fn permits(&self, operation: Operation, subject: Subject<'_>) -> bool {
        let checked = self.guard.check(&self.client, operation, subject);
        let denied = |denied: &Denied| tracing::info!(%denied, "a peer was refused");
        checked.inspect_err(denied).is_ok()
    }

    /// A file whose head says what the data set is.
    fn incoming(
        &self,
        command: &Command,
    ) -> Result<Result<Box<Arriving>, StoreError>, Box<dyn Error>> {
        let meta = FileMetaTableBuilder::new()
            .transfer_syntax(self.syntax(command.context)?)
            .media_storage_sop_class_uid(command.text(tags::AFFECTED_SOP_CLASS_UID))
            .media_storage_sop_instance_uid(command.text(tags::AFFECTED_SOP_INSTANCE_UID))
            .build()?;
        let mut head = vec![0; 128];
        head.extend_from_slice(b"DICM");
        meta.write(&mut head)?;
        let uid = command.text(tags::AFFECTED_SOP_INSTANCE_UID);
        Ok(self.store.receive_unsized().and_then(|incoming| {
            let mut arriving = Arriving::new(incoming, uid);
            let written = arriving.write_all(&head);
            written.map_err(|error| StoreError::Index(error.to_string()))?;
            Ok(Box::new(arriving))
        }))
    }

    fn note_stored(&self, image: &Image) -> io::Result<()> {
        let (study, series) = (&image.study, &image.series);
        let subject = Subject { what: "file", study, series, image: &image.uid };
        self.guard.note(&self.client, Operation::Store, subject, "stored")
    }

    fn syntax(&self, context: u8) -> Result<String, Box<dyn Error>> {
        let contexts = self.association.presentation_contexts();
        let found = contexts.iter().find(|found| found.id == context);
        Ok(found.ok_or("a presentation context that was not agreed on")?.transfer_syntax.clone())
    }

    fn add(&mut self, octets: &[u8]) -> Result<(), Box<dyn Error>> {
        match &mut self.task {
            Some((_, Task::Store(incoming))) => {
                if let Ok(file) = incoming
                    && let Err(error) = file.write_all(octets)
                {
                    *incoming = Err(StoreError::Index(error.to_string()));
                }
                Ok(())
            }
            Some((_, Task::Find(identifier) | Task::Retrieve(identifier)))
                if identifier.len() + octets.len() <= MOST_COMMAND =>
            {
                identifier.extend_from_slice(octets);
                Ok(())
            }
            Some((_, Task::Denied)) => Ok(()),
            Some(_) => Err("the identifier of a query is too large".into()),
            None => Err("a data set without a command".into()),
        }
    }

    fn finish(&mut self) -> Result<(), Box<dyn Error>> {
        let Some((command, task)) = self.task.take() else {
            return Err("a data set without a command".into());
        };
        self.pace = None;
        match task {
            Task::Store(incoming) => match incoming.and_then(|incoming| incoming.keep()) {
                Ok(image) => {
                    tracing::info!(uid = image.uid, octets = image.size, "an image was stored");
                    self.note_stored(&image)?;
                    self.reply(&command, Status::SUCCESS)
                }
                Err(error) => {
                    tracing::warn!(%error, "an image was refused");
                    let comment = error.to_string();
                    let details = Details { comment, ..Details::default() };
                    self.send(&command, Status::of(&error), &details)
                }
            },
            Task::Denied => self.reply(&command, Status::NOT_AUTHORIZED),
            Task::Find(identifier) => self.find(&command, &identifier),
            Task::Retrieve(identifier) => self.retrieve(&command, &identifier),
        }
    }

    fn find(&mut self, command: &Command, identifier: &[u8]) -> Result<(), Box<dyn Error>> {
        let syntax = self.syntax(command.context)?;
        let Answers { encoded, more } = match find::answers(self.store, identifier, &syntax) {
            Ok(answers) => answers,
            Err(error) => return self.refuse(command, Status::NOT_UNDERSTOOD, error.to_string()),
        };
        for answer in encoded {
            let details = Details { data: Some(&answer), ..Details::default() };
            self.send(command, Status::PENDING, &details)?;
        }
        match more {
            true => {
                let why = format!("more than {} answers; ask for less", find::MOST);
                self.refuse(command, Status::TOO_MANY, why)
            }
            false => self.reply(command, Status::SUCCESS),
        }
    }

    fn reply(&mut self, command: &Command, status: Status) -> Result<(), Box<dyn Error>> {
        self.send(command, status, &Details::default())
    }

    /// Sends a reply, which the peer is to take in time.
    fn send(
        &mut self,
        command: &Command,
        status: Status,
        details: &Details<'_>,
    ) -> Result<(), Box<dyn Error>> {
        send_reply((&mut self.association, &self.timer), command, status, details)
    }

    /// Says why something is not done, to the peer and in the log.
    fn refuse(
        &mut self,
        command: &Command,
        status: Status,
        why: String,
    ) -> Result<(), Box<dyn Error>> {
        tracing::info!(why, "a request was refused");
        self.send(command, status, &Details { comment: why, ..Details::default() })
    }
}
