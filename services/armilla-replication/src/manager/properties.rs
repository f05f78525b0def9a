//! The properties of groups as the interfaces have them (23.3.2): names, values in `any`s.

use super::settings::{ACTIVE, COLD_PASSIVE, FactoryEntry, STATELESS, Settings, WARM_PASSIVE};
use crate::ft::{self, FactoryInfo, FaultMonitoringIntervalAndTimeoutValue, Property};
use crate::model::codec::{decoded, encoded};
use armilla::{Any, CdrResult, ExceptionKind, Orb, SystemException, TypeCode};
use armilla_cdr::{Decode, Decoder, Encode, Encoder};
use armilla_cos_naming::NameComponent;
use armilla_giop::url;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What the names of properties begin with; TAO has the second.
const PREFIXES: [&str; 2] = ["org.omg.ft.", "org.omg.PortableGroup."];

/// Where a property is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// For all groups.
    Default,
    /// For groups of a type.
    Type,
    /// For a group, when it is made.
    Creation,
    /// For a group that there is.
    Group,
}

/// Why a property is not taken.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Refused {
    /// It has no such value, or not at this level.
    Invalid(Property),
    /// It is known, and is not offered here.
    Unsupported(Property),
}

/// TAO's name of the type of a factory's entry. It has the same members.
const OTHER_FACTORY_INFO: &str = "IDL:omg.org/PortableGroup/FactoryInfo:1.0";

/// The name of a property of the infrastructure, without the prefix. TAO, like MIOP, counts members
/// where FT CORBA counts replicas.
fn infrastructure_name(property: &Property) -> Option<&str> {
    let [only] = &*property.nam else { return None };
    match PREFIXES.iter().find_map(|prefix| only.id.strip_prefix(prefix))? {
        "InitialNumberMembers" => Some("InitialNumberReplicas"),
        "MinimumNumberMembers" => Some("MinimumNumberReplicas"),
        name => Some(name),
    }
}

/// A number, as FT CORBA has it or as TAO has it.
fn number(value: &Any) -> Option<u16> {
    let long = || u16::try_from(value.get::<i32>().ok()??).ok();
    value.get::<u16>().ok().flatten().or_else(long)
}

/// Whether a property may be set at this level: most cannot change in a group that exists, and there
/// are no factories by default.
fn belongs(name: &str, level: Level) -> bool {
    let is_dynamic = matches!(
        name,
        "Factories"
            | "MinimumNumberReplicas"
            | "FaultMonitoringIntervalAndTimeout"
            | "CheckpointInterval"
    );
    (is_dynamic || level != Level::Group) && (name != "Factories" || level != Level::Default)
}

/// The interval and the time limit of questions to members. Less than ten milliseconds would do
/// nothing but ask.
fn times(value: &Any) -> Option<(u64, u64)> {
    let times = value.get::<FaultMonitoringIntervalAndTimeoutValue>().ok()??;
    let times = (times.monitoring_interval, times.timeout);
    let is_sane = |time: u64| (100_000..=36_000_000_000).contains(&time);
    (is_sane(times.0) && is_sane(times.1)).then_some(times)
}

/// The factories, at most one for each location.
fn entries(orb: &Orb, value: &Any) -> Option<Vec<FactoryEntry>> {
    let infos = match is_of_other_module(value.type_code()) {
        true => value.get_as_with_context::<Vec<FactoryInfo>>(value.type_code(), orb),
        false => value.get_with_context(orb),
    };
    let infos = infos.ok()??;
    let entries = infos.iter().map(|info| entry(orb, info)).collect::<Option<Vec<_>>>()?;
    let is_twice =
        |at: usize| entries[..at].iter().any(|other| other.location == entries[at].location);
    (!(0..entries.len()).any(is_twice)).then_some(entries)
}

/// Whether these are the factories of a program that has FT CORBA's types in the module
/// `PortableGroup`, as TAO has them.
fn is_of_other_module(type_code: &TypeCode) -> bool {
    match type_code.resolved() {
        TypeCode::Sequence(element, _) => element.resolved().id() == Some(OTHER_FACTORY_INFO),
        _ => false,
    }
}

