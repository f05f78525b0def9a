//! Decodes the PDUs of a capture, which `lab/interop/dcerpc/capture` brings into this form: a line
//! for each segment with the number of the stream, the direction (`>` from the client, `<`) and the
//! octets in hexadecimal. With a password, what NTLM protects is checked and opened.
//!
//! ```text
//! capture [PASSWORD] < SEGMENTS
//! ```

use armilla_dcerpc::pdu::{
    AuthLevel, Body, Framer, Header, Limits, Pdu, PduKind, Reassembly, TRAILER_LEN, stub_offset,
};
use armilla_dcerpc::security::Message;
use armilla_dcerpc::security::ntlm::{NtHash, Observer};
use armilla_dcerpc::security::spnego::Token;
use std::collections::BTreeMap;
use std::io::BufRead;

/// Both directions of a connection.
struct Stream {
    framers: [Framer; 2],
    challenge: Vec<u8>,
    observer: Option<Observer>,
    reassembly: Reassembly<()>,
}

#[derive(Default)]
struct Counts {
    kinds: BTreeMap<String, usize>,
    protected: usize,
    opened: usize,
    octets: usize,
    largest: usize,
    failures: Vec<String>,
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

impl Stream {
    fn new() -> Self {
        Self {
            framers: [Framer::new(u16::MAX), Framer::new(u16::MAX)],
            challenge: Vec::new(),
            observer: None,
            reassembly: Reassembly::new(Limits::default()),
        }
    }

    /// Follows the handshake: the challenge and the client's proof, also within SPNEGO.
    fn follow(&mut self, token: &[u8], hash: Option<NtHash>) {
        let inner = match Token::decode(token) {
            Ok(Token::Init(init)) => init.token.unwrap_or_default(),
            Ok(Token::Response(response)) => response.token.unwrap_or_default(),
            Err(_) => token.to_vec(),
        };
        match inner.get(8) {
            Some(2) if inner.starts_with(b"NTLMSSP") => self.challenge = inner,
            Some(3) if inner.starts_with(b"NTLMSSP") => {
                let open = |hash| Observer::new(hash, &self.challenge, &inner).ok();
                self.observer = hash.and_then(open);
            }
            _ => {}
        }
    }

    fn pdu(
        &mut self,
        counts: &mut Counts,
        (header, mut octets): (Header, Vec<u8>),
        back: bool,
        hash: Option<NtHash>,
    ) -> Result<(), String> {
        *counts.kinds.entry(format!("{:?}", header.kind)).or_default() += 1;
        let trailer = Pdu::trailer(&octets, &header).map_err(|error| error.to_string())?;
        let call = matches!(header.kind, PduKind::Request | PduKind::Response | PduKind::Fault);
        if let Some(trailer) = trailer.filter(|_| call) {
            counts.protected += 1;
            let at = octets.len() - usize::from(header.auth_length);
            let (pdu, signature) = octets.split_at_mut(at);
            let stub = stub_offset(header.kind, header.flags)..at - TRAILER_LEN;
            let privacy = trailer.level == AuthLevel::Privacy;
            let message = Message { pdu, stub, privacy, header_signing: true };
            if let Some(observer) = &mut self.observer {
                let end = match back {
                    false => observer.open_request(message, signature),
                    true => observer.open_response(message, signature),
                };
                end.map_err(|error| error.to_string())?;
                counts.opened += 1;
            }
        }
        let pdu = Pdu::decode(&octets).map_err(|error| error.to_string())?;
        let again = pdu.encode().map_err(|error| error.to_string())?;
        if Pdu::decode(&again).as_ref() != Ok(&pdu) {
            return Err("it is another one when it is written again".into());
        }
        match (&pdu.body, &pdu.auth) {
            (Body::Response(response), _) => {
                let done = self
                    .reassembly
                    .receive(pdu.call_id, pdu.flags, (), response.stub)
                    .map_err(|error| error.to_string())?;
                if let Some(((), stub)) = done {
                    counts.octets += stub.len();
                    counts.largest = counts.largest.max(stub.len());
                }
            }
            (Body::Request(request), _) => counts.octets += request.stub.len(),
            (_, Some(auth)) if !call => self.follow(&auth.token, hash),
            _ => {}
        }
        Ok(())
    }
}

fn main() {
    let hash = std::env::args().nth(1).map(|password| NtHash::of(&password));
    let mut streams: BTreeMap<String, Stream> = BTreeMap::new();
    let mut counts = Counts::default();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(direction), Some(octets)) =
            (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let stream = streams.entry(name.to_owned()).or_insert_with(Stream::new);
        let back = direction == "<";
        stream.framers[usize::from(back)].receive(&hex(octets));
        loop {
            match stream.framers[usize::from(back)].next_pdu() {
                Ok(Some(pdu)) => {
                    if let Err(error) = stream.pdu(&mut counts, pdu, back, hash) {
                        counts.failures.push(format!("stream {name}: {error}"));
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    counts.failures.push(format!("stream {name}: {error}"));
                    break;
                }
            }
        }
    }
    for (kind, count) in &counts.kinds {
        println!("{kind:22}{count:6}");
    }
    let Counts { protected, opened, octets, largest, failures, .. } = counts;
    println!("{opened} of {protected} protected PDUs opened");
    println!("{octets} octets in stubs, {largest} in the largest response");
    failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    std::process::exit(i32::from(!failures.is_empty()));
}
