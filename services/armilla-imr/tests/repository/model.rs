//! The state machine of a server on a scripted clock.

use armilla_imr::model::{
    Action, Activation, Definition, Ending, Endpoint, Key, Repository, RepositoryError, RunId,
    RunStage, Server, ServerStage, Time, WaiterId,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn next_run() -> RunId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    RunId(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A server, and the time.
struct Script {
    server: Server,
    now: Time,
}

impl Script {
    fn new(change: impl FnOnce(&mut Definition)) -> Self {
        let mut definition = Definition::new("s");
        definition.command = vec!["server".to_owned()];
        definition.check_period = Duration::ZERO;
        change(&mut definition);
        definition.check().unwrap();
        Self { server: Server::new(definition, next_run), now: Duration::from_secs(1000) }
    }

    fn after(&mut self, milliseconds: u64) -> Vec<Action> {
        self.now += Duration::from_millis(milliseconds);
        self.server.tick(self.now);
        self.actions()
    }

    /// What is to be done; what is to be stored is checked elsewhere.
    fn actions(&mut self) -> Vec<Action> {
        let mut actions = self.server.take_actions();
        actions.retain(|action| *action != Action::Record);
        actions
    }

    fn request(&mut self, id: u64) -> Vec<Action> {
        self.request_of(id, &format!("client {id}"))
    }

    fn request_of(&mut self, id: u64, client: &str) -> Vec<Action> {
        self.server.request(self.now, WaiterId(id), client);
        self.actions()
    }

    /// The run that is to be started.
    fn spawn(actions: &[Action]) -> RunId {
        match actions {
            [Action::Spawn(run)] => *run,
            other => panic!("{other:?}"),
        }
    }

    /// Its process exists and registers.
    fn serve(&mut self, run: RunId) -> Vec<Action> {
        self.server.spawned(run, (run.0 as u32, 1), "here", None);
        let endpoint = Endpoint::from(format!("h:{}", run.0));
        self.server.registered(self.now, run, run.0 as u32, "here", endpoint).unwrap();
        self.actions()
    }

    fn exit(&mut self, run: RunId, success: bool) -> Vec<Action> {
        let ending = Ending { success, what: format!("the end of {run}") };
        self.server.exited(self.now, run, &ending);
        self.actions()
    }

    fn stage(&self) -> ServerStage {
        self.server.status().stage
    }
}

/// The run to which a client is forwarded.
fn forwarded(actions: &[Action], id: u64) -> RunId {
    match actions {
        [Action::Forward(waiter, run, endpoint)] if *waiter == WaiterId(id) => {
            assert_eq!(**endpoint, *format!("h:{}", run.0));
            *run
        }
        other => panic!("{other:?}"),
    }
}

/// Why a client is refused.
fn refused(actions: &[Action], id: u64) -> &str {
    match actions {
        [Action::Refuse(waiter, why)] if *waiter == WaiterId(id) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_call_starts_the_server_and_all_wait_for_it() {
    let mut script = Script::new(|_| {});
    assert_eq!(script.stage(), ServerStage::Stopped);
    let run = Script::spawn(&script.request(1));
    assert_eq!(script.request(2), []);
    assert_eq!((script.stage(), script.server.status().waiting), (ServerStage::Starting, 2));
    let forwards = script.serve(run);
    assert_eq!(forwards.len(), 2);
    assert_eq!(forwarded(&script.request(3), 3), run);
    assert_eq!((script.stage(), script.server.status().waiting), (ServerStage::Running, 0));
}

#[test]
fn a_client_that_does_not_wait_any_more_is_not_answered() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    script.server.cancel(WaiterId(1));
    assert_eq!(script.serve(run), []);
}

#[test]
fn a_failed_start_is_repeated_after_a_pause_that_grows() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    assert_eq!(script.exit(run, false), []);
    assert_eq!(script.stage(), ServerStage::BackingOff);
    assert_eq!(script.after(99), []);
    let run = Script::spawn(&script.after(1));
    assert_eq!(script.exit(run, false), []);
    assert_eq!(script.after(199), []);
    let run = Script::spawn(&script.after(1));
    assert_eq!(forwarded(&script.serve(run), 1), run);
}

#[test]
fn a_crash_loop_is_refused_with_its_reason_until_an_operator_starts_the_server() {
    let mut script = Script::new(|definition| definition.failure_limit = 2);
    let run = Script::spawn(&script.request(1));
    script.exit(run, false);
    let run = Script::spawn(&script.after(100));
    let why = script.exit(run, false);
    assert!(refused(&why, 1).contains(&format!("the end of {run}")), "{why:?}");
    assert_eq!(script.stage(), ServerStage::Failed);
    assert!(refused(&script.request(2), 2).contains("too often"));
    assert_eq!(script.after(1_000_000), []);
    script.server.start(script.now).unwrap();
    let run = Script::spawn(&script.actions());
    script.serve(run);
    assert_eq!(forwarded(&script.request(3), 3), run);
}

#[test]
fn old_failures_are_forgiven() {
    let mut script = Script::new(|definition| definition.failure_limit = 2);
    for _ in 0..5 {
        let run = Script::spawn(&script.request(1));
        script.serve(run);
        script.exit(run, false);
        assert_eq!(script.after(60_001), []);
    }
    assert_eq!(script.server.status().failures, 5);
}

#[test]
fn a_server_that_ends_in_order_is_started_by_the_next_call() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    script.serve(run);
    assert_eq!(script.exit(run, true), []);
    assert_eq!((script.stage(), script.server.status().failures), (ServerStage::Stopped, 0));
    Script::spawn(&script.request(2));
}

#[test]
fn a_server_that_says_that_it_ends_gets_no_more_clients() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    script.serve(run);
    script.server.unregistered(script.now, run, run.0 as u32, "here");
    script.actions();
    let next = Script::spawn(&script.request(2));
    assert_eq!(script.exit(run, true), []);
    assert_eq!(forwarded(&script.serve(next), 2), next);
}

