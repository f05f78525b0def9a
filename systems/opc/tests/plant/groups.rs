//! Groups by themselves: what is due, and what counts as a change.

use armilla_dcom::automation::Variant;
use armilla_opc::model::{Group, Plant, Quality, STEP, Settings, convert};
use armilla_opc::status::{BAD_TYPE, RANGE};
use std::time::Duration;

fn settings(rate: u32, dead_band: f32) -> Settings {
    Settings {
        name: "G".into(),
        active: true,
        rate,
        dead_band,
        bias: 0,
        locale: 0,
        client_handle: 1,
    }
}

#[test]
fn a_rate_is_a_whole_number_of_steps() {
    for (asked, got) in [(0, 50), (1, 50), (50, 50), (51, 100), (1000, 1000)] {
        assert_eq!(Group::new(settings(asked, 0.0), Duration::ZERO).settings.rate, got);
    }
}

#[test]
fn a_group_is_due_once_in_each_period() {
    let mut group = Group::new(settings(200, 0.0), Duration::ZERO);
    let due = |group: &mut Group, steps: std::ops::Range<u32>| {
        steps.filter(|step| group.is_due(STEP * *step)).collect::<Vec<_>>()
    };
    assert_eq!(due(&mut group, 1..13), [1, 4, 8, 12]);
    group.settings.active = false;
    assert_eq!(due(&mut group, 13..1000), [0; 0]);
    // It does not make up for what it slept over.
    group.settings.active = true;
    assert!(due(&mut group, 1000..1012).len() <= 4);
}

#[test]
fn a_client_is_told_what_differs_by_more_than_the_dead_band() {
    let mut plant = Plant::new(1, 1, Duration::ZERO);
    let space = plant.space().clone();
    let mut group = Group::new(settings(50, 10.0), Duration::ZERO);
    let ids = ["Tank1.Inlet.Setpoint", "Counters.C000", "Tank1.Label"];
    for (place, id) in ids.iter().enumerate() {
        group.add(space.find(id).unwrap(), (place as u32, 0, true)).unwrap();
    }
    let told = |group: &mut Group, plant: &Plant| {
        let changes = group.changes(&space, plant.samples());
        changes.iter().map(|change| change.client_handle).collect::<Vec<_>>()
    };
    // At first everything.
    assert_eq!(told(&mut group, &plant), [0, 1, 2]);
    assert_eq!(told(&mut group, &plant), [0; 0]);
    let setpoint = space.find(ids[0]).unwrap();
    plant.write(setpoint, &60.into(), STEP).unwrap();
    assert_eq!(told(&mut group, &plant), [0; 0], "10 % of the range are not more than 10 %");
    plant.write(setpoint, &60.5.into(), STEP).unwrap();
    assert_eq!(told(&mut group, &plant), [0]);
    // What has no range has no dead band.
    plant.step(STEP);
    plant.step(STEP * 2);
    assert_eq!(told(&mut group, &plant), [1]);
    group.tell_all();
    assert_eq!(told(&mut group, &plant), [0, 1, 2]);
}

#[test]
fn what_is_not_active_is_out_of_service_in_the_copy_alone() {
    let plant = Plant::new(1, 0, Duration::ZERO);
    let mut group = Group::new(settings(50, 0.0), Duration::ZERO);
    let level = group.add(plant.space().find("Tank1.Level").unwrap(), (1, 0, false)).unwrap();
    let quality =
        |from_device| group.read(level, plant.samples(), from_device).unwrap().sample.quality;
    assert_eq!(quality(false), Quality::OUT_OF_SERVICE);
    assert_eq!(quality(true), Quality::GOOD);
    assert_eq!(group.all(plant.samples()), []);
    group.item_mut(level).unwrap().active = true;
    assert_eq!(group.all(plant.samples()).len(), 1);
    group.settings.active = false;
    assert_eq!(group.all(plant.samples()), []);
}

#[test]
fn values_become_other_types_or_say_why_not() {
    let same = |value: Variant, vt, expected: Variant| {
        assert_eq!(convert(&value, vt), Ok(expected));
    };
    same(2.5.into(), 3, 2.into());
    same(3.5.into(), 3, 4.into());
    same(7.into(), 8, "7".into());
    same(" 7 ".into(), 2, 7i16.into());
    same(1.into(), 11, true.into());
    same(true.into(), 5, 1.0.into());
    same(u64::MAX.into(), 8, "18446744073709551615".into());
    same(0.5f32.into(), 0, 0.5f32.into());
    assert_eq!(convert(&70_000.into(), 2), Err(RANGE));
    assert_eq!(convert(&(-1).into(), 19), Err(RANGE));
    assert_eq!(convert(&f64::INFINITY.into(), 3), Err(RANGE));
    assert_eq!(convert(&"seven".into(), 3), Err(BAD_TYPE));
    assert_eq!(convert(&Variant::Empty, 3), Err(BAD_TYPE));
    assert_eq!(convert(&1.into(), 9), Err(BAD_TYPE));
}
