//! Writes the well-formed part of the fuzz corpus:
//! `cargo test -p armilla-giop --test messages seeds:: -- --ignored`.
//!
//! The corpus is committed, so that a change of the encoders is tried against what they wrote
//! before.

use armilla_cdr::{ByteOrder, CdrResult, Decode, Encode, Encoder};
use armilla_giop::csi::{
    ContextError, EstablishContext, ExportedName, GSSUP_MECHANISM, GssupToken, IdentityToken,
    SasMessage,
};
use armilla_giop::ior::{
    AlternateAddress, Component, FtGroup, FtHeartbeatEnabled, FtPrimary, IiopProfile, Ior,
};
use armilla_giop::{
    CodeSetContext, CompletionStatus, FtGroupVersion, FtRequest, HEADER_LEN, LocateStatus,
    MessageHeader, MessageKind, OutgoingRequest, ReplyStatus, ResponseFlags, ServiceContext,
    SystemExceptionBody, TargetAddress, Version, begin_locate_reply, begin_reply, begin_request,
    cancel_request, close_connection, encode_locate_request, put_body,
};
use std::fs;
use std::path::PathBuf;

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];
const ORDERS: [(&str, ByteOrder); 2] = [("big", ByteOrder::Big), ("little", ByteOrder::Little)];

type Seeds = Vec<(String, Vec<u8>)>;

#[test]
#[ignore = "writes lab/fuzz/corpus"]
fn write_seeds() {
    let (requests, replies) = (requests(), replies());
    write("message_header", &streams(&requests, &replies));
    write("request", &requests);
    write("reply", &replies);
    write("ior", &references());
    write("url", &urls());
    write("csi", &security());
    write("ft_contexts", &group_requests());
}

fn write(target: &str, seeds: &Seeds) {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus").join(target);
    fs::create_dir_all(&folder).unwrap();
    for (name, octets) in seeds {
        fs::write(folder.join(name), octets).unwrap();
    }
}

/// The contexts of requests to object groups.
fn group_requests() -> Seeds {
    let request = |client: &str, retention_id, expiration_time| {
        let client_id = client.into();
        FtRequest { client_id, retention_id, expiration_time }.to_data().unwrap()
    };
    let seeds = [
        ("version", FtGroupVersion(7).to_data().unwrap()),
        ("request", request("teller-1", 42, 139_000_000_000_000_000)),
        ("request-unnamed", request("", i32::MIN, u64::MAX)),
        ("version-big", vec![0, 0, 0, 0, 0, 0, 0, 9]),
        (
            "request-big",
            vec![0, 0, 0, 0, 0, 0, 0, 2, b'a', 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0],
        ),
    ];
    seeds.map(|(name, octets)| (name.to_owned(), octets)).into()
}

/// Contexts, tokens and names of CSIv2.
fn security() -> Seeds {
    let name = ExportedName { mechanism: GSSUP_MECHANISM, name: b"ann@bank" }.to_octets();
    let token = GssupToken { user: b"ann@bank", password: b"secret", target: &name };
    let token = token.to_octets().unwrap();
    let establish = |identity| {
        SasMessage::Establish(EstablishContext {
            context: 5,
            authorization: vec![(1, &b"ticket"[..])],
            identity,
            authentication: &token,
        })
    };
    let error = ContextError { context: 5, major: 1, minor: 1, token: &[0, 0, 0, 0, 0, 0, 0, 3] };
    let dn = b"\x30\x0e\x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03ann";
    let signed = [&b"\x30\x1a\x02\x01\x07\x30\x00\x30\x00\x30\x00"[..], dn, &[0; 1]].concat();
    let certificate = [&[0x30, signed.len() as u8][..], &signed].concat();
    let messages = [
        ("establish-name", establish(IdentityToken::PrincipalName(&name))),
        ("establish-anonymous", establish(IdentityToken::Anonymous)),
        ("establish-dn", establish(IdentityToken::DistinguishedName(dn))),
        ("establish-certificate", establish(IdentityToken::Certificates(&certificate))),
        ("complete", SasMessage::Complete { context: 5, stateful: true, token: b"" }),
        ("error", SasMessage::Error(error)),
        ("in-context", SasMessage::InContext { context: 5, discard: false }),
    ];
    let messages = messages.map(|(name, message)| (name.to_owned(), message.to_data().unwrap()));
    let mut seeds = Seeds::from(messages);
    seeds.push(("token".into(), token.clone()));
    seeds.push(("name".into(), name.clone()));
    seeds.push(("distinguished-name".into(), dn.to_vec()));
    seeds.push(("certificate".into(), certificate.clone()));
    seeds
}

