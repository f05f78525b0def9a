//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/access_rules.rs"]
mod access_rules;
#[path = "../../../../lab/fuzz/checks/password_file.rs"]
mod password_file;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn rules() {
    replay("access_rules", access_rules::check);
}

#[test]
fn files_of_users() {
    replay("password_file", password_file::check);
}
