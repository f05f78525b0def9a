//! Whether objects are alive, where servers answer in ways of their own.

use armilla::{ByteOrder, Encode, Encoder, Object, Orb};
use armilla_naming::client::{Liveness, check};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const REQUEST: u8 = 0;
const REPLY: u8 = 1;
const LOCATE_REQUEST: u8 = 3;
const LOCATE_REPLY: u8 = 4;

/// One message of GIOP 1.2, big-endian.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut octets = b"GIOP\x01\x02\x00".to_vec();
    octets.push(kind);
    octets.extend((body.len() as u32).to_be_bytes());
    octets.extend(body);
    octets
}

/// A reply with this status: id, status, no contexts, aligned body.
fn reply(id: [u8; 4], status: u32, body: &[u8]) -> Vec<u8> {
    // With the header of twelve octets, the body is aligned on eight.
    message(REPLY, &[&id[..], &status.to_be_bytes(), &[0; 4], body].concat())
}

fn ior(object: &Object) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::Big);
    object.encode(&mut out).unwrap();
    out.to_vec()
}

/// What a locator does with the id of a request: its answers to a LocateRequest and to a Request.
type Answers = fn([u8; 4], &[u8]) -> [Vec<u8>; 2];

/// As TAO's locator does: a Reply to a LocateRequest, and a LocateReply of eight octets behind it.
fn forwards(id: [u8; 4], to: &[u8]) -> [Vec<u8>; 2] {
    let located = [reply(id, 3, to), message(LOCATE_REPLY, &[&id[..], &[0, 0, 0, 1]].concat())];
    [located.concat(), reply(id, 3, to)]
}

/// UNKNOWN_OBJECT to a LocateRequest, and nothing amiss to a call.
fn denies_and_has(id: [u8; 4], _: &[u8]) -> [Vec<u8>; 2] {
    let unknown = message(LOCATE_REPLY, &[&id[..], &[0; 4]].concat());
    [unknown, reply(id, 0, &[0])]
}

/// The same, and the object does not exist.
fn denies(id: [u8; 4], to: &[u8]) -> [Vec<u8>; 2] {
    let [unknown, _] = denies_and_has(id, to);
    [unknown, reply(id, 0, &[1])]
}

/// A LocateReply that is none, and the system exception INTERNAL.
fn is_confused(id: [u8; 4], _: &[u8]) -> [Vec<u8>; 2] {
    let text = b"IDL:omg.org/CORBA/INTERNAL:1.0\0";
    let mut exception = (text.len() as u32).to_be_bytes().to_vec();
    exception.extend(text);
    exception.resize(exception.len().next_multiple_of(4), 0);
    exception.extend([0; 8]);
    let located = message(LOCATE_REPLY, &[&id[..], &[0, 0, 0, 9]].concat());
    [located, reply(id, 2, &exception)]
}

fn serve(mut stream: TcpStream, answers: Answers, to: &[u8]) -> std::io::Result<()> {
    loop {
        let mut header = [0; 12];
        stream.read_exact(&mut header)?;
        let length = match header[6] & 1 {
            0 => u32::from_be_bytes(header[8..].try_into().unwrap()),
            _ => u32::from_le_bytes(header[8..].try_into().unwrap()),
        };
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body)?;
        // The id comes first in GIOP 1.2, in the order of the client.
        let mut id: [u8; 4] = body[..4].try_into().unwrap();
        if header[6] & 1 == 1 {
            id.reverse();
        }
        let [located, called] = answers(id, to);
        match header[7] {
            LOCATE_REQUEST => stream.write_all(&located)?,
            REQUEST => stream.write_all(&called)?,
            _ => return Ok(()),
        }
    }
}

/// What a check finds behind a server that answers so, and forwards to `to`.
fn found(answers: Answers, to: &Object) -> Liveness {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let to = ior(to);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let to = to.clone();
            thread::spawn(move || serve(stream, answers, &to));
        }
    });
    let orb = Orb::new().unwrap();
    let url = format!("corbaloc:iiop:1.2@127.0.0.1:{port}/device");
    check(&orb.string_to_object(&url).unwrap(), Duration::from_secs(20))
}

#[test]
fn a_server_that_answers_in_its_own_way_is_not_unreachable() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let service = armilla_naming::NamingService::builder().serve(&orb).unwrap();
    let living = service.root().object().clone();
    assert_eq!(found(forwards, &living), Liveness::Alive);
    assert_eq!(found(denies_and_has, &living), Liveness::Alive);
    assert_eq!(found(denies, &living), Liveness::Gone);
    let confused = found(is_confused, &living);
    assert!(matches!(&confused, Liveness::Unsure(why) if why.contains("INTERNAL")), "{confused}");
    assert!(!confused.is_dead());
    orb.shutdown();
}

#[test]
fn who_does_not_answer_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("corbaloc:iiop:1.2@{}/device", listener.local_addr().unwrap());
    drop(listener);
    let orb = Orb::new().unwrap();
    let found = check(&orb.string_to_object(&url).unwrap(), Duration::from_secs(20));
    assert!(matches!(found, Liveness::Unreachable(_)), "{found}");
}
