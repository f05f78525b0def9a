//! Custom policies: their factories, the places where they are set, and access from interceptors
//! (CORBA 3.4 Part 1, 8.9 and 16.7.2).

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, IorInfo, IorInterceptor, OrbInitInfo,
    OrbInitializer, ServerInterceptor, ServerRequestInfo,
};
use armilla::{
    Any, CustomPolicy, ExceptionKind, Minor, Orb, OrbBuilder, PoaError, Policies, Policy,
    PolicyCurrent, PolicyError, PolicyType, SystemException,
};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex};

/// How well a call shall be looked after: a number up to 9.
const CARE: PolicyType = PolicyType(0x4558_0010);

/// A type without a factory.
const UNKNOWN: PolicyType = PolicyType(0x4558_0011);

fn care(value: &Any) -> Result<CustomPolicy, PolicyError> {
    match value.get::<u16>() {
        Ok(Some(care @ 0..=9)) => Ok(CustomPolicy::new(CARE, care)),
        Ok(Some(_)) => Err(PolicyError::BadPolicyValue),
        _ => Err(PolicyError::BadPolicyType),
    }
}

fn make(orb: &Orb, care: u16) -> CustomPolicy {
    orb.create_policy(CARE, &Any::new(&care).unwrap()).unwrap()
}

fn refused<T: std::fmt::Debug>(
    result: Result<T, SystemException>,
    kind: ExceptionKind,
    minor: Minor,
) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
}

#[test]
fn a_factory_makes_policies_of_the_values_that_it_takes() {
    let orb = orbs::builder().policy_factory(CARE, care).build().unwrap();
    let policy = make(&orb, 7);
    assert_eq!((policy.policy_type(), policy.get::<u16>()), (CARE, Some(&7)));
    assert_eq!(policy.get::<i32>(), None);
    assert_eq!(policy, policy.clone());
    assert_ne!(policy, make(&orb, 7), "each is another");
    let create = |policy_type, value: Any| orb.create_policy(policy_type, &value).unwrap_err();
    assert_eq!(create(CARE, Any::new(&10u16).unwrap()), PolicyError::BadPolicyValue);
    assert_eq!(create(CARE, Any::new("much").unwrap()), PolicyError::BadPolicyType);
    assert_eq!(create(UNKNOWN, Any::default()), PolicyError::BadPolicy);
    assert_eq!(create(PolicyType::LIFESPAN, Any::default()), PolicyError::UnsupportedPolicy);
    let unknown = SystemException::from(PolicyError::BadPolicy);
    assert_eq!(
        (unknown.kind(), unknown.minor()),
        (ExceptionKind::InvPolicy, Minor::INV_POLICY_INVALID_TYPE)
    );
}

/// Registers a factory, and tries to do it again.
struct Service;

impl OrbInitializer for Service {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.register_policy_factory(CARE, care)?;
        refused(
            info.register_policy_factory(CARE, care),
            ExceptionKind::BadInvOrder,
            Minor::BAD_INV_ORDER_POLICY_FACTORY_EXISTS,
        );
        let lifespan = info.register_policy_factory(PolicyType::LIFESPAN, care);
        refused(lifespan, ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POLICY_FACTORY_EXISTS);
        Ok(())
    }
}

#[test]
fn a_type_has_one_factory() {
    let orb = orbs::builder().initializer(Service).build().unwrap();
    make(&orb, 1);
    let twice = orbs::builder().policy_factory(CARE, care).policy_factory(CARE, care).build();
    refused(twice, ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POLICY_FACTORY_EXISTS);
    let own = orbs::builder().policy_factory(PolicyType(32), care).build();
    refused(own, ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POLICY_FACTORY_EXISTS);
}

