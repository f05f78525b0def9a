//! Values as the ORB of the JDK writes them, today part of GlassFish (4.2.5): octets that it wrote,
//! in big-endian order. It puts every IDL value in chunks, ends several with one tag, and writes
//! Java's own classes by the Java-to-IDL mapping.

use armilla::{
    Any, CdrResult, CustomMarshal, Decode, Decoder, Encode, Encoder, Value, ValueBaseRef,
};
use armilla_cdr::{ByteOrder, CdrErrorKind, FragmentedOctets};
use armilla_tests::mirrors::numbers;
use armilla_tests::older;
use armilla_tests::orbs::client;
use armilla_tests::values::{Document, NodeRef, Report};
use java::{List, Point, Solid, Text};

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("java");
}

use idl::java;

/// A node with 1 that leads to one with 2.
const NODE: &str = "\
    7fffff0a0000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e3000000000040000\
    00017fffff0affffffffffffffcc0000000d00000002000000000000000100000000fffffffe0000000500000001\
    00000000ffffffff\
    ";

/// 7, then 8 that leads to it, then 7 again.
const SHARED: &str = "\
    7fffff0a0000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e30000000000d0000\
    0007000000000000000100000000ffffffff7fffff0affffffffffffffbc0000001100000008ffffffffffffffa8\
    0000000100000000ffffffffffffffffffffff94\
    ";

/// 7 and 8, which lead to one another.
const CIRCLE: &str = "\
    7fffff0a0000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e3000000000040000\
    00077fffff0affffffffffffffcc0000001100000008ffffffffffffffb80000000100000000fffffffe00000005\
    0000000100000000ffffffff\
    ";

/// A report with an appendix that is its extra node too, then the number 99.
const REPORT: &str = "\
    7fffff0a0000002249444c3a61726d696c6c612e6f72672f56616c7565732f5265706f72743a312e300000000000\
    0004000000017fffff0a0000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e3000\
    0000000d00000002000000000000000100000000fffffffe0000001600000001000000000000000a4f6e2076616c\
    7565730000007fffff0affffffffffffffa000000004000000147fffff0affffffffffffff8c0000000d00000015\
    000000000000000100000000fffffffd000000050000000100000000fffffffe7fffff0a0000002349444c3a6172\
    6d696c6c612e6f72672f56616c7565732f4e756d626572733a312e3000000000001000000001000000003fe00000\
    00000000fffffffe000000100000000241000000ffffffffffffff64ffffffff00000063\
    ";

/// A report that leads to a document thrice, and has another as its appendix; then that
/// document, then 99.
const NESTED: &str = "\
    7fffff0a0000002249444c3a61726d696c6c612e6f72672f56616c7565732f5265706f72743a312e300000000000\
    0004000000017fffff0a0000002449444c3a61726d696c6c612e6f72672f56616c7565732f446f63756d656e743a\
    312e3000000000200000000300000000000000010000000000000006696e6e6572000000000000007fffff0a0000\
    002349444c3a61726d696c6c612e6f72672f56616c7565732f4e756d626572733a312e3000000000000400000000\
    fffffffe000000120000000100000000000000066f757465720000007fffff0affffffffffffff5c0000002c0000\
    0004ffffffffffffff48000000010000000000000009617070656e64697800000000ffffffffffffff287fffff0a\
    ffffffffffffff700000001800000002000000003ff80000000000004004000000000000fffffffe7fffff0affff\
    ffffffffff440000000400000000fffffffe000000100000000241000000fffffffffffffed0ffffffffffffffff\
    fffffec400000063\
    ";

/// A node with 5 in an any.
const ANY: &str = "\
    0000001d0000007e000000000000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e\
    3000000000054e6f6465000000000000000000000003000000076e756d6265720000000000030001000000000005\
    6e65787400000000ffffffffffffff98000100000000000773656372657400000000001200000000000000007fff\
    ff0a0000002049444c3a61726d696c6c612e6f72672f56616c7565732f4e6f64653a312e30000000000d00000005\
    000000000000000100000000ffffffff\
    ";

