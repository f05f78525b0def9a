//! Our side of `interop/values-check`: `serve`, or `call REFERENCE [older]`, where an older server
//! does not know leaves.

#![allow(missing_docs)]

use armilla::{Orb, SystemException, Value};

armilla::include_idl!("graph");
use graph::*;

fn main() -> Result<(), SystemException> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve"] => serve(),
        ["call", reference] => check(reference, true),
        ["call", reference, "older"] => check(reference, false),
        _ => panic!("serve, or call REFERENCE [older]"),
    }
}

fn serve() -> Result<(), SystemException> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let mirror = orb.root_poa().activate(mirror::tie(Glass))?;
    println!("{}", orb.object_to_string(&mirror)?);
    orb.run()
}

struct Glass;

impl Mirror for Glass {
    fn echo(&self, a: &NodeRef, b: &NodeRef) -> Result<(NodeRef, NodeRef), SystemException> {
        Ok((b.clone(), a.clone()))
    }

    fn echo_text(&self, a: &TextRef, b: &TextRef) -> Result<(TextRef, bool), SystemException> {
        Ok((a.clone(), a == b))
    }

    fn are_one(&self, a: &NodeRef, b: &NodeRef) -> Result<bool, SystemException> {
        Ok(a == b)
    }

    fn make(&self, number: i32) -> Result<LeafRef, SystemException> {
        let node = Value::new(Node { number: 5, next: None, weight: 2.5 });
        let leaf = leaf(number, &node, "made");
        if number == 2 {
            node.update(|node| node.next = Some(leaf.upcast()));
        }
        Ok(Some(leaf))
    }
}

fn leaf(number: i32, node: &Value<Node>, title: &str) -> Value<Leaf> {
    let base = Node { number, next: Some(node.clone()), weight: 1.5 };
    Value::new(Leaf { base, title: title.to_owned(), extra: Some(node.clone()) })
}

fn check(reference: &str, knows_leaves: bool) -> Result<(), SystemException> {
    let mirror: MirrorRef = Orb::new()?.resolve(reference)?;
    let one = Value::new(Node { number: 1, next: None, weight: 0.5 });
    let two = Some(Value::new(Node { number: 2, next: Some(one.clone()), weight: 0.5 }));
    assert!(mirror.are_one(&two, &two)?);
    assert!(!mirror.are_one(&two, &Some(one.clone()))?);
    assert!(mirror.are_one(&None, &None)?);

    let given = Some(leaf(9, &one, "leaf").upcast());
    let (second, copy) = mirror.echo(&given, &two)?;
    let (second, copy) = (second.unwrap(), copy.unwrap());
    assert_eq!(copy.get().next, second.get().next);
    assert_eq!((copy.get().number, copy.get().weight), (9, 1.5));
    let whole = copy.downcast::<Leaf>();
    assert_eq!(whole.is_some(), knows_leaves);
    if let Some(leaf) = whole {
        assert_eq!(leaf.get().title, "leaf");
        assert_eq!(leaf.get().extra, leaf.get().base.next);
    }

    for number in [1, 2] {
        let leaf = mirror.make(number)?.unwrap();
        assert_eq!(leaf.get().title, "made");
        assert_eq!(leaf.get().extra, leaf.get().base.next);
        let node = leaf.get().extra.clone().unwrap();
        assert_eq!((node.get().number, node.get().weight), (5, 2.5));
        assert_eq!(node.get().next, (number == 2).then(|| leaf.upcast()));
    }

    let text = Some(Value::new(Text("text".to_owned())));
    let (echoed, are_one) = mirror.echo_text(&text, &text)?;
    assert!(are_one);
    assert_eq!(echoed.unwrap().get().0, "text");
    Ok(())
}
