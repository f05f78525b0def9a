//! How many events one user may push.

use admin::{ConsumerAdmin as _, EventChannel as _, ProxyPullSupplier as _, SupplierAdmin as _};
use armilla::{Any, Completion, Error, ExceptionKind, Minor, Orb};
use armilla_events::corba::factory::{ChannelFactory as _, ChannelFactoryRef};
use armilla_events::corba::{admin, comm};
use armilla_events::server::Server;
use armilla_security::{ClientSecurity, Limits, ScopedName, ServerSecurity};
use comm::{PullSupplier as _, PushConsumer as _};

/// The channel `alarms` of a service, as a user of it sees that.
fn user(server: &Server, name: &str) -> (Orb, admin::EventChannelRef) {
    let security = ClientSecurity::builder().user(name.parse().unwrap(), "secret").build();
    let orb = Orb::builder().initializer(security).build().unwrap();
    // With the mechanisms of the service, which a URL does not have.
    let factory = server.orb().object_to_string(server.factory()).unwrap();
    let factory: ChannelFactoryRef = orb.resolve(&factory).unwrap();
    let channel = factory.find_channel("alarms").unwrap().object().clone();
    (orb, channel.narrow().unwrap())
}

#[test]
fn events_beyond_the_share_of_a_user_are_refused_and_those_of_others_pass() {
    let limits = Limits::new("user-events=1,burst=0".parse().unwrap());
    let security = ServerSecurity::builder()
        .realm("sky")
        .passwords(|_: &ScopedName, password: &[u8]| password == b"secret")
        .limits(limits.clone());
    let server = Server::builder().channel("alarms").security(security.build().unwrap());
    let server = server.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server.orb().perform_work().unwrap();
    let ((_ann, of_ann), (_zoe, of_zoe)) = (user(&server, "ann"), user(&server, "zoe"));
    let pulls = of_zoe.for_consumers().unwrap().obtain_pull_supplier().unwrap();
    pulls.connect_pull_consumer(&comm::PullConsumerRef::nil()).unwrap();
    let proxy = |channel: &admin::EventChannelRef| {
        channel.for_suppliers().unwrap().obtain_push_consumer().unwrap()
    };
    let (by_ann, by_zoe) = (proxy(&of_ann), proxy(&of_zoe));
    let mut pushed = 0;
    let refused = loop {
        // A slow machine may need more than a second for one.
        match by_ann.push(&Any::new(&pushed).unwrap()) {
            Ok(()) => pushed += 1,
            Err(refused) => break refused,
        }
    };
    let Error::System(refused) = refused else { panic!("{refused:?}") };
    assert_eq!((refused.kind(), refused.completed()), (ExceptionKind::Transient, Completion::No));
    assert_eq!(refused.minor(), Minor::SHARE_USED_UP);
    assert!(pushed >= 1);
    by_zoe.push(&Any::new(&-1).unwrap()).unwrap();
    // What was refused is not delivered.
    for expected in (0..pushed).chain([-1]) {
        assert_eq!(pulls.pull().unwrap().get::<i32>().unwrap(), Some(expected));
    }
    assert!(!pulls.try_pull().unwrap().1);
    assert_eq!(limits.counts().user_events, 1);
    server.orb().shutdown();
}
