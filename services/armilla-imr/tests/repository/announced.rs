//! Servers that announce where they listen by their name alone, as JacORB's do.

use crate::served;
use armilla::{Any, Error, Object, SystemException};
use armilla_imr::JACORB_KEY;
use armilla_imr::corba::Repository;
use armilla_imr::model::{
    Action, Activation, Definition, Endpoint, RunId, RunStage, Server, ServerStage, WaiterId,
};
use served::{Served, eventually};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const NOW: Duration = Duration::from_secs(1000);

/// A server that a command starts.
fn server(change: impl FnOnce(&mut Definition)) -> Server {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut definition = Definition::new("bank");
    definition.command = vec!["server".to_owned()];
    definition.check_period = Duration::ZERO;
    change(&mut definition);
    Server::new(definition, || RunId(NEXT.fetch_add(1, Ordering::Relaxed)))
}

fn endpoint(text: &str) -> Endpoint {
    Endpoint::from(text)
}

/// What is to be done, apart from what is to be stored.
fn actions(server: &mut Server) -> Vec<Action> {
    let mut actions = server.take_actions();
    actions.retain(|action| *action != Action::Record);
    actions
}

/// The run that a request starts.
fn started(server: &mut Server, request: u64) -> RunId {
    server.request(NOW, WaiterId(request), "client");
    match actions(server)[..] {
        [Action::Spawn(run)] => run,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn an_announced_process_serves_when_it_answers() {
    let mut bank = server(|_| {});
    let run = started(&mut bank, 1);
    bank.spawned(run, (7, 1), "here", None);
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    assert_eq!(actions(&mut bank), [Action::AwaitAnswer(run)]);
    // A server announces each of its POAs.
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    assert_eq!(actions(&mut bank), []);
    bank.answers(NOW, run);
    assert_eq!(actions(&mut bank), [Action::Forward(WaiterId(1), run, endpoint("h:1"))]);
    assert_eq!(bank.status().stage, ServerStage::Running);
    // Nobody takes its place.
    assert!(bank.announced(NOW, true, "h", endpoint("h:2")).is_err());
    bank.announced_end(NOW, false);
    assert_eq!(bank.status().runs[0].stage, RunStage::Running, "a stranger has said so");
    bank.announced_end(NOW, true);
    assert_eq!(bank.status().runs[0].stage, RunStage::Ending);
}

#[test]
fn a_process_may_announce_itself_before_its_start_is_reported() {
    let mut bank = server(|_| {});
    let run = started(&mut bank, 1);
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    assert_eq!(actions(&mut bank), []);
    bank.spawned(run, (7, 1), "here", None);
    assert_eq!(actions(&mut bank), [Action::AwaitAnswer(run)]);
}

#[test]
fn the_one_that_starts_is_the_one_that_announces_itself() {
    let mut bank = server(|_| {});
    let old = started(&mut bank, 1);
    bank.spawned(old, (7, 1), "here", None);
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    bank.answers(NOW, old);
    actions(&mut bank);
    bank.replace(NOW).unwrap();
    let [Action::Spawn(new)] = actions(&mut bank)[..] else { panic!("it is replaced") };
    bank.spawned(new, (8, 1), "here", None);
    bank.announced(NOW, true, "h", endpoint("h:2")).unwrap();
    assert_eq!(actions(&mut bank), [Action::AwaitAnswer(new)]);
    bank.answers(NOW, new);
    // The old one says so when it ends.
    bank.announced_end(NOW, true);
    let stages: Vec<_> = bank.status().runs.iter().map(|run| run.stage).collect();
    assert_eq!(stages, [RunStage::Draining, RunStage::Running]);
}

#[test]
fn what_the_repository_has_not_started_there_is_refused() {
    let mut bank = server(|_| {});
    let refusal = |bank: &mut Server, is_near| {
        bank.announced(NOW, is_near, "h", endpoint("h:1")).unwrap_err()
    };
    assert!(refusal(&mut bank, true).contains("does not start"));
    let run = started(&mut bank, 1);
    bank.spawned(run, (7, 1), "here", None);
    assert!(refusal(&mut bank, false).contains("another host"));
    let mut each = server(|definition| definition.activation = Activation::PerClient);
    let run = started(&mut each, 1);
    each.spawned(run, (7, 1), "here", None);
    assert!(refusal(&mut each, true).contains("--address"));
    let mut each = server(|definition| {
        definition.activation = Activation::PerClient;
        definition.address = Some("127.0.0.1:{port}".to_owned());
    });
    let run = started(&mut each, 1);
    each.spawned(run, (7, 1), "here", Some(endpoint("127.0.0.1:1")));
    each.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    assert_eq!(each.status().runs[0].endpoint, Some(endpoint("127.0.0.1:1")));
}

#[test]
fn what_everybody_knows_of_a_process_does_not_end_it() {
    let mut bank = server(|_| {});
    let run = started(&mut bank, 1);
    bank.spawned(run, (7, 1), "here", None);
    bank.registered(NOW, run, 7, "here", endpoint("h:1")).unwrap();
    bank.unregistered(NOW, RunId(0), 7, "here");
    bank.announced_end(NOW, true);
    assert_eq!(bank.status().runs[0].stage, RunStage::Running);
    bank.unregistered(NOW, run, 0, "");
    assert_eq!(bank.status().runs[0].stage, RunStage::Ending);
}

#[test]
fn what_is_started_by_hand_announces_itself_from_where_it_may_be() {
    let mut bank = server(|definition| definition.activation = Activation::Manual);
    let refused = bank.announced(NOW, false, "h", endpoint("h:1")).unwrap_err();
    assert!(refused.contains("may be where this process is"), "{refused}");
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    let [Action::AwaitAnswer(run)] = actions(&mut bank)[..] else { panic!("it is asked") };
    bank.answers(NOW, run);
    assert_eq!(bank.status().stage, ServerStage::Running);
    bank.announced_end(NOW, false);
    assert_eq!(bank.status().stage, ServerStage::Running, "a stranger has said so");
    bank.announced_end(NOW, true);
    assert_eq!(bank.status().stage, ServerStage::Stopped);
    // One that never answers is forgotten.
    bank.announced(NOW, true, "h", endpoint("h:1")).unwrap();
    bank.tick(NOW + Duration::from_secs(30));
    assert_eq!(bank.status().stage, ServerStage::Stopped);
    bank.stop(NOW);
    assert!(bank.announced(NOW, true, "h", endpoint("h:1")).unwrap_err().contains("operator"));
}

/// The call that JacORB makes for each persistent POA. An exception is told by its name.
fn register(registration: &Object, server: &str, port: u32) -> Result<(), String> {
    let mut request = registration.request("register_poa");
    for text in [&format!("{server}/outer"), server, "127.0.0.1"] {
        request.add_in("text", Any::new(text).unwrap());
    }
    request.add_in("port", Any::new(&port).unwrap());
    request.invoke().map_err(|error| match error {
        Error::System(exception) => exception.to_string(),
        Error::User(exception) => exception.to_string(),
    })
}

#[test]
fn a_server_of_jacorb_registers_with_the_repository() -> Result<(), SystemException> {
    let served = Served::new();
    let url = format!("corbaloc::{}/{JACORB_KEY}", served.address());
    let registration = served.client.string_to_object(&url)?;
    assert!(registration.is_a("IDL:org/jacorb/imr/Registration:1.0")?);
    // The server is known by the pattern of its keys, whatever its name is here.
    let mut bank = Definition::new("bank");
    bank.objects = vec!["jacorb:Bank".parse().unwrap()];
    bank.activation = Activation::Manual;
    served.imr.define(bank, false)?;
    // Anything that answers LocateRequests is a server here; this is the repository itself.
    let port = u32::from(served.orb.published_addresses()?[0].1);
    register(&registration, "Bank", port).unwrap();
    eventually("it serves", || served.status("bank").stage == ServerStage::Running);
    let refused = register(&registration, "Nobody", port).unwrap_err();
    assert!(refused.contains("UnknownServerName"), "{refused}");
    let refused = register(&registration, "Bank", 0).unwrap_err();
    assert!(refused.contains("IllegalPOAName"), "{refused}");
    served.imr.reference().stop("bank").unwrap();
    let refused = register(&registration, "Bank", port).unwrap_err();
    assert!(refused.contains("DuplicatePOAName"), "{refused}");
    Ok(())
}
