//! Plans, summaries, bars and reports, without a measurement.

use super::program::{C, FLOW, TWOWAY};
use super::*;
use crate::line::Line;

fn study(mebibytes: u64, count: u32) -> Study {
    Study { first: 0, count, size: mebibytes << 20, checksum: 0 }
}

fn cell(way: Way, viewers: u32, rate: f64, ratio: f64) -> ImagingCell {
    let load = Load { place: Place::of(Transport::Tcp, DELAY), study: study(40, 1), viewers };
    let took = Duration::from_secs_f64(40.0 * f64::from(viewers) / rate);
    let used = Duration::from_secs_f64(0.02 * f64::from(viewers));
    let transfer = Transfer { took, used, peak: 48 << 20 };
    let plain = Transfer { took: took.mul_f64(ratio), ..transfer };
    let rounds = [vec![Some(plain), Some(transfer)], vec![Some(plain), None]];
    let index = usize::from(way != C);
    summary(&load, way, index, Some(0), &rounds).unwrap()
}

fn results(cells: Vec<ImagingCell>) -> Imaging {
    let absent = Absent { program: "imaging-grpc", remedy: "apt install libgrpc++-dev".into() };
    Imaging {
        machine: Machine::this("cubic"),
        cells,
        absent: vec![absent],
        failures: vec!["a <failure>".into()],
        interrupted: false,
    }
}

#[test]
fn a_quick_plan_leaves_out_what_takes_long() {
    let studies = [study(10, 1), study(40, 1), study(1, 20)];
    let quick = ImagingPlan { quick: true, ..ImagingPlan::default() };
    let full = ImagingPlan::default();
    let count = |plan: &ImagingPlan, transport| plan.loads(transport, &studies).len();
    let atm = Transport::Link(Line::Atm155);
    assert_eq!([Transport::Tcp, atm].map(|place| count(&quick, place)), [5, 1]);
    assert_eq!([Transport::Tcp, atm].map(|place| count(&full, place)), [6, 6]);
    assert!(quick.rounds(quick.loads(atm, &studies)[0].place) >= 2);
    assert_eq!(full.places().len(), 3);
    let delay = Some(Duration::from_micros(250));
    let near = ImagingPlan { link_delay: delay, transports: Some(vec![atm]), ..quick };
    let place = near.loads(near.places()[0], &studies)[0].place;
    assert_eq!(place.describe(), "155 Mbit/s, 0.25 ms each way");
}

#[test]
fn a_summary_is_over_the_rounds_in_which_a_way_took_part() {
    let flow = cell(FLOW, 4, 1600.0, 0.96);
    assert_eq!((flow.rounds, flow.server_peak, flow.images.as_str()), (1, 48 << 20, "40 MiB"));
    assert!((flow.rate - 1600.0).abs() < 0.1, "{}", flow.rate);
    assert!((flow.ratio_to_c.unwrap() - 0.96).abs() < 1e-6);
    assert!((flow.processor_seconds_per_gib - 0.512).abs() < 1e-6);
    let load = Load { place: flow.place, study: study(40, 1), viewers: 4 };
    assert!(summary(&load, FLOW, 0, None, &[vec![None]]).is_none());
}

#[test]
fn bars_take_the_worst_cell_and_name_it() {
    let cells = vec![
        cell(C, 1, 1600.0, 1.0),
        cell(FLOW, 1, 1600.0, 0.99),
        cell(TWOWAY, 1, 1600.0, 0.91),
        cell(FLOW, 4, 1400.0, 0.96),
    ];
    let bars = results(cells).bars();
    let met: Vec<_> = bars.iter().map(|bar| (bar.met, bar.worst.ends_with("4 at once"))).collect();
    // A flow to sockets, twoway calls, four to one, memory; oneway calls were not measured.
    assert_eq!(met, [(false, true), (true, false), (false, true), (true, true)]);
    assert!((bars[2].measured - 0.875).abs() < 1e-6);
    assert_eq!(results(Vec::new()).bars(), []);
}

#[test]
fn all_reports_say_what_is_missing_and_what_came_out() {
    let all = results(vec![cell(C, 1, 1600.0, 1.0), cell(FLOW, 1, 1600.0, 0.99)]);
    let conclusion = "On one host: one viewer gets single images at 0.99 × plain sockets by a flow";
    for text in [all.json(), all.html(), all.to_string()] {
        assert!(text.contains("apt install libgrpc++-dev"), "{text}");
        assert!(text.contains(conclusion), "{text}");
        assert!(!text.contains("NaN"), "{text}");
    }
    let html = all.html();
    assert!(html.contains("10 to 40") && html.contains("a &lt;failure&gt;"), "{html}");
    assert_eq!(html.matches("<figcaption>").count(), 2);
    let json: serde_json::Value = serde_json::from_str(&all.json()).unwrap();
    assert_eq!(json["cells"][1]["way"], FLOW.name);
    assert_eq!(json["bars"][0]["met"], true);
    assert!(results(Vec::new()).html().contains("Nothing was measured"));
}
