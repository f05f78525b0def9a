//! Observability: metrics, spans, and traces across ORBs.

use armilla::observe::{Metrics, Side, Spans, TRACE_CONTEXT, TraceBridge, TraceContext, Traces};
use armilla::{Any, Orb, SystemException, WString};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::{Common, Everything};
use armilla_tests::texts::*;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[test]
fn metrics_count_how_requests_end_at_both_sides() {
    let (made, served) = (Metrics::new(), Metrics::new());
    let builder = orbs::builder().initializer(served.clone());
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let client = orbs::builder().initializer(made.clone()).build().unwrap();
    let remote = server.remote(&client);
    for _ in 0..3 {
        remote.ping().unwrap();
    }
    for which in [1, 2, 3] {
        remote.choose(which, &mut String::new()).unwrap_err();
    }
    remote.remark("oneway").unwrap();
    let count = |metrics: &Metrics, side: Side, operation: &str| {
        let snapshot = metrics.snapshot();
        snapshot.operations.get(&(side, operation.to_owned())).cloned().unwrap_or_default()
    };
    let oneway_served = || count(&served, Side::Server, "remark").oneways == 1;
    eventually("the oneway was served", oneway_served);
    let poa = server.orb.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    remote.ping().unwrap_err();
    for (metrics, side) in [(&made, Side::Client), (&served, Side::Server)] {
        assert_eq!(count(metrics, side, "ping").replies, 3);
        assert_eq!(count(metrics, side, "remark").oneways, 1);
        let chosen = count(metrics, side, "choose");
        assert_eq!((chosen.user_exceptions, chosen.system_exceptions), (2, 1));
        assert_eq!(chosen.latencies.count(), 3);
        assert!(
            chosen.latencies.quantile(1.0).is_some_and(|most| most >= chosen.latencies.total() / 3)
        );
    }
    assert_eq!(count(&made, Side::Client, "ping").system_exceptions, 1);
    assert_eq!(count(&served, Side::Server, "(no object)").system_exceptions, 1);
    assert_eq!((made.snapshot().in_flight, served.snapshot().in_flight), ((0, 0), (0, 0)));
}

#[test]
fn metrics_are_text_for_prometheus() {
    let metrics = Metrics::new();
    let server = Server::start();
    let client = orbs::builder().initializer(metrics.clone()).build().unwrap();
    server.remote(&client).ping().unwrap();
    let text = metrics.to_prometheus();
    for line in [
        "# TYPE armilla_requests_total counter",
        "armilla_requests_total{side=\"client\",operation=\"ping\",outcome=\"reply\"} 1",
        "# TYPE armilla_request_duration_seconds histogram",
        "armilla_request_duration_seconds_bucket{side=\"client\",operation=\"ping\",le=\"+Inf\"} 1",
        "armilla_request_duration_seconds_count{side=\"client\",operation=\"ping\"} 1",
        "armilla_requests_in_flight{side=\"client\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    let value = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>();
    assert!(text.lines().filter(|line| !line.starts_with('#')).all(|line| value(line).is_ok()));
}

/// Notes in which trace it was called, and asks the next of its kind.
struct Relay {
    orb: Orb,
    traces: Traces,
    seen: Arc<Mutex<Vec<Option<TraceContext>>>>,
    next: SpeechRef,
}

impl Speech for Relay {
    fn echo(&self, text: &str) -> Result<String, SystemException> {
        self.seen.lock().unwrap().push(self.traces.current(&self.orb));
        match self.next.is_nil() {
            true => Ok(text.to_owned()),
            false => self.next.echo(text),
        }
    }

    fn echo_wide(&self, text: &str) -> Result<WString, SystemException> {
        Ok(text.into())
    }

    fn echo_letter(&self, letter: char) -> Result<char, SystemException> {
        Ok(letter)
    }

    fn echo_any(&self, value: &Any) -> Result<Any, SystemException> {
        Ok(value.clone())
    }

    fn say(&self, _: u32) -> Result<String, SystemException> {
        Ok(String::new())
    }

    fn say_wide(&self, _: u32) -> Result<WString, SystemException> {
        Ok(WString::default())
    }
}

/// An ORB with traces and a relay, which knows the next by its reference as text.
fn relay(next: Option<&str>, seen: &Arc<Mutex<Vec<Option<TraceContext>>>>) -> (Orb, String) {
    let traces = Traces::new();
    let builder = orbs::builder().initializer(traces.clone());
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let next =
        next.map_or_else(SpeechRef::nil, |next| orb.string_to_object(next).unwrap().assume());
    let relay: Arc<dyn Speech> =
        Arc::new(Relay { orb: orb.clone(), traces, seen: seen.clone(), next });
    let reference = orb.root_poa().activate(relay).unwrap();
    let text = orb.object_to_string(reference.object()).unwrap();
    (orb, text)
}

#[test]
fn a_trace_goes_from_orb_to_orb_with_a_new_span_each() {
    let seen = Arc::default();
    let (last, text) = relay(None, &seen);
    let (first, text) = relay(Some(&text), &seen);
    let traces = Traces::new();
    let client = orbs::builder().initializer(traces.clone()).build().unwrap();
    let remote: SpeechRef = client.string_to_object(&text).unwrap().assume();
    remote.echo("untraced").unwrap();
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), [None, None]);

    let mut root = TraceContext::begin();
    root.state = "vendor=7".into();
    traces.set_current(&client, Some(&root)).unwrap();
    remote.echo("traced").unwrap();
    let contexts = std::mem::take(&mut *seen.lock().unwrap());
    let [Some(one), Some(two)] = contexts.as_slice() else { panic!("{contexts:?}") };
    for context in [one, two] {
        assert_eq!((context.trace_id, context.flags), (root.trace_id, 1));
        assert_eq!(context.state, "vendor=7");
    }
    let spans = [root.span_id, one.span_id, two.span_id];
    assert!(spans[0] != spans[1] && spans[1] != spans[2] && spans[0] != spans[2], "{spans:?}");

    traces.set_current(&client, None).unwrap();
    remote.echo("untraced again").unwrap();
    assert_eq!(*seen.lock().unwrap(), [None, None], "nothing stays with the servers' threads");
    first.shutdown();
    last.shutdown();
}

