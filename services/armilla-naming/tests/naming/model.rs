//! The rules of naming contexts, without an ORB.

use armilla_naming::model::*;
use std::collections::BTreeMap;

/// A tree that a test changes.
#[derive(Default)]
struct Names(NameTree);

fn name(text: &str) -> Vec<NameComponent> {
    parse_name(text).unwrap()
}

fn object(text: &str) -> Target {
    Target::Object(text.as_bytes().into())
}

impl Names {
    fn make(&mut self, decision: Result<Decision, NamingError>) -> Result<ContextId, NamingError> {
        let Decision::Here { changes, created } = decision? else { panic!("it is foreign") };
        for change in changes {
            let undo = self.0.apply(change.clone()).unwrap();
            let redo = self.0.apply(undo).unwrap();
            assert_eq!(redo_of(&redo), redo_of(&change), "undone twice, a change is the same");
            self.0.apply(redo).unwrap();
        }
        Ok(created.unwrap_or(ROOT))
    }

    fn bind(&mut self, text: &str, target: Target) -> Result<ContextId, NamingError> {
        let decision = self.0.bind(ROOT, &name(text), target, Bind::New, 7);
        self.make(decision)
    }

    fn rebind(&mut self, text: &str, target: Target) -> Result<ContextId, NamingError> {
        let decision = self.0.bind(ROOT, &name(text), target, Bind::Replace, 8);
        self.make(decision)
    }

    fn bind_new_context(&mut self, text: &str) -> Result<ContextId, NamingError> {
        let decision = self.0.bind_new_context(ROOT, &name(text), 7);
        self.make(decision)
    }

    fn unbind(&mut self, text: &str) -> Result<ContextId, NamingError> {
        let decision = self.0.unbind(ROOT, &name(text));
        self.make(decision)
    }

    fn destroy(&mut self, context: ContextId) -> Result<ContextId, NamingError> {
        let decision = self.0.destroy(context);
        self.make(decision)
    }

    fn resolve(&self, text: &str) -> Result<Target, NamingError> {
        match self.0.resolve(ROOT, &name(text))? {
            Found::Here(bound) => Ok(bound.target),
            Found::Foreign { .. } => panic!("{text} is foreign"),
        }
    }
}

/// The number of a context is taken for good, so creating it again is the same change.
fn redo_of(change: &Change) -> String {
    format!("{change:?}")
}

fn not_found(why: NotFoundReason, rest: usize) -> NamingError {
    NamingError::NotFound { why, rest }
}

use NotFoundReason::{MissingNode, NotContext, NotObject};

#[test]
fn names_lead_through_contexts() {
    let mut names = Names::default();
    let a = names.bind_new_context("a").unwrap();
    let b = names.bind_new_context("a/b.kind").unwrap();
    names.bind("a/b.kind/c", object("c")).unwrap();
    assert_eq!(names.resolve("a"), Ok(Target::Context(a)));
    assert_eq!(names.resolve("a/b.kind"), Ok(Target::Context(b)));
    assert_eq!(names.resolve("a/b.kind/c"), Ok(object("c")));
    let relative = names.0.resolve(a, &name("b.kind/c")).unwrap();
    assert!(
        matches!(relative, Found::Here(bound) if bound.target == object("c") && bound.since == 7)
    );
    assert_eq!((names.0.contexts(), names.0.bindings()), (3, 3));
}

#[test]
fn not_found_says_why_and_where() {
    let mut names = Names::default();
    names.bind_new_context("a").unwrap();
    names.bind("a/object", object("o")).unwrap();
    for (text, why, rest) in [
        ("x", MissingNode, 1),
        ("x/y/z", MissingNode, 3),
        ("a/x", MissingNode, 1),
        ("a/x/y", MissingNode, 2),
        ("a/object/y", NotContext, 2),
        ("a/object/y/z", NotContext, 3),
        ("a/object.kind", MissingNode, 1),
    ] {
        assert_eq!(names.resolve(text), Err(not_found(why, rest)), "resolve {text}");
        assert_eq!(names.unbind(text), Err(not_found(why, rest)), "unbind {text}");
        if rest > 1 {
            let bound = names.bind(text, object("new"));
            assert_eq!(bound, Err(not_found(why, rest)), "bind {text}");
            assert_eq!(names.bind_new_context(text), Err(not_found(why, rest)));
        }
    }
}