fn message<'p>(order: ByteOrder, fill: impl FnOnce(&mut Encoder<'p>) -> CdrResult) -> Vec<u8> {
    let mut out = Encoder::new(order);
    fill(&mut out).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

fn account() -> Ior {
    include_str!("../data/genior-account.ior").parse().unwrap()
}

fn requests() -> Seeds {
    let code_sets = CodeSetContext { char: 0x0501_0001, wchar: 0x0001_0109 }.encode();
    let unknown = ServiceContext { id: 0x4154_5401, data: b"unknown" };
    let contexts = [unknown, CodeSetContext::service_context(&code_sets)];
    let request = OutgoingRequest {
        request_id: 5,
        response: ResponseFlags::Target,
        target: TargetAddress::Key(b"account"),
        operation: "deposit",
        contexts: &contexts,
    };
    let mut seeds = Seeds::new();
    for (version, (name, order)) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let octets = message(order, |out| {
            begin_request(out, version, &request)?;
            put_body(out, version, |out| {
                out.put_f64(100.0);
                out.put_string("a gift")
            })
        });
        seeds.push((format!("request-{version}-{name}"), octets));
        let locate = message(order, |out| {
            encode_locate_request(out, version, 6, TargetAddress::Key(b"account"))
        });
        seeds.push((format!("locate-{version}-{name}"), locate));
    }
    let oneway = OutgoingRequest { response: ResponseFlags::None, contexts: &[], ..request };
    let octets =
        message(ByteOrder::Big, |out| begin_request(out, Version::V1_2, &oneway).map(drop));
    seeds.push(("oneway-1.2-big".into(), octets));
    seeds.push(("cancel-1.2".into(), cancel_request(Version::V1_2, 5).to_vec()));
    seeds.push(("by-profile-1.2".into(), addressed(1)));
    seeds.push(("by-reference-1.2".into(), addressed(2)));
    seeds
}

/// A request whose target is a profile (1) or a whole reference (2).
fn addressed(form: u16) -> Vec<u8> {
    let account = account();
    message(ByteOrder::Little, |out| {
        MessageHeader::begin(out, Version::V1_2, MessageKind::Request);
        out.put_u32(5);
        out.copy_raw(&[3, 0, 0, 0]);
        out.put_u16(form);
        if form == 1 {
            out.put_u32(account.profiles[0].id);
            out.copy_octets(&account.profiles[0].data)?;
        } else {
            out.put_u32(0);
            out.put_string(&account.type_id)?;
            out.put_u32(1);
            out.put_u32(account.profiles[0].id);
            out.copy_octets(&account.profiles[0].data)?;
        }
        out.put_string("deposit")?;
        out.put_u32(0);
        Ok(())
    })
}

fn replies() -> Seeds {
    let account = account();
    let exception = SystemExceptionBody {
        id: "IDL:omg.org/CORBA/TRANSIENT:1.0".into(),
        minor: 0x4f4d_0002,
        completed: CompletionStatus::No,
    };
    let mut seeds = Seeds::new();
    for (version, (name, order)) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let mut add = |kind: &str, octets| seeds.push((format!("{kind}-{version}-{name}"), octets));
        add(
            "result",
            message(order, |out| {
                let contexts = &[ServiceContext { id: 9, data: b"unknown" }];
                begin_reply(out, version, 5, ReplyStatus::NoException, contexts)?;
                put_body(out, version, |out| {
                    out.put_f64(99.5);
                    Ok(())
                })
            }),
        );
        add(
            "exception",
            message(order, |out| {
                begin_reply(out, version, 5, ReplyStatus::SystemException, &[])?;
                put_body(out, version, |out| exception.encode(out))
            }),
        );
        add(
            "forward",
            message(order, |out| {
                begin_reply(out, version, 5, ReplyStatus::LocationForward, &[])?;
                put_body(out, version, |out| account.encode(out))
            }),
        );
        add(
            "located",
            message(order, |out| {
                begin_locate_reply(out, version, 6, LocateStatus::ObjectForward);
                account.encode(out)
            }),
        );
    }
    seeds
}

