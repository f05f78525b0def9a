//! The conclusion of each experiment in a sentence or two, made from its figures.

use super::bars::of;
use super::gains::gain;
use crate::program::{C_AGAIN, OMNIORB, ORB, ORB_DII};
use crate::record::{Cell, Metric, Record};

/// What an experiment shows; `None` if the run has too little of it.
pub(super) fn conclusion(experiment: &str, records: &[Record]) -> Option<String> {
    match experiment {
        "ttcp" => bulk(records),
        "latency" => latency(records),
        "demux" => demultiplexing(records),
        "ladder" => ladder(records),
        "batch" => batch(records),
        _ => None,
    }
}

/// The least and the largest of some values.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let all = values.fold(None, |range: Option<(f64, f64)>, v| match range {
        None => Some((v, v)),
        Some((low, high)) => Some((low.min(v), high.max(v))),
    });
    all.filter(|(low, high)| low.is_finite() && high.is_finite())
}

fn bulk(records: &[Record]) -> Option<String> {
    let floods = |placement| {
        let filter = move |c: &Cell| {
            (c.transport, c.placement, c.payload) == ("tcp", placement, "flood-sequence")
                && c.units >= 4096
        };
        move |program| range(of(records, program, filter).filter_map(|r| r.ratio_to_c))
    };
    let one = floods("one-core");
    let (low, high) = one(ORB.name)?;
    let mut said = format!(
        "From 4 KiB on the ORB moves {low:.2} to {high:.2} times as much as plain C sockets on one \
         core"
    );
    if let Some((low, high)) = one(OMNIORB.name) {
        said += &format!(" (omniORB {low:.2} to {high:.2})");
    }
    if let Some((low, high)) = floods("one-core-each")(ORB.name) {
        said += &format!(
            ", and {low:.2} to {high:.2} times with a core each. On one core a ratio far above \
             1 is no speed of the program: the side that yields the processor later moves more in \
             one turn, which a core each does not show"
        );
    }
    let twice = of(records, C_AGAIN.name, |_| true);
    let apart = range(twice.filter_map(|r| Some((r.ratio_to_c? - 1.0).abs() * 100.0)));
    if let Some((_, most)) = apart {
        said += &format!(
            ". The same C program, measured as two, differs by at most {most:.1} %: smaller \
             differences of programs are chance"
        );
    }
    Some(said + ".")
}

fn latency(records: &[Record]) -> Option<String> {
    let plain = |payload, units, objects| {
        let filter = move |c: &Cell| {
            (c.transport, c.placement, c.group) == ("tcp", "one-core", "")
                && (c.payload, c.units, c.objects) == (payload, units, objects)
        };
        move |program| of(records, program, filter).next()
    };
    let void = plain("void", 0, 1);
    let ours = void(ORB.name)?;
    let ratio = ours.ratio_to_c?;
    let mut said =
        format!("A call without parameters takes {ratio:.2} times a round trip of plain C");
    if let Some(c) = void("c") {
        said += &format!(" ({:.1} µs, {:+.2} µs)", c.median, ours.median - c.median);
    }
    if let Some(ratio) = void(OMNIORB.name).and_then(|record| record.ratio_to_c) {
        said += &format!(", omniORB {ratio:.2}");
    }
    let structs = plain("structs", 1024, 1);
    if let Some(ratio) = structs(ORB.name).and_then(|record| record.ratio_to_c) {
        said += &format!("; with 1,024 structs {ratio:.2}");
        if let Some(ratio) = structs(OMNIORB.name).and_then(|record| record.ratio_to_c) {
            said += &format!(" (omniORB {ratio:.2})");
        }
    }
    if let Some(many) = plain("void", 0, 500)(ORB.name) {
        said +=
            &format!(". With 500 objects it takes {:.2} times as long", many.median / ours.median);
    }
    let dynamic = |program| {
        let filter = |c: &Cell| {
            (c.group, c.transport, c.payload, c.objects) == ("dynamic invocation", "tcp", "void", 1)
        };
        of(records, program, filter).next().map(|record| record.median)
    };
    if let Some((dii, generated)) = dynamic(ORB_DII.name).zip(dynamic(ORB.name)) {
        said += &format!(", as a dynamic call with a reused request {:.2} times", dii / generated);
    }
    Some(said + ".")
}