#[test]
fn a_server_with_a_port_of_its_own_never_runs_twice() {
    let mut script = Script::new(|definition| definition.address = Some("h:4000".to_owned()));
    let run = Script::spawn(&script.request(1));
    script.server.spawned(run, (7, 1), "here", Some("h:4000".into()));
    assert_eq!(script.actions(), [Action::AwaitAnswer(run)]);
    script.server.answers(script.now, run);
    assert!(matches!(&script.actions()[..], [Action::Forward(WaiterId(1), ..)]));
    script.server.replace(script.now).unwrap();
    assert_eq!(script.actions(), [Action::Terminate(run)]);
    assert_eq!(script.request(2), []);
    Script::spawn(&script.exit(run, true));
}

#[test]
fn a_replacement_drains_the_old_process_when_the_new_one_serves() {
    let mut script = Script::new(|_| {});
    let old = Script::spawn(&script.request(1));
    script.serve(old);
    script.server.replace(script.now).unwrap();
    let new = Script::spawn(&script.actions());
    assert_eq!(forwarded(&script.request(2), 2), old);
    assert_eq!(script.stage(), ServerStage::Replacing);
    assert!(script.server.replace(script.now).is_err());
    assert_eq!(script.serve(new), []);
    assert_eq!(forwarded(&script.request(3), 3), new);
    assert_eq!(script.after(499), []);
    assert_eq!(script.after(1), [Action::Terminate(old)]);
    assert_eq!(script.after(14_999), []);
    assert_eq!(script.after(1), [Action::Kill(old)]);
    assert_eq!(script.exit(old, false), []);
    let status = script.server.status();
    assert_eq!((status.stage, status.failures), (ServerStage::Running, 0));
}

#[test]
fn a_replacement_that_fails_leaves_the_old_process_alone() {
    let mut script = Script::new(|definition| definition.failure_limit = 1);
    let old = Script::spawn(&script.request(1));
    script.serve(old);
    script.server.replace(script.now).unwrap();
    let new = Script::spawn(&script.actions());
    assert_eq!(script.exit(new, false), []);
    assert_eq!(forwarded(&script.request(2), 2), old);
    assert!(script.server.status().reason.is_some());
    assert_eq!(script.stage(), ServerStage::Running);
}

