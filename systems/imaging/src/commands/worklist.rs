//! The worklist of modalities, and what they say of what they did.

use super::Failure;
use armilla::Orb;
use armilla_imaging::dicom;
use armilla_imaging::idl::{Server, ServerRef};
use clap::{Parser, Subcommand};
use serde_json::{Map, Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Plans what modalities do: the entries of their worklist.
#[derive(Debug, Parser)]
pub(crate) struct Worklist {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Plans an examination, or what files describe; prints the UID of each entry.
    Add(Box<Add>),
    /// Lists what is planned, the first date first.
    Ls(List),
    /// Removes entries.
    Rm(Rm),
}

#[derive(Debug, Parser)]
struct Add {
    /// The reference of the server.
    server: String,
    /// DICOM files of worklist items, or JSON (PS3.18, annex F): an object or an array; - reads
    /// standard input.
    #[arg(conflicts_with_all = ["patient", "name", "modality", "at"])]
    files: Vec<PathBuf>,
    /// Identifier of the patient.
    #[arg(long, required_unless_present = "files")]
    patient: Option<String>,
    /// Name of the patient: Family^Given.
    #[arg(long, required_unless_present = "files")]
    name: Option<String>,
    /// CT, MR, US, …
    #[arg(long, required_unless_present = "files")]
    modality: Option<String>,
    /// When it is to begin: YYYYMMDD, or YYYYMMDDHHMM.
    #[arg(long, required_unless_present = "files")]
    at: Option<String>,
    /// The application entity title of the modality.
    #[arg(long, default_value = "")]
    station: String,
    /// What is to be done.
    #[arg(long, default_value = "")]
    procedure: String,
    /// Accession number.
    #[arg(long, default_value = "")]
    accession: String,
    /// Date of birth, YYYYMMDD.
    #[arg(long, default_value = "")]
    birth: String,
    /// M, F or O.
    #[arg(long, default_value = "")]
    sex: String,
    /// Who has asked for it: Family^Given.
    #[arg(long, default_value = "")]
    referrer: String,
    /// UID of the study that the images will have; a new one if none is given.
    #[arg(long, default_value = "")]
    study: String,
}

#[derive(Debug, Parser)]
struct List {
    /// The reference of the server.
    server: String,
    /// Also what was done or broken off.
    #[arg(long)]
    all: bool,
    /// Prints a JSON object for each (PS3.18, annex F).
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Parser)]
struct Rm {
    /// The reference of the server.
    server: String,
    /// UIDs of entries, as `ls` prints them.
    #[arg(required = true)]
    entries: Vec<String>,
}

/// Lists what modalities say that they did or do.
#[derive(Debug, Parser)]
pub(crate) struct Performed {
    /// The reference of the server.
    server: String,
    /// Prints a JSON object for each (PS3.18, annex F).
    #[arg(long)]
    json: bool,
}

impl Worklist {
    pub(super) fn run(self, orb: &Orb) -> Result<(), Failure> {
        match self.what {
            What::Add(add) => add.run(orb),
            What::Ls(list) => list.run(orb),
            What::Rm(rm) => rm.run(orb),
        }
    }
}

impl Add {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        if self.files.is_empty() {
            println!("{}", server.plan(&self.described()?.to_string())?);
            return Ok(());
        }
        let (mut failed, mut all) = (0, 0);
        for path in &self.files {
            let entries = read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            for entry in entries {
                all += 1;
                match server.plan(&entry) {
                    Ok(uid) => println!("{uid}"),
                    Err(error) => {
                        eprintln!("error: {}: {error}", path.display());
                        failed += 1;
                    }
                }
            }
        }
        super::all_but(failed, all, "entries were not planned")
    }

    /// The entry of the arguments.
    fn described(&self) -> Result<Value, Failure> {
        let at = self.at.as_deref().unwrap_or_default();
        if ![8, 12, 14].contains(&at.len()) || !at.bytes().all(|octet| octet.is_ascii_digit()) {
            return Err(format!("{at:?} is no time: YYYYMMDD or YYYYMMDDHHMM is needed").into());
        }
        let (day, time) = at.split_at(8);
        let modality = self.modality.as_deref().unwrap_or_default();
        let step = object(&[
            ("00080060", "CS", modality),
            ("00400001", "AE", &self.station),
            ("00400002", "DA", day),
            ("00400003", "TM", time),
            ("00400007", "LO", &self.procedure),
        ]);
        let mut entry = object(&[
            ("00080050", "SH", &self.accession),
            ("00080090", "PN", &self.referrer),
            ("00100010", "PN", self.name.as_deref().unwrap_or_default()),
            ("00100020", "LO", self.patient.as_deref().unwrap_or_default()),
            ("00100030", "DA", &self.birth),
            ("00100040", "CS", &self.sex),
            ("0020000D", "UI", &self.study),
            ("00321060", "LO", &self.procedure),
        ]);
        entry.insert("00400100".to_owned(), json!({ "vr": "SQ", "Value": [step] }));
        Ok(Value::Object(entry))
    }
}

