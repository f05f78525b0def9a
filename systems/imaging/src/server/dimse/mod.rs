//! The DICOM protocol of modalities and workstations (PS3.7, PS3.8): C-ECHO, C-STORE, C-FIND, C-GET
//! and C-MOVE of images, the modality worklist, performed procedure steps, and storage commitment. A
//! thread serves each association.

mod arriving;
mod commitment;
mod contexts;
mod deadlines;
mod find;
mod greeting;
mod message;
mod places;
mod retrieve;
mod steps;
mod wire;
mod worklist;

use crate::access::Operation;
use crate::audit::{Client, Denied, Guard, Subject};
use crate::idl::Image;
use crate::procedures::{MOST_SET, Procedures, Retry};
use crate::store::{Store, StoreError};
use armilla_ipc::host;
use armilla_tls::Tls;
use arriving::Arriving;
use commitment::{QUIET, Reports};
use contexts::{Roles, Service};
use deadlines::{Deadlines, Pace, Timer};
use dicom_dictionary_std::tags;
use dicom_object::FileMetaTableBuilder;
use dicom_ul::association::server::ServerAssociationOptions;
use dicom_ul::pdu::{PDataValue, PDataValueType, PresentationContextResultReason};
use dicom_ul::{Pdu, ServerAssociation};
use find::Answers;
use message::{Command, Details, Status, send_reply};
use places::Places;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use wire::{Accepted, AsServer, Wire};

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
    /// SOP classes of storage that are accepted beside the standard ones: private ones.
    pub classes: BTreeSet<String>,
}

/// What modalities and workstations are served with.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its names.
    pub titles: Titles,
    /// Its images.
    pub store: Store,
    /// Who may do what.
    pub guard: Guard,
    /// What is planned and was done.
    pub procedures: Procedures,
    /// How often storage commitment is reported to a peer that does not answer.
    pub retry: Retry,
    /// TLS, for peers that are reached over it, and for who comes over it.
    pub tls: Tls,
}

/// Serves modalities at an address, in threads, as long as the process runs.
///
/// # Errors
/// The address is taken or is not of this host, or the system has no thread.
pub fn serve(address: &str, entity: Entity) -> io::Result<SocketAddr> {
    Modalities::start(entity)?.listen(address)
}

/// What serves modalities, wherever it listens.
#[derive(Clone)]
pub struct Modalities {
    entity: Arc<Entity>,
    places: Places<IpAddr>,
    attempts: Places<String>,
    deadlines: Deadlines,
}

impl Modalities {
    /// Begins to serve; nobody is heard yet.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start(entity: Entity) -> io::Result<Self> {
        let (entity, deadlines) = (Arc::new(entity), Deadlines::start()?);
        let (places, attempts) =
            (Places::new(MOST, MOST_OF_HOST), Places::new(MOST, MOST_ATTEMPTS));
        commitment::start(&entity, &deadlines, &attempts)?;
        Ok(Self { entity, places, attempts, deadlines })
    }

    /// Listens at an address.
    ///
    /// # Errors
    /// The address is taken or is not of this host, or the system has no thread.
    pub fn listen(&self, address: &str) -> io::Result<SocketAddr> {
        self.listen_over::<TcpStream>(address)
    }

    /// Listens at an address for modalities that speak TLS there.
    ///
    /// # Errors
    /// As [`listen`](Self::listen), and if the files of [`Entity::tls`] cannot be used.
    pub fn listen_tls(&self, address: &str) -> io::Result<SocketAddr> {
        self.entity.tls.server_config().map_err(io::Error::other)?;
        self.listen_over::<AsServer>(address)
    }

    fn listen_over<S: Accepted>(&self, address: &str) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind(address)?;
        let local = listener.local_addr()?;
        let this = self.clone();
        let accept = move || this.accept::<S>(&listener);
        thread::Builder::new().name("dicom-listener".to_owned()).spawn(accept)?;
        Ok(local)
    }

    fn accept<S: Accepted>(&self, listener: &TcpListener) {
        for socket in listener.incoming() {
            // Without a descriptor there may be one in a moment.
            let Ok(socket) = socket else {
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            let peer = socket.peer_addr().map(|peer| peer.ip());
            // A peer without an address has gone already.
            let Ok(peer) = peer else { continue };
            let Some(place) = self.places.take(host::site(peer)) else {
                tracing::warn!(%peer, "as many associations are open as may be; another is closed");
                continue;
            };
            let this = self.clone();
            let serve = move || {
                let _place = place;
                if let Err(error) = this.associate::<S>(socket) {
                    tracing::info!(%error, "an association was broken off");
                }
            };
            let thread = thread::Builder::new().name("dicom-association".to_owned());
            if let Err(error) = thread.spawn(serve) {
                tracing::warn!(%error, "no thread for an association; it is closed");
            }
        }
    }

    fn associate<S: Accepted>(&self, socket: TcpStream) -> Result<(), Box<dyn Error>> {
        let Self { entity, deadlines, attempts, .. } = self;
        let timer = deadlines.watch(&socket)?;
        timer.limit(GREETING);
        let place = socket.peer_addr()?.ip().into();
        let more = &entity.titles.classes;
        let options = ServerAssociationOptions::new()
            .ae_title(entity.titles.own.as_str())
            .with_negotiation(Roles { more })
            .read_timeout(GREETING)
            .write_timeout(PATIENCE);
        let classes = contexts::all(more);
        let options = classes.fold(options, |options, (uid, _)| options.with_abstract_syntax(uid));
        let mut association = S::accept(options, socket, &entity.tls)?;
        let stream = association.inner_stream();
        stream.tcp().set_read_timeout(Some(PATIENCE))?;
        let mut client = Client::at(place, "dicom");
        client.user = stream.user();
        let (command, task, pace) = (Vec::new(), None, None);
        let reports = Reports::default();
        let serving = Serving {
            association,
            timer,
            pace,
            deadlines,
            attempts,
            entity,
            client,
            command,
            task,
            reports,
        };
        serving.serve()
    }
}