/// A `Solid`, whose list has a text, a `Point` and the `Solid`; then that `Point`, then 99.
const RMI: &str = "\
    7fffff0200000030524d493a67656f2e536f6c69643a383534464542453930454537373632343a30303030303030\
    3030303030303030320000000003000000047fffff020000002349444c3a6f6d672e6f72672f434f5242412f5753\
    7472696e6756616c75653a312e3000000000000a0073006f006c0069006400007fffff0200000030524d493a6765\
    6f2e506f696e743a444543414642353431303430343130333a303030303030303030303030303030310000000001\
    000000027fffff02ffffffffffffff8000000006006f006e0065000000000000000000057fffff0a0000003a524d\
    493a6a6176612e7574696c2e41727261794c6973743a463635353135344633323831353338303a37383831443231\
    4439394337363139440000000000000d010100000000000300000003000000007fffff0affffffffffffff080000\
    000a000000060074006100670000fffffffe0000001800000000ffffffffffffff1c00000000fffffffffffffe94\
    ffffffffffffffffffffff0400000063\
    ";

fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(char::is_ascii_hexdigit).collect();
    let octet = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(octet).collect()
}

fn title(node: &NodeRef) -> String {
    node.as_ref().unwrap().downcast::<Document>().unwrap().get().title.clone()
}

#[test]
fn values_in_chunks_of_the_jdk_keep_their_shape() {
    let read = octets(NODE);
    let node = NodeRef::decode(&mut Decoder::new(&read, ByteOrder::Big)).unwrap();
    assert_eq!(numbers(node), [1, 2]);

    let read = octets(SHARED);
    let mut input = Decoder::new(&read, ByteOrder::Big);
    let nodes = [(); 3].map(|()| NodeRef::decode(&mut input).unwrap());
    assert_eq!(input.remaining(), 0);
    assert!(nodes[0] == nodes[2] && nodes[1].as_ref().unwrap().get().next == nodes[0]);

    let read = octets(CIRCLE);
    let cycle = NodeRef::decode(&mut Decoder::new(&read, ByteOrder::Big)).unwrap();
    assert_eq!(numbers(cycle.clone())[..3], [7, 8, 7]);
    cycle.unwrap().break_cycles();

    let read = octets(REPORT);
    let mut input = Decoder::new(&read, ByteOrder::Big);
    let report = NodeRef::decode(&mut input).unwrap().unwrap().downcast::<Report>().unwrap().get();
    assert_eq!((report.author.as_str(), input.i32()), ("A", Ok(99)));
    assert_eq!(report.base.figures.as_ref().unwrap().get().0, [0.5]);
    assert!(report.extra == report.base.appendix);
    assert_eq!(numbers(report.extra.clone()), [20, 21]);

    let read = octets(NESTED);
    let mut input = Decoder::new(&read, ByteOrder::Big);
    let report = NodeRef::decode(&mut input).unwrap().unwrap().downcast::<Report>().unwrap().get();
    let document = NodeRef::decode(&mut input).unwrap();
    assert_eq!(input.i32(), Ok(99));
    assert!(document == report.extra && document == report.base.base.next);
    let appendix = report.base.appendix.clone();
    assert_eq!((title(&document), title(&appendix)), ("inner".into(), "appendix".into()));
    let appendix = appendix.unwrap().downcast::<Document>().unwrap().get();
    assert!(appendix.base.next == document && appendix.appendix == document);
    assert_eq!(appendix.figures.as_ref().unwrap().get().0, [1.5, 2.5]);
}

/// Each value says its own type alone, though it is in chunks and could be truncated.
#[test]
fn values_of_the_jdk_are_not_truncated_for_it_does_not_say_to_what() {
    let read = octets(REPORT);
    let refused = older::NodeRef::decode(&mut Decoder::new(&read, ByteOrder::Big)).unwrap_err();
    assert_eq!(refused.kind, CdrErrorKind::UnknownValueType);
}

