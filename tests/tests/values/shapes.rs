//! Valuetypes: a graph of values keeps its shape, remote and collocated.

use armilla::codegen::Valuetype;
use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, ServerInterceptor, ServerRequestInfo,
};
use armilla::{
    Abstract, Any, Error, ExceptionKind, Minor, SystemException, Value, ValueBase, ValueBaseRef,
};
use armilla_cdr::{ByteOrder, CodeSet, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use armilla_tests::mirrors::{Glass, Mirrors, echo, node, numbers};
use armilla_tests::older;
use armilla_tests::orbs::{builder, client, listening, travel, travel_object};
use armilla_tests::values::mirror::RefuseRaises;
use armilla_tests::values::*;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

type Result<T, E = SystemException> = std::result::Result<T, E>;

#[test]
fn null_is_a_value_of_every_type() {
    let mirrors = Mirrors::new();
    for mirror in mirrors.both() {
        assert_eq!(mirror.echo_node(&None, &mut None), Ok((None, None)));
        assert_eq!(mirror.echo_text(&None, &mut None), Ok((None, None)));
        assert_eq!(mirror.echo_shape(&None, &mut None), Ok((None, None)));
        assert_eq!(mirror.echo_value(&None, &mut None), Ok((None, None)));
        assert_eq!(mirror.echo_printable(&None, &mut None), Ok((None, None)));
    }
}

#[test]
fn one_value_arrives_as_one_and_two_equal_ones_as_two() {
    let mirrors = Mirrors::new();
    let (one, other) = (Some(node(1, None)), Some(node(1, None)));
    for mirror in mirrors.both() {
        assert_eq!(mirror.are_one(&one, &one), Ok(true));
        assert_eq!(mirror.are_one(&one, &other), Ok(false));
        let mut kept = Pair { first: other.clone(), second: other.clone() };
        let given = Pair { first: one.clone(), second: other.clone() };
        let (before, copy) = mirror.echo_pair(&given, &mut kept).unwrap();
        assert!(before.first.is_some() && before.first == before.second);
        assert_ne!(copy.first, copy.second);
        assert_eq!(copy, kept, "what is returned twice in one reply is one value");
        assert_eq!(before.first, copy.second);
    }
}

#[test]
fn a_circle_arrives_as_a_circle() {
    let mirrors = Mirrors::new();
    let last = node(3, None);
    let first = node(1, Some(&node(2, Some(&last))));
    last.update(|last| last.next = Some(first.clone()));
    for mirror in mirrors.both() {
        let (_, copy) = mirror.echo_node(&Some(first.clone()), &mut None).unwrap();
        let copy = copy.unwrap();
        let next = |node: &Value<Node>| node.get().next.clone().unwrap();
        assert_eq!(next(&next(&next(&copy))), copy);
        assert_eq!(numbers(Some(copy.clone()))[..4], [1, 2, 3, 1]);
        assert_eq!(copy == first, mirror.local().is_some());
        copy.update(|copy| copy.next = None);
        first.update(|first| first.next = Some(node(2, Some(&last))));
    }
    last.update(|last| last.next = None);
}

#[test]
fn a_value_keeps_its_type_where_a_base_is_declared() {
    let mirrors = Mirrors::new();
    let label = Value::new(Text("unit cycle".to_owned()));
    let mark = node(7, None);
    let labelled = Value::new(Labelled {
        base: Circle { radius: 1.0 },
        label: Some(label),
        marked: vec![Some(mark.clone()), None, Some(mark)],
    });
    for mirror in mirrors.both() {
        let (_, shape) = mirror.echo_shape(&Some(labelled.upcast()), &mut None).unwrap();
        let shape = shape.unwrap();
        assert_eq!(shape.repository_id(), "IDL:armilla.org/Values/Labelled:1.0");
        let copy: Value<Labelled> = shape.downcast().unwrap();
        assert_eq!(copy.get().base, Circle { radius: 1.0 });
        assert_eq!(copy.get().label.as_ref().unwrap().get().0, "unit cycle");
        assert!(copy.get().marked[0].is_some() && copy.get().marked[0] == copy.get().marked[2]);
        assert_eq!(shape.downcast::<Node>(), None);

        let (_, cycle) = mirror.echo_circle(&Some(labelled.upcast()), &mut None).unwrap();
        let cycle = cycle.unwrap();
        assert!((cycle.get().radius - 1.0).abs() < f64::EPSILON);
        cycle.update(|cycle| cycle.radius = 1.0);
        assert!(cycle.downcast::<Labelled>().is_some());
    }
}

#[test]
fn boxes_sequences_unions_and_values_without_state_travel() {
    let mirrors = Mirrors::new();
    for mirror in mirrors.both() {
        let text = Some(Value::new(Text("Ærø".to_owned())));
        let (_, copy) = mirror.echo_text(&text, &mut None).unwrap();
        assert_eq!(copy.unwrap().get().0, "Ærø");
        let series = Some(Value::new(Numbers(vec![1.5, -2.5])));
        let (_, copy) = mirror.echo_numbers(&series, &mut None).unwrap();
        assert_eq!(copy.unwrap().get().0, [1.5, -2.5]);
        let nothing = Some(Value::new(Nothing::default()));
        assert!(mirror.echo_nothing(&nothing, &mut None).unwrap().1.is_some());
        let shared = Some(node(5, None));
        let nodes = [None, shared.clone(), shared.clone()];
        let (_, copy) = mirror.echo_nodes(&nodes, &mut Vec::new()).unwrap();
        assert!(copy[0].is_none() && copy[1].is_some() && copy[1] == copy[2]);
        let mut kept = Maybe::Unlisted { discriminator: false };
        let (_, copy) = mirror.echo_maybe(&Maybe::Given(shared.clone()), &mut kept).unwrap();
        assert!(matches!(copy, Maybe::Given(Some(node)) if node.get().number == 5));
        match mirror.refuse(&shared) {
            Err(Error::User(RefuseRaises::Unfit(unfit))) => {
                assert_eq!(unfit.which.unwrap().get().number, 5);
                assert_eq!(unfit.why.unwrap().get().0, "too large");
            }
            other => panic!("{other:?}"),
        }
    }
}

fn report() -> Value<Report> {
    let appendix = node(20, Some(&node(21, None)));
    let document = Document {
        base: Node { number: 1, next: Some(node(2, None)), ..Node::default() },
        title: "On values".to_owned(),
        appendix: Some(appendix.clone()),
        figures: Some(Value::new(Numbers(vec![0.5]))),
    };
    Value::new(Report { base: document, author: "A".to_owned(), extra: Some(appendix) })
}

#[test]
fn a_truncatable_value_travels_whole_where_it_is_known() {
    let mirrors = Mirrors::new();
    for mirror in mirrors.both() {
        let report = Some(report().upcast());
        let (_, copy) = mirror.echo_node(&report, &mut None).unwrap();
        let copy: Value<Report> = copy.unwrap().downcast().unwrap();
        let copy = copy.get();
        assert_eq!((copy.author.as_str(), copy.base.title.as_str()), ("A", "On values"));
        assert_eq!(copy.base.appendix, copy.extra);
        assert_eq!(numbers(copy.extra.clone()), [20, 21]);
        assert_eq!(numbers(copy.base.base.next.clone()), [2]);
        assert_eq!(copy.base.figures.as_ref().unwrap().get().0, [0.5]);
    }
}

#[test]
fn a_custom_value_is_marshalled_by_the_program() {
    let mirrors = Mirrors::new();
    for mirror in mirrors.both() {
        let inside = Some(node(6, None));
        let sealed = Some(Value::new(Sealed { text: "abc".to_owned(), inside }));
        let mut kept = sealed.clone();
        let (before, copy) = mirror.echo_sealed(&sealed, &mut kept).unwrap();
        assert!(before.is_some() && before == copy);
        let copy = copy.unwrap().get();
        assert_eq!(copy.text, "abc");
        assert_eq!(numbers(copy.inside.clone()), [6]);
    }
}

struct OlderGlass;

impl older::Mirror for OlderGlass {
    fn echo_node(
        &self,
        given: &older::NodeRef,
        kept: &mut older::NodeRef,
    ) -> Result<(older::NodeRef, older::NodeRef)> {
        echo(given, kept)
    }
}

#[test]
fn a_value_is_truncated_where_only_its_base_is_known() {
    let server = listening();
    let older = server.root_poa().activate(older::mirror::tie(OlderGlass)).unwrap();
    let mirror: MirrorRef = travel_object(older.object(), &client()).assume();
    let given = Some(report().upcast());
    // What stands behind the truncated value is read as it should be.
    let mut kept = Some(node(8, Some(&node(9, None))));
    let (before, copy) = mirror.echo_node(&given, &mut kept).unwrap();
    assert_eq!(numbers(before), [8, 9]);
    let copy = copy.unwrap();
    assert_eq!(copy.repository_id(), "IDL:armilla.org/Values/Node:1.0");
    assert_eq!(numbers(Some(copy.clone())), [1, 2]);
    assert_eq!(kept, Some(copy));
    server.shutdown();
}

#[test]
fn what_a_truncated_value_shares_with_others_arrives_by_way_of_those() {
    let server = listening();
    let older = server.root_poa().activate(older::mirror::tie(OlderGlass)).unwrap();
    let mirror: MirrorRef = travel_object(older.object(), &client()).assume();
    // The older program does not know the appendix, which is also the other argument.
    let appendix = node(8, Some(&node(9, None)));
    let document = Document { appendix: Some(appendix.clone()), ..Document::default() };
    let mut kept = Some(appendix);
    let (before, copy) = mirror.echo_node(&Some(Value::new(document).upcast()), &mut kept).unwrap();
    assert_eq!(numbers(before), [8, 9]);
    assert_eq!(copy.unwrap().repository_id(), "IDL:armilla.org/Values/Node:1.0");
    server.shutdown();
}

struct Sheet;

impl Printable for Sheet {
    fn print(&self) -> Result<String> {
        Ok("printed".to_owned())
    }
}

#[test]
fn an_abstract_interface_is_a_reference_or_a_value() {
    let mirrors = Mirrors::new();
    let sheet = mirrors.server.root_poa().activate(printable::tie(Sheet)).unwrap();
    let cycle = Value::new(Circle { radius: 2.0 });
    for mirror in mirrors.both() {
        let given = Some(Abstract::Reference(sheet.clone()));
        match mirror.echo_printable(&given, &mut None).unwrap().1 {
            Some(Abstract::Reference(reference)) => {
                assert_eq!(reference.print().unwrap(), "printed");
            }
            other => panic!("{other:?}"),
        }
        let given = Some(Abstract::Value(cycle.upcast()));
        match mirror.echo_printable(&given, &mut None).unwrap().1 {
            Some(Abstract::Value(value)) => {
                let cycle: Value<Circle> = value.downcast().unwrap();
                assert!((cycle.get().radius - 2.0).abs() < f64::EPSILON);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_value_of_any_type_is_accepted_when_its_type_is_registered() {
    let client = client();
    let mirrors = Mirrors::seen_from(&client);
    let value = Some(node(4, None).upcast::<ValueBase>());
    let refused = mirrors.far.echo_value(&value, &mut None).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::Marshal);
    mirrors.server.register_value::<Node>();
    client.register_value::<Node>();
    let (_, copy) = mirrors.far.echo_value(&value, &mut None).unwrap();
    assert_eq!(numbers(copy.unwrap().downcast()), [4]);
    assert!(
        mirrors.server.has_value(Node::REPOSITORY_ID) && !mirrors.server.has_value("IDL:a:1.0")
    );
    mirrors.server.unregister_value(Node::REPOSITORY_ID).unwrap();
    let refused = mirrors.far.echo_value(&value, &mut None).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::Marshal);
    let unknown = mirrors.server.unregister_value(Node::REPOSITORY_ID).unwrap_err();
    assert_eq!(
        (unknown.kind(), unknown.minor()),
        (ExceptionKind::BadParam, Minor::BAD_PARAM_NO_VALUE_FACTORY)
    );
    // What the IDL of a parameter tells needs no registration.
    mirrors.far.echo_node(&Some(node(4, None)), &mut None).unwrap();
}

#[test]
fn the_type_codes_of_values_survive_being_written_and_read() {
    let codes = [
        NodeRef::type_code(),
        ReportRef::type_code(),
        LabelledRef::type_code(),
        SealedRef::type_code(),
        TextRef::type_code(),
        PrintableRef::type_code(),
        ValueBaseRef::type_code(),
        Pair::type_code(),
    ];
    for code in codes {
        let mut out = Encoder::new(ByteOrder::Big);
        code.encode(&mut out).unwrap();
        let octets = out.to_vec();
        assert_eq!(TypeCode::decode(&mut Decoder::new(&octets, ByteOrder::Big)), Ok(code));
    }
    assert_eq!(ReportRef::type_code().id(), Some("IDL:armilla.org/Values/Report:1.0"));
}

/// The same any after it went through a message of this byte order, behind so many octets.
fn sent(any: &Any, order: ByteOrder, before: usize) -> Any {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
    any.encode(&mut out).unwrap();
    let octets = out.to_vec();
    let mut input = Decoder::at(&octets, before, order).with_code_set(CodeSet::Utf8);
    let arrived = Any::decode(&mut input).unwrap();
    assert_eq!(input.remaining(), 0);
    arrived
}

#[test]
fn an_any_keeps_the_shape_of_a_graph_of_values() {
    let (first, second) = (node(1, None), node(2, None));
    second.update(|state| state.next = Some(first.clone()));
    first.update(|state| state.next = Some(second.clone()));
    let pair = Pair { first: Some(first.clone()), second: Some(second) };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let any = sent(&Any::new(&pair).unwrap(), order, 3);
        let again = any.get::<Pair>().unwrap().unwrap();
        let next = again.first.as_ref().unwrap().get().next.clone();
        assert!(next == again.second && next.unwrap().get().next == again.first);
        let any = sent(&Any::new(&Some(first.clone())).unwrap(), order, 4);
        assert_eq!(numbers(any.get::<NodeRef>().unwrap().unwrap())[..4], [1, 2, 1, 2]);
    }
    let text = Some(Value::new(Text("in a box".to_owned())));
    let any = sent(&Any::new(&text).unwrap(), ByteOrder::Big, 1);
    assert_eq!(any.get::<TextRef>().unwrap().unwrap().unwrap().get().0, "in a box");
    assert_eq!(any.get::<NodeRef>().unwrap(), None);
    let null = sent(&Any::new(&NodeRef::None).unwrap(), ByteOrder::Big, 0);
    assert_eq!(null.get::<NodeRef>().unwrap(), Some(None));
}

#[test]
fn a_graph_that_comes_out_of_an_any_is_a_copy_of_its_own() {
    let orb = client();
    let first = node(1, None);
    let second = node(2, Some(&first));
    first.update(|first| first.next = Some(second.clone()));
    let document = Document {
        base: Node { next: Some(first.clone()), ..Node::default() },
        appendix: Some(second.clone()),
        ..Document::default()
    };
    let given: NodeRef = Some(Value::new(document).upcast());
    let copy = Any::new(&given).unwrap().get_with_context::<NodeRef>(&orb).unwrap().unwrap();
    let copy = copy.unwrap().downcast::<Document>().unwrap().get();
    let next = |node: &Value<Node>| node.get().next.clone().unwrap();
    let (copied, appendix) = (copy.base.next.clone().unwrap(), copy.appendix.clone().unwrap());
    assert!(copied != first && appendix != second);
    assert!(next(&copied) == appendix && next(&appendix) == copied);
    appendix.update(|appendix| appendix.number = 7);
    assert_eq!((second.get().number, next(&copied).get().number), (2, 7));
    for node in [&first, &copied] {
        node.update(|node| node.next = None);
    }
}

#[test]
fn a_value_in_an_any_has_the_type_code_of_its_own_type() {
    let report = Report { author: "A. Author".to_owned(), ..Report::default() };
    let as_node: NodeRef = Some(Value::new(report).upcast());
    let any = sent(&Any::new(&as_node).unwrap(), ByteOrder::Big, 2);
    assert_eq!(any.type_code(), &ReportRef::type_code());
    let again = any.get::<NodeRef>().unwrap().unwrap().unwrap();
    assert_eq!(again.downcast::<Report>().unwrap().get().author, "A. Author");
    assert!(any.get::<ReportRef>().unwrap().is_some());
    assert!(any.get::<CircleRef>().unwrap().is_none());
}

#[test]
fn what_a_type_code_does_not_describe_stays_if_it_can_be_told_where_it_ends() {
    let describe = |value: NodeRef| Any::with_type(NodeRef::type_code(), &value);
    let report = Report { author: "nobody".to_owned(), ..Report::default() };
    let any = describe(Some(Value::new(report).upcast())).unwrap();
    let again = sent(&any, ByteOrder::Big, 0);
    assert_eq!(again.dynamic_types(), [], "whoever passes it on does not know reports");
    let report = again.get::<NodeRef>().unwrap().flatten().unwrap().downcast::<Report>();
    assert_eq!(report.unwrap().get().author, "nobody");
    // A program that does not know reports either.
    let node = again.get::<older::NodeRef>().unwrap().flatten().unwrap();
    assert_eq!(node.repository_id(), Node::REPOSITORY_ID);
}

/// A sequence of nodes, each with the one before as its next, which is far deeper than values may
/// nest.
#[test]
fn a_message_may_lead_to_a_chain_that_is_deeper_than_values_nest() {
    let count = 50_000;
    let nodes: Nodes = (0..count).fold(Vec::new(), |mut nodes: Nodes, number| {
        nodes.push(Some(node(number, nodes.last().and_then(Option::as_ref))));
        nodes
    });
    let mirrors = Mirrors::new();
    let (_, copy) = mirrors.far.echo_nodes(&nodes, &mut Vec::new()).unwrap();
    let last = copy.last().cloned().flatten();
    drop(copy);
    assert_eq!(numbers(last)[..2], [count - 1, count - 2]);
}

#[test]
fn a_chain_of_any_length_can_be_dropped() {
    let chain = Mirrors::chain(300_000);
    let head = chain.get();
    drop(chain);
    drop(head);
}

#[test]
#[allow(clippy::mutable_key_type)] // The state is not what a handle is compared by.
fn handles_are_keys_by_which_value_they_are() {
    let mut notes = HashMap::new();
    let [first, second] = [node(1, None), node(1, None)];
    second.update(|second| second.next = Some(first.clone()));
    first.update(|first| first.next = Some(second.clone()));
    let mut next = Some(first.clone());
    while let Some(node) = next.take_if(|node| !notes.contains_key(node)) {
        next.clone_from(&node.get().next);
        notes.insert(node, notes.len());
    }
    first.update(|first| first.number = 7);
    assert_eq!((notes.get(&first), notes.get(&second), notes.len()), (Some(&0), Some(&1), 2));
    let document = Value::new(Document::default());
    notes.insert(document.upcast(), 2);
    assert_eq!(notes.get(&document.upcast::<Node>()), Some(&2), "also as one of a base");
    let cycle = Value::new(Circle::default());
    let printable = |value: &Value<Circle>| Abstract::<dyn Printable>::Value(value.upcast());
    assert!(HashSet::from([printable(&cycle)]).contains(&printable(&cycle)));
    first.update(|first| first.next = None);
}

#[test]
fn handles_may_be_used_by_many_threads() {
    let counter = node(0, None);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| counter.update(|node| node.number += 1)));
        }
    });
    assert_eq!(counter.get().number, 4000);
    let before = counter.get();
    counter.update(|node| node.number = 0);
    assert_eq!(before.number, 4000, "what was read stays as it was");
    assert_eq!(Arc::new(counter).get().number, 0);
}