/// An association.
struct Serving<'a, S: Wire> {
    association: ServerAssociation<S>,
    timer: Timer,
    /// Of the message that has begun to come.
    pace: Option<Pace>,
    deadlines: &'a Deadlines,
    /// Associations that are being asked for, by the titles of the peers.
    attempts: &'a Places<String>,
    entity: &'a Entity,
    client: Client,
    /// The octets of the command so far.
    command: Vec<u8>,
    task: Option<(Command, Task)>,
    /// Storage commitment that was requested here.
    reports: Reports,
}

/// What the data set behind a command is for.
enum Task {
    Echo,
    /// It goes to the disk as it comes. What failed is told when all of it has come.
    Store(Result<Box<Arriving>, StoreError>),
    Find(Vec<u8>),
    Retrieve(Vec<u8>),
    /// A search in the worklist.
    FindPlanned(Vec<u8>),
    /// A performed procedure step.
    Perform(Vec<u8>),
    /// A request for storage commitment.
    Commit(Vec<u8>),
    /// Nothing: it is passed over, and the reply says why.
    Passed(Status, &'static str),
    /// The same without a reply.
    Ignored,
}

impl Task {
    /// What has come of a data set that waits in memory, and how many octets it may have.
    fn octets(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        match self {
            Self::Find(octets) | Self::Retrieve(octets) | Self::FindPlanned(octets) => {
                Some((octets, MOST_COMMAND))
            }
            Self::Perform(octets) | Self::Commit(octets) => Some((octets, MOST_SET)),
            _ => None,
        }
    }
}

impl<S: Wire> Serving<'_, S> {
    /// Serves until the association ends.
    fn serve(mut self) -> Result<(), Box<dyn Error>> {
        loop {
            if self.is_idle() && self.reports.are_due() && self.is_quiet(Some(QUIET))? {
                self.report_here()?;
            }
            match self.receive()? {
                Pdu::PData { data } => {
                    for value in data {
                        self.take(value)?;
                    }
                }
                Pdu::ReleaseRQ => {
                    self.timer.limit(PATIENCE);
                    return Ok(self.association.send(&Pdu::ReleaseRP)?);
                }
                Pdu::AbortRQ { .. } => return Ok(()),
                other => return Err(format!("unexpected: {}", other.short_description()).into()),
            }
        }
    }

