//! Requests as client and server interceptors see them.

use super::{Witnesses, client_side, server_side, system};
use armilla::{Error, ExceptionKind};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;

#[test]
fn a_oneway_ends_without_a_reply_on_either_side() {
    let (server, client, witnesses) = client_side();
    server.remote(&client).remark("far").unwrap();
    witnesses.expect(
        "a.send_request, b.send_request, c.send_request, \
         c.receive_other Unknown, b.receive_other Unknown, a.receive_other Unknown",
    );
    let (server, witnesses) = server_side();
    server.remote(&orbs::client()).remark("near").unwrap();
    let done = || witnesses.diary.lock().unwrap().len() == 9;
    eventually("the oneway was served", done);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_other Successful, b.send_other Successful, \
         a.send_other Successful",
    );
}

#[test]
fn collocated_calls_pass_client_and_server_interceptors() {
    let witnesses = Witnesses::new();
    let [a, b, _] = witnesses.all.clone();
    let builder = orbs::builder().client_interceptor(a).server_interceptor(b);
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    assert_eq!(server.local.increment().unwrap(), 1);
    witnesses.expect(
        "a.send_request, b.contexts, b.receive_request, b.send_reply Successful, \
         a.receive_reply Successful",
    );
    let mut note = "Größe \u{1f980}".to_owned();
    match server.local.choose(1, &mut note) {
        Err(Error::User(everything::ChooseRaises::Refused(refused))) => {
            assert_eq!(refused.reason, "Größe \u{1f980}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(system(server.local.choose(3, &mut note)), ExceptionKind::NoPermission);
    witnesses.diary();
    server.local.remark("here").unwrap();
    witnesses.expect(
        "a.send_request, b.contexts, b.receive_request, b.send_other Successful, \
         a.receive_other Unknown",
    );
    assert_eq!(server.local.remarks(1).unwrap(), ["here"]);
}