#[test]
fn a_start_that_takes_too_long_is_ended_and_its_clients_are_told() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    script.server.spawned(run, (7, 1), "here", None);
    script.actions();
    assert_eq!(script.after(29_999), []);
    let actions = script.after(1);
    assert_eq!(actions[0], Action::Kill(run));
    assert!(refused(&actions[1..], 1).contains("30s"), "{actions:?}");
    script.exit(run, false);
    assert!(script.server.status().reason.unwrap().contains("did not serve"));
}

#[test]
fn a_server_that_is_stopped_stays_so() {
    let mut script = Script::new(|definition| definition.activation = Activation::AtStart);
    script.server.open(script.now);
    let run = Script::spawn(&script.actions());
    script.serve(run);
    script.server.stop(script.now);
    assert_eq!(script.actions(), [Action::Terminate(run)]);
    assert!(refused(&script.request(1), 1).contains("operator"));
    assert_eq!(script.exit(run, true), []);
    assert_eq!(script.stage(), ServerStage::Held);
    script.server.start(script.now).unwrap();
    Script::spawn(&script.actions());
}

#[test]
fn a_server_that_is_kept_running_is_started_whenever_it_ends() {
    let mut script = Script::new(|definition| definition.activation = Activation::AtStart);
    script.server.open(script.now);
    let run = Script::spawn(&script.actions());
    script.serve(run);
    let run = Script::spawn(&script.exit(run, true));
    script.serve(run);
    assert_eq!(script.exit(run, false), []);
    Script::spawn(&script.after(100));
}

#[test]
fn each_client_has_its_process() {
    let mut script = Script::new(|definition| definition.activation = Activation::PerClient);
    let (one, two) =
        (Script::spawn(&script.request_of(1, "a")), Script::spawn(&script.request_of(2, "b")));
    assert_eq!(forwarded(&script.serve(two), 2), two);
    assert_eq!(forwarded(&script.serve(one), 1), one);
    for (id, client, run) in [(3, "a", one), (4, "b", two)] {
        assert!(matches!(script.request_of(id, client)[..], [Action::Check(..)]));
        script.server.checked(script.now, run, true, false);
        assert_eq!(forwarded(&script.actions(), id), run);
    }
}

#[test]
fn a_process_that_answers_no_checks_is_ended_as_a_failure() {
    let mut script = Script::new(|definition| {
        definition.check_period = Duration::from_secs(10);
        definition.check_limit = 2;
    });
    let run = Script::spawn(&script.request(1));
    script.serve(run);
    assert!(matches!(script.after(10_000)[..], [Action::Check(..)]));
    script.server.checked(script.now, run, false, false);
    assert_eq!(script.actions(), []);
    assert!(matches!(script.after(10_000)[..], [Action::Check(..)]));
    script.server.checked(script.now, run, false, false);
    assert_eq!(script.actions(), [Action::Kill(run)]);
    script.exit(run, false);
    assert_eq!(script.stage(), ServerStage::BackingOff);
    assert!(script.server.status().reason.unwrap().contains("checks"));
}

#[test]
fn a_client_that_comes_back_is_not_sent_to_a_server_that_is_gone() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request_of(1, "a"));
    script.serve(run);
    assert_eq!(forwarded(&script.request_of(2, "b"), 2), run);
    // It has another object there, and the server answers.
    assert!(matches!(script.request_of(3, "a")[..], [Action::Check(..)]));
    script.server.checked(script.now, run, true, false);
    assert_eq!(forwarded(&script.actions(), 3), run);
    // It comes back before the end of the process is reported.
    assert!(matches!(script.request_of(4, "b")[..], [Action::Check(..)]));
    script.server.checked(script.now, run, false, true);
    assert_eq!(script.actions(), []);
    script.exit(run, false);
    let next = Script::spawn(&script.after(100));
    assert_eq!(forwarded(&script.serve(next), 4), next);
}

#[test]
fn a_server_that_somebody_else_starts_is_asked_before_a_client_is_sent_there() {
    let mut script = Script::new(|definition| definition.command.clear());
    assert!(refused(&script.request(1), 1).contains("no command"));
    script.server.registered(script.now, RunId(0), 7, "there", "h:1".into()).unwrap();
    let [Action::Check(run, _)] = script.request(2)[..] else { panic!("it is checked") };
    script.server.checked(script.now, run, true, false);
    assert!(matches!(script.actions()[..], [Action::Forward(WaiterId(2), ..)]));
    // It registers again and again, at one place.
    script.server.registered(script.now, RunId(0), 7, "there", "h:1".into()).unwrap();
    assert_eq!(script.server.status().runs.len(), 1);
    let [Action::Check(run, _)] = script.request(3)[..] else { panic!("it is checked") };
    script.server.checked(script.now, run, false, true);
    assert!(refused(&script.actions(), 3).contains("not running"));
    assert!(script.server.status().runs.is_empty());
}

