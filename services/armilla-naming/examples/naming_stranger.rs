//! A client that asks everything of a naming service with the contexts `a` and `a/secret`, and
//! prints what it gets. `lab/interop/strangers/check` runs it as a stranger and as those who may.
//!
//! ```text
//! naming_stranger URL [-ORB…]
//! ```
//!
//! A line has an operation and its outcome: `ok`, a system exception or a user exception.

use armilla::{Error, Object, Orb, SystemException};
use armilla_cos_naming::administration::{Administration, AdministrationRef, Watch, WatchRef};
use armilla_cos_naming::{
    BindingIterator, BindingIteratorRef, NameComponent, NamingContext, NamingContextExt,
    NamingContextExtRef, NamingContextRef,
};
use armilla_naming::model::parse_name;
use std::fmt::Debug;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::init(&mut arguments)?;
    let [url] = &arguments[..] else { return Err("naming_stranger URL is needed".into()) };
    let root: NamingContextExtRef =
        orb.string_to_object(url)?.with_timeout(Duration::from_secs(20)).assume();
    reading(&root)?;
    changing(&orb, &root)?;
    guessing(&orb, &root)?;
    administering(&orb, url, &root)
}

fn name(text: &str) -> Result<Vec<NameComponent>, Failure> {
    let steps = parse_name(text)?.into_iter();
    Ok(steps.map(|step| NameComponent { id: step.id, kind: step.kind }).collect())
}

/// Prints the outcome of an operation.
fn tell<T, E: Debug>(operation: &str, outcome: Result<T, Error<E>>) {
    let text = match outcome {
        Ok(_) => "ok".to_owned(),
        Err(Error::System(exception)) => exception.to_string(),
        Err(Error::User(exception)) => format!("{exception:?}"),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.split(|c| !is_name(c)).next().unwrap_or_default();
    println!("{operation} {name}");
}

/// The same for one without user exceptions.
fn tell_system<T>(operation: &str, outcome: Result<T, SystemException>) {
    tell(operation, outcome.map_err(Error::<()>::System));
}

fn reading(root: &NamingContextExtRef) -> Result<(), Failure> {
    for text in ["a", "a/secret", "a/secret/key", "a/secret/absent", "b/same/secret/key"] {
        tell(&format!("resolve {text}"), root.resolve(&name(text)?));
    }
    tell("resolve_str a/secret/key", root.resolve_str("a/secret/key"));
    tell_system("list", root.list(9));
    let a: NamingContextRef = root.resolve(&name("a")?)?.assume();
    tell_system("a.list", a.list(9));
    tell("a.resolve secret", a.resolve(&name("secret")?));
    let (_, rest) = root.list(1)?;
    tell_system("next_n", rest.next_n(9));
    tell_system("next_one", rest.next_one());
    tell_system("destroy of the iterator", BindingIterator::destroy(&rest));
    tell("to_name", root.to_name("a"));
    tell("to_string", root.to_string(&name("a")?));
    tell("to_url", root.to_url(":localhost", "a"));
    Ok(())
}

fn changing(orb: &Orb, root: &NamingContextExtRef) -> Result<(), Failure> {
    let object = orb.string_to_object("corbaloc::192.0.2.1:9/nobody")?;
    let a: NamingContextRef = root.resolve(&name("a")?)?.assume();
    tell("bind", root.bind(&name("new")?, &object));
    tell("rebind", root.rebind(&name("a/key")?, &object));
    tell("bind_context", root.bind_context(&name("new")?, &a));
    tell("rebind_context", root.rebind_context(&name("a")?, &root.upcast()));
    tell("bind_new_context", root.bind_new_context(&name("a/new")?));
    tell_system("new_context", root.new_context());
    tell("unbind a/key", root.unbind(&name("a/key")?));
    tell("unbind a/secret", root.unbind(&name("a/secret")?));
    tell("unbind a", root.unbind(&name("a")?));
    tell("a.destroy", a.destroy());
    tell("destroy", root.destroy());
    Ok(())
}

/// What a reference leads to that is made from another one.
fn guessing(orb: &Orb, root: &NamingContextExtRef) -> Result<(), Failure> {
    let a = root.resolve(&name("a")?)?;
    let secret: NamingContextRef = guessed(orb, &a, 1, b'2')?.assume();
    tell_system("secret.list", secret.list(9));
    tell("secret.resolve", secret.resolve(&name("key")?));
    tell("secret.unbind", secret.unbind(&name("key")?));
    tell_system("secret.new_context", secret.new_context());
    tell("secret.destroy", secret.destroy());
    let (_, iterator) = root.list(1)?;
    let other: BindingIteratorRef = guessed(orb, iterator.object(), 1, b'x')?.assume();
    tell_system("next_n of another iterator", other.next_n(9));
    Ok(())
}

/// What the service offers to its operators, and watches, which everybody may have of what he reads.
fn administering(orb: &Orb, url: &str, root: &NamingContextExtRef) -> Result<(), Failure> {
    let url = url.replace("/NameService", "/ArmillaNaming");
    let administration: AdministrationRef =
        orb.string_to_object(&url)?.with_timeout(Duration::from_secs(20)).assume();
    tell_system("list_orphans", administration.list_orphans(0, 9));
    tell_system("collect", administration.collect(0));
    let a = root.resolve(&name("a")?)?;
    let secret: NamingContextRef = guessed(orb, &a, 1, b'2')?.assume();
    tell_system("begin_watch", administration.begin_watch(&a.assume()));
    tell_system("begin_watch of secret", administration.begin_watch(&secret));
    let watch = administration.begin_watch(&root.upcast())?;
    tell("next of the watch", watch.next(0));
    let other: WatchRef = guessed(orb, watch.object(), 1, b'x')?.assume();
    tell("next of another watch", other.next(0));
    tell_system("destroy of another watch", other.destroy());
    tell_system("destroy of the watch", watch.destroy());
    Ok(())
}

/// The reference to an object whose key has other octets at its end.
fn guessed(orb: &Orb, object: &Object, count: usize, octet: u8) -> Result<Object, Failure> {
    let ior = object.ior();
    let profile = ior.iiop_profiles().next().ok_or("no profile of IIOP")??;
    let kept = profile.object_key.len().saturating_sub(count);
    let mut key = profile.object_key[..kept].to_vec();
    key.resize(kept + count, octet);
    let key: String = key.iter().map(|octet| format!("%{octet:02x}")).collect();
    Ok(orb.string_to_object(&format!("corbaloc::{}:{}/{key}", profile.host, profile.port))?)
}