fn demultiplexing(records: &[Record]) -> Option<String> {
    let at = |program, objects, order| {
        let filter = move |c: &Cell| (c.objects, c.order) == (objects, order);
        of(records, program, filter).max_by_key(|record| record.cell.operations)
    };
    let active = at("active", 500, "random")?;
    let mut said = format!(
        "Active demultiplexing finds one of 500 objects and one of {} operations in {:.0} ns",
        active.cell.operations,
        active.median * 1000.0
    );
    for program in ["perfect hashing", "dynamic hashing", "linear"] {
        if let Some(other) = at(program, 500, "random") {
            said += &format!(", {program} in {:.1} times as long", other.median / active.median);
        }
    }
    let farthest = range(
        of(records, "active", |_| true)
            .filter_map(|record| Some((record.ratio_to_one? - 1.0).abs() * 100.0)),
    );
    if let Some((_, most)) = farthest {
        said += &format!("; its time stays within {most:.0} % whatever the number of both");
    }
    Some(said + ".")
}

fn ladder(records: &[Record]) -> Option<String> {
    let timed = |record: &Record| record.metric != Metric::Instructions;
    let lines = records.chunk_by(|a, b| a.cell == b.cell && timed(a) == timed(b));
    let lines = lines.filter(|line| line.first().is_some_and(timed));
    let gains: Vec<_> = lines.filter_map(|line| Some((line.first()?, gain(line)?))).collect();
    let (best, most) = gains.iter().max_by(|a, b| a.1.times.total_cmp(&b.1.times))?;
    let certain = gains.iter().filter(|(_, gain)| gain.low > 1.0).count();
    Some(format!(
        "{certain} of {} optimizations make their work faster beyond chance; the largest gain is \
         {:.1} times, by {}.",
        gains.len(),
        most.times,
        best.cell.group
    ))
}

fn batch(records: &[Record]) -> Option<String> {
    let gain = |program, transport| {
        let call = |payload| {
            let filter =
                move |c: &Cell| (c.transport, c.payload, c.units) == (transport, payload, 100);
            Some(of(records, program, filter).next()?.median)
        };
        Some(call("single-strings")? / call("many-strings")?)
    };
    let mut said = match gain(ORB.name, "tcp") {
        Some(near) => format!(
            "One call for 100 strings is {near:.0} times as fast as 100 calls on one machine \
             (published: about 10)"
        ),
        None => "One call for 100 strings is faster than 100 calls".to_owned(),
    };
    let far = gain(ORB.name, "tcp-100mbit");
    if let Some(far) = far {
        said += &format!(", and {far:.1} times over a line of 100 Mbit/s (published: about 5)");
    }
    (far.is_some() || gain(ORB.name, "tcp").is_some()).then(|| said + ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flood(program: &str, placement: &'static str, ratio: f64) -> Record {
        let cell = Cell {
            experiment: "ttcp",
            transport: "tcp",
            placement,
            payload: "flood-sequence",
            units: 4096,
            ..Cell::of_void()
        };
        Record { cell, program: program.into(), ratio_to_c: Some(ratio), ..Record::of_void() }
    }

    #[test]
    fn a_conclusion_says_what_the_figures_say() {
        let records = [
            flood("c", "one-core", 1.0),
            flood("armilla", "one-core", 2.5),
            flood("c, again", "one-core", 0.97),
            flood("armilla", "one-core-each", 0.98),
        ];
        let said = conclusion("ttcp", &records).unwrap();
        assert!(
            said.contains("2.50 to 2.50 times as much as plain C sockets on one core"),
            "{said}"
        );
        assert!(said.contains("0.98 to 0.98 times with a core each"), "{said}");
        assert!(said.contains("differs by at most 3.0 %"), "{said}");
        assert_eq!(conclusion("ttcp", &records[..1]), None);
    }
}