#[test]
fn a_process_that_the_repository_did_not_start_is_no_server_of_its_own() {
    let mut script = Script::new(|_| {});
    let refused = script.server.registered(script.now, RunId(4711), 7, "there", "h:1".into());
    assert!(refused.unwrap_err().contains("did not start"));
}

#[test]
fn processes_are_found_again_after_a_restart() {
    let mut script = Script::new(|_| {});
    let run = Script::spawn(&script.request(1));
    script.serve(run);
    let records = script.server.records();
    assert_eq!(records.len(), 1);
    let mut later = Script::new(|_| {});
    for record in records {
        later.server.restore(later.now, record, true);
    }
    assert_eq!(forwarded(&later.request(2), 2), run);
    let runs = later.server.status().runs;
    assert_eq!((runs[0].stage, runs[0].process), (RunStage::Running, Some(run.0 as u32)));
}

#[test]
fn keys_lead_to_the_server_that_says_most_of_them() {
    let mut repository = Repository::new(next_run);
    let mut define = |name: &str, patterns: &[&str]| {
        let mut definition = Definition::new(name);
        definition.objects = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
        repository.define(definition, false).map(drop)
    };
    define("bank", &["poa:bank"]).unwrap();
    define("cards", &["poa:bank/cards", "key:%00cards*end"]).unwrap();
    define("omni", &["omniorb:bank"]).unwrap();
    define("java", &["jacorb:Bank"]).unwrap();
    let taken = define("other", &["poa:bank"]).unwrap_err();
    assert!(matches!(taken, RepositoryError::PatternTaken { owner, .. } if owner == "bank"));
    let ours = |names: &[&str]| {
        repository.owner(&Key { octets: b"", adapter: Some(names) }).map(str::to_owned)
    };
    assert_eq!(ours(&["bank"]).as_deref(), Some("bank"));
    assert_eq!(ours(&["bank", "x"]).as_deref(), Some("bank"));
    assert_eq!(ours(&["bank", "cards", "y"]).as_deref(), Some("cards"));
    assert_eq!(ours(&["banks"]), None);
    let theirs = |octets| repository.owner(&Key { octets, adapter: None }).map(str::to_owned);
    assert_eq!(theirs(b"\0cards and the end").as_deref(), Some("cards"));
    assert_eq!(theirs(b"\0cards and the end of it"), None);
    assert_eq!(theirs(b"\xffbank\0id").as_deref(), Some("omni"));
    assert_eq!(theirs(b"\xffbank\xffcards\0id").as_deref(), Some("omni"));
    assert_eq!(theirs(b"\xffbanks\0id"), None);
    assert_eq!(theirs(b"Bank/poa/id").as_deref(), Some("java"));
    assert_eq!(theirs(b"Banker/poa/id"), None);
}

#[test]
fn wrong_definitions_are_refused() {
    for text in [
        r#"{"name": ""}"#,
        r#"{"name": "a/b"}"#,
        r#"{"name": "..a"}"#,
        r#"{"name": "a", "objects": ["poa:"]}"#,
        r#"{"name": "a", "objects": ["key:*"]}"#,
        r#"{"name": "a", "objects": ["key:%4"]}"#,
        r#"{"name": "a", "address": "host"}"#,
        r#"{"name": "a", "activation": "at-start"}"#,
        r#"{"name": "a", "command": [""]}"#,
        r#"{"name": "a", "comand": ["x"]}"#,
        r#"{"name": "a", "environment": {"": "x"}}"#,
        r#"{"name": "a", "failure_limit": 0}"#,
    ] {
        let read = serde_json::from_str::<Definition>(text).map_err(|error| error.to_string());
        let checked = read.and_then(|read| read.check().map_err(|error| error.to_string()));
        assert!(checked.is_err(), "{text}");
    }
}
