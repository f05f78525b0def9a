//! Statements of the published studies, with the corresponding values of this run.

use crate::program::{OMNIORB, ORB, ORB_DII, ORB_DII_NEW};
use crate::record::{Cell, Record};

/// A published statement, and the corresponding value of this run, if any.
type Remark = (&'static str, Option<String>);

/// The remarks on an experiment, in a line each.
pub(super) fn remarks(experiment: &str, records: &[Record]) -> Vec<String> {
    let remarks: Vec<Remark> = match experiment {
        "ttcp" => bulk(),
        "latency" => latency(records),
        "demux" => demultiplexing(records),
        "ladder" => ladder(),
        "batch" => batches(records),
        _ => Vec::new(),
    };
    let line = |(published, here): Remark| match here {
        Some(here) => format!("{published}; here {here}"),
        None => published.to_owned(),
    };
    remarks.into_iter().map(line).collect()
}

fn bulk() -> Vec<Remark> {
    vec![
        ("the figures are Mbit/s over 155 Mbit/s ATM (over 10 Mbit/s Ethernet)", None),
        (
            "maximum of 155 Mbit/s: C 61.77, wrapper 61.81 (8 KiB); Orbix 39.15, ORBeline 37.67 \
             (64 KiB)",
            None,
        ),
        (
            "C and the wrapper spent 99 % of the time in write and read; brokers spent 4 to 15 % \
             on copies and scans",
            None,
        ),
    ]
}

fn latency(records: &[Record]) -> Vec<Remark> {
    let plain = |payload, units| move |c: &Cell| c.group.is_empty() && is(c, payload, units, 1);
    let of =
        |program, filter: &dyn Fn(&Cell) -> bool| Some(find(records, program, filter)?.ratio_to_c);
    let void = of(ORB.name, &plain("void", 0)).flatten();
    let theirs = of(OMNIORB.name, &plain("void", 0)).flatten();
    let void = void.map(|ours| match theirs {
        Some(theirs) => format!("{ours:.2} (armilla) and {theirs:.2} (omniorb)"),
        None => format!("{ours:.2}"),
    });
    let dynamic = |payload, units| {
        let filter = move |c: &Cell| c.group == "dynamic invocation" && is(c, payload, units, 1);
        let generated = of(ORB.name, &filter)??;
        let (reused, new) = (of(ORB_DII.name, &filter)??, of(ORB_DII_NEW.name, &filter)??);
        let (reused, new) = (reused / generated, new / generated);
        Some(format!("{new:.2} (new requests) and {reused:.2} (reused requests)"))
    };
    let at = |objects| {
        let filter =
            move |c: &Cell| c.group.is_empty() && is(c, "void", 0, objects) && c.order == "robin";
        of(ORB.name, &filter).flatten()
    };
    let each = at(1).zip(at(500)).map(|(one, many)| (many / one).powf(0.2));
    vec![
        (
            "a twoway void call took 2.0 (VisiBroker) and 2.17 (Orbix) times as long as sockets",
            void,
        ),
        (
            "a dynamic call took 2.6 (Orbix) and 1.0 (VisiBroker) times as long as a static call",
            dynamic("void", 0),
        ),
        (
            "with BinStruct it took 14 (Orbix) and 4 (VisiBroker) times as long",
            dynamic("structs", 1024),
        ),
        (
            "every 100 additional objects made a call of Orbix 1.12 times as long, for request \
             train and round robin alike",
            each.map(|each| format!("{each:.3} (armilla, 1 to 500, round robin)")),
        ),
    ]
}

fn demultiplexing(records: &[Record]) -> Vec<Remark> {
    let linear = |order| {
        let filter = move |c: &Cell| (c.objects, c.operations, c.order) == (500, 100, order);
        find(records, "linear", &filter)?.ratio_to_one
    };
    let worse = linear("worst").zip(linear("random")).map(|(worst, random)| worst / random);
    vec![
        (
            "active demultiplexing and perfect hashing were fastest, and flat; dynamic hashing was \
             slower, linear search much slower",
            None,
        ),
        (
            "linear search over 500 objects with 100 operations: worst case 1.87 times random \
             order",
            worse.map(|worse| format!("{worse:.2}")),
        ),
    ]
}

fn ladder() -> Vec<Remark> {
    vec![
        ("gains: 1.5 to 2 for sequences of primitives, about 4 for BinStruct", None),
        ("gain of dynamic invocation over commercial brokers: 2 to 4.5", None),
    ]
}

fn batches(records: &[Record]) -> Vec<Remark> {
    let gain = |transport| {
        let call = |payload| {
            let filter = |c: &Cell| (c.transport, c.payload, c.units) == (transport, payload, 100);
            Some(find(records, ORB.name, &filter)?.median)
        };
        Some(call("single-strings")? / call("many-strings")?)
    };
    let here = gain("tcp").map(|near| match gain("tcp-100mbit") {
        Some(far) => format!("{near:.0} and {far:.1} times"),
        None => format!("{near:.0} times"),
    });
    vec![(
        "one call for 100 strings was about 10 times as fast as 100 calls, and 5 times between two \
         machines",
        here,
    )]
}

/// Whether a cell measures twoway calls over TCP on one core.
fn is(cell: &Cell, payload: &str, units: u32, objects: u32) -> bool {
    (cell.transport, cell.placement) == ("tcp", "one-core")
        && (cell.payload, cell.units, cell.objects) == (payload, units, objects)
}

fn find<'r>(
    records: &'r [Record],
    program: &str,
    filter: &dyn Fn(&Cell) -> bool,
) -> Option<&'r Record> {
    records.iter().find(|record| record.program == program && filter(&record.cell))
}
