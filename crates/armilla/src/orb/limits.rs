//! The `-ORB…` options of limits, which all have the same form: a number.

use crate::exception::{Minor, SystemException};
use crate::settings::Settings;
use std::time::Duration;

/// What an option sets.
enum Limit {
    /// A number above zero.
    Count(fn(&mut Settings) -> &mut usize),
    /// A number above zero, or zero to leave it to the system.
    OptionalCount(fn(&mut Settings) -> &mut Option<usize>),
    /// A number, also zero.
    Number(fn(&mut Settings) -> &mut u32),
    /// A time in milliseconds.
    Time(fn(&mut Settings) -> &mut Duration),
}

/// The options of limits, by the part of the name after `-ORB`, in lower case.
const LIMITS: [(&str, Limit); 19] = [
    ("maxmessage", Limit::Count(|settings| &mut settings.max_message)),
    ("messagememory", Limit::OptionalCount(|settings| &mut settings.message_memory)),
    ("maxconnections", Limit::Count(|settings| &mut settings.max_connections)),
    ("connectionsperpeer", Limit::OptionalCount(|settings| &mut settings.connections_per_peer)),
    ("connectionsperendpoint", Limit::Count(|settings| &mut settings.connections_per_endpoint)),
    ("clientidle", Limit::Time(|settings| &mut settings.client_idle)),
    ("serveridle", Limit::Time(|settings| &mut settings.server_idle)),
    ("headerdeadline", Limit::Time(|settings| &mut settings.header_deadline)),
    ("messagedeadline", Limit::Time(|settings| &mut settings.message_deadline)),
    ("draintimeout", Limit::Time(|settings| &mut settings.drain_timeout)),
    ("requestsperconnection", Limit::Count(|settings| &mut settings.requests_per_connection)),
    ("requestsinprogress", Limit::Count(|settings| &mut settings.requests_in_progress)),
    ("requestsinflight", Limit::Count(|settings| &mut settings.requests_in_flight)),
    ("queuedreplies", Limit::Count(|settings| &mut settings.queued_replies)),
    ("queuedrequests", Limit::Count(|settings| &mut settings.queued_requests)),
    ("maxheldrequests", Limit::Count(|settings| &mut settings.max_held_requests)),
    ("maxforwards", Limit::Number(|settings| &mut settings.max_forwards)),
    ("valuedepth", Limit::Number(|settings| &mut settings.value_depth)),
    ("socketqueue", Limit::OptionalCount(|settings| &mut settings.socket_queue)),
];

/// Sets the limit of option `name`; `suffix` is the part of its name after `-ORB`, in lower case.
///
/// # Errors
/// `BAD_PARAM` for an unknown option or a malformed value.
pub(super) fn set(
    settings: &mut Settings,
    (name, suffix): (&str, &str),
    value: &str,
) -> Result<(), SystemException> {
    let Some((_, limit)) = LIMITS.iter().find(|(known, _)| *known == suffix) else {
        return Err(bad(format!("{name} is not an option of this ORB")));
    };
    match limit {
        Limit::Count(field) => *field(settings) = size(name, value)?,
        Limit::OptionalCount(field) => {
            let count = usize::try_from(number(name, value)?).unwrap_or(usize::MAX);
            *field(settings) = (count > 0).then_some(count);
        }
        Limit::Number(field) => {
            *field(settings) = u32::try_from(number(name, value)?).unwrap_or(u32::MAX);
        }
        Limit::Time(field) => *field(settings) = Duration::from_millis(number(name, value)?),
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
        let source = include_str!("../settings.rs");
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
