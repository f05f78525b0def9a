//! The commands.

mod access;
mod cache;
mod dicom_files;
mod files;
mod flows;
mod login;
mod names;
mod worklist;

use access::{Access, Remove, Token};
use armilla::{Orb, OrbBuilder};
use armilla_imaging::audit::Guard;
use armilla_imaging::dicom;
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{Image, Query, ServerRef, Source, SourceRef};
use armilla_imaging::locator::Locator;
use armilla_imaging::procedures::{Procedures, Retry};
use armilla_imaging::server::dimse::{Entity, Modalities, Titles};
use armilla_imaging::server::{ImageServer, ServerSettings};
use armilla_imaging::store::Store;
use armilla_imaging::web::Web;
use armilla_service::{Console, ConsoleArguments, ConsoleBuilder, Lifecycle};
use armilla_stream::FlowControl;
use cache::Cache;
use clap::Parser;
use dicom_files::DicomFiles;
use flows::Flows;
use indicatif::{ProgressBar, ProgressStyle};
use login::Login;
use names::Naming;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use worklist::{Performed, Worklist};

pub(crate) type Failure = Box<dyn std::error::Error>;

/// Keeps, finds and shows DICOM images.
#[derive(Debug, Parser)]
#[command(name = "armilla-imaging", version)]
pub(crate) enum Command {
    /// Serves the images of a directory, until Ctrl-C.
    Serve(Serve),
    /// Serves a locator, which asks several servers at once, until Ctrl-C.
    Locate(Locate),
    /// Serves a cache near the readers, in front of a server or a locator, until Ctrl-C.
    Cache(Cache),
    /// Serves the viewer, a web page, for a server or a locator elsewhere, until Ctrl-C.
    View(View),
    /// Makes a token, and the rule that knows it.
    Token(Token),
    /// Removes images from a server, for good.
    Remove(Remove),
    /// Sends files to a server.
    Send(Send),
    /// Lists images.
    Find(Find),
    /// Brings images, with a bar for each.
    Fetch(Fetch),
    /// Plans what modalities do: the entries of their worklist.
    Worklist(Worklist),
    /// Lists what modalities say that they did or do.
    Performed(Performed),
}

#[derive(Debug, Parser)]
pub(crate) struct Serve {
    /// The directory of the images.
    #[arg(long)]
    store: PathBuf,
    /// How many octets of images there may be: a number with K, M or G, or 0 for any.
    #[arg(long, default_value = "0", value_parser = octets)]
    quota: u64,
    /// How many octets of the disk stay free: a number with K, M or G.
    #[arg(long, default_value = "32M", value_parser = octets)]
    spare: u64,
    /// The name of this server.
    #[arg(long, default_value = "images")]
    name: String,
    #[command(flatten)]
    flows: Flows,
    /// HOST:PORT for modalities and workstations (C-ECHO, C-STORE, C-FIND, C-GET, C-MOVE, worklist,
    /// MPPS, storage commitment).
    #[arg(long)]
    dicom: Option<String>,
    /// The application entity title for modalities.
    #[arg(long, default_value = "ARMILLA")]
    title: String,
    /// HOST:PORT for modalities and workstations that speak TLS, such as 0.0.0.0:2762. It needs
    /// --dicom-certificate.
    #[arg(long, value_name = "ADDRESS", requires = "dicom_certificate")]
    dicom_tls: Option<String>,
    #[command(flatten)]
    dicom_files: DicomFiles,
    /// TITLE=HOST:PORT of an application entity to which images may be moved (C-MOVE), and storage
    /// commitment is reported; TITLE=tls://HOST:PORT of one that is reached over TLS.
    #[arg(long, value_parser = peer)]
    peer: Vec<(String, String)>,
    /// The UID of a private SOP class of storage that modalities may send beside the standard ones.
    #[arg(long, value_parser = uid)]
    class: Vec<String>,
    #[command(flatten)]
    http: Http,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    naming: Naming,
    /// Files and directories to import before it serves. What is no image is named and left out.
    files: Vec<PathBuf>,
}

#[derive(Debug, Parser)]
pub(crate) struct Locate {
    /// The references of servers.
    #[arg(required = true)]
    servers: Vec<String>,
    #[command(flatten)]
    http: Http,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    naming: Naming,
}

#[derive(Debug, Parser)]
pub(crate) struct View {
    /// The reference of a server or a locator.
    source: String,
    /// The viewer; without an address it is at 127.0.0.1:8080.
    #[command(flatten)]
    console: ConsoleArguments,
    #[command(flatten)]
    login: Login,
    #[command(flatten)]
    access: Access,
}

