//! Graphs of values that are long, cyclic, or arrive in pieces.

use armilla::interceptor::Codec;
use armilla::{Abstract, Any, Error, ExceptionKind, Orb, Value, Version};
use armilla_tests::mirrors::{Mirrors, node, numbers};
use armilla_tests::orbs::builder;
use armilla_tests::values::mirror::RefuseRaises;
use armilla_tests::values::*;

/// Two ORBs that take values as deep as this.
fn deep(value_depth: u32) -> (Orb, Orb) {
    let deep = || builder().settings(|settings| settings.value_depth = value_depth);
    let server = deep().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    (server, deep().build().unwrap())
}

fn length(first: NodeRef) -> usize {
    std::iter::successors(first, |node| node.get().next.clone()).count()
}

#[test]
fn lists_that_are_longer_than_the_receiver_takes_are_refused_by_it_with_the_setting() {
    let mirrors = Mirrors::new();
    let (_, copy) = mirrors.far.echo_node(&Some(Mirrors::chain(255)), &mut None).unwrap();
    assert_eq!(length(copy), 256);
    let refused = mirrors.far.echo_node(&Some(Mirrors::chain(256)), &mut None).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::Marshal);
    assert!(refused.to_string().contains("256 (value_depth)"), "{refused}");
    let (server, client) = deep(1000);
    let mirrors = Mirrors::between(server, &client);
    let (_, copy) = mirrors.far.echo_node(&Some(Mirrors::chain(999)), &mut None).unwrap();
    assert_eq!(length(copy), 1000);
    let refused = mirrors.far.echo_node(&Some(Mirrors::chain(1000)), &mut None).unwrap_err();
    assert!(refused.to_string().contains("1000 (value_depth)"), "{refused}");
}

#[test]
fn lists_as_long_as_one_likes_are_written_and_read_without_a_stack_for_them() {
    let (server, client) = deep(u32::MAX);
    let mirrors = Mirrors::between(server, &client);
    let list = Mirrors::chain(100_000);
    let mut kept = Some(list.clone());
    let (before, copy) = mirrors.far.echo_node(&Some(list), &mut kept).unwrap();
    assert!(before == copy && copy == kept, "one list in three places is one");
    drop((before, kept));
    assert_eq!(length(copy), 100_001);
}

/// A list whose last member is the next document, so each document lies in the chunks of the
/// previous.
#[test]
fn long_lists_in_chunks_are_written_read_and_truncated() {
    let (server, client) = deep(20_000);
    let mirrors = Mirrors::between(server, &client);
    let document = |appendix: Option<Value<Document>>, number| {
        let base = Node { number, ..Node::default() };
        let appendix = appendix.map(|document| document.upcast());
        Some(Value::new(Document { base, appendix, ..Document::default() }))
    };
    let list = (0..10_000).fold(None, document);
    let (_, copy) = mirrors.far.echo_document(&list, &mut None).unwrap();
    let next = |document: &Value<Document>| document.get().appendix.as_ref()?.downcast();
    assert_eq!(std::iter::successors(copy, next).count(), 10_000);
}

#[test]
fn graphs_arrive_whole_in_fragments_however_small() {
    for version in [Version::V1_1, Version::V1_2] {
        for size in [64, 72, 100, 128] {
            let cut = || builder().settings(|settings| settings.fragment_size = Some(size));
            let server = cut().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
            let mirrors = Mirrors::between(server, &cut().max_giop(version).build().unwrap());
            let (first, second) = (node(1, None), node(2, None));
            second.update(|state| state.next = Some(first.clone()));
            first.update(|state| state.next = Some(second.clone()));
            let figures = Some(Value::new(Numbers(vec![0.5; 40])));
            let base = Node { number: 0, next: Some(first.clone()), ..Node::default() };
            let title = "over fragments ".repeat(20);
            let appendix = Some(second.clone());
            let document = Value::new(Document { base, title: title.clone(), appendix, figures });
            let mut kept = Some(second);
            let given = Some(document.upcast());
            let (before, copy) = mirrors.far.echo_node(&given, &mut kept).unwrap();
            assert_eq!(numbers(before.clone())[..3], [2, 1, 2]);
            let copy = copy.unwrap();
            let state = copy.downcast::<Document>().unwrap().get();
            assert_eq!((&state.title, state.figures.as_ref().unwrap().get().0.len()), (&title, 40));
            assert!(state.appendix == before && kept.as_ref() == Some(&copy));
            drop((state, kept, copy));
            before.unwrap().break_cycles();
            first.break_cycles();
        }
    }
}

#[test]
fn an_exception_shares_what_its_members_lead_to_with_nothing_else() {
    let mirrors = Mirrors::new();
    let cycle = node(1, None);
    cycle.update(|state| state.next = Some(cycle.clone()));
    for mirror in mirrors.both() {
        let Err(Error::User(RefuseRaises::Unfit(unfit))) = mirror.refuse(&Some(cycle.clone()))
        else {
            panic!("it refuses")
        };
        let which = unfit.which.unwrap();
        assert_eq!(which.get().next.as_ref(), Some(&which));
        if which != cycle {
            which.break_cycles();
        }
    }
    cycle.break_cycles();
}

#[test]
fn what_may_be_a_reference_or_a_value_goes_into_anys() {
    let mirrors = Mirrors::new();
    let printer = mirrors.server.root_poa().activate(printer::tie(Typewriter)).unwrap();
    let reference: PrintableRef = Some(Abstract::Reference(printer.upcast()));
    let value: PrintableRef = Some(Abstract::Value(Value::new(Circle { radius: 2.5 }).upcast()));
    let orb = builder().build().unwrap();
    orb.register_value::<Circle>();
    for given in [&None, &reference, &value] {
        let any = Any::new(given).unwrap();
        for codec in [Version::V1_1, Version::V1_2].map(Codec::new) {
            let again = codec.decode_with_context(&codec.encode(&any).unwrap(), &orb).unwrap();
            assert_eq!(again, any);
            let alone = codec.encode_value(&any).unwrap();
            let again = codec.decode_value_within(&alone, any.type_code(), &orb);
            match (again.unwrap().get_with_context::<PrintableRef>(&orb).unwrap().unwrap(), given) {
                (None, None) => {}
                (Some(Abstract::Reference(one)), Some(Abstract::Reference(other))) => {
                    assert!(one == *other);
                }
                (Some(Abstract::Value(value)), Some(Abstract::Value(_))) => {
                    assert_eq!(value.downcast::<Circle>().unwrap().get().radius, 2.5);
                }
                (other, _) => panic!("{other:?} instead of {given:?}"),
            }
        }
    }
    let nil: PrintableRef = Some(Abstract::Reference(PrintableType::nil()));
    let any = Any::new(&nil).unwrap();
    assert_eq!(any, Any::new(&PrintableRef::None).unwrap(), "nil is null");
}

struct Typewriter;

type PrintableType = armilla::codegen::Ref<dyn Printable>;

impl Printable for Typewriter {
    fn print(&self) -> Result<String, armilla::SystemException> {
        Ok("typed".to_owned())
    }
}

impl Printer for Typewriter {
    fn name(&self) -> Result<String, armilla::SystemException> {
        Ok(String::new())
    }

    fn set_name(&self, _value: &str) -> Result<(), armilla::SystemException> {
        Ok(())
    }
}
