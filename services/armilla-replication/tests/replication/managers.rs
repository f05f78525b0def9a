//! Managers of groups in this process, with factories, members and a client.

use crate::members::HEARTBEAT;
use crate::savings::Savings;
use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{Any, Error, ExceptionKind, Object, Orb, TypeCode};
use armilla_cos_naming::NameComponent;
use armilla_replication::ft::generic_factory::CreateObjectRaises;
use armilla_replication::ft::object_group_manager::{
    AddMemberRaises, RemoveMemberRaises, SetPrimaryMemberRaises,
};
use armilla_replication::ft::property_manager::{
    SetDefaultPropertiesRaises, SetPropertiesDynamicallyRaises,
};
use armilla_replication::ft::{
    self, FactoryInfo, FaultMonitoringIntervalAndTimeoutValue, FaultNotifier as _,
    GenericFactory as _, GenericFactoryRef, ObjectGroupManager as _, Property,
    PropertyManager as _, ReplicationManager as _, ReplicationManagerRef, generic_factory,
};
use armilla_replication::manager::{Manager, ManagerOptions, MemberFactory};
use armilla_replication::notification::notify_publish::OfferChangeRaises;
use armilla_replication::notification::structured_push_consumer::{
    self, PushStructuredEventRaises,
};
use armilla_replication::notification::{
    EventType, FilterRef, NotifyPublish, StructuredEvent, StructuredPushConsumer,
};
use armilla_replication::{MemoryRegistry, Replica};
use bank::bank::{Account, AccountRef};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
const ACCOUNT: &str = "IDL:Bank/Account:1.0";

pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn orb() -> Orb {
    Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// A host on which members are made.
pub(crate) struct Host {
    pub(crate) orb: Orb,
    factory: GenericFactoryRef,
    /// The accounts that were made.
    accounts: Arc<Mutex<Vec<Arc<Savings>>>>,
}

impl Host {
    pub(crate) fn start(registry: &Arc<MemoryRegistry>) -> Self {
        let orb = orb();
        let (server, registry) = (orb.clone(), registry.clone());
        let accounts = Arc::<Mutex<Vec<_>>>::default();
        let made = accounts.clone();
        let factory = MemberFactory::new(&orb, ACCOUNT, move |wanted| {
            let savings = Arc::<Savings>::default();
            let servant: Arc<dyn Account> = savings.clone();
            let member = Replica::builder(wanted.group.clone(), &*wanted.location)
                .registry(registry.clone())
                .heartbeat(HEARTBEAT)
                .style(wanted.style)
                .start(&server, savings.clone(), servant);
            made.lock().unwrap().push(savings);
            member.map_err(|error| error.to_string())
        });
        let factory = orb.root_poa().activate(generic_factory::tie(factory)).unwrap();
        Self { orb, factory, accounts }
    }
}

fn manager(registry: &Arc<MemoryRegistry>, name: &str) -> (Orb, Manager) {
    let orb = orb();
    let mut options = ManagerOptions::default();
    options.domain = "bank".into();
    options.name = Some(name.into());
    options.interval = Duration::from_millis(100);
    let manager = Manager::serve(&orb, registry.clone(), options).unwrap();
    assert!(manager.wait_ready(PATIENCE));
    (orb, manager)
}

fn location(id: &str) -> Vec<NameComponent> {
    vec![NameComponent { id: id.into(), kind: String::new() }]
}

fn property(name: &str, val: Any) -> Property {
    Property { nam: location(&format!("org.omg.ft.{name}")), val }
}

pub(crate) fn number(name: &str, value: u16) -> Property {
    property(name, Any::new(&value).unwrap())
}

/// Where members are made: at `host-0`, `host-1` and so on.
pub(crate) fn factories(client: &Orb, hosts: &[Host]) -> Property {
    let info = |(at, host): (usize, &Host)| {
        let text = host.orb.object_to_string(&host.factory).unwrap();
        FactoryInfo {
            the_factory: client.string_to_object(&text).unwrap().assume(),
            the_location: location(&format!("host-{at}")),
            the_criteria: Vec::new(),
        }
    };
    let infos: Vec<_> = hosts.iter().enumerate().map(info).collect();
    property("Factories", ft::factories_value_any(&infos).unwrap())
}

/// Members are asked often, and have long to answer: a busy machine is no fault. Who is gone refuses at once.
pub(crate) fn patiently() -> Property {
    let (monitoring_interval, timeout) = (2_000_000, 100_000_000);
    let times = FaultMonitoringIntervalAndTimeoutValue { monitoring_interval, timeout };
    property("FaultMonitoringIntervalAndTimeout", Any::new(&times).unwrap())
}

fn locations(manager: &ReplicationManagerRef, group: &Object) -> Vec<String> {
    let all = manager.locations_of_members(group).unwrap();
    all.into_iter().map(|name| name[0].id.clone()).collect()
}

#[test]
fn a_group_keeps_its_members_and_its_state_when_hosts_and_managers_die() {
    let registry = Arc::<MemoryRegistry>::default();
    let mut hosts: Vec<_> = (0..4).map(|_| Host::start(&registry)).collect();
    let (first_orb, first) = manager(&registry, "m1");
    let (_second_orb, second) = manager(&registry, "m2");
    eventually("each knows both", || second.managers().members.len() == 2);
    let client = Orb::new().unwrap();
    let reference = second.reference().unwrap();
    let managers: ReplicationManagerRef = client.string_to_object(&reference).unwrap().assume();
    let criteria = [
        factories(&client, &hosts),
        number("InitialNumberReplicas", 3),
        number("MinimumNumberReplicas", 3),
        patiently(),
    ];
    let (group, creation) = managers.create_object(ACCOUNT, &criteria).unwrap();
    assert_eq!(locations(&managers, &group), ["host-0", "host-1", "host-2"]);
    let account: AccountRef = group.assume();
    account.deposit(7.0).unwrap();

    // A member is replaced.
    hosts[0].orb.shutdown();
    eventually("host-3 has a member", || {
        locations(&managers, &group).contains(&"host-3".to_owned())
            && !locations(&managers, &group).contains(&"host-0".to_owned())
    });
    account.deposit(1.0).unwrap();

    // The other manager goes on.
    first.abandon();
    first_orb.shutdown();
    eventually("m2 leads", || second.leads() && second.managers().members.len() == 1);
    hosts[0] = Host::start(&registry);
    managers.set_properties_dynamically(&group, &[factories(&client, &hosts)]).unwrap();
    hosts[1].orb.shutdown();
    eventually("host-0 has a member again", || {
        let all = locations(&managers, &group);
        all.contains(&"host-0".to_owned()) && !all.contains(&"host-1".to_owned())
    });
    assert_eq!(account.balance().unwrap(), 8.0);
    assert!(second.faults() >= 1);

    // A primary by wish.
    managers.set_primary_member(&group, &location("host-0")).unwrap();
    account.deposit(1.0).unwrap();
    assert_eq!(locations(&managers, &group)[0], "host-0");
    assert_eq!(account.balance().unwrap(), 9.0);

    managers.delete_object(&creation).unwrap();
    assert!(matches!(
        managers.get_object_group_ref(&group),
        Err(Error::User(ft::object_group_manager::GetObjectGroupRefRaises::ObjectGroupNotFound(_)))
    ));
    assert!(matches!(managers.delete_object(&creation), Err(Error::User(_))));
    assert_eq!(second.groups().unwrap(), []);
}

#[test]
fn the_members_of_an_active_group_are_made_as_such() {
    let registry = Arc::<MemoryRegistry>::default();
    let hosts = [Host::start(&registry), Host::start(&registry)];
    let (_orb, manager) = manager(&registry, "m1");
    let client = Orb::new().unwrap();
    let managers: ReplicationManagerRef = client.resolve(manager.url()).unwrap();
    let criteria =
        [factories(&client, &hosts), number("ReplicationStyle", ft::ACTIVE), patiently()];
    let (group, _) = managers.create_object(ACCOUNT, &criteria).unwrap();
    let account: AccountRef = group.assume();
    account.deposit(3.0).unwrap();
    for host in &hosts {
        let executed = host.accounts.lock().unwrap()[0].executed.load(Ordering::SeqCst);
        assert_eq!(executed, 1);
    }
}

#[test]
fn an_application_decides_who_is_in_its_group() {
    let registry = Arc::<MemoryRegistry>::default();
    let (_orb, manager) = manager(&registry, "m1");
    let client = Orb::new().unwrap();
    let managers: ReplicationManagerRef = client.resolve(manager.url()).unwrap();
    let criteria = [
        number("ReplicationStyle", ft::STATELESS),
        number("MembershipStyle", ft::MEMB_APP_CTRL),
        number("ConsistencyStyle", ft::CONS_APP_CTRL),
        patiently(),
    ];
    let (empty, _) = managers.create_object(ACCOUNT, &criteria).unwrap();
    assert_eq!(managers.get_object_group_id(&empty).unwrap(), 2);
    assert_eq!(locations(&managers, &empty), [""; 0]);

    let servers = [orb(), orb()];
    let member = |at: usize| {
        let servant: Arc<dyn Account> = Arc::<Savings>::default();
        let account: AccountRef = servers[at].root_poa().activate(servant).unwrap();
        let text = servers[at].object_to_string(&account).unwrap();
        client.string_to_object(&text).unwrap()
    };
    managers.add_member(&empty, &location("left"), &member(0)).unwrap();
    let group = managers.add_member(&empty, &location("right"), &member(1)).unwrap();
    assert!(matches!(
        managers.add_member(&group, &location("right"), &member(1)),
        Err(Error::User(AddMemberRaises::MemberAlreadyPresent(_)))
    ));
    assert!(matches!(
        managers.add_member(&group, &location("third"), managers.object()),
        Err(Error::User(AddMemberRaises::ObjectNotAdded(_))),
    ));
    assert!(matches!(
        managers.set_primary_member(&group, &location("right")),
        Err(Error::User(SetPrimaryMemberRaises::BadReplicationStyle(_)))
    ));
    assert!(managers.get_member_ref(&group, &location("left")).unwrap().is_a(ACCOUNT).unwrap());
    let account: AccountRef = group.assume();
    account.deposit(1.0).unwrap();
    servers[0].shutdown();
    account.deposit(1.0).unwrap();
    eventually("only one is left", || locations(&managers, &group) == ["right"]);
    managers.remove_member(&group, &location("right")).unwrap();
    assert!(matches!(
        managers.remove_member(&group, &location("right")),
        Err(Error::User(RemoveMemberRaises::MemberNotFound(_)))
    ));
}

#[test]
fn properties_hold_for_all_for_a_type_and_for_a_group() {
    let registry = Arc::<MemoryRegistry>::default();
    let (_orb, manager) = manager(&registry, "m1");
    let client = Orb::new().unwrap();
    let managers: ReplicationManagerRef = client.resolve(manager.url()).unwrap();
    managers.set_default_properties(&[number("MinimumNumberReplicas", 1)]).unwrap();
    // TAO has another prefix, and long numbers.
    let of_tao = Property {
        nam: location("org.omg.PortableGroup.MembershipStyle"),
        val: Any::new(&i32::from(ft::MEMB_APP_CTRL)).unwrap(),
    };
    managers.set_type_properties(ACCOUNT, &[of_tao]).unwrap();
    for (wrong, is_unsupported) in [
        (number("ReplicationStyle", ft::ACTIVE_WITH_VOTING), true),
        (number("ReplicationStyle", 9), false),
        (number("FaultMonitoringStyle", ft::PUSH), true),
        (number("MinimumNumberReplicas", 0), false),
        (number("Unheard", 0), false),
        (property("InitialNumberReplicas", Any::new("two").unwrap()), false),
        (property("Factories", ft::factories_value_any(&[]).unwrap()), false),
    ] {
        let refused = managers.set_default_properties(&[wrong]);
        let Err(Error::User(refused)) = refused else { panic!("{refused:?}") };
        let is = matches!(refused, SetDefaultPropertiesRaises::UnsupportedProperty(_));
        assert_eq!(is, is_unsupported, "{refused:?}");
    }
    let criteria = [number("ReplicationStyle", ft::COLD_PASSIVE)];
    let (group, _) = managers.create_object(ACCOUNT, &criteria).unwrap();
    let all = managers.get_properties(&group).unwrap();
    let value = |name: &str| {
        let found = all.iter().find(|it| it.nam[0].id == format!("org.omg.ft.{name}"));
        found.unwrap().val.get::<u16>().unwrap().unwrap()
    };
    assert_eq!(value("ReplicationStyle"), ft::COLD_PASSIVE);
    assert_eq!(value("MembershipStyle"), ft::MEMB_APP_CTRL);
    assert_eq!(value("MinimumNumberReplicas"), 1);
    managers.set_properties_dynamically(&group, &[number("MinimumNumberReplicas", 4)]).unwrap();
    assert!(matches!(
        managers.set_properties_dynamically(&group, &[number("MembershipStyle", 1)]),
        Err(Error::User(SetPropertiesDynamicallyRaises::InvalidProperty(_)))
    ));
    managers.remove_default_properties(&[number("MinimumNumberReplicas", 1)]).unwrap();
    assert_eq!(managers.get_default_properties().unwrap(), []);
    let refused = managers.create_object("IDL:Other:1.0", &[]);
    assert!(matches!(refused, Err(Error::User(CreateObjectRaises::NoFactory(_)))), "{refused:?}");
    let style = [number("ReplicationStyle", ft::ACTIVE_WITH_VOTING)];
    let refused = managers.create_object(ACCOUNT, &style);
    assert!(matches!(refused, Err(Error::User(CreateObjectRaises::CannotMeetCriteria(_)))));
}

/// The factories as a program with TAO writes them: its types are those of another module.
fn as_tao_has_it(factories: &Property) -> Property {
    let id = |name: &str| format!("IDL:omg.org/PortableGroup/{name}:1.0");
    let TypeCode::Sequence(info, _) = factories.val.type_code().resolved() else { panic!() };
    let TypeCode::Struct(info) = info.resolved() else { panic!() };
    let mut members: Vec<_> =
        info.members.iter().map(|it| (it.name.clone(), it.ty.clone())).collect();
    members[0].1 = TypeCode::object_reference(id("GenericFactory"), "GenericFactory");
    let info = TypeCode::structure(id("FactoryInfo"), "FactoryInfo", members);
    let infos = TypeCode::sequence(info, 0);
    let val = Any::encoded(infos, |out| factories.val.write(out)).unwrap();
    Property { nam: location("org.omg.PortableGroup.Factories"), val }
}

#[test]
fn a_program_with_tao_says_in_its_own_words_who_makes_how_many_members() {
    let registry = Arc::<MemoryRegistry>::default();
    let hosts: Vec<_> = (0..2).map(|_| Host::start(&registry)).collect();
    let (_orb, manager) = manager(&registry, "m1");
    let client = Orb::new().unwrap();
    let managers: ReplicationManagerRef = client.resolve(manager.url()).unwrap();
    let one = |name: &str| Property {
        nam: location(&format!("org.omg.PortableGroup.{name}")),
        val: Any::new(&1_i32).unwrap(),
    };
    let criteria = [
        as_tao_has_it(&factories(&client, &hosts)),
        one("InitialNumberMembers"),
        one("MinimumNumberMembers"),
    ];
    let (group, _) = managers.create_object(ACCOUNT, &criteria).unwrap();
    assert_eq!(locations(&managers, &group), ["host-0"]);
    // What is kept has the names of the standard.
    let all = managers.get_properties(&group).unwrap();
    let is_kept = |name: &str| all.iter().any(|it| it.nam[0].id == format!("org.omg.ft.{name}"));
    assert!(is_kept("Factories") && is_kept("InitialNumberReplicas"), "{all:?}");
}

/// A consumer of reports.
#[derive(Default, Clone)]
struct Heard(Arc<Mutex<Vec<StructuredEvent>>>);

impl NotifyPublish for Heard {
    fn offer_change(
        &self,
        _: &[EventType],
        _: &[EventType],
    ) -> Result<(), Error<OfferChangeRaises>> {
        Ok(())
    }
}

impl StructuredPushConsumer for Heard {
    fn push_structured_event(
        &self,
        notification: &StructuredEvent,
    ) -> Result<(), Error<PushStructuredEventRaises>> {
        self.0.lock().unwrap().push(notification.clone());
        Ok(())
    }

    fn disconnect_structured_push_consumer(&self) -> Result<(), armilla::SystemException> {
        Ok(())
    }
}

/// Answers every second question whether a member is alive.
struct Stammers(Arc<AtomicU32>);

impl ServerInterceptor for Stammers {
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let is_odd = || self.0.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        match request.operation() == "is_alive" && is_odd() {
            true => Err(ExceptionKind::Transient.because("not now").into()),
            false => Ok(()),
        }
    }
}