#[test]
fn id_and_kind_tell_names_apart() {
    let mut names = Names::default();
    for text in ["a", "a.b", ".b", ".", r"a\.b", r"a\/b"] {
        names.bind(text, object(text)).unwrap();
    }
    for text in ["a", "a.b", ".b", ".", r"a\.b", r"a\/b"] {
        assert_eq!(names.resolve(text), Ok(object(text)));
    }
}

#[test]
fn a_bound_name_is_not_bound_again() {
    let mut names = Names::default();
    names.bind("a", object("first")).unwrap();
    assert_eq!(names.bind("a", object("second")), Err(NamingError::AlreadyBound));
    assert_eq!(names.bind_new_context("a"), Err(NamingError::AlreadyBound));
    assert_eq!(names.resolve("a"), Ok(object("first")));
    assert_eq!(names.0.contexts(), 1, "no context is left over");
}

#[test]
fn a_rebind_keeps_the_type_of_the_binding() {
    let mut names = Names::default();
    let context = names.bind_new_context("context").unwrap();
    names.rebind("object", object("first")).unwrap();
    names.rebind("object", object("second")).unwrap();
    assert_eq!(names.resolve("object"), Ok(object("second")));
    assert_eq!(names.rebind("context", object("o")), Err(not_found(NotObject, 1)));
    let target = Target::Context(context);
    assert_eq!(names.rebind("object", target.clone()), Err(not_found(NotContext, 1)));
    names.rebind("context", target).unwrap();
}

#[test]
fn an_object_that_is_bound_as_one_leads_nowhere() {
    let mut names = Names::default();
    // A reference to a context that is bound by `bind` takes no part in resolution.
    names.bind("a", object("reference to a context")).unwrap();
    assert_eq!(names.resolve("a/b"), Err(not_found(NotContext, 2)));
}

#[test]
fn names_need_components_without_nul() {
    let names = Names::default();
    assert_eq!(names.0.resolve(ROOT, &[]), Err(NamingError::InvalidName));
    let nul = [NameComponent { id: "a\0b".into(), kind: String::new() }];
    assert_eq!(names.0.resolve(ROOT, &nul), Err(NamingError::InvalidName));
    let way = [nul[0].clone(), nul[0].clone()];
    assert_eq!(names.0.resolve(ROOT, &way), Err(NamingError::InvalidName));
}

#[test]
fn a_context_may_be_bound_often_and_in_cycles() {
    let mut names = Names::default();
    let a = names.bind_new_context("a").unwrap();
    names.bind("b", Target::Context(a)).unwrap();
    names.bind("a/again", Target::Context(a)).unwrap();
    names.bind("a/up", Target::Context(ROOT)).unwrap();
    names.bind("b/again/again/up/a/x", object("x")).unwrap();
    assert_eq!(names.resolve("a/x"), Ok(object("x")));
    names.unbind("a").unwrap();
    assert_eq!(names.resolve("b/x"), Ok(object("x")));
}

#[test]
fn a_context_knows_its_names() {
    let mut names = Names::default();
    let a = names.bind_new_context("a").unwrap();
    let b = names.bind_new_context("a/b").unwrap();
    names.bind("again", Target::Context(b)).unwrap();
    names.bind("a/b/up", Target::Context(a)).unwrap();
    assert_eq!(names.0.names_of(ROOT), Some(vec![vec![]]));
    assert_eq!(names.0.names_of(b), Some(vec![name("again"), name("a/b")]));
    assert_eq!(names.0.names_of(a), Some(vec![name("a"), name("again/up")]));
    names.unbind("a").unwrap();
    assert_eq!(names.0.names_of(b), Some(vec![name("again")]));
    names.unbind("again").unwrap();
    assert_eq!(names.0.names_of(b), Some(vec![]));
    for number in 0..100 {
        names.bind(&format!("many{number}"), Target::Context(b)).unwrap();
    }
    assert_eq!(names.0.names_of(b), None);
}