/// Reads properties. Returns those of the infrastructure, and the others, which factories get.
pub(super) fn read(
    orb: &Orb,
    properties: &[Property],
    level: Level,
) -> Result<(Settings, Vec<Property>), Refused> {
    let (mut settings, mut others) = (Settings::default(), Vec::new());
    for property in properties {
        let invalid = || Refused::Invalid(property.clone());
        let Some(name) = infrastructure_name(property) else {
            match level {
                Level::Creation => others.push(property.clone()),
                _ => return Err(invalid()),
            }
            continue;
        };
        let value = || number(&property.val).ok_or_else(invalid);
        let count = || value().and_then(|it| if it > 0 { Ok(it) } else { Err(invalid()) });
        // A number from here on up to there, of which only some are offered.
        let choice = |last: u16, offered: &[u16]| {
            let number = value()?;
            match () {
                () if number > last => Err(invalid()),
                () if !offered.contains(&number) => Err(Refused::Unsupported(property.clone())),
                () => Ok(Some(number)),
            }
        };
        if !belongs(name, level) {
            return Err(invalid());
        }
        match name {
            "ReplicationStyle" => {
                let offered = [STATELESS, COLD_PASSIVE, WARM_PASSIVE, ACTIVE];
                settings.replication = choice(ft::ACTIVE_WITH_VOTING, &offered)?;
            }
            "MembershipStyle" => settings.membership = choice(1, &[0, 1])?,
            "ConsistencyStyle" => settings.consistency = choice(1, &[0, 1])?,
            "FaultMonitoringStyle" => {
                let offered = [ft::PULL, ft::NOT_MONITORED];
                settings.monitoring = choice(ft::NOT_MONITORED, &offered)?;
            }
            "FaultMonitoringGranularity" => {
                settings.granularity = choice(ft::LOC_AND_TYPE, &[ft::MEMB])?;
            }
            "InitialNumberReplicas" => settings.initial = Some(count()?),
            "MinimumNumberReplicas" => settings.minimum = Some(count()?),
            "FaultMonitoringIntervalAndTimeout" => {
                settings.interval = Some(times(&property.val).ok_or_else(invalid)?);
            }
            "CheckpointInterval" => {
                let interval = property.val.get::<u64>().ok().flatten();
                settings.checkpoint = Some(interval.ok_or_else(invalid)?);
            }
            "Factories" => {
                settings.factories = Some(entries(orb, &property.val).ok_or_else(invalid)?);
            }
            _ => return Err(invalid()),
        }
    }
    Ok((settings, others))
}

/// Whether numbers and styles fit each other; what does not fit.
pub(super) fn contradiction(settings: &Settings) -> Option<Property> {
    let (initial, minimum) = settings.numbers();
    let is_short = settings.manager_makes_members() && initial < minimum;
    let made = ft::initial_number_replicas_value_any(settings.initial.unwrap_or(0));
    is_short.then(|| property("InitialNumberReplicas", made.unwrap_or_default()))
}

fn entry(orb: &Orb, info: &FactoryInfo) -> Option<FactoryEntry> {
    if info.the_factory.is_nil() || info.the_location.is_empty() {
        return None;
    }
    let factory = orb.object_to_string(info.the_factory.object()).ok()?;
    let criteria = to_text(&info.the_criteria).ok()?;
    Some(FactoryEntry { factory, location: location(&info.the_location), criteria })
}

/// A location as text.
pub(super) fn location(name: &[NameComponent]) -> String {
    let step = |it: &NameComponent| url::NameComponent { id: it.id.clone(), kind: it.kind.clone() };
    url::stringify_name(&name.iter().map(step).collect::<Vec<_>>())
}

/// A location of a text. Every text is one.
pub(super) fn name(location: &str) -> Vec<NameComponent> {
    let step = |it: url::NameComponent| NameComponent { id: it.id, kind: it.kind };
    match url::parse_name(location) {
        Ok(name) => name.into_iter().map(step).collect(),
        Err(_) => vec![NameComponent { id: location.to_owned(), kind: String::new() }],
    }
}

/// A property whose name is one step.
pub(super) fn named(id: &str, value: Any) -> Property {
    let nam = vec![NameComponent { id: id.to_owned(), kind: String::new() }];
    Property { nam, val: value }
}

fn property(name: &str, value: Any) -> Property {
    named(&format!("{}{name}", PREFIXES[0]), value)
}

