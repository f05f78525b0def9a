//! The console as an HTTP client sees it.

use armilla_service::axum::Router;
use armilla_service::axum::http::StatusCode;
use armilla_service::axum::routing::{get, post};
use armilla_service::{Console, Events, Lifecycle};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

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
    broken.store(true, Ordering::Relaxed);
    let (status, answer) = health();
    assert!(status == 503 && answer.contains("the disk is full"), "{answer}");
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
    assert!(status == 200 && answer.ends_with("a 1\nb 2\n"), "{answer}");
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
    events.send("change", r#"{"name":"dome"}"#);
    assert!(lines.any(|line| line == "event: change"));
    assert_eq!(lines.next().as_deref(), Some(r#"data: {"name":"dome"}"#));
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
