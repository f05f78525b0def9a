//! A servant that replies later, from another thread.

use crate::world::{Client, Server};
use armilla::Orb;
use armilla::dynamic::{DynamicServant, Response, ServerRequest, serve};
use armilla::{Any, ObjectId, SystemException, TypeCode};
use armilla_security::ServerSecurity;
use std::borrow::Cow;
use std::thread;

/// Replies from another thread with who calls, as the serving thread and the other one see it.
struct Late(ServerSecurity);

fn who(security: &ServerSecurity) -> String {
    security.caller().map_or_else(|| "nobody".to_owned(), |it| it.principal().to_string())
}

impl DynamicServant for Late {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Late:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments([])?;
        let (security, here) = (self.0.clone(), who(&self.0));
        let reply = request.response_handler()?;
        assert_eq!(who(&self.0), here, "the servant sees its caller until it returns");
        thread::spawn(move || {
            let text = format!("{here}, then {}", who(&security));
            let result = Any::new(&text).unwrap();
            reply.complete(Ok(Response { result, arguments: vec![] }));
        });
        Ok(())
    }
}

#[test]
fn its_thread_keeps_no_caller_and_the_other_has_none() {
    let server = Server::new(|builder| builder);
    let late = Late(server.security.clone());
    let object = server.orb.root_poa().activate(serve(late)).unwrap();
    let reference = server.orb.object_to_string(object.object()).unwrap();
    let ask = |client: &Client| {
        let object = client.orb.string_to_object(&reference).unwrap();
        let mut request = object.request("ask");
        request.set_return_type(TypeCode::String(0)).invoke().unwrap();
        request.return_value().get::<String>().unwrap().unwrap()
    };
    let ann = Client::user(&server, "ann", "secret");
    let stranger = Client::of(&server, Orb::builder());
    for _ in 0..3 {
        assert_eq!(ask(&ann), "ann@bank, then nobody");
        assert_eq!(ask(&stranger), "anonymous, then nobody");
    }
}