#[test]
fn only_an_empty_context_is_destroyed_and_never_the_root() {
    let mut names = Names::default();
    let a = names.bind_new_context("a").unwrap();
    names.bind("a/x", object("x")).unwrap();
    assert_eq!(names.destroy(a), Err(NamingError::NotEmpty));
    names.unbind("a/x").unwrap();
    names.destroy(a).unwrap();
    assert_eq!(names.destroy(a), Err(NamingError::Destroyed));
    names.unbind("a").unwrap();
    assert_eq!(names.destroy(ROOT), Err(NamingError::Root));
}

#[test]
fn a_destroyed_context_is_a_dead_end() {
    let mut names = Names::default();
    let a = names.bind_new_context("a").unwrap();
    let b = names.bind_new_context("a/b").unwrap();
    names.bind("b", Target::Context(b)).unwrap();
    names.destroy(b).unwrap();
    assert_eq!(names.resolve("a/b"), Ok(Target::Context(b)), "the binding itself is there");
    let dead = |rest| NamingError::DeadEnd { context: b, rest };
    assert_eq!(names.resolve("a/b/x"), Err(dead(1)));
    assert_eq!(names.resolve("b/x/y"), Err(dead(2)));
    assert_eq!(names.0.resolve(b, &name("x")), Err(NamingError::Destroyed));
    assert_eq!(names.0.list(b, None, 1), Err(NamingError::Destroyed));
    assert_eq!(names.0.new_context(b, 0), Err(NamingError::Destroyed));
    names.unbind("a/b").unwrap();
    let again = names.bind_new_context("a/b").unwrap();
    assert!(again > b && b > a, "no number is used twice");
}

#[test]
fn foreign_contexts_get_the_rest_of_the_name() {
    let mut names = Names::default();
    let there = ReferenceOctets::from(&b"there"[..]);
    names.bind_new_context("a").unwrap();
    names.bind("a/b", Target::ForeignContext(there.clone())).unwrap();
    assert_eq!(names.resolve("a/b"), Ok(Target::ForeignContext(there.clone())));
    let long = name("a/b/c/d");
    let found = names.0.resolve(ROOT, &long);
    assert_eq!(found, Ok(Found::Foreign { context: there.clone(), rest: 2 }));
    let foreign = Ok(Decision::Foreign { context: there, rest: 2 });
    assert_eq!(names.0.bind(ROOT, &long, object("o"), Bind::New, 0), foreign);
    assert_eq!(names.0.unbind(ROOT, &long), foreign);
    assert_eq!(names.0.bind_new_context(ROOT, &long, 0), foreign);
}

#[test]
fn a_listing_goes_on_where_it_was_while_bindings_change() {
    let mut names = Names::default();
    for id in ["b", "d", "f"] {
        names.bind(id, object(id)).unwrap();
    }
    names.bind_new_context("c").unwrap();
    let ids = |listed: &Listed| -> Vec<String> {
        listed.bindings.iter().map(|(step, _)| step.component().id).collect()
    };
    let first = names.0.list(ROOT, None, 2).unwrap();
    assert_eq!((ids(&first), first.more), (vec!["b".into(), "c".into()], true));
    assert!(first.bindings[1].1, "c is a context");
    names.unbind("c").unwrap();
    names.bind("a", object("behind the listing")).unwrap();
    names.bind("e", object("before it")).unwrap();
    let rest = names.0.list(ROOT, Some(&first.bindings[1].0), 10).unwrap();
    assert_eq!((ids(&rest), rest.more), (vec!["d".into(), "e".into(), "f".into()], false));
    let none = names.0.list(ROOT, None, 0).unwrap();
    assert!(none.bindings.is_empty() && none.more);
}