/// What is served over HTTP.
#[derive(Debug, Parser)]
pub(crate) struct Http {
    /// The page is the viewer, with DICOMweb below /dicomweb.
    #[command(flatten)]
    console: ConsoleArguments,
    #[command(flatten)]
    login: Login,
    /// How many octets one request may store: a number with K, M or G.
    #[arg(long, default_value = "16G", value_parser = octets)]
    max_request: u64,
}

impl Http {
    /// Serves what a source has, if an address is given.
    fn start(
        &self,
        source: &SourceRef,
        store: Option<&Store>,
        procedures: Option<&Procedures>,
        guard: &Guard,
        lifecycle: &Lifecycle,
    ) -> Result<Option<Console>, Failure> {
        let web = Web::new(source.clone(), guard.clone()).with_procedures(procedures.cloned());
        let options = self.login.options(self.console.options(), guard.limits())?;
        let web = web.with_login(options.asks());
        let console = options.start(lifecycle, |console| {
            let console = console.service("imaging");
            let console = match store {
                Some(store) => observed(console, store, procedures),
                None => console,
            };
            web.add_to(console, self.max_request)
        })?;
        if let Some(console) = &console {
            eprintln!("web: {}", console.url());
        }
        Ok(console)
    }
}

/// Adds the health and the metrics of a store to a console.
fn observed(
    console: ConsoleBuilder,
    store: &Store,
    procedures: Option<&Procedures>,
) -> ConsoleBuilder {
    let (store, shown) = (store.clone(), store.clone());
    let (written, planned) = (procedures.cloned(), procedures.cloned());
    let check = move || {
        store.check()?;
        written.as_ref().map_or(Ok(()), Procedures::check)
    };
    let planned = move || planned.as_ref().map(planned_metrics).unwrap_or_default();
    console
        .check(move || check().map_err(|error| format!("the store: {error}")))
        .metrics(move || metrics(&shown) + &planned())
}

