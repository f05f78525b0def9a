//! The component of a reference that says where processes of the same host connect.

use armilla_core::transport::{Component, SameHostEndpoint, TaggedComponent};

/// What is read and written again is read the same, and so beside another address.
pub(crate) fn check(data: &[u8]) {
    let component = TaggedComponent { id: SameHostEndpoint::ID, data: data.to_vec() };
    let Ok(Some(endpoint)) = SameHostEndpoint::from_tagged(&component) else { return };
    let again = endpoint.to_tagged().expect("what was read can be written");
    assert_eq!(SameHostEndpoint::from_tagged(&again), Ok(Some(endpoint)));
    let beside = endpoint.component_beside("host", 1).expect("it can be written");
    assert_eq!(beside.data.len(), again.data.len());
    let other = SameHostEndpoint::from_tagged(&beside).expect("what was written can be read");
    assert_eq!(other.and_then(|other| other.component_beside("host", 1)), Some(beside));
}