/// What was read where.
type Seen = Arc<Mutex<Vec<(&'static str, Option<u16>)>>>;

/// Reads the policy at every point where there is one.
#[derive(Clone, Default)]
struct Reader(Seen);

impl Reader {
    fn saw(&self, point: &'static str, policy: Option<&CustomPolicy>) {
        self.0.lock().unwrap().push((point, policy.map(|policy| *policy.get().unwrap())));
    }

    fn at_server(&self, point: &'static str, request: &ServerRequestInfo) {
        refused(request.policy(UNKNOWN), ExceptionKind::InvPolicy, Minor::INV_POLICY_NO_FACTORY);
        match request.policy(CARE).unwrap() {
            Some(Policy::Custom(policy)) => self.saw(point, Some(&policy)),
            none => self.saw(point, none.map(|other| panic!("{other:?}"))),
        }
    }
}

impl ClientInterceptor for Reader {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        refused(
            request.custom_policy(UNKNOWN),
            ExceptionKind::InvPolicy,
            Minor::INV_POLICY_NO_FACTORY,
        );
        self.saw("send_request", request.custom_policy(CARE)?.as_ref());
        Ok(())
    }
}

impl ServerInterceptor for Reader {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        self.at_server("contexts", request);
        Ok(())
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.at_server("request", request);
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.at_server("reply", request);
        Ok(())
    }
}

impl IorInterceptor for Reader {
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        refused(info.policy(UNKNOWN), ExceptionKind::InvPolicy, Minor::INV_POLICY_NO_FACTORY);
        if let Some(Policy::Custom(policy)) = info.policy(CARE)? {
            self.saw("components", Some(&policy));
        }
        Ok(())
    }
}

fn reading() -> (OrbBuilder, Seen) {
    let reader = Reader::default();
    (orbs::builder().policy_factory(CARE, care), reader.0)
}

#[test]
fn interceptors_read_the_policies_of_the_poa_at_every_point() {
    let (builder, seen) = reading();
    let reader = Reader(seen.clone());
    let builder = builder.server_interceptor(reader.clone()).ior_interceptor(reader);
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let poa = orb.root_poa().create_poa("cared").policy(make(&orb, 3)).build().unwrap();
    assert_eq!(poa.policies().len(), 9);
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let client = orbs::client();
    let far = orbs::travel(&poa.activate(servant.clone()).unwrap(), &client);
    far.ping().unwrap();
    let expected = ["components", "contexts", "request", "reply"].map(|point| (point, Some(3)));
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), expected);
    let far = orbs::travel(&orb.root_poa().activate(servant).unwrap(), &client);
    far.ping().unwrap();
    let expected = ["contexts", "request", "reply"].map(|point| (point, None));
    assert_eq!(*seen.lock().unwrap(), expected, "the root POA has none");
    orb.shutdown();
}

#[test]
fn a_poa_accepts_one_policy_of_each_registered_type() {
    let orb = orbs::builder().policy_factory(CARE, care).build().unwrap();
    let root = orb.root_poa();
    let (one, other) = (make(&orb, 1), make(&orb, 1));
    let build = |policies: Vec<Policy>| root.create_poa("poa").policies(policies).build();
    for strange in [UNKNOWN, PolicyType::LIFESPAN] {
        let strange = CustomPolicy::new(strange, ());
        let refused = build(vec![one.clone().into(), strange.into()]).unwrap_err();
        assert_eq!(refused, PoaError::InvalidPolicy { index: 1 });
    }
    let refused = build(vec![one.clone().into(), other.into()]).unwrap_err();
    assert_eq!(refused, PoaError::InvalidPolicy { index: 1 });
    let poa = build(vec![one.clone().into(), one.clone().into()]).unwrap();
    assert_eq!(poa.policies().iter().filter(|policy| **policy == one.clone().into()).count(), 1);
}

