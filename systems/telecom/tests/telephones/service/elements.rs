//! Elements, and the alarms that they raise.

use super::Setup;
use armilla::Error;
use telecom::telecom::manager::{AcknowledgeRaises, FindRaises};
use telecom::telecom::{Alarm, Element, Manager, Severity};

#[test]
fn ten_thousand_elements_are_objects_of_one_servant() {
    let setup = Setup::new(10_000);
    for number in (0..10_000).step_by(101) {
        let name = format!("ne{number:05}");
        let element = setup.manager.find(&name).unwrap();
        assert_eq!(element.name().unwrap(), name);
        assert_eq!(element.state().unwrap().how_severe, Severity::Cleared);
    }
    let (one, two) = (setup.manager.find("ne00001"), setup.manager.find("ne00002"));
    let (one, two) = (one.unwrap(), two.unwrap());
    one.report(Severity::Major, "hot").unwrap();
    assert_eq!(one.state().unwrap().text, "hot");
    assert_eq!(two.state().unwrap().how_severe, Severity::Cleared);
    let unknown = setup.manager.find("ne10000");
    assert!(matches!(unknown, Err(Error::User(FindRaises::Unknown(_)))), "{unknown:?}");
}

#[test]
fn alarms_are_raised_acknowledged_and_cleared() {
    let setup = Setup::new(10);
    let [hot, dead] = ["ne00003", "ne00004"].map(|name| setup.manager.find(name).unwrap());
    dead.report(Severity::Critical, "no power").unwrap();
    hot.report(Severity::Warning, "warm").unwrap();
    hot.report(Severity::Minor, "hot").unwrap();
    let texts = |alarms: &[Alarm]| alarms.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
    let raised = setup.manager.raised(10).unwrap();
    assert_eq!(texts(&raised), ["no power", "hot"]);
    assert_eq!(texts(&setup.manager.raised(1).unwrap()), ["no power"]);

    setup.manager.acknowledge(raised[1].number, "Ada").unwrap();
    assert_eq!(hot.state().unwrap().acknowledged_by, "Ada");
    hot.report(Severity::Cleared, "").unwrap();
    assert_eq!(hot.state().unwrap().how_severe, Severity::Cleared);
    let again = setup.manager.acknowledge(raised[1].number, "Ada");
    assert!(matches!(again, Err(Error::User(AcknowledgeRaises::Unknown(_)))), "{again:?}");
}
