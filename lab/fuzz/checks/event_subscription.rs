//! What a consumer of an event channel subscribes to: the terms that it sends.

use armilla::codegen::Decode;
use armilla::{Any, ByteOrder, Decoder};
use armilla_events::Subscription;
use armilla_events::corba::Term;

pub(crate) fn check(data: &[u8]) {
    let Ok(term) = Term::decode(&mut Decoder::new(data, ByteOrder::Little)) else { return };
    match Subscription::from(term.clone()).check() {
        Err(invalid) => assert!(!invalid.reason.is_empty()),
        // What is accepted survives being passed on.
        Ok(()) => {
            let any = Any::new(&term).unwrap();
            assert_eq!(any.get::<Term>().unwrap(), Some(term));
        }
    }
}
