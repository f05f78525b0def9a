//! Measured execution times of requests.

use crate::common;
use armilla::Orb;
use armilla_rt::{Measurement, RtOrb};
use common::*;

#[test]
fn each_request_of_another_process_is_measured_by_the_name_of_its_operation() {
    let measurement = Measurement::new();
    let builder = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let orb = builder.server_interceptor(measurement.clone()).build().unwrap();
    let own = orb.root_poa().activate(sensor_of(Station::new(&RtOrb::new(&orb)))).unwrap();
    let client = Orb::new().unwrap();
    let sensor = remote(&orb, &client, &own);
    (0..3).for_each(|_| sensor.ping().unwrap());
    sensor.thread().unwrap();
    until("all are measured", || {
        let table = measurement.times().to_table(0);
        table.contains("name = \"Station::Sensor::thread\"") && table.contains("in 3 executions")
    });
    orb.shutdown();
}