/// A library of traces that is always in the same one, and notes what it hears.
#[derive(Clone, Default)]
struct Library(Arc<Mutex<Vec<String>>>);

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

impl TraceBridge for Library {
    fn current(&self) -> Option<TraceContext> {
        PARENT.parse().ok()
    }

    fn received(&self, context: &TraceContext, operation: &str) {
        self.0.lock().unwrap().push(format!("{operation} in {:032x}", context.trace_id));
    }
}

#[test]
fn another_library_gives_and_takes_the_trace() {
    let library = Library::default();
    let builder = orbs::builder().initializer(Traces::with_bridge(library.clone()));
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let traces = Traces::with_bridge(Library::default());
    let client = orbs::builder().initializer(traces).build().unwrap();
    server.remote(&client).ping().unwrap();
    assert_eq!(*library.0.lock().unwrap(), ["ping in 4bf92f3577b34da6a3ce929d0e0e4736"]);
    assert_eq!(TRACE_CONTEXT >> 8, 0x41_524d, "an id of ours");
}

/// Keeps every span as text, with what was recorded.
struct Keeper(Arc<Mutex<Vec<String>>>, AtomicU64);

struct Line<'l>(&'l mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = if field.name() == "duration_ms" { &"…" as &dyn fmt::Debug } else { value };
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = span.metadata().name().to_owned();
        span.record(&mut Line(&mut line));
        self.0.lock().unwrap().push(line);
        Id::from_u64(self.1.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut lines = self.0.lock().unwrap();
        values.record(&mut Line(&mut lines[id.into_u64() as usize - 1]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn spans_name_operation_target_and_outcome() {
    let builder = orbs::builder().initializer(Spans);
    let server = Server::start();
    let client = builder.build().unwrap();
    let remote = server.remote(&client);
    let lines = Arc::default();
    tracing::subscriber::with_default(Keeper(Arc::clone(&lines), AtomicU64::new(0)), || {
        remote.ping().unwrap();
        remote.choose(3, &mut String::new()).unwrap_err();
    });
    let lines: Vec<String> = std::mem::take(&mut *lines.lock().unwrap());
    let [ping, choose] = lines.as_slice() else { panic!("{lines:?}") };
    let port = server.address().1;
    for part in
        ["corba.call operation=\"ping\" request_id=", "outcome=\"Successful\"", "duration_ms="]
    {
        assert!(ping.contains(part), "{part} in {ping}");
    }
    assert!(ping.contains(&port.to_string()), "{ping}");
    assert!(choose.contains("outcome=NO_PERMISSION"), "{choose}");
}