#[test]
fn a_context_is_a_sorted_map_whatever_is_bound_and_unbound() {
    let (mut tree, mut expected) = (NameTree::default(), BTreeMap::new());
    let mut random: u32 = 1;
    for _ in 0..5000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Ids that begin with other ids, so that only the whole step tells them apart.
        let (id, kind) = ("x".repeat((random >> 16) as usize % 12), (random >> 28).to_string());
        let step = Step::new(&NameComponent { id, kind }).unwrap();
        let change = match random >> 24 & 3 {
            0 => Change::Unbind { context: ROOT, step: step.clone() },
            _ => {
                let bound = Bound::new(object(&random.to_string()), random);
                Change::Bind { context: ROOT, step: step.clone(), bound }
            }
        };
        match &change {
            Change::Bind { bound, .. } => drop(expected.insert(step.clone(), bound.clone())),
            _ => drop(expected.remove(&step)),
        }
        tree.apply(change);
        let NameComponent { id, kind } = step.component();
        assert_eq!(tree.get(ROOT, &step), expected.get(&step));
        assert_eq!(tree.find(ROOT, &id, &kind), expected.get(&step));
    }
    assert!(tree.bindings_after(ROOT, None).unwrap().eq(&expected));
    assert_eq!(tree.bindings(), expected.len());
    let mut loaded = NameTree::default();
    loaded.load(ROOT, 0, expected.clone());
    assert!(loaded.bindings_after(ROOT, None).unwrap().eq(&expected));
    assert!(expected.iter().all(|(step, bound)| loaded.get(ROOT, step) == Some(bound)));
}

#[test]
fn limits_are_named() {
    let mut limits = Limits::default();
    limits.bindings = 2;
    limits.contexts = 2;
    limits.name_components = 3;
    limits.component_octets = 5;
    limits.reference_octets = 10;
    let mut names = Names(NameTree::new(limits));
    names.bind_new_context("a").unwrap();
    let named = |error: NamingError, limit: &str| match error {
        NamingError::Limit(what) => assert!(what.contains(limit), "{what}"),
        other => panic!("{other:?}"),
    };
    named(names.bind_new_context("b").unwrap_err(), "contexts");
    named(names.resolve("a/b/c/d").unwrap_err(), "name_components");
    named(names.resolve("abc.def").unwrap_err(), "component_octets");
    named(names.bind("b", object("01234567890")).unwrap_err(), "reference_octets");
    names.bind("b", object("b")).unwrap();
    named(names.bind("c", object("c")).unwrap_err(), "bindings");
    names.rebind("b", object("another")).unwrap();
}

#[test]
fn groups_gather_the_servers_of_a_name() {
    let mut names = Names::default();
    let join = |names: &mut Names, member: &str| {
        let decision =
            names.0.bind(ROOT, &name("g"), object(member), Bind::Join(Balance::RoundRobin), 9);
        names.make(decision)
    };
    join(&mut names, "one").unwrap();
    join(&mut names, "two").unwrap();
    join(&mut names, "one").unwrap();
    let members = |names: &Names| match names.resolve("g").unwrap() {
        Target::Group(group) => {
            group.members.iter().map(|member| member.reference.as_bytes().to_vec()).collect()
        }
        other => panic!("{other:?}"),
    };
    let found: Vec<Vec<u8>> = members(&names);
    assert_eq!(found, [b"two".to_vec(), b"one".to_vec()], "the same server joins once");
    assert_eq!(names.resolve("g/x"), Err(not_found(NotContext, 2)));

    let step = Step::new(&name("g")[0]).unwrap();
    let leave = |names: &Names, member: &str| names.0.leave(ROOT, &step, &member.as_bytes().into());
    assert_eq!(leave(&names, "three"), None);
    let change = leave(&names, "two").unwrap();
    names.0.apply(change).unwrap();
    let found: Vec<Vec<u8>> = members(&names);
    assert_eq!(found, [b"one".to_vec()]);
    let change = leave(&names, "one").unwrap();
    names.0.apply(change).unwrap();
    assert_eq!(names.resolve("g"), Err(not_found(MissingNode, 1)));
}

#[test]
fn urls_need_an_address_and_a_name() {
    let url = |address, name| corbaname(address, name);
    assert_eq!(
        url("iiop:1.2@h:1,:[::1]/Key", "a").as_deref(),
        Ok("corbaname:iiop:1.2@h:1,:[::1]/Key#a")
    );
    assert_eq!(url(":h", r"a\.b/é").as_deref(), Ok("corbaname::h#a%5c.b/%c3%a9"));
    for address in ["", "h", ":h:0", "x:h", ":h#a"] {
        assert!(matches!(url(address, "a"), Err(AddressError::Address(_))), "{address:?}");
    }
    assert_eq!(url(":h", "").as_deref(), Ok("corbaname::h"));
    for text in ["/", "a//b", "a.", r"a\b"] {
        assert!(matches!(url(":h", text), Err(AddressError::Name(_))), "{text:?}");
    }
}
