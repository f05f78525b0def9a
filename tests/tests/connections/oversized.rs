//! Messages above `max_message` of the side that receives them: the call fails with the limit and
//! its setting in the words, and other calls go on.

use armilla::{Completion, ExceptionKind, Minor, OrbBuilder, SystemException, Version};
use armilla_cdr::Encoder;
use armilla_giop::{MessageKind, message_error};
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{Wire, header};
use armilla_tests::probe::*;

const LIMIT: usize = 10_000;
const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

fn limited() -> OrbBuilder {
    orbs::builder().settings(|settings| settings.max_message = LIMIT)
}

/// The exception names the limit and the setting.
fn check(error: &SystemException, completed: Completion) {
    let expected = (ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE);
    assert_eq!((error.kind(), error.minor()), expected, "{error}");
    assert_eq!(error.completed(), completed, "{error}");
    let words = error.to_string();
    assert!(words.contains("10000") && words.contains("max_message"), "{words}");
}

#[test]
fn a_request_above_the_limit_of_the_server_is_refused_and_the_connection_stays() {
    for concurrency in CONCURRENCIES {
        let builder = limited().settings(|settings| settings.concurrency = concurrency);
        let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
        for version in VERSIONS {
            let client = orbs::builder().max_giop(version).build().unwrap();
            let remote = server.remote(&client);
            remote.ping().unwrap();
            for size in [LIMIT, 3_000_000] {
                let error = remote.echo_octets(&vec![0x47; size], &mut Vec::new()).unwrap_err();
                check(&error, Completion::No);
                remote.ping().unwrap();
            }
            client.shutdown();
        }
        let mut wire = Wire::connect(server.address());
        let large = |out: &mut Encoder<'_>| out.copy_octets(&[0; LIMIT]);
        wire.send(
            &[server.request_with(1, "echo_octets", large), server.request(2, "ping")].concat(),
        );
        assert_eq!([wire.kind(), wire.kind()], [Some(MessageKind::Reply); 2]);
    }
}

#[test]
fn a_request_in_fragments_above_the_limit_is_refused_alike() {
    let server = Server::of(limited().listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let fragmenting = orbs::builder().settings(|settings| settings.fragment_size = Some(1024));
    let client = fragmenting.build().unwrap();
    let remote = server.remote(&client);
    let error = remote.echo_octets(&[0; 50_000], &mut Vec::new()).unwrap_err();
    check(&error, Completion::No);
    remote.ping().unwrap();
}

#[test]
fn a_reply_above_the_limit_of_the_client_names_the_limit() {
    let server = Server::start();
    for version in VERSIONS {
        let remote = server.remote(&limited().max_giop(version).build().unwrap());
        let error = remote.produce(LIMIT as u32).unwrap_err();
        check(&error, Completion::Maybe);
        remote.ping().unwrap();
    }
}

#[test]
fn what_cannot_be_answered_ends_in_a_message_error_of_its_version() {
    let server = Server::of(limited().listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    for version in VERSIONS {
        let mut wire = Wire::connect(server.address());
        wire.send(&header(version, MessageKind::LocateRequest, 10_001));
        assert_eq!(wire.message().unwrap(), message_error(version));
        wire.until_end();
    }
}
