//! Runs the sessions of `lab/interop/naming-sessions/sessions.txt` against a naming service, and prints
//! each command with its answer.
//!
//! ```text
//! interop-naming URL SESSIONS
//! ```

use armilla::{Error, Object, Orb, SystemException};
use armilla_giop::url::{parse_name, stringify_name};
use armilla_interop::cos_naming::naming_context::*;
use armilla_interop::cos_naming::naming_context_ext::*;
use armilla_interop::cos_naming::*;
use std::collections::HashMap;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, sessions] = &arguments[..] else {
        eprintln!("usage: interop-naming URL SESSIONS");
        return ExitCode::from(2);
    };
    match run(url, sessions) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, sessions: &str) -> Result<(), Failure> {
    let orb = Orb::new()?;
    let top: NamingContextExtRef = orb.resolve(url)?;
    let mut session = None;
    for line in std::fs::read_to_string(sessions)?.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix("session ") {
            // Each session has a root context of its own.
            let root: NamingContextExtRef = top.new_context()?.object().narrow()?;
            session = Some(Session { orb: orb.clone(), root, contexts: HashMap::new() });
            println!("session {name}");
        } else if let Some(session) = &mut session {
            println!("  {line} -> {}", session.command(line)?);
        }
    }
    Ok(())
}

struct Session {
    orb: Orb,
    root: NamingContextExtRef,
    contexts: HashMap<String, NamingContextExtRef>,
}

/// An answer, and the context that it gives.
type Answer = (String, Option<NamingContextRef>);

impl Session {
    fn command(&mut self, line: &str) -> Result<String, Failure> {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let context = match words[0].strip_prefix('@') {
            Some(name) => {
                words.remove(0);
                self.contexts[name].clone()
            }
            None => self.root.clone(),
        };
        let kept = match words[..] {
            [.., ">", name] => Some(name),
            _ => None,
        };
        let (text, made) = self.perform(&context, &words)?;
        if let (Some(name), Some(made)) = (kept, made) {
            self.contexts.insert(name.to_owned(), made.object().clone().assume());
        }
        Ok(text)
    }

    fn perform(&self, context: &NamingContextExtRef, words: &[&str]) -> Result<Answer, Failure> {
        let argument = |at: usize| match words.get(at) {
            Some(&"\"\"") | None => "",
            Some(word) => word,
        };
        let name = || name(argument(1));
        let count = || argument(1).parse::<u32>();
        let text = match words[0] {
            "bind" => outcome(context.bind(&name()?, &self.object(argument(2))?), |()| ok()),
            "rebind" => outcome(context.rebind(&name()?, &self.object(argument(2))?), |()| ok()),
            "bind_context" => {
                outcome(context.bind_context(&name()?, &self.context(argument(2))?), |()| ok())
            }
            "rebind_context" => {
                outcome(context.rebind_context(&name()?, &self.context(argument(2))?), |()| ok())
            }
            "resolve" => outcome(context.resolve(&name()?), |object| shown(&object)),
            "resolve_str" => outcome(context.resolve_str(argument(1)), |object| shown(&object)),
            "unbind" => outcome(context.unbind(&name()?), |()| ok()),
            "destroy" => outcome(context.destroy(), |()| ok()),
            "new_context" => match context.new_context() {
                Ok(made) => return Ok((ok(), Some(made))),
                Err(exception) => system(&exception),
            },
            "bind_new_context" => match context.bind_new_context(&name()?) {
                Ok(made) => return Ok((ok(), Some(made))),
                Err(error) => failed(&error),
            },
            "list" => plain(context.list(count()?), |(bindings, rest)| {
                let more = if rest.is_nil() { "" } else { " and an iterator" };
                format!("{}{more}", bindings_shown(bindings))
            }),
            "iterate" => self.iterate(context, count()?),
            "next_zero" => plain(context.list(1), |(_, rest)| {
                plain(rest.next_n(0), |(more, _)| format!("{more}"))
            }),
            "iterator_after_destroy" => plain(context.list(1), |(_, rest)| {
                let first = plain(rest.destroy(), |()| ok());
                format!("{first}, {}", plain(rest.next_one(), |(more, _)| format!("{more}")))
            }),
            "to_name" => outcome(context.to_name(argument(1)), |name| text(&name)),
            "to_string" => outcome(context.to_string(&name()?), |text| text),
            "to_url" => outcome(context.to_url(argument(1), argument(2)), |url| url),
            "is_a" => plain(context.object().is_a(argument(1)), |answer| answer.to_string()),
            "non_existent" => plain(context.object().non_existent(), |gone| gone.to_string()),
            other => return Err(format!("{other}: no such command").into()),
        };
        Ok((text, None))
    }

    /// All bindings by an iterator, one at a time and then the rest.
    fn iterate(&self, context: &NamingContextExtRef, first: u32) -> String {
        let (mut bindings, rest) = match context.list(first) {
            Ok(listed) => listed,
            Err(exception) => return system(&exception),
        };
        if rest.is_nil() {
            return format!("{} without an iterator", bindings_shown(bindings));
        }
        match rest.next_one() {
            Ok((true, binding)) => bindings.push(binding),
            Ok((false, _)) => return "the iterator gave nothing".to_owned(),
            Err(exception) => return system(&exception),
        }
        while let Ok((true, mut more)) = rest.next_n(2) {
            bindings.append(&mut more);
        }
        let end = plain(rest.next_one(), |(more, _)| more.to_string());
        let destroyed = plain(rest.destroy(), |()| ok());
        format!("{}, then {end}, {destroyed}", bindings_shown(bindings))
    }

