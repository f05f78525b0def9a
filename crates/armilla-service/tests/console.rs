//! The console as an HTTP client sees it.

use armilla_service::axum::Router;
use armilla_service::axum::routing::post;
use armilla_service::{Console, Events, Lifecycle};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sends a request, and returns the status and the rest of the answer.
fn ask(console: &Console, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let request = format!("{request}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
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