/// The properties that are set.
pub(super) fn write(orb: &Orb, settings: &Settings) -> Result<Vec<Property>, SystemException> {
    let mut all = Vec::new();
    let mut add = |name: &str, value: Option<CdrResult<Any>>| -> Result<(), SystemException> {
        if let Some(value) = value {
            let value =
                value.map_err(|error| ExceptionKind::Internal.because(error.to_string()))?;
            all.push(property(name, value));
        }
        Ok(())
    };
    add("ReplicationStyle", settings.replication.map(ft::replication_style_value_any))?;
    add("MembershipStyle", settings.membership.map(ft::membership_style_value_any))?;
    add("ConsistencyStyle", settings.consistency.map(ft::consistency_style_value_any))?;
    add("FaultMonitoringStyle", settings.monitoring.map(ft::fault_monitoring_style_value_any))?;
    add(
        "FaultMonitoringGranularity",
        settings.granularity.map(ft::fault_monitoring_granularity_value_any),
    )?;
    add("InitialNumberReplicas", settings.initial.map(ft::initial_number_replicas_value_any))?;
    add("MinimumNumberReplicas", settings.minimum.map(ft::minimum_number_replicas_value_any))?;
    let times = settings.interval.map(|(monitoring_interval, timeout)| {
        Any::new(&FaultMonitoringIntervalAndTimeoutValue { monitoring_interval, timeout })
    });
    add("FaultMonitoringIntervalAndTimeout", times)?;
    add("CheckpointInterval", settings.checkpoint.map(ft::checkpoint_interval_value_any))?;
    if let Some(entries) = &settings.factories {
        let info = |entry: &FactoryEntry| -> Result<FactoryInfo, SystemException> {
            Ok(FactoryInfo {
                the_factory: orb.string_to_object(&entry.factory)?.assume(),
                the_location: name(&entry.location),
                the_criteria: from_text(&entry.criteria),
            })
        };
        let infos: Vec<_> = entries.iter().map(info).collect::<Result<_, _>>()?;
        add("Factories", Some(ft::factories_value_any(&infos)))?;
    }
    Ok(all)
}

/// The settings without those that these properties name.
pub(super) fn without(settings: &Settings, properties: &[Property]) -> Result<Settings, Refused> {
    let mut left = settings.clone();
    for property in properties {
        match infrastructure_name(property) {
            Some("ReplicationStyle") => left.replication = None,
            Some("MembershipStyle") => left.membership = None,
            Some("ConsistencyStyle") => left.consistency = None,
            Some("FaultMonitoringStyle") => left.monitoring = None,
            Some("FaultMonitoringGranularity") => left.granularity = None,
            Some("InitialNumberReplicas") => left.initial = None,
            Some("MinimumNumberReplicas") => left.minimum = None,
            Some("FaultMonitoringIntervalAndTimeout") => left.interval = None,
            Some("CheckpointInterval") => left.checkpoint = None,
            Some("Factories") => left.factories = None,
            _ => return Err(Refused::Invalid(property.clone())),
        }
    }
    Ok(left)
}

/// Criteria, as a document has them.
struct Criteria(Vec<Property>);

impl Encode for Criteria {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(&self.0)
    }
}

impl<'a> Decode<'a> for Criteria {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

/// Criteria as text: empty for none.
pub(super) fn to_text(criteria: &[Property]) -> CdrResult<String> {
    match criteria.is_empty() {
        true => Ok(String::new()),
        false => Ok(STANDARD.encode(encoded(&Criteria(criteria.to_vec()))?)),
    }
}

/// The criteria of a text that [`to_text`] has written; none of another.
pub(super) fn from_text(text: &str) -> Vec<Property> {
    let octets = STANDARD.decode(text).ok().filter(|octets| !octets.is_empty());
    let criteria = octets.and_then(|octets| decoded::<Criteria>(&octets).ok());
    criteria.map(|Criteria(criteria)| criteria).unwrap_or_default()
}

/// A value as text.
pub(super) fn any_to_text(value: &Any) -> CdrResult<String> {
    to_text(&[named("", value.clone())])
}

/// The value of a text that [`any_to_text`] has written.
pub(super) fn any_from_text(text: &str) -> Any {
    from_text(text).into_iter().next().map(|it| it.val).unwrap_or_default()
}
