//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/csi.rs"]
mod csi;
#[path = "../../../../lab/fuzz/checks/ft_contexts.rs"]
mod ft_contexts;
#[path = "../../../../lab/fuzz/checks/ior.rs"]
mod ior;
#[path = "../../../../lab/fuzz/checks/message_header.rs"]
mod message_header;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/reply.rs"]
mod reply;
#[path = "../../../../lab/fuzz/checks/request.rs"]
mod request;
#[path = "../../../../lab/fuzz/checks/url.rs"]
mod url;

use replay::replay;

#[test]
fn message_headers_and_streams() {
    replay("message_header", message_header::check);
}

#[test]
fn requests() {
    replay("request", request::check);
}

#[test]
fn replies() {
    replay("reply", reply::check);
}

#[test]
fn references() {
    replay("ior", ior::check);
}

#[test]
fn urls() {
    replay("url", url::check);
}

#[test]
fn security_contexts_and_tokens() {
    replay("csi", csi::check);
}

#[test]
fn contexts_of_requests_to_groups() {
    replay("ft_contexts", ft_contexts::check);
}
