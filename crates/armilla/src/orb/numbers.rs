//! The `-ORB…` options whose value is a number.

use crate::exception::{Minor, SystemException};
use crate::settings::Settings;
use std::time::Duration;

/// What an option sets.
enum Target {
    /// A number above zero.
    Count(fn(&mut Settings) -> &mut usize),
    /// A number above zero, or zero to leave it to the system.
    OptionalCount(fn(&mut Settings) -> &mut Option<usize>),
    /// A number, also zero.
    Number(fn(&mut Settings) -> &mut u32),
    /// A time in milliseconds.
    Time(fn(&mut Settings) -> &mut Duration),
    /// A time in milliseconds, or zero for no limit.
    OptionalTime(fn(&mut Settings) -> &mut Option<Duration>),
    /// Zero for no, another number for yes.
    Switch(fn(&mut Settings) -> &mut bool),
}

/// The options, by the part of the name after `-ORB`, in lower case.
const NUMBERS: [(&str, Target); 31] = [
    ("maxmessage", Target::Count(|settings| &mut settings.max_message)),
    ("messagememory", Target::OptionalCount(|settings| &mut settings.message_memory)),
    ("maxconnections", Target::Count(|settings| &mut settings.max_connections)),
    ("connectionsperpeer", Target::OptionalCount(|settings| &mut settings.connections_per_peer)),
    ("connectionsperendpoint", Target::Count(|settings| &mut settings.connections_per_endpoint)),
    ("clientidle", Target::Time(|settings| &mut settings.client_idle)),
    ("serveridle", Target::Time(|settings| &mut settings.server_idle)),
    ("headerdeadline", Target::Time(|settings| &mut settings.header_deadline)),
    ("messagedeadline", Target::Time(|settings| &mut settings.message_deadline)),
    ("draintimeout", Target::Time(|settings| &mut settings.drain_timeout)),
    ("requestsperconnection", Target::Count(|settings| &mut settings.requests_per_connection)),
    ("requestsinprogress", Target::Count(|settings| &mut settings.requests_in_progress)),
    ("requestsinflight", Target::Count(|settings| &mut settings.requests_in_flight)),
    ("queuedreplies", Target::Count(|settings| &mut settings.queued_replies)),
    ("queuedrequests", Target::Count(|settings| &mut settings.queued_requests)),
    ("maxheldrequests", Target::Count(|settings| &mut settings.max_held_requests)),
    ("maxforwards", Target::Number(|settings| &mut settings.max_forwards)),
    ("valuedepth", Target::Number(|settings| &mut settings.value_depth)),
    ("socketqueue", Target::OptionalCount(|settings| &mut settings.socket_queue)),
    ("calltimeout", Target::OptionalTime(|settings| &mut settings.call_timeout)),
    ("connecttimeout", Target::Time(|settings| &mut settings.connect_timeout)),
    ("requesttimeout", Target::OptionalTime(|settings| &mut settings.request_timeout)),
    ("startuphold", Target::Time(|settings| &mut settings.startup_hold)),
    ("fragmentsize", Target::OptionalCount(|settings| &mut settings.fragment_size)),
    ("alternateaddresses", Target::Switch(|settings| &mut settings.alternate_addresses)),
    ("lonesurrogates", Target::Switch(|settings| &mut settings.lone_surrogates)),
    ("localendpoints", Target::Switch(|settings| &mut settings.local_endpoints)),
    ("offerbidirectionalgiop", Target::Switch(|settings| &mut settings.offer_bidirectional)),
    ("nodelay", Target::Switch(|settings| &mut settings.no_delay)),
    ("exceptiondetails", Target::Switch(|settings| &mut settings.exception_details)),
    ("holdrequests", Target::Switch(|settings| &mut settings.hold_requests)),
];

