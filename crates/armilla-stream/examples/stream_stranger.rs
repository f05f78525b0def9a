//! A process that offers flows, and one that has not been invited.
//! `lab/interop/strangers/check` runs both.
//!
//! ```text
//! stream_stranger serve HOST          a line for each flow: an address and a token
//! stream_stranger ask ADDRESS TOKEN   what each greeting gets
//! ```
//!
//! Each flow has the text `invited`. Flows are offered over TCP and over a Unix-domain socket in
//! turn.

use armilla_stream::{
    FlowConsumer, FlowEndPoint, FlowOptions, FlowProducer, FlowSpec, Listener, StreamError, connect,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const TEXT: &str = "invited";

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", host] => serve(host),
        ["ask", address, token] => ask(address, token),
        _ => Err("serve HOST, or ask ADDRESS TOKEN".into()),
    }
}

fn spec() -> FlowSpec {
    FlowSpec::sized(TEXT.len() as u64)
}

/// Offers two flows, and goes on until it is ended.
fn serve(host: &str) -> Outcome {
    let lifetime = Duration::from_secs(300);
    let listener = Listener::builder().tcp(host, 0).unix().offer_lifetime(lifetime).start()?;
    let mut lines = String::new();
    for transport in ["tcp", "unix"] {
        let (endpoint, offer) = listener.offer::<FlowProducer>(0, &[transport])?;
        thread::spawn(move || -> Result<(), StreamError> {
            let mut producer = offer.wait(spec())?;
            producer.write_all(TEXT.as_bytes()).ok();
            producer.finish().map(drop)
        });
        let token: String = endpoint.token.iter().map(|octet| format!("{octet:02x}")).collect();
        lines += &format!("{} {token}\n", endpoint.r#where[0]);
    }
    print!("{lines}");
    std::io::stdout().flush()?;
    loop {
        thread::park();
    }
}

/// Asks for the flow at an address: with what is no greeting, with guessed tokens, with the token,
/// and with the token once more.
fn ask(address: &str, token: &str) -> Outcome {
    println!("another protocol: {}", other_protocol(address));
    let right: Vec<u8> = (0..token.len() / 2)
        .map(|at| u8::from_str_radix(&token[2 * at..2 * at + 2], 16))
        .collect::<Result<_, _>>()?;
    let mut near = right.clone();
    near[31] ^= 1;
    for (what, token) in [
        ("zeros", vec![0; 32]),
        ("one bit", near),
        ("the token", right.clone()),
        ("the token again", right),
    ] {
        println!("{what}: {}", collect(address, token));
    }
    Ok(())
}

/// What comes of a flow.
fn collect(address: &str, token: Vec<u8>) -> String {
    let endpoint = FlowEndPoint { r#where: vec![address.to_owned()], token, lifetime: 1_000 };
    let mut text = String::new();
    match connect::<FlowConsumer>(&endpoint, &spec(), &FlowOptions::default()) {
        Ok(mut consumer) => match consumer.read_to_string(&mut text) {
            Ok(_) => text,
            Err(error) => format!("cut: {error}"),
        },
        Err(StreamError::Refused(verdict)) => format!("{verdict:?}"),
        Err(StreamError::Unreachable(_)) => "unreachable".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// What a peer gets that speaks something else.
fn other_protocol(address: &str) -> String {
    let request = [b'G'; 64];
    let mut answer = Vec::new();
    let asked = match address.split_once("://") {
        Some(("unix", path)) => UnixStream::connect(path).and_then(|mut stream| {
            stream.write_all(&request)?;
            stream.read_to_end(&mut answer)
        }),
        Some((_, place)) => TcpStream::connect(place).and_then(|mut stream| {
            stream.write_all(&request)?;
            stream.read_to_end(&mut answer)
        }),
        None => return "no address".to_owned(),
    };
    match (asked, answer.is_empty()) {
        (Err(error), _) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            "denied".to_owned()
        }
        (_, true) => "closed".to_owned(),
        (_, false) => "answered".to_owned(),
    }
}