/// Notes the numbers of the nodes that an argument leads to, five of them at most.
#[derive(Clone, Default)]
struct Reader(Arc<Mutex<Vec<Vec<i32>>>>);

impl Reader {
    fn note(&self, arguments: Vec<armilla::dynamic::NamedValue>) {
        let values = arguments.iter().filter_map(|argument| argument.value()?.get().unwrap());
        let walks = values.map(|first: NodeRef| numbers(first).into_iter().take(5).collect());
        self.0.lock().unwrap().extend(walks);
    }
}

impl ClientInterceptor for Reader {
    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.note(request.arguments()?);
        Ok(())
    }
}

impl ServerInterceptor for Reader {
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note(request.arguments()?);
        Ok(())
    }
}

#[test]
fn interceptors_are_shown_graphs_of_values_also_where_parameters_share_them() {
    let (came, went) = (Reader::default(), Reader::default());
    let server = builder().server_interceptor(came.clone()).listen("iiop://127.0.0.1:0").unwrap();
    let server = server.build().unwrap();
    let near: MirrorRef = server.root_poa().activate(mirror::tie(Glass)).unwrap();
    let far = travel(&near, &builder().client_interceptor(went.clone()).build().unwrap());

    let second = node(2, None);
    let first = node(1, Some(&second));
    second.update(|second| second.next = Some(first.clone()));
    let (first, second) = (Some(first), Some(second));
    assert_eq!(far.are_one(&first, &second), Ok(false));
    let shown = [vec![1, 2, 1, 2, 1], vec![2, 1, 2, 1, 2]];
    assert_eq!(std::mem::take(&mut *came.0.lock().unwrap()), shown);
    assert_eq!(std::mem::take(&mut *went.0.lock().unwrap()), shown);

    let mut kept = second.clone();
    let (before, copy) = far.echo_node(&first, &mut kept).unwrap();
    assert_eq!((copy.as_ref(), numbers(before)[..3].to_vec()), (kept.as_ref(), vec![2, 1, 2]));
    let [ones, twos] = shown;
    assert_eq!(*came.0.lock().unwrap(), [ones.clone(), twos], "an out parameter has none yet");
    assert_eq!(*went.0.lock().unwrap(), [ones.clone(), ones.clone(), ones]);
    server.shutdown();
}