#[derive(Debug, Parser)]
pub(crate) struct Send {
    /// The reference of the server.
    server: String,
    /// Files, and directories with all that is below.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// What to look for; `*` and `?` stand for other characters.
#[derive(Debug, Clone, Parser)]
pub(crate) struct Wanted {
    /// Identifier of the patient.
    #[arg(long, default_value = "")]
    patient: String,
    /// UID of the study.
    #[arg(long, default_value = "")]
    study: String,
    /// CT, MR, US, …
    #[arg(long, default_value = "")]
    modality: String,
    /// YYYYMMDD
    #[arg(long, default_value = "")]
    from: String,
    /// YYYYMMDD
    #[arg(long, default_value = "")]
    to: String,
    /// How many images at most.
    #[arg(long, default_value_t = 1000)]
    limit: u32,
}

#[derive(Debug, Parser)]
pub(crate) struct Find {
    /// The reference of a server or a locator.
    source: String,
    #[command(flatten)]
    wanted: Wanted,
    /// Prints a JSON object for each image.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Parser)]
pub(crate) struct Fetch {
    /// The reference of a server or a locator.
    source: String,
    /// Where the files go.
    #[arg(long, default_value = ".")]
    into: PathBuf,
    #[command(flatten)]
    wanted: Wanted,
}

impl Command {
    pub(crate) fn run(self, orb: OrbBuilder) -> Result<(), Failure> {
        match self {
            Self::Serve(serve) => serve.run(orb),
            Self::Locate(locate) => locate.run(orb),
            Self::Cache(cache) => cache.run(orb),
            Self::View(view) => view.run(orb),
            Self::Token(token) => token.run(),
            Self::Remove(remove) => remove.run(&orb.build()?),
            Self::Send(send) => send.run(&orb.build()?),
            Self::Find(find) => find.run(&orb.build()?),
            Self::Fetch(fetch) => fetch.run(&orb.build()?),
            Self::Worklist(worklist) => worklist.run(&orb.build()?),
            Self::Performed(performed) => performed.run(&orb.build()?),
        }
    }
}

/// A number, for Prometheus.
fn gauge(name: &str, help: &str, value: u64) -> String {
    let name = format!("armilla_imaging_{name}");
    format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n")
}

/// What is planned and done.
fn planned_metrics(procedures: &Procedures) -> String {
    let (entries, steps, commitments) = procedures.counts();
    [
        gauge("worklist_entries", "Entries of the worklist that are not done.", entries),
        gauge("steps_in_progress", "Procedure steps that modalities perform.", steps),
        gauge(
            "commitments_pending",
            "Requests for commitment that were not reported.",
            commitments,
        ),
    ]
    .concat()
}

/// What a store has, for Prometheus.
fn metrics(store: &Store) -> String {
    let (images, octets, quota) = store.usage();
    [
        gauge("images", "Images in the store.", images),
        gauge("bytes", "Octets of images in the store.", octets),
        gauge("quota_bytes", "Octets of images that there may be; 0 for any number.", quota),
        gauge("room_bytes", "Octets that the store takes now.", store.room()),
    ]
    .concat()
}

impl Serve {
    fn run(self, orb: OrbBuilder) -> Result<(), Failure> {
        let guard = self.access.guard()?.with_limits(self.http.login.limits());
        let store = Store::open_with_spare(&self.store, self.quota, self.spare)?;
        let guard = guard.with_owners_in(&store)?;
        access::expire(&store, &guard)?;
        files::import(&store, &self.files)?;
        let procedures = Procedures::open(&self.store)?;
        if self.dicom.is_some() || self.dicom_tls.is_some() {
            let peers = self.peer.into_iter().collect();
            let classes = self.class.into_iter().collect();
            let titles = Titles { own: self.title.clone(), peers, classes };
            let entity = Entity {
                titles,
                store: store.clone(),
                guard: guard.clone(),
                procedures: procedures.clone(),
                retry: Retry::default(),
                tls: self.dicom_files.tls(),
            };
            let modalities = Modalities::start(entity)?;
            if let Some(address) = &self.dicom {
                eprintln!("modalities: {} at {}", self.title, modalities.listen(address)?);
            }
            if let Some(address) = &self.dicom_tls {
                let at = modalities.listen_tls(address)?;
                eprintln!("modalities: {} at {at} over TLS", self.title);
            }
        }
        let orb = orb.build()?;
        let listener = self.flows.listen(&orb)?;
        let settings = ServerSettings {
            name: self.name,
            store: store.clone(),
            listener,
            guard: guard.clone(),
            procedures: Some(procedures.clone()),
            through: None,
        };
        let server = ImageServer::activate(&orb.root_poa(), settings)?;
        let url = orb.publish("ImageServer", server.object())?;
        self.naming.bind(&orb, &url)?;
        let lifecycle = Lifecycle::new();
        let (source, kept) = (server.upcast(), Some(&store));
        let _console = self.http.start(&source, kept, Some(&procedures), &guard, &lifecycle)?;
        Ok(armilla_service::run(&orb, &lifecycle, &url)?)
    }
}

impl Locate {
    fn run(self, orb: OrbBuilder) -> Result<(), Failure> {
        let orb = orb.build()?;
        let guard = self.access.guard()?.with_limits(self.http.login.limits());
        let locator = Locator::activate(&orb, self.servers, guard.clone())?;
        let url = orb.publish("ImageLocator", locator.object())?;
        self.naming.bind(&orb, &url)?;
        let lifecycle = Lifecycle::new();
        let _console = self.http.start(&locator, None, None, &guard, &lifecycle)?;
        Ok(armilla_service::run(&orb, &lifecycle, &url)?)
    }
}

impl View {
    fn run(self, orb: OrbBuilder) -> Result<(), Failure> {
        let orb = orb.build()?;
        let source: SourceRef = orb.resolve(&self.source)?;
        let lifecycle = Lifecycle::new();
        let guard = self.access.guard()?.with_limits(self.login.limits());
        let http = Http {
            console: self.console.or_at("127.0.0.1:8080"),
            login: self.login,
            max_request: 16 << 30,
        };
        let console = http.start(&source, None, None, &guard, &lifecycle)?;
        let url = console.as_ref().map(Console::url).unwrap_or_default();
        Ok(armilla_service::run(&orb, &lifecycle, &url)?)
    }
}

impl Send {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        let (files, mut failed) = (files::all(&self.files)?, 0);
        for file in &files {
            match send(&server, file) {
                Ok(image) => println!("{}", image.uid),
                Err(error) => {
                    eprintln!("error: {error}");
                    failed += 1;
                }
            }
        }
        all_but(failed, files.len(), "files were not stored")
    }
}

impl Find {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        for image in find(&orb.resolve(&self.source)?, &self.wanted)? {
            match self.json {
                true => println!("{}", serde_json::to_string(&image)?),
                false => println!(
                    "{:8} {:8} {:>4} × {:<4} {:>4} {:>10} {:24} {}",
                    if image.date.is_empty() { "no date" } else { &image.date },
                    if image.modality.is_empty() { "–" } else { &image.modality },
                    image.columns,
                    image.rows,
                    image.number,
                    image.size,
                    person(&image.patient_name),
                    image.uid
                ),
            }
        }
        Ok(())
    }
}

