//! Definitions of servers, as the store of an implementation repository holds them and as operators
//! send them.

use armilla_imr::model::{Definition, Key};

pub(crate) fn check(data: &[u8]) {
    let Ok(definition) = armilla_imr::decode_definition(data) else { return };
    let text = serde_json::to_vec(&definition).unwrap();
    let again: Definition = serde_json::from_slice(&text).unwrap();
    assert_eq!(definition, again);
    for pattern in &definition.objects {
        let parsed = pattern.to_string().parse();
        assert_eq!(Ok(pattern), parsed.as_ref());
        let key = Key { octets: data, adapter: Some(&["bank", "cards"]) };
        assert!(pattern.weight(&key).is_none_or(|weight| weight <= pattern.to_string().len() + 1));
    }
}
