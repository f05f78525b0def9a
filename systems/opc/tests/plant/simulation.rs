//! The plant by itself.

use armilla_dcom::automation::Variant;
use armilla_opc::model::{Kind, Plant, Quality, STEP, Space};
use armilla_opc::status;
use std::time::Duration;

fn passes(plant: &mut Plant, seconds: u32, mut now: Duration) -> Duration {
    for _ in 0..seconds * 20 {
        now += STEP;
        plant.step(now);
    }
    now
}

fn number(plant: &Plant, id: &str) -> f64 {
    plant.samples()[plant.space().find(id).unwrap()].value.as_f64().unwrap()
}

fn names(space: &Space, branch: &str, kind: Kind, pattern: &str) -> Vec<String> {
    space.browse(&space.to(branch).unwrap(), kind, pattern, |_| true)
}

#[test]
fn a_tank_fills_while_more_comes_in_than_goes_out() {
    let mut plant = Plant::new(1, 0, Duration::ZERO);
    let setpoint = plant.space().find("Tank1.Inlet.Setpoint").unwrap();
    plant.write(setpoint, &100.into(), Duration::ZERO).unwrap();
    let now = passes(&mut plant, 5, Duration::ZERO);
    // The valve needs ten seconds for its way.
    assert_eq!(number(&plant, "Tank1.Inlet.Position"), 50.0);
    let now = passes(&mut plant, 60, now);
    assert_eq!(number(&plant, "Tank1.Inlet.Position"), 100.0);
    assert!(number(&plant, "Tank1.Level") > 90.0);
    assert_eq!(number(&plant, "Tank1.Pump.Speed"), 1500.0);
    let high = plant.space().find("Tank1.High").unwrap();
    assert_eq!(plant.samples()[high].value, Variant::Bool(true));
    let running = plant.space().find("Tank1.Pump.Running").unwrap();
    plant.write(running, &false.into(), now).unwrap();
    passes(&mut plant, 3, now);
    assert_eq!(number(&plant, "Tank1.Pump.Speed"), 0.0);
}

#[test]
fn a_sensor_that_fails_keeps_its_last_value_with_bad_quality() {
    let mut plant = Plant::new(1, 0, Duration::ZERO);
    let now = passes(&mut plant, 1, Duration::ZERO);
    let (level, last) = (plant.space().find("Tank1.Level").unwrap(), number(&plant, "Tank1.Level"));
    let failed = plant.space().find("Tank1.Sensor.Failed").unwrap();
    plant.write(failed, &true.into(), now).unwrap();
    let now = passes(&mut plant, 10, now);
    assert_eq!(plant.samples()[level].quality, Quality::SENSOR_FAILURE);
    assert_eq!(number(&plant, "Tank1.Level"), last);
    plant.write(failed, &"false".into(), now).unwrap();
    passes(&mut plant, 1, now);
    assert!(plant.samples()[level].quality.is_good());
}

#[test]
fn what_cannot_be_written_says_why() {
    let mut plant = Plant::new(1, 0, Duration::ZERO);
    let mut write = |id: &str, value: Variant| {
        let item = plant.space().find(id).unwrap();
        plant.write(item, &value, Duration::ZERO).unwrap_err()
    };
    assert_eq!(write("Tank1.Level", 1.into()), status::BAD_RIGHTS);
    assert_eq!(write("Tank1.Inlet.Setpoint", 101.into()), status::RANGE);
    assert_eq!(write("Tank1.Inlet.Setpoint", f64::NAN.into()), status::RANGE);
    assert_eq!(write("Tank1.Inlet.Setpoint", "half".into()), status::BAD_TYPE);
    assert_eq!(write("Tank1.Pump.Running", Variant::Empty), status::BAD_TYPE);
}

#[test]
fn counters_count_ten_times_a_second() {
    let mut plant = Plant::new(1, 3, Duration::ZERO);
    passes(&mut plant, 7, Duration::ZERO);
    for id in ["Counters.C000", "Counters.C001", "Counters.C002"] {
        assert_eq!(number(&plant, id), 70.0);
    }
}

#[test]
fn names_form_a_tree() {
    let plant = Plant::new(2, 2, Duration::ZERO);
    let space = plant.space();
    assert_eq!(names(space, "", Kind::Branches, ""), ["Counters", "Tank1", "Tank2"]);
    assert_eq!(names(space, "", Kind::Leaves, ""), [""; 0]);
    assert_eq!(names(space, "Tank1", Kind::Branches, "*"), ["Inlet", "Pump", "Sensor"]);
    assert_eq!(names(space, "Tank1.Pump", Kind::Leaves, ""), ["Hours", "Running", "Speed"]);
    assert_eq!(names(space, "", Kind::Flat, "tank?.l*").len(), 4);
    assert_eq!(names(space, "", Kind::Flat, "*.C001"), ["Counters.C001"]);
    let root = space.to("").unwrap();
    assert_eq!(root.up(), None);
    assert_eq!(space.down(&root, "Tank"), None);
    let inlet = space.to("Tank1.Inlet").unwrap();
    assert_eq!(inlet.up(), space.down(&root, "Tank1"));
    assert_eq!(space.whole_name(&inlet, "Setpoint").as_deref(), Some("Tank1.Inlet.Setpoint"));
    assert_eq!(space.whole_name(&inlet, "Nothing"), None);
}