    fn object(&self, text: &str) -> Result<Object, Failure> {
        Ok(match text.split_once(':') {
            Some(("object", "nil")) => Object::nil(),
            Some(("object", key)) => {
                self.orb.string_to_object(&format!("corbaloc::127.0.0.1:1/{key}"))?
            }
            Some(("context", name)) => self.contexts[name].object().clone(),
            _ => return Err(format!("{text}: no such object").into()),
        })
    }

    fn context(&self, text: &str) -> Result<NamingContextRef, Failure> {
        Ok(match text {
            "nil" => NamingContextRef::nil(),
            "root" => self.root.upcast(),
            "absent" => self.orb.string_to_object("corbaloc::127.0.0.1:1/NameService")?.assume(),
            name => self.contexts[name].upcast(),
        })
    }
}

fn name(text: &str) -> Result<Name, Failure> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let steps = parse_name(text)?.into_iter();
    Ok(steps.map(|step| NameComponent { id: step.id, kind: step.kind }).collect())
}

fn text(name: &[NameComponent]) -> String {
    let steps = name.iter();
    let steps: Vec<_> = steps
        .map(|step| armilla_giop::url::NameComponent {
            id: step.id.clone(),
            kind: step.kind.clone(),
        })
        .collect();
    stringify_name(&steps)
}

fn ok() -> String {
    "ok".to_owned()
}

/// An object by its key if it is one of the session's; otherwise whether it is a context.
fn shown(object: &Object) -> String {
    let ior = object.ior();
    match ior.iiop_profiles().next() {
        Some(Ok(profile)) if profile.port == 1 => {
            format!("object {}", String::from_utf8_lossy(&profile.object_key))
        }
        None => "nil".to_owned(),
        Some(_) => match object.is_a("IDL:omg.org/CosNaming/NamingContext:1.0") {
            Ok(true) => "context".to_owned(),
            Ok(false) => "object".to_owned(),
            Err(exception) => format!("context that answers {}", system(&exception)),
        },
    }
}

fn bindings_shown(bindings: BindingList) -> String {
    let shown = |binding: &Binding| match binding.binding_type {
        BindingType::Ncontext => text(&binding.binding_name) + "/",
        BindingType::Nobject => text(&binding.binding_name),
    };
    let mut all: Vec<String> = bindings.iter().map(shown).collect();
    all.sort();
    format!("{} of [{}]", all.len(), all.join(" "))
}

fn system(exception: &SystemException) -> String {
    exception.kind().to_string()
}

fn plain<T>(answer: Result<T, SystemException>, show: impl FnOnce(T) -> String) -> String {
    answer.map_or_else(|exception| system(&exception), show)
}

fn outcome<T, E: Shown>(answer: Result<T, Error<E>>, show: impl FnOnce(T) -> String) -> String {
    answer.map_or_else(|error| failed(&error), show)
}

/// An exception with what it says.
trait Shown {
    fn shown(&self) -> String;
}

impl Shown for NotFound {
    fn shown(&self) -> String {
        format!("NotFound {:?} {}", self.why, text(&self.rest_of_name))
    }
}

impl Shown for CannotProceed {
    fn shown(&self) -> String {
        format!("CannotProceed {}", text(&self.rest_of_name))
    }
}

/// Exceptions without members, and the sets of exceptions that operations declare.
macro_rules! shown {
    ($($exception:ident)*; $($raises:ident: $($variant:ident)*;)*) => {
        $(impl Shown for $exception {
            fn shown(&self) -> String {
                stringify!($exception).to_owned()
            }
        })*
        $(impl Shown for $raises {
            fn shown(&self) -> String {
                match self { $(Self::$variant(exception) => exception.shown(),)* }
            }
        })*
    };
}

shown! {
    InvalidName AlreadyBound NotEmpty InvalidAddress;
    BindRaises: NotFound CannotProceed InvalidName AlreadyBound;
    BindContextRaises: NotFound CannotProceed InvalidName AlreadyBound;
    BindNewContextRaises: NotFound CannotProceed InvalidName AlreadyBound;
    RebindRaises: NotFound CannotProceed InvalidName;
    RebindContextRaises: NotFound CannotProceed InvalidName;
    ResolveRaises: NotFound CannotProceed InvalidName;
    ResolveStrRaises: NotFound CannotProceed InvalidName;
    UnbindRaises: NotFound CannotProceed InvalidName;
    DestroyRaises: NotEmpty;
    ToNameRaises: InvalidName;
    ToStringRaises: InvalidName;
    ToUrlRaises: InvalidAddress InvalidName;
}

fn failed<E: Shown>(error: &Error<E>) -> String {
    match error {
        Error::System(exception) => system(exception),
        Error::User(exception) => exception.shown(),
    }
}