    /// Whether no message has begun.
    fn is_idle(&self) -> bool {
        self.task.is_none() && self.command.is_empty()
    }

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
        let service = self.service(context)?;
        if command.field & message::REPLY != 0 || command.field == message::C_CANCEL {
            self.replied(&command);
            // Results come at once, so there is nothing to cancel.
            return self.pass_over(command);
        }
        let task = self.task(&command, service)?;
        if command.has_data() {
            self.task = Some((command, task));
            return Ok(());
        }
        self.pace = None;
        match task {
            Task::Passed(status, why) => self.refuse(&command, status, why.to_owned()),
            Task::Echo => self.reply(&command, Status::SUCCESS),
            _ => {
                let why = "a data set is missing behind the command".to_owned();
                self.refuse(&command, Status::MISTYPED, why)
            }
        }
    }

    /// What is to be done, by the command and the service of its context. What is not known has its
    /// answer as well (PS3.7, C.5.19), and the association goes on.
    fn task(&self, command: &Command, service: Service) -> Result<Task, Box<dyn Error>> {
        let (operation, what) = match (command.field, service) {
            // Whoever may speak with the server may see that it is there.
            (message::C_ECHO, _) => return Ok(Task::Echo),
            (message::C_STORE, Service::Storage) => (Operation::Store, "file"),
            (message::C_FIND, Service::Find) => (Operation::Read, "search"),
            (message::C_GET, Service::Get) => (Operation::Read, "retrieval"),
            (message::C_MOVE, Service::Move) => (Operation::Read, "retrieval"),
            (message::C_FIND, Service::Worklist) => (Operation::Read, "worklist"),
            (message::N_CREATE | message::N_SET, Service::Steps) => (Operation::Store, "step"),
            (message::N_ACTION, Service::Commitment) => (Operation::Store, "commitment"),
            _ => {
                let why = "this service has no such operation";
                return Ok(Task::Passed(Status::UNRECOGNIZED, why));
            }
        };
        let image = match operation {
            Operation::Store if what == "file" => command.instance(),
            _ => String::new(),
        };
        let subject = Subject { what, image: &image, ..Subject::default() };
        if !self.permits(operation, subject) {
            return Ok(Task::Passed(Status::NOT_AUTHORIZED, "the rules forbid it"));
        }
        Ok(match (service, Vec::new()) {
            (Service::Storage, _) => Task::Store(self.incoming(command)?),
            (Service::Find, octets) => Task::Find(octets),
            (Service::Worklist, octets) => Task::FindPlanned(octets),
            (Service::Steps, octets) => Task::Perform(octets),
            (Service::Commitment, octets) => Task::Commit(octets),
            (_, octets) => Task::Retrieve(octets),
        })
    }

    /// A message that wants no answer.
    fn pass_over(&mut self, command: Command) -> Result<(), Box<dyn Error>> {
        match command.has_data() {
            true => self.task = Some((command, Task::Ignored)),
            false => self.pace = None,
        }
        Ok(())
    }

    fn permits(&self, operation: Operation, subject: Subject<'_>) -> bool {
        let checked = self.entity.guard.check(&self.client, operation, subject);
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
        let held = self.entity.guard.admit(&self.client).map_err(StoreError::Share);
        let incoming = held.and_then(|held| Ok((self.entity.store.receive_unsized()?, held)));
        Ok(incoming.and_then(|(incoming, held)| {
            let mut arriving = Arriving::new(incoming, uid, held);
            let written = arriving.write_all(&head);
            written.map_err(|error| StoreError::Index(error.to_string()))?;
            Ok(Box::new(arriving))
        }))
    }

    fn note_stored(&self, image: &Image) -> io::Result<()> {
        let (study, series) = (&image.study, &image.series);
        let subject = Subject { what: "file", study, series, image: &image.uid };
        self.entity.guard.note(&self.client, Operation::Store, subject, "stored")
    }

    /// A context that was accepted: its SOP class, and its transfer syntax.
    fn agreed(&self, context: u8) -> Result<(&str, &str), Box<dyn Error>> {
        let accepted = PresentationContextResultReason::Acceptance;
        let contexts = self.association.presentation_contexts();
        let found = contexts.iter().find(|found| found.id == context && found.reason == accepted);
        let found = found.ok_or("a presentation context that was not agreed on")?;
        Ok((&found.abstract_syntax, &found.transfer_syntax))
    }

    fn service(&self, context: u8) -> Result<Service, Box<dyn Error>> {
        let (class, _) = self.agreed(context)?;
        let found = contexts::service(class, &self.entity.titles.classes);
        Ok(found.ok_or("a presentation context without a service")?)
    }

    fn syntax(&self, context: u8) -> Result<String, Box<dyn Error>> {
        Ok(self.agreed(context)?.1.to_owned())
    }

    fn add(&mut self, octets: &[u8]) -> Result<(), Box<dyn Error>> {
        let (_, task) = self.task.as_mut().ok_or("a data set without a command")?;
        if let Task::Store(incoming) = task {
            if let Ok(file) = incoming
                && let Err(error) = file.write_all(octets)
            {
                *incoming = Err(StoreError::Index(error.to_string()));
            }
        } else if let Some((there, most)) = task.octets() {
            match there.len() + octets.len() <= most {
                true => there.extend_from_slice(octets),
                // What is left of it is passed over.
                false => *task = Task::Passed(Status::TOO_MUCH, "the data set is too large"),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Box<dyn Error>> {
        let Some((command, task)) = self.task.take() else {
            return Err("a data set without a command".into());
        };
        self.pace = None;
        match task {
            Task::Store(incoming) => match incoming.and_then(|mut incoming| {
                let held = incoming.held.take();
                Ok((incoming.keep()?, held))
            }) {
                Ok((image, held)) => {
                    self.entity.guard.stored(&image.uid, held);
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
            Task::Passed(status, why) => self.refuse(&command, status, why.to_owned()),
            Task::Ignored => Ok(()),
            Task::Echo => self.reply(&command, Status::SUCCESS),
            Task::FindPlanned(identifier) => self.find_planned(&command, &identifier),
            Task::Perform(octets) => self.perform(&command, &octets),
            Task::Commit(octets) => self.commit(&command, &octets),
            Task::Find(identifier) => self.find(&command, &identifier),
            Task::Retrieve(identifier) => self.retrieve(&command, &identifier),
        }
    }

    fn find(&mut self, command: &Command, identifier: &[u8]) -> Result<(), Box<dyn Error>> {
        let syntax = self.syntax(command.context)?;
        let Answers { encoded, more } = match find::answers(&self.entity.store, identifier, &syntax)
        {
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
