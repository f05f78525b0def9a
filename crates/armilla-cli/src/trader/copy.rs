//! `armilla trader save` and `load`: the offers of a trader as lines of JSON.

use super::offers::{all_ids, register};
use super::{Service, explain, values};
use crate::input::{RECORDED, read_text};
use crate::output;
use crate::progress::Progress;
use armilla::{Error, Object};
use armilla_cos_trading::register::DescribeRaises;
use armilla_cos_trading::repos::service_type_repository::PropStruct;
use armilla_cos_trading::{Property, Register};
use armilla_naming::client::each;
use armilla_terminal::{Context, Failure, Outcome, complain, print};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The arguments of `armilla trader save`.
#[derive(Debug, clap::Args)]
pub(crate) struct Save {
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The arguments of `armilla trader load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// An offer of a file.
struct Saved {
    line: usize,
    service_type: String,
    object: Object,
    properties: Vec<Property>,
}

pub(super) fn save(options: &Save, service: &Service) -> Outcome {
    let register = register(service)?;
    let ids = all_ids(service, false)?;
    let (progress, done) = (Progress::new("read"), AtomicUsize::new(0));
    let lines = each(&ids, |id| {
        let described = register.describe(id);
        progress.show(done.fetch_add(1, Ordering::Relaxed) + 1, ids.len());
        match described {
            Ok(info) => {
                let reference = service.orb.object_to_string(&info.reference)?;
                let properties: Map<String, Value> = info
                    .properties
                    .iter()
                    .map(|property| (property.name.clone(), values::json(&property.value)))
                    .collect();
                let offer = json!({
                    "type": info.r#type, "reference": reference, "properties": properties
                });
                Ok(Some(offer.to_string()))
            }
            // It was withdrawn meanwhile, or is a proxy offer.
            Err(Error::User(
                DescribeRaises::UnknownOfferId(_) | DescribeRaises::ProxyOfferId(_),
            )) => Ok(None),
            Err(error) => Err(Failure::from(error)),
        }
    });
    progress.end();
    let lines = lines.into_iter().collect::<Outcome<Vec<_>>>()?;
    let text: String = lines.into_iter().flatten().map(|line| line + "\n").collect();
    let proxies = all_ids(service, true)?.len();
    if proxies > 0 {
        complain(format_args!("warning: {proxies} proxy offers are not saved\n"));
    }
    match &options.output {
        None => print(format_args!("{text}")),
        Some(file) => {
            output::write(file, text).context(format_args!("cannot write {}", file.display()))
        }
    }
}

pub(super) fn load(options: &Load, service: &Service) -> Outcome {
    let text = read_text(&options.file, RECORDED);
    let text = text.context(format_args!("cannot read {}", options.file.display()))?;
    let offers = read(&text, service)?;
    let register = register(service)?;
    let (progress, done) = (Progress::new("exported"), AtomicUsize::new(0));
    let exported = each(&offers, |offer| {
        let exported = register.export(&offer.object, &offer.service_type, &offer.properties);
        progress.show(done.fetch_add(1, Ordering::Relaxed) + 1, offers.len());
        exported
    });
    progress.end();
    let count = exported.iter().filter(|one| one.is_ok()).count();
    eprintln!("{count} of {} offers exported", offers.len());
    for (offer, exported) in offers.iter().zip(exported) {
        if let Err(error) = exported {
            complain(format_args!("line {}:\n", offer.line));
            return Err(explain::export(service, &offer.service_type, error));
        }
    }
    Ok(())
}

/// The offers of a text. Nothing is exported if one of them is malformed.
fn read(text: &str, service: &Service) -> Outcome<Vec<Saved>> {
    let mut declared: HashMap<String, Vec<PropStruct>> = HashMap::new();
    let mut offers = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line_number = at + 1;
        let wrong =
            |what: &dyn std::fmt::Display| Failure::because(format!("line {line_number}: {what}"));
        let offer: Value = serde_json::from_str(line).map_err(|error| wrong(&error))?;
        let field = |name: &str| {
            let text = offer.get(name).and_then(Value::as_str);
            text.ok_or_else(|| wrong(&format_args!("{name:?} is missing, or no text")))
        };
        let (service_type, reference) = (field("type")?, field("reference")?);
        if !declared.contains_key(service_type) {
            let full = explain::full_type(service, service_type)?.props;
            declared.insert(service_type.to_owned(), full);
        }
        let known = declared.get(service_type).map_or(&[][..], Vec::as_slice);
        let given = offer.get("properties").and_then(Value::as_object);
        let properties = given.into_iter().flatten().map(|(name, value)| {
            values::of_json(name, value, known, &service.orb).map_err(|error| wrong(&error))
        });
        offers.push(Saved {
            line: line_number,
            service_type: service_type.to_owned(),
            object: service.orb.string_to_object(reference).map_err(|error| wrong(&error))?,
            properties: properties.collect::<Outcome<_>>()?,
        });
    }
    Ok(offers)
}