#[test]
fn a_manager_takes_policies_of_types_that_programs_define() {
    let orb = orbs::builder().policy_factory(CARE, care).build().unwrap();
    let (one, other) = (make(&orb, 1), make(&orb, 2));
    let manager = orb.create_poa_manager_with("cared", [one.clone(), one.clone()]).unwrap();
    assert_eq!(manager.policies(), std::slice::from_ref(&one));
    assert_eq!(orb.create_poa_manager("plain").unwrap().policies(), []);
    let refused = Err(PoaError::Policy(PolicyError::BadPolicy));
    for strange in [UNKNOWN, PolicyType::THREADING, PolicyType(32)] {
        let policies = [one.clone(), CustomPolicy::new(strange, ())];
        assert_eq!(orb.create_poa_manager_with("refused", policies), refused, "{strange:?}");
    }
    assert_eq!(orb.create_poa_manager_with("refused", [one.clone(), other.clone()]), refused);
    assert_eq!(orb.find_poa_manager("refused"), None);
    let again = orb.create_poa_manager_with("cared", [other]);
    assert_eq!(again, Err(PoaError::ManagerAlreadyExists));
    assert_eq!(manager.policies(), [one]);
    let raised = SystemException::from(PoaError::Policy(PolicyError::BadPolicy));
    assert_eq!(
        (raised.kind(), raised.minor()),
        (ExceptionKind::InvPolicy, Minor::INV_POLICY_INVALID_TYPE)
    );
}

#[test]
fn the_policies_of_a_manager_hold_for_its_poas_that_have_none_of_the_type() {
    let (builder, seen) = reading();
    let reader = Reader(seen.clone());
    let builder = builder.server_interceptor(reader.clone()).ior_interceptor(reader);
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let manager = orb.create_poa_manager_with("cared", [make(&orb, 3)]).unwrap();
    manager.activate().unwrap();
    let begin = |name: &str| orb.root_poa().create_poa(name).manager(&manager);
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let poas = [(begin("all"), 3), (begin("own").policy(make(&orb, 5)), 5)];
    for (poa, effective) in poas {
        let reference = poa.build().unwrap().activate(servant.clone()).unwrap();
        orbs::travel(&reference, &orbs::client()).ping().unwrap();
        let points = ["components", "contexts", "request", "reply"];
        let expected = points.map(|point| (point, Some(effective)));
        assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), expected);
    }
    orb.shutdown();
}

#[test]
fn a_call_has_the_policy_of_its_reference_else_of_its_thread_else_of_the_orb() {
    let server = orbs::Server::start();
    let (builder, seen) = reading();
    let of_orb = CustomPolicy::new(CARE, 1u16);
    let builder = builder.settings(|settings| settings.custom_policies = vec![of_orb.clone()]);
    let orb = builder.client_interceptor(Reader(seen.clone())).build().unwrap();
    let far = server.remote(&orb);
    let policies = |care| Policies { custom: vec![make(&orb, care)], ..Policies::default() };
    let read = |reference: &EverythingRef| {
        reference.ping().unwrap();
        let effective = reference.object().client_policies().unwrap();
        let read = effective.custom_policy(CARE).map(|policy| *policy.get::<u16>().unwrap());
        assert_eq!(seen.lock().unwrap().pop(), Some(("send_request", read)));
        read
    };
    assert_eq!(read(&far), Some(1));
    let of_thread = PolicyCurrent::set(policies(2));
    assert_eq!(read(&far), Some(2));
    let nearer = PolicyCurrent::set(policies(3));
    assert_eq!(read(&far), Some(3));
    let chosen = far.with_policies(policies(4));
    assert_eq!(read(&chosen), Some(4));
    assert_eq!(chosen.object().policy_overrides().unwrap().custom.len(), 1);
    assert_eq!(far.object().policy_overrides(), None);
    drop((nearer, of_thread));
    assert_eq!((read(&far), read(&chosen)), (Some(1), Some(4)));
    orb.set_policies(policies(5));
    assert_eq!((read(&far), read(&chosen)), (Some(5), Some(4)));
    let elsewhere = server.remote(&orbs::client());
    assert_eq!(elsewhere.object().client_policies().unwrap().custom, []);
}