/// Sets what option `name` is for; `suffix` is the part of its name after `-ORB`, in lower case.
///
/// # Errors
/// `BAD_PARAM` for an unknown option or a malformed value.
pub(super) fn set(
    settings: &mut Settings,
    (name, suffix): (&str, &str),
    value: &str,
) -> Result<(), SystemException> {
    let Some((_, target)) = NUMBERS.iter().find(|(known, _)| *known == suffix) else {
        return Err(bad(format!("{name} is not an option of this ORB")));
    };
    match target {
        Target::Count(field) => *field(settings) = size(name, value)?,
        Target::OptionalCount(field) => {
            let count = usize::try_from(number(name, value)?).unwrap_or(usize::MAX);
            *field(settings) = (count > 0).then_some(count);
        }
        Target::Number(field) => {
            *field(settings) = u32::try_from(number(name, value)?).unwrap_or(u32::MAX);
        }
        Target::Time(field) => *field(settings) = Duration::from_millis(number(name, value)?),
        Target::OptionalTime(field) => {
            let time = number(name, value)?;
            *field(settings) = (time > 0).then(|| Duration::from_millis(time));
        }
        Target::Switch(field) => *field(settings) = number(name, value)? != 0,
    }
    Ok(())
}

/// The number that is the value of option `name`.
pub(super) fn number(name: &str, value: &str) -> Result<u64, SystemException> {
    value.parse().map_err(|_| bad(format!("{name} {value:?}: a number is needed")))
}

fn size(name: &str, value: &str) -> Result<usize, SystemException> {
    match value.parse() {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(bad(format!("{name} {value:?}: a number above 0 is needed"))),
    }
}

/// The exception for a wrong option.
pub(super) fn bad(what: String) -> SystemException {
    SystemException::bad_param(Minor::BAD_ARGUMENT, what)
}

#[cfg(test)]
mod tests {
    use crate::OrbBuilder;

    /// The fields of the settings, each with its doc comment.
    fn fields() -> Vec<(String, String)> {
        let source = include_str!("../../../armilla-core/src/settings.rs");
        let (_, settings) = source.split_once("pub struct Settings {").unwrap();
        let (settings, _) = settings.split_once("\n}").unwrap();
        let mut docs = String::new();
        let mut fields = Vec::new();
        for line in settings.lines().map(str::trim) {
            match line.strip_prefix("pub ").and_then(|field| field.split_once(':')) {
                Some((name, _)) => fields.push((name.to_owned(), std::mem::take(&mut docs))),
                None => docs += line,
            }
        }
        fields
    }

    #[test]
    fn every_setting_but_those_of_programs_names_its_option() {
        // A policy is an object of the program.
        let of_programs = ["custom_policies"];
        let fields = fields();
        assert!(fields.len() > 40, "the settings were found");
        for (name, docs) in fields {
            let named = docs.contains("`-ORB");
            assert_eq!(named, !of_programs.contains(&&*name), "{name}: {docs}");
        }
    }

    #[test]
    fn every_option_that_a_setting_names_is_known() {
        for (name, docs) in fields() {
            for option in docs.split("`-ORB").skip(1) {
                let option = option.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
                let arguments = [format!("-ORB{option}"), "?".into()];
                let answer = OrbBuilder::default().arguments(arguments).err();
                let unknown = answer.is_some_and(|e| e.to_string().contains("is not an option"));
                assert!(!unknown, "{name}: -ORB{option}");
            }
        }
    }

    #[test]
    fn limits_are_set_by_their_options() {
        let arguments = ["-ORBServerIdle", "1500", "-ORBRequestsPerConnection", "7"];
        let arguments = arguments.iter().chain(&["-ORBSocketQueue", "0", "-ORBMaxForwards", "0"]);
        let builder = OrbBuilder::default().arguments(arguments.map(ToString::to_string)).unwrap();
        let orb = builder.build().unwrap();
        assert_eq!(orb.settings().server_idle.as_millis(), 1500);
        assert_eq!(orb.settings().requests_per_connection, 7);
        assert_eq!((orb.settings().socket_queue, orb.settings().max_forwards), (None, 0));
        let zero = ["-ORBRequestsPerConnection", "0"].map(String::from);
        assert!(OrbBuilder::default().arguments(zero).is_err());
    }
}
