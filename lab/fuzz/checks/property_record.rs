//! Records of the file of a property service.

use armilla::Orb;
use std::sync::OnceLock;

pub(crate) fn check(data: &[u8]) {
    static ORB: OnceLock<Orb> = OnceLock::new();
    let orb = ORB.get_or_init(|| Orb::new().expect("an ORB without endpoints"));
    armilla_cos::properties::check_record(data, orb);
}
