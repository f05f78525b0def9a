//! Names and exports of names, as text.

use armilla_naming::client::Snapshot;
use armilla_naming::model::{
    Bind, Decision, Found, NameTree, ROOT, Target, corbaname, parse_name, stringify_name,
};

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    if let Ok(snapshot) = text.parse::<Snapshot>() {
        assert_eq!(snapshot.to_string().parse().as_ref(), Ok(&snapshot));
    }
    if let Ok(url) = corbaname(":host", text) {
        assert!(url.is_ascii());
    }
    let Ok(name) = parse_name(text) else { return };
    assert_eq!(parse_name(&stringify_name(&name)).as_ref(), Ok(&name));
    bound(&name);
}

/// What is bound to a name is found by it.
fn bound(name: &[armilla_naming::model::NameComponent]) {
    let mut tree = NameTree::default();
    let apply = |tree: &mut NameTree, decision| {
        if let Ok(Decision::Here { changes, .. }) = decision {
            changes.into_iter().for_each(|change| drop(tree.apply(change)));
        }
    };
    for end in 1..name.len() {
        let decision = tree.bind_new_context(ROOT, &name[..end], 0);
        apply(&mut tree, decision);
    }
    let target = Target::Object(b"reference".as_slice().into());
    let decision = tree.bind(ROOT, name, target.clone(), Bind::New, 0);
    let is_bound = decision.is_ok();
    apply(&mut tree, decision);
    let found = tree.resolve(ROOT, name);
    assert_eq!(is_bound, matches!(found, Ok(Found::Here(bound)) if bound.target == target));
}