/// In one piece and in two, as GIOP 1.1 cuts messages.
#[test]
fn damaged_values_end_in_an_error_or_are_values() {
    let read = |octets: &[u8], cut: usize| {
        let (first, second) = octets.split_at(cut.min(octets.len()));
        // Both aligned as in the whole.
        let mut pieces = FragmentedOctets::new([&[0; 16], first].concat(), 12);
        pieces.push(second);
        let mut input = pieces.decoder(16, ByteOrder::Big);
        NodeRef::decode(&mut input).and_then(|_| NodeRef::decode(&mut input)).is_ok()
    };
    for whole in [SHARED, NESTED].map(octets) {
        for cut in (4..whole.len()).step_by(8) {
            assert!(read(&whole, cut), "{cut}");
        }
        let mut damaged = whole.clone();
        for place in 0..whole.len() {
            for octet in [0, 1, 0x0a, 0x7f, 0x80, 0xfe, 0xff] {
                damaged[place] = octet;
                let _ended = [4, 100, 284].map(|cut| read(&damaged, cut));
            }
            damaged[place] = whole[place];
        }
    }
}

#[test]
fn a_value_in_an_any_of_the_jdk_is_read() {
    let read = octets(ANY);
    let any = Any::decode(&mut Decoder::new(&read, ByteOrder::Big)).unwrap();
    assert_eq!(any.type_code(), &<NodeRef as armilla::Typed>::type_code());
    assert_eq!(numbers(any.get::<NodeRef>().unwrap().flatten()), [5]);
}

/// An `ArrayList` in the form of its `writeObject`: the version of the format, whether the fields
/// have the default form, the fields, the capacity, and the elements, each a reference or a value.
impl CustomMarshal for List {
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u8(1);
        out.put_bool(true);
        out.put_length(self.elements.len())?;
        out.put_length(self.elements.len())?;
        self.elements.iter().try_for_each(|element| {
            out.put_bool(false);
            element.encode(out)
        })
    }

    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self> {
        assert_eq!((input.u8(), input.bool()), (Ok(1), Ok(true)));
        let size = input.i32()?;
        assert_eq!(input.i32(), Ok(size), "there is no room left over");
        let element = |input: &mut Decoder<'_>| match input.bool()? {
            false => ValueBaseRef::decode(input),
            true => Err(input.error(CdrErrorKind::Invalid("no reference is expected"))),
        };
        let elements = (0..size).map(|_| element(input)).collect::<CdrResult<_>>()?;
        Ok(Self { elements })
    }
}

fn check_solid(solid: &Value<Solid>, point: &Value<Point>) {
    let state = solid.get();
    assert_eq!((state.base.x, state.base.y, state.z), (3, 4, 5));
    assert_eq!(&*state.base.name.as_ref().unwrap().get().0, "solid");
    assert_eq!(state.base.next.as_ref(), Some(point));
    assert_eq!((point.get().x, point.get().y), (1, 2));
    assert_eq!(&*point.get().name.as_ref().unwrap().get().0, "one");
    let tags = state.tags.as_ref().unwrap().get();
    let [Some(text), Some(second), Some(third)] = &tags.elements[..] else {
        panic!("three elements")
    };
    assert_eq!(&*text.downcast::<Text>().unwrap().get().0, "tag");
    assert_eq!(second.downcast().as_ref(), Some(point));
    assert_eq!(third.downcast().as_ref(), Some(solid));
}

#[test]
fn objects_of_java_are_read_and_written_as_java_does() {
    let orb = client();
    orb.register_value::<Text>();
    orb.register_value::<Point>();
    let read = octets(RMI);
    let mut input = Decoder::new(&read, ByteOrder::Big).with_context(&orb);
    let solid = java::SolidRef::decode(&mut input).unwrap();
    let point = java::PointRef::decode(&mut input).unwrap();
    assert_eq!((input.i32(), input.remaining()), (Ok(99), 0));
    check_solid(solid.as_ref().unwrap(), point.as_ref().unwrap());

    let mut out = Encoder::new(ByteOrder::Little);
    solid.encode(&mut out).unwrap();
    point.encode(&mut out).unwrap();
    let written = out.to_vec();
    let mut input = Decoder::new(&written, ByteOrder::Little).with_context(&orb);
    let again = java::SolidRef::decode(&mut input).unwrap().unwrap();
    check_solid(&again, &java::PointRef::decode(&mut input).unwrap().unwrap());
    // A list is custom and leads back to what holds it, so the program breaks the cycles.
    for solid in [again, solid.unwrap()] {
        solid.update(|state| state.tags = None);
    }
}