/// Attributes as JSON.
fn object(attributes: &[(&str, &str, &str)]) -> Map<String, Value> {
    let attribute = |(tag, vr, text): &(&str, &str, &str)| {
        let value = match (*vr, text.is_empty()) {
            (_, true) => json!({ "vr": vr }),
            ("PN", _) => json!({ "vr": vr, "Value": [{ "Alphabetic": text }] }),
            _ => json!({ "vr": vr, "Value": [text] }),
        };
        ((*tag).to_owned(), value)
    };
    attributes.iter().map(attribute).collect()
}

/// The entries of a file, as JSON.
fn read(path: &Path) -> Result<Vec<String>, Failure> {
    let mut octets = Vec::new();
    match path == Path::new("-") {
        true => std::io::stdin().read_to_end(&mut octets)?,
        false => std::fs::File::open(path)?.read_to_end(&mut octets)?,
    };
    let first = octets.iter().find(|octet| !octet.is_ascii_whitespace());
    match first {
        Some(b'[') => {
            let entries: Vec<Value> = serde_json::from_slice(&octets)?;
            Ok(entries.iter().map(Value::to_string).collect())
        }
        Some(b'{') => Ok(vec![String::from_utf8(octets)?]),
        _ => Ok(vec![dicom::metadata(path)?]),
    }
}

/// The text of an attribute of an object.
fn text(object: &Value, tag: &str) -> String {
    let value = &object[tag]["Value"][0];
    let value = if value["Alphabetic"].is_string() { &value["Alphabetic"] } else { value };
    value.as_str().unwrap_or_default().to_owned()
}

impl List {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        let mut entries = all(|after| Ok(server.planned(self.all, after)?))?;
        let begin = |entry: &Value| {
            let step = &entry["00400100"]["Value"][0];
            (text(step, "00400002"), text(step, "00400003"))
        };
        entries.sort_by_cached_key(begin);
        for entry in &entries {
            if self.json {
                println!("{entry}");
                continue;
            }
            let step = &entry["00400100"]["Value"][0];
            let (day, time) = begin(entry);
            println!(
                "{day:8} {time:6} {:4} {:16} {:12} {:24} {:24} {}",
                text(step, "00080060"),
                text(step, "00400001"),
                text(step, "00400020"),
                text(entry, "00100010"),
                text(step, "00400007"),
                text(entry, "00080018"),
            );
        }
        Ok(())
    }
}

impl Rm {
    fn run(self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        for uid in &self.entries {
            server.unplan(uid).map_err(|error| format!("{uid}: {error}"))?;
        }
        println!("{} removed", self.entries.len());
        Ok(())
    }
}

impl Performed {
    pub(super) fn run(self, orb: &Orb) -> Result<(), Failure> {
        let server: ServerRef = orb.resolve(&self.server)?;
        let mut steps = all(|after| Ok(server.performed(after)?))?;
        steps.sort_by_cached_key(|step| (text(step, "00400244"), text(step, "00400245")));
        for step in &steps {
            if self.json {
                println!("{step}");
                continue;
            }
            println!(
                "{:8} {:6} {:4} {:16} {:12} {:24} {}",
                text(step, "00400244"),
                text(step, "00400245"),
                text(step, "00080060"),
                text(step, "00400241"),
                text(step, "00400252"),
                text(step, "00100010"),
                text(step, "00080018"),
            );
        }
        Ok(())
    }
}

/// All that a server has, page by page.
fn all(page: impl Fn(&str) -> Result<Vec<String>, Failure>) -> Result<Vec<Value>, Failure> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let texts = page(&after)?;
        let Some(last) = texts.last() else { return Ok(all) };
        after = text(&serde_json::from_str(last)?, "00080018");
        for text in &texts {
            all.push(serde_json::from_str(text)?);
        }
    }
}