#[test]
fn faults_are_reported_to_consumers_and_reports_of_others_are_acted_on() {
    let registry = Arc::<MemoryRegistry>::default();
    let (_orb, manager) = manager(&registry, "m1");
    let client = orb();
    let managers: ReplicationManagerRef = client.resolve(manager.url()).unwrap();
    let heard = Heard::default();
    let consumer = structured_push_consumer::tie(heard.clone());
    let consumer = client.root_poa().activate(consumer).unwrap();
    let notifier = managers.get_fault_notifier().unwrap();
    let number_there =
        notifier.connect_structured_fault_consumer(&consumer, &FilterRef::nil()).unwrap();
    let group = |monitoring: u16| {
        let criteria = [
            number("ReplicationStyle", ft::STATELESS),
            number("MembershipStyle", ft::MEMB_APP_CTRL),
            number("FaultMonitoringStyle", monitoring),
            patiently(),
        ];
        managers.create_object(ACCOUNT, &criteria).unwrap().0
    };
    let questions = Arc::<AtomicU32>::default();
    let stammers = Orb::builder().server_interceptor(Stammers(questions.clone()));
    let stammers = stammers.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let servers = [orb(), stammers];
    let add = |group: &Object, server: &Orb, at: &str| {
        let servant: Arc<dyn Account> = Arc::<Savings>::default();
        let account: AccountRef = server.root_poa().activate(servant).unwrap();
        let text = server.object_to_string(&account).unwrap();
        let member = client.string_to_object(&text).unwrap();
        managers.add_member(group, &location(at), &member).unwrap()
    };
    let (asked, told) = (group(ft::PULL), group(ft::NOT_MONITORED));
    add(&asked, &servers[0], "here");
    add(&asked, &servers[1], "there");
    add(&told, &servers[1], "there");
    servers[0].shutdown();
    eventually("the fault is reported", || !heard.0.lock().unwrap().is_empty());
    eventually("the member is out", || locations(&managers, &asked) == ["there"]);
    let before = questions.load(Ordering::SeqCst);
    eventually("it is asked often", || questions.load(Ordering::SeqCst) > before + 6);
    assert_eq!(locations(&managers, &asked), ["there"], "one answer in two is enough");
    let report = heard.0.lock().unwrap()[0].clone();
    assert_eq!(report.header.fixed_header.event_type.domain_name, "FT_CORBA");
    assert_eq!(report.filterable_data[3].value.get::<u64>().unwrap(), Some(2));

    // Another detector says that all at `there` has crashed. One member answers; the other is not
    // asked.
    let mut of_location = report;
    of_location.filterable_data.truncate(2);
    of_location.filterable_data[1].value = ft::location_any(&location("there")).unwrap();
    notifier.push_structured_fault(&of_location).unwrap();
    eventually("who is not monitored is out", || locations(&managers, &told).is_empty());
    assert_eq!(locations(&managers, &asked), ["there"]);
    notifier.disconnect_consumer(number_there).unwrap();
    assert!(notifier.disconnect_consumer(number_there).is_err());
    let count = heard.0.lock().unwrap().len();
    notifier.push_structured_fault(&of_location).unwrap();
    assert_eq!(heard.0.lock().unwrap().len(), count);
}