/// Messages one behind the other, and in fragments that interleave.
fn streams(requests: &Seeds, replies: &Seeds) -> Seeds {
    let find = |seeds: &Seeds, name: &str| {
        seeds.iter().find(|seed| seed.0 == name).map(|seed| seed.1.clone()).unwrap()
    };
    let new = find(requests, "request-1.2-little");
    let old = find(requests, "request-1.1-big");
    let reply = find(replies, "exception-1.2-big");
    let close = close_connection(Version::V1_0);
    let header = new[..HEADER_LEN].to_vec();
    let mut other = fragments(&new, 24);
    other.iter_mut().for_each(|fragment| fragment[HEADER_LEN] = 77);
    let pairs = fragments(&new, 24).into_iter().zip(other);
    let interleaved = pairs.flat_map(|(one, other)| [one, other]).flatten().collect();
    [
        ("header", header),
        ("several", [&new[..], &old, &reply, &close].concat()),
        ("fragments-1.1", fragments(&old, 20).concat()),
        ("fragments-1.2-interleaved", interleaved),
        ("http", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        ("endless", b"GIOP\x01\x02\x01\x00\xff\xff\xff\xff".to_vec()),
    ]
    .map(|(name, octets)| (name.to_owned(), octets))
    .into()
}

fn fragments(message: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut header = MessageHeader::decode(message.first_chunk().unwrap()).unwrap();
    let request_id = if message[5] == 2 { &message[HEADER_LEN..HEADER_LEN + 4] } else { &[] };
    let (first, rest) = message[HEADER_LEN..].split_at(size - HEADER_LEN);
    let mut bodies = vec![first.to_vec()];
    bodies.extend(rest.chunks(size).map(|data| [request_id, data].concat()));
    let last = bodies.len() - 1;
    let fragment = |(index, body): (usize, Vec<u8>)| {
        header.more_fragments = index < last;
        header.size = u32::try_from(body.len()).unwrap();
        let octets = [&header.encode()[..], &body].concat();
        header.kind = MessageKind::Fragment;
        octets
    };
    bodies.into_iter().enumerate().map(fragment).collect()
}

fn references() -> Seeds {
    let account = account();
    let mut profile = IiopProfile::decode_data(&account.profiles[0].data).unwrap();
    let alternate = AlternateAddress { host: "bank.example.net".into(), port: 2810 };
    profile.components.push(alternate.to_tagged().unwrap());
    let mut several = account.clone();
    several.profiles.push(profile.to_tagged().unwrap());
    let mut seeds: Seeds = ORDERS
        .map(|(name, order)| {
            let mut out = Encoder::new(order);
            several.encode(&mut out).unwrap();
            let octets = out.to_vec();
            assert!(Ior::decode(&mut armilla_cdr::Decoder::new(&octets, order)).is_ok());
            (format!("octets-{name}"), octets)
        })
        .into();
    let text = |text: &str| text.trim().as_bytes().to_vec();
    seeds.push(("genior-account".into(), text(include_str!("../data/genior-account.ior"))));
    seeds.push(("genior-key".into(), text(include_str!("../data/genior-hexadecimal-key.ior"))));
    seeds.push(("omninames".into(), text(include_str!("../data/omninames-root.ior"))));
    seeds.push(("nil".into(), Ior::NIL.to_text().unwrap().into()));
    let members = several.profiles.iter().zip([true, false]).map(|(profile, primary)| {
        let mut profile = IiopProfile::decode_data(&profile.data).unwrap();
        let group = FtGroup { domain: "bank".into(), group: 9, version: 3 };
        let (group, primary) = (group.to_tagged(), FtPrimary(primary).to_tagged());
        let heartbeats = FtHeartbeatEnabled(true).to_tagged();
        profile.components.extend([group, primary, heartbeats].map(Result::unwrap));
        profile.to_tagged().unwrap()
    });
    let group = Ior { profiles: members.collect(), type_id: account.type_id };
    seeds.push(("group".into(), group.to_text().unwrap().into()));
    seeds
}

fn urls() -> Seeds {
    [
        ("corbaloc", "corbaloc::localhost:2809/Account"),
        ("corbaloc-several", "corbaloc:iiop:1.2@host:1,:[::1]:65535,iiop:[fe80::1]/a%20/b%ff"),
        ("corbaloc-rir", "corbaloc:rir:/NameService"),
        ("corbaloc-bad-port", "corbaloc::host:0x10/Key"),
        ("corbaname", "corbaname::localhost#shop.dir/account.object"),
        ("corbaname-escaped", "corbaname:rir:#a%5c.b%2fc.d"),
        ("file", "file:///tmp/account%20.ior"),
        ("name", r"a\.b.c/d\/e/."),
        ("ior", "IOR:00000000000000010000000000000000"),
        ("http", "http://localhost/"),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into()
}
