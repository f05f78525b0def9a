//! Records of bindings, from a file or a cluster.

pub(crate) fn check(data: &[u8]) {
    armilla_naming::check_record("observatory\0device", data);
}
