//! Requests that an extension keeps, and that servants of other processes execute.

use armilla::{
    CallServant, EncodedReply, ExceptionKind, KeptRequest, Object, ObjectAddresses, Orb,
    PoaExtension, SystemException, UpcallInfo,
};
use armilla_tests::speaker::Speaker;
use armilla_tests::texts::{Speech, SpeechRef};
use std::sync::{Arc, Mutex};

/// Keeps each request, and the reply.
#[derive(Default)]
struct Keeps(Mutex<Vec<(Vec<u8>, EncodedReply)>>);

struct Keeping(Arc<Keeps>);

impl PoaExtension for Keeping {
    fn before_upcall(&self, _: &UpcallInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn around(
        &self,
        request: &UpcallInfo<'_>,
        servant: CallServant<'_>,
    ) -> Option<Result<EncodedReply, SystemException>> {
        let kept = request.keep()?;
        let reply = servant();
        if let Ok(reply) = &reply {
            self.0.0.lock().unwrap().push((kept.into_octets(), reply.clone()));
        }
        Some(reply)
    }

    fn after_upcall(&self) {}

    fn addresses(&self, _: &[u8]) -> Option<ObjectAddresses> {
        None
    }
}

fn server(keeps: Option<&Arc<Keeps>>) -> (Orb, SpeechRef) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let poa = orb.root_poa().create_poa("speaking");
    let poa = match keeps {
        Some(keeps) => poa.extension(Arc::new(Keeping(keeps.clone()))),
        None => poa,
    };
    let servant: Arc<dyn Speech> = Arc::new(Speaker);
    let speech = poa.build().unwrap().activate(servant).unwrap();
    (orb, speech)
}

/// The requests of a client, and their replies.
fn kept(server: &Orb, keeps: &Arc<Keeps>, speech: &SpeechRef) -> Vec<(Vec<u8>, EncodedReply)> {
    let client = Orb::new().unwrap();
    let far: SpeechRef =
        client.string_to_object(&server.object_to_string(speech).unwrap()).unwrap().assume();
    assert_eq!(far.echo("zwölf").unwrap(), "zwölf");
    assert_eq!(far.echo_wide("Привет, 世界").unwrap(), "Привет, 世界".into());
    std::mem::take(&mut keeps.0.lock().unwrap())
}

#[test]
fn another_servant_executes_what_was_asked_and_replies_the_same() {
    let keeps = Arc::<Keeps>::default();
    let (server_orb, speech) = server(Some(&keeps));
    let (_other_orb, elsewhere) = server(None);
    let all = kept(&server_orb, &keeps, &speech);
    assert_eq!(all.len(), 2);
    for (octets, reply) in all {
        let again = KeptRequest::from_octets(octets).execute(elsewhere.as_ref()).unwrap();
        assert_eq!(again, reply);
    }
}

#[test]
fn octets_of_something_else_and_objects_elsewhere_are_refused() {
    let keeps = Arc::<Keeps>::default();
    let (server_orb, speech) = server(Some(&keeps));
    let (octets, _) = kept(&server_orb, &keeps, &speech).remove(0);
    let client = Orb::new().unwrap();
    let far = client.string_to_object(&server_orb.object_to_string(&speech).unwrap()).unwrap();
    let kind = |octets: &[u8], of: &Object| {
        KeptRequest::from_octets(octets.to_vec()).execute(of).unwrap_err().kind()
    };
    assert_eq!(kind(&octets, &far), ExceptionKind::ObjectNotExist);
    assert_eq!(kind(&octets, &Object::nil()), ExceptionKind::InvObjref);
    for end in 0..octets.len() {
        assert_eq!(kind(&octets[..end], speech.as_ref()), ExceptionKind::Marshal, "{end}");
    }
    let mut wrong = octets;
    wrong[3] = 0x77;
    assert_eq!(kind(&wrong, speech.as_ref()), ExceptionKind::Marshal);
}
