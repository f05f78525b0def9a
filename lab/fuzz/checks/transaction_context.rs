//! The propagation context of a request.

use armilla::Orb;
use std::sync::OnceLock;

pub(crate) fn check(data: &[u8]) {
    static ORB: OnceLock<Orb> = OnceLock::new();
    let orb = ORB.get_or_init(|| Orb::new().expect("an ORB without endpoints"));
    armilla_transactions::check_context(data, orb);
}
