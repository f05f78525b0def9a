//! The console as an HTTP client sees it.

mod https;
mod login;
mod signals;

use armilla_service::axum::Router;
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::routing::{get, post};
use armilla_service::{Console, ConsoleLimits, Events, Lifecycle};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Sends a request, and returns the status and the rest of the answer.
fn ask(console: &Console, request: &str) -> (u16, String) {
    ask_with(console, request, b"")
}

/// The same with a body. The console may answer before it has read all of that.
fn ask_with(console: &Console, request: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let request = format!("{request}\r\nConnection: close\r\n\r\n");
    let request = request.replace("\r\n", "\n").replace('\n', "\r\n");
    let mut answer = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || writer.write_all(&[request.as_bytes(), body].concat()).ok());
        stream.read_to_end(&mut answer).ok();
    });
    let answer = String::from_utf8(answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

#[test]
fn health_follows_the_lifecycle_and_the_checks() {
    let lifecycle = Lifecycle::new();
    let broken = Arc::new(AtomicBool::new(false));
    let check = broken.clone();
    let console = Console::builder("127.0.0.1:0")
        .check(move || match check.load(Ordering::Relaxed) {
            true => Err("the disk is full".to_owned()),
            false => Ok(()),
        })
        .start(&lifecycle)
        .unwrap();
    let health = || ask(&console, "GET /healthz HTTP/1.1\nHost: localhost");
    assert_eq!(health().0, 503, "it is starting");
    lifecycle.set_ready();
    assert_eq!(health().0, 200);
    let metrics = || ask(&console, "GET /metrics HTTP/1.1\nHost: localhost").1;
    assert!(metrics().ends_with("armilla_healthy 1\n"));
    broken.store(true, Ordering::Relaxed);
    let (status, answer) = health();
    assert!(status == 503 && answer.contains("the disk is full"), "{answer}");
    assert!(metrics().ends_with("armilla_healthy 0\n"));
    broken.store(false, Ordering::Relaxed);
    lifecycle.set_draining();
    let (status, answer) = health();
    assert!(status == 503 && answer.contains("draining"), "{answer}");
}

#[test]
fn metrics_of_all_sources_are_one_text() {
    let console = Console::builder("127.0.0.1:0")
        .metrics(|| "a 1\n".to_owned())
        .metrics(|| "b 2\n".to_owned())
        .start(&Lifecycle::new())
        .unwrap();
    let (status, answer) = ask(&console, "GET /metrics HTTP/1.1\nHost: 127.0.0.1:80");
    let (sources, own) = ("a 1\nb 2\n", "\narmilla_healthy ");
    assert!(status == 200 && answer.contains(sources) && answer.contains(own), "{answer}");
}

#[test]
fn a_check_that_waits_holds_up_no_other_page() {
    let (begun, waits) = channel();
    let (go, gate) = channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let lifecycle = Lifecycle::new();
    let console = Console::builder("127.0.0.1:0").check(move || {
        begun.send(()).unwrap();
        gate.lock().unwrap().recv().map_err(|error| error.to_string())
    });
    let console = console.start(&lifecycle).unwrap();
    lifecycle.set_ready();
    std::thread::scope(|scope| {
        let health = scope.spawn(|| ask(&console, "GET /healthz HTTP/1.1\nHost: localhost").0);
        waits.recv().unwrap();
        assert_eq!(ask(&console, "GET /console.css HTTP/1.1\nHost: localhost").0, 200);
        go.send(()).unwrap();
        assert_eq!(health.join().unwrap(), 200);
    });
}

#[test]
fn browsers_find_an_icon() {
    let console = Console::builder("127.0.0.1:0").start(&Lifecycle::new()).unwrap();
    let (status, answer) = ask(&console, "GET /favicon.ico HTTP/1.1\nHost: localhost");
    assert!(status == 200 && answer.contains("content-type: image/svg+xml"), "{answer}");
    assert!(answer.contains("<svg"), "{answer}");
}

#[test]
fn a_foreign_site_can_neither_read_nor_change() {
    let pages = Router::new().route("/change", post(|| async { "changed" }));
    let console = Console::builder("127.0.0.1:0")
        .host("names.example.org")
        .pages(pages)
        .start(&Lifecycle::new())
        .unwrap();
    let get = |host: &str| ask(&console, &format!("GET /metrics HTTP/1.1\nHost: {host}")).0;
    assert_eq!(get("evil.example.org"), 421);
    for host in ["localhost:1", "[::1]:1", "10.0.0.1", "names.example.org"] {
        assert_eq!(get(host), 200, "{host}");
    }
    let post = "POST /change HTTP/1.1\nHost: localhost\nContent-Length: 0";
    assert_eq!(ask(&console, post).0, 403);
    assert_eq!(ask(&console, &format!("{post}\nX-Armilla-Console: 1")).0, 200);
}

/// A service that takes bodies of 3 MiB, counts their octets, and sends as many back; and why it
/// could not read one.
fn echo() -> (Console, Receiver<String>) {
    use armilla_service::axum::body::Body;
    use armilla_service::{BodyReader, spawn_blocking, written_body};
    let (failed, failures) = channel();
    let echo = move |body: Body| async move {
        let mut reader = BodyReader::new(body);
        let counted = spawn_blocking(move || std::io::copy(&mut reader, &mut std::io::sink()));
        match counted.await.unwrap() {
            Ok(count) => {
                let write = move |to: &mut armilla_service::BodyWriter| {
                    std::io::copy(&mut std::io::repeat(b'#').take(count), to).map(drop)
                };
                (StatusCode::OK, written_body(write))
            }
            Err(error) => {
                failed.send(error.to_string()).unwrap();
                (StatusCode::PAYLOAD_TOO_LARGE, Body::empty())
            }
        }
    };
    let broken = || async {
        written_body(|to| {
            to.write_all(&[b'#'; 100_000])?;
            Err(std::io::Error::other("the disk failed"))
        })
    };
    let routes = Router::new().route("/echo", post(echo)).route("/broken", get(broken));
    let console = Console::builder("127.0.0.1:0").api(routes, 3 << 20);
    (console.start(&Lifecycle::new()).unwrap(), failures)
}

#[test]
fn programs_send_large_bodies_without_a_header_and_sites_do_not() {
    let (console, failures) = echo();
    let send = |head: &str, count: usize| {
        let head = format!("POST /echo HTTP/1.1\nHost: localhost\n{head}");
        ask_with(&console, &head, &vec![b'o'; count])
    };
    let length = |count: usize| format!("Content-Length: {count}");
    let (status, answer) = send(&length(3 << 20), 3 << 20);
    assert_eq!((status, answer.matches('#').count()), (200, 3 << 20));
    let (status, answer) = send(&length((3 << 20) + 1), 0);
    assert!(status == 413 && answer.contains("3145728"), "{answer}");
    // One that does not say how large it is. Its sender may lose the answer: it does not listen yet.
    let chunked = format!("{:x}\r\n{}\r\n0\r\n\r\n", 4 << 20, "o".repeat(4 << 20));
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut stream = TcpStream::connect(console.address()).unwrap();
    stream.write_all(format!("{head}{chunked}").as_bytes()).ok();
    let failure = failures.recv().unwrap();
    assert!(failure.contains("larger"), "{failure}");
    for (origin, expected) in [
        ("http://localhost", 200),
        ("http://evil.example.org", 403),
        ("http://localhost:81", 403),
        ("null", 403),
    ] {
        let head = format!("Origin: {origin}\nContent-Length: 1");
        assert_eq!(send(&head, 1).0, expected, "{origin}");
    }
    assert_eq!(ask(&console, "POST /echo HTTP/1.1\nHost: evil.example.org").0, 421);
}

#[test]
fn an_answer_that_fails_is_cut_off_before_its_end() {
    let (console, _) = echo();
    let (status, answer) = ask(&console, "GET /broken HTTP/1.1\nHost: localhost");
    assert_eq!(status, 200);
    assert!(!answer.ends_with("0\r\n\r\n"), "the answer looks complete");
}

#[test]
fn pages_get_events() {
    let events = Events::new();
    let console = Console::builder("127.0.0.1:0").events(&events).start(&Lifecycle::new()).unwrap();
    let mut stream = TcpStream::connect(console.address()).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    // The header arrives when the page is subscribed.
    assert!(lines.any(|line| line.is_empty()));
    events.change(r#"{"name":"dome"}"#);
    assert!(lines.any(|line| line == "event: change"));
    assert_eq!(lines.next().as_deref(), Some(r#"data: {"name":"dome"}"#));
    // A browser passes over an event without data.
    events.change("");
    assert!(lines.any(|line| line == "event: change"));
    assert_eq!(lines.next().as_deref(), Some("data: {}"));
}

#[test]
fn a_taken_address_is_named() {
    let first = Console::builder("127.0.0.1:0").start(&Lifecycle::new()).unwrap();
    let address = first.address().to_string();
    let error = Console::builder(&*address).start(&Lifecycle::new()).unwrap_err();
    assert!(error.to_string().contains(&address), "{error}");
    let error = Console::builder("nonsense").start(&Lifecycle::new()).unwrap_err();
    assert!(error.to_string().contains("nonsense"), "{error}");
}

/// A console with few places and short times.
fn narrow(change: impl FnOnce(&mut ConsoleLimits), pages: Router) -> Console {
    let mut limits = ConsoleLimits::default();
    change(&mut limits);
    let console = Console::builder("127.0.0.1:0").limits(limits).pages(pages);
    console.start(&Lifecycle::new()).unwrap()
}

/// Sends what begins a request, and leaves it at that.
fn half(console: &Console, octets: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(console.address()).unwrap();
    // One that has been closed already takes nothing.
    stream.write_all(octets).ok();
    stream
}

/// Whether the console has closed a connection. It need not have noticed yet.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    match (&*stream).read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// Waits for what the console does in its own time.
fn eventually(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The octets of a peer that sends one, and then the next, until it is cut off.
fn dribble(stream: &mut TcpStream) -> usize {
    let begun = Instant::now();
    let mut sent = 0;
    while stream.write_all(b"a").is_ok() && !is_closed(stream) {
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on after {sent} octets");
        sent += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    sent
}

#[test]
fn half_requests_of_many_leave_the_others_their_places_and_descriptors() {
    let few = |limits: &mut ConsoleLimits| (limits.connections, limits.per_peer) = (8, 6);
    let console = narrow(few, Router::new());
    let beginnings: [&[u8]; 3] = [b"", b"GET /metrics HTTP/1.1\r\nHost: loc", b"\r\n"];
    let half: Vec<TcpStream> =
        (0..200).map(|number| half(&console, beginnings[number % 3])).collect();
    // Each of them takes the place of the oldest, and so does one that means it.
    for _ in 0..20 {
        assert_eq!(ask(&console, "GET /metrics HTTP/1.1\nHost: localhost").0, 200);
    }
    eventually(|| half.iter().filter(|stream| !is_closed(stream)).count() < 6);
}

#[test]
fn requests_under_way_keep_their_places_and_a_further_one_is_told() {
    let few = |limits: &mut ConsoleLimits| {
        (limits.connections, limits.per_peer, limits.event_streams) = (8, 2, 8);
    };
    let console = narrow(few, Router::new());
    let open = || {
        let stream = half(&console, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(BufReader::new(&stream).lines().map(Result::unwrap).any(|line| line.is_empty()));
        stream
    };
    let streams = [open(), open()];
    let mut refused = TcpStream::connect(console.address()).unwrap();
    let mut answer = String::new();
    refused.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    console.events().change("{}");
    for stream in &streams {
        assert!(BufReader::new(stream).lines().map(Result::unwrap).any(|line| line == "data: {}"));
    }
    drop(streams);
    eventually(|| {
        console.events().change("{}");
        let mut stream = half(&console, b"GET /healthz HTTP/1.0\r\n\r\n");
        let mut answer = String::new();
        // One that is refused may be reset.
        stream.read_to_string(&mut answer).ok();
        answer.contains("starting")
    });
}

#[test]
fn who_looks_for_changes_sleeps_until_a_page_is_open() {
    let events = Events::new();
    let (send, looked) = channel();
    let number = Arc::new(AtomicU64::new(0));
    let shown = number.clone();
    let picture = move || {
        send.send(()).ok();
        Some(shown.load(Ordering::SeqCst))
    };
    let watch = events.watch("watch", Duration::from_millis(1), picture).unwrap();
    let lifecycle = Lifecycle::new();
    let console = Console::builder("127.0.0.1:0").events(&events).start(&lifecycle).unwrap();
    for change in 1..=3 {
        // It hears of what has changed before it was open, too.
        number.store(change, Ordering::SeqCst);
        let stream = half(&console, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut lines = BufReader::new(&stream).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "event: change"));
        number.store(10 * change, Ordering::SeqCst);
        assert!(lines.any(|line| line == "event: change"));
        drop(lines);
        drop(stream);
        // The server finds out when it writes.
        eventually(|| {
            events.change("");
            events.readers() == 0
        });
        // Nobody looks any more, but for a look that had begun.
        looked.try_iter().count();
        let more = std::iter::from_fn(|| looked.recv_timeout(Duration::from_millis(20)).ok());
        assert!(more.take(10).count() < 3);
    }
    drop(watch);
}

#[test]
fn a_host_has_half_of_the_pages_that_hear_of_changes() {
    let console = narrow(|limits| limits.event_streams = 4, Router::new());
    let open = || half(&console, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let streams = [open(), open()];
    eventually(|| console.events().readers() == 2);
    assert_eq!(ask(&console, "GET /events HTTP/1.1\nHost: localhost").0, 503);
    assert_eq!(ask(&console, "GET /metrics HTTP/1.1\nHost: localhost").0, 200);
    drop(streams);
}

#[test]
fn a_silent_peer_and_one_that_dribbles_are_cut_off() {
    let pages = Router::new().route("/take", post(|body: String| async move { body }));
    let short = |limits: &mut ConsoleLimits| {
        (limits.head, limits.body) = (Duration::from_millis(200), Duration::from_millis(200));
    };
    let console = narrow(short, pages);
    let silent = half(&console, b"");
    let mut head = half(&console, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
    dribble(&mut head);
    let post = "POST /take HTTP/1.1\r\nHost: localhost\r\nX-Armilla-Console: 1\r\n";
    let mut body = half(&console, format!("{post}Content-Length: 1000000\r\n\r\n").as_bytes());
    assert!(dribble(&mut body) < 1_000_000);
    // And one that comes in time is read whole, with a pause that is allowed.
    let whole = "o".repeat(1 << 19);
    let head = format!("{}Content-Length: {}", post.replace("\r\n", "\n"), whole.len());
    let (status, answer) = ask_with(&console, &head, whole.as_bytes());
    assert!(status == 200 && answer.ends_with(&whole));
    eventually(|| is_closed(&silent));
}

/// A page without end, and what tells whether it was broken off.
fn endless() -> (Router, Receiver<bool>) {
    let (ended, end) = channel();
    let endless = move || {
        let ended = ended.clone();
        async move {
            armilla_service::written_body(move |to| {
                let failed = std::io::copy(&mut std::io::repeat(b'#'), to).map(drop);
                ended.send(failed.is_err()).ok();
                failed
            })
        }
    };
    (Router::new().route("/endless", get(endless)), end)
}

#[test]
fn a_peer_that_takes_its_answer_in_small_parts_is_cut_off_too() {
    let (pages, end) = endless();
    let limits = |limits: &mut ConsoleLimits| {
        limits.stall = Duration::from_millis(500);
        // What it takes gives it hardly any time.
        limits.body_rate = 1 << 30;
    };
    let console = narrow(limits, pages);
    let mut stream = half(&console, b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (begun, mut part) = (Instant::now(), vec![0; 256 << 10]);
    while stream.read(&mut part).is_ok_and(|count| count > 0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(end.recv_timeout(Duration::from_secs(60)).unwrap());
}

#[test]
fn a_peer_that_takes_nothing_of_its_answer_is_cut_off() {
    let (pages, end) = endless();
    let console = narrow(|limits| limits.stall = Duration::from_millis(200), pages);
    let _stream = half(&console, b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(end.recv_timeout(Duration::from_secs(25)).unwrap());
}

#[test]
fn a_page_that_panics_costs_its_request_alone() {
    async fn page() -> &'static str {
        panic!("the page is broken")
    }
    let pages = Router::new().route("/broken", get(page));
    let console = narrow(|limits| limits.connections = 1, pages);
    let request = "GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let next = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut stream = half(&console, format!("{request}{next}").as_bytes());
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_request_names_one_host_that_is_known() {
    let console = narrow(|_| (), Router::new());
    for (head, expected) in [
        ("GET /metrics HTTP/1.1\nHost: localhost", 200),
        ("GET /metrics HTTP/1.1", 421),
        ("GET /metrics HTTP/1.1\nHost: localhost\nHost: localhost", 421),
        ("GET /metrics HTTP/1.1\nHost: localhost\nHost: evil.example.org", 421),
        ("GET http://evil.example.org/metrics HTTP/1.1\nHost: localhost", 421),
        ("GET http://localhost/metrics HTTP/1.1\nHost: evil.example.org", 421),
        ("GET /metrics HTTP/1.0", 200),
        ("GET /metrics HTTP/1.0\nHost: evil.example.org", 421),
    ] {
        assert_eq!(ask(&console, head).0, expected, "{head}");
    }
}

#[test]
fn programs_have_so_many_requests_under_way_and_no_more() {
    use armilla_service::axum::body::Body;
    let waits = |body: Body| async move {
        let mut reader = armilla_service::BodyReader::new(body);
        armilla_service::spawn_blocking(move || std::io::copy(&mut reader, &mut std::io::sink()))
            .await
            .map_or(StatusCode::BAD_REQUEST, |_| StatusCode::OK)
    };
    let mut limits = ConsoleLimits::default();
    limits.api_requests = 4;
    let routes = Router::new().route("/wait", post(waits));
    let console = Console::builder("127.0.0.1:0").limits(limits).api(routes, 1 << 20);
    let console = console.start(&Lifecycle::new()).unwrap();
    let begin = || {
        half(&console, b"POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
    };
    let mut slow = [begin(), begin()];
    let further =
        || ask_with(&console, "POST /wait HTTP/1.1\nHost: localhost\nContent-Length: 1", b"o").0;
    eventually(|| further() == 503);
    assert_eq!(ask(&console, "GET /metrics HTTP/1.1\nHost: localhost").0, 200);
    for stream in &mut slow {
        stream.write_all(b" more").unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    }
    eventually(|| further() == 200);
}