impl Fetch {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        std::fs::create_dir_all(&self.into)?;
        let source: SourceRef = orb.resolve(&self.source)?;
        let images = find(&source, &self.wanted)?;
        let mut failed = 0;
        for image in &images {
            let bar = ProgressBar::new(image.size);
            let style = "{bar:30} {bytes:>10} of {total_bytes} {bytes_per_sec} {msg}";
            bar.set_style(ProgressStyle::with_template(style)?);
            let begin = |control: FlowControl, there: u64| follow(bar.clone(), control, there);
            let fetched = fetch(&source, image, &self.into, &begin);
            bar.finish_and_clear();
            match fetched {
                Ok(path) => println!("{}", path.display()),
                Err(error) => {
                    eprintln!("error: {error}");
                    failed += 1;
                }
            }
        }
        all_but(failed, images.len(), "images did not come; what came of them is kept")
    }
}

/// An error if some of all failed, each of which was named before.
fn all_but(failed: usize, all: usize, what: &str) -> Result<(), Failure> {
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} of {all} {what}").into()),
    }
}

/// Moves a bar with a flow, until that ends.
fn follow(bar: ProgressBar, control: FlowControl, there: u64) {
    let follow = move || {
        while !control.ended() {
            bar.set_position(there + control.transferred());
            thread::sleep(Duration::from_millis(50));
        }
    };
    // Without a thread there is no bar.
    thread::Builder::new().spawn(follow).ok();
}

/// Prints which servers are missing.
fn find(source: &SourceRef, wanted: &Wanted) -> Result<Vec<Image>, Failure> {
    let wanted = wanted.clone();
    let (patient, study, modality) = (wanted.patient, wanted.study, wanted.modality);
    let (from, to, limit) = (wanted.from, wanted.to, wanted.limit);
    let query = Query { patient, study, modality, from, to, limit, ..Query::default() };
    let (images, missing) = source.find(&query)?;
    for server in missing {
        eprintln!("warning: {} is missing: {}", server.server, server.reason);
    }
    Ok(images)
}

/// A name as people write it, in the first of its alphabets that has it.
fn person(name: &str) -> String {
    let alphabets = name.split('=').map(|name| {
        let parts: Vec<_> =
            name.split('^').map(str::trim).filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    });
    // What came from elsewhere is no command for a terminal.
    let shown = alphabets.into_iter().find(|name| !name.is_empty());
    let shown = shown.unwrap_or_else(|| "no name".to_owned());
    shown.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn peer(text: &str) -> Result<(String, String), String> {
    let wrong = || "TITLE=HOST:PORT is needed, with a title of 1 to 16 characters".to_owned();
    let (title, address) = text.split_once('=').ok_or_else(wrong)?;
    let plain = address.strip_prefix("tls://").unwrap_or(address);
    let port = plain.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    match (1..=16).contains(&title.len()) && port.is_some() {
        true => Ok((title.to_owned(), address.to_owned())),
        false => Err(wrong()),
    }
}

fn uid(text: &str) -> Result<String, String> {
    match dicom::is_uid(text) {
        true => Ok(text.to_owned()),
        false => Err("a UID is needed: up to 64 digits and dots".to_owned()),
    }
}

fn octets(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = number.parse().map_err(|_| "a number with K, M or G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_do_not_contradict_one_another() {
        Command::command().debug_assert();
    }

    #[test]
    fn names_are_written_as_people_write_them() {
        assert_eq!(person("Doe^Jane^^^"), "Doe, Jane");
        assert_eq!(person("=山田^太郎=やまだ"), "山田, 太郎");
        assert_eq!((person("^^="), person("A\u{1b}[2J^B")), ("no name".into(), "A?[2J, B".into()));
    }

    #[test]
    fn octets_have_units() {
        assert_eq!((octets("7"), octets("2K"), octets("3G")), (Ok(7), Ok(2048), Ok(3 << 30)));
        assert!(octets("").is_err() && octets("K").is_err() && octets("99999999999G").is_err());
    }
}
