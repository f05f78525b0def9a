//! Users and passwords.

use crate::world::{Client, Server, tells_nothing};
use armilla::{Completion, ExceptionKind, Orb, Policies};
use armilla_security::{
    Authentication, ClientCredentials, ClientSecurity, GuessLimits, PasswordFile, ServerSecurity,
};
use bank::bank::Account;

#[test]
fn a_servant_knows_who_calls_and_others_stay_outside() {
    let server = Server::new(|builder| builder.authentication(Authentication::Required));
    assert_eq!(Client::user(&server, "ann", "secret").call(), Ok(1.0));
    assert_eq!(Client::user(&server, "ann@bank", "secret").call(), Ok(1.0));
    assert_eq!(server.callers(), ["ann@bank by password"; 2]);
    for (user, password) in [("ann", "wrong"), ("ann@elsewhere", "secret"), ("nobody", "secret")] {
        let refused = Client::user(&server, user, password).call().unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::NoPermission, "{user}");
        assert_eq!(refused.completed(), Completion::No);
        assert!(refused.to_string().contains("CSIv2 error 1, 1"), "{refused}");
    }
    let stranger = Client::of(&server, Orb::builder());
    let refused = stranger.call().unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::NoPermission);
    assert!(tells_nothing(&refused), "{refused}");
    assert_eq!(server.callers(), [""; 0]);
    assert!(server.security.caller().is_none(), "no request is served here");
}

#[test]
fn where_passwords_are_optional_a_wrong_one_is_refused_all_the_same() {
    let server = Server::new(|builder| builder);
    assert_eq!(Client::of(&server, Orb::builder()).call(), Ok(1.0));
    assert_eq!(Client::user(&server, "ann", "secret").call(), Ok(1.0));
    assert!(Client::user(&server, "ann", "wrong").call().is_err());
    assert_eq!(server.callers(), ["anonymous by none", "ann@bank by password"]);
}

#[test]
fn a_poa_has_a_rule_of_its_own() {
    let server = Server::new(|builder| builder.authentication(Authentication::Required));
    let open = server.orb.root_poa().create_poa("open").policy(Authentication::Off);
    let open = open.build().unwrap();
    let reference = server.account_in(&open);
    let client = Client::to(&reference, Orb::builder());
    let object = client.account.object();
    assert_eq!(object.component(33), None, "its references ask for nothing");
    assert!(server.orb.string_to_object(&server.reference).unwrap().component(33).is_some());
    assert_eq!(client.call(), Ok(1.0), "nobody asks who it is");
}

#[test]
fn a_reference_has_credentials_of_its_own() {
    let server = Server::new(|builder| builder.authentication(Authentication::Required));
    let client = Client::user(&server, "gateway", "gate");
    let ann = ClientCredentials::new("ann@bank".parse().unwrap(), "secret");
    let policies = Policies { custom: vec![ann.into()], ..Policies::default() };
    let account = client.account.with_policies(policies);
    server.callers();
    assert_eq!(account.balance(), Ok(1.0));
    assert_eq!(client.call(), Ok(1.0));
    assert_eq!(server.callers(), ["ann@bank by password", "gateway@bank by password"]);
}

#[test]
fn a_client_says_what_a_server_lacks() {
    let server = Server::new(|builder| builder.authentication(Authentication::Required));
    let acting = ClientSecurity::builder().asserting(armilla_security::Identity::Anonymous);
    let refused = Client::with(&server, &acting.build()).call().unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::NoPermission);
    let text = refused.to_string();
    assert!(text.contains("requires a user and a password"), "{text}");
    assert!(text.contains("hint: "), "{text}");
    assert_eq!(server.callers(), [""; 0]);
}

#[test]
fn guesses_are_limited_and_who_is_at_work_goes_on() {
    let limits = GuessLimits { per_host: 2, ..GuessLimits::default() };
    let server = Server::new(|it| it.authentication(Authentication::Required).guesses(limits));
    let ann = Client::user(&server, "ann", "secret");
    assert_eq!(ann.call(), Ok(1.0));
    for _ in 0..3 {
        assert!(Client::user(&server, "ann", "guess").call().is_err());
    }
    assert!(Client::user(&server, "gateway", "gate").call().is_err(), "not seen before");
    assert_eq!(ann.call(), Ok(1.0));
}

#[test]
fn a_file_of_users_takes_effect_when_it_is_changed() {
    let folder = std::env::temp_dir().join(format!("armilla-users-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut users = PasswordFile::create(folder.join("users")).unwrap();
    users.set(&"ann@bank".parse().unwrap(), b"old").unwrap();
    let security = ServerSecurity::builder()
        .realm("bank")
        .passwords(users.clone())
        .authentication(Authentication::Required);
    let server = Server::new(|_| security);
    let client = Client::user(&server, "ann", "old");
    assert_eq!(client.call(), Ok(1.0));
    users.set(&"ann@bank".parse().unwrap(), b"new").unwrap();
    assert!(client.call().is_err(), "what was remembered is forgotten");
    assert_eq!(Client::user(&server, "ann", "new").call(), Ok(1.0));
    assert!(users.remove(&"ann@bank".parse().unwrap()).unwrap());
    assert!(Client::user(&server, "ann", "new").call().is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_password_that_is_set_can_be_shown() {
    let folder = std::env::temp_dir().join(format!("armilla-long-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut users = PasswordFile::create(folder.join("users")).unwrap();
    let longest = "ä".repeat(509);
    users.set(&"ann@bank".parse().unwrap(), longest.as_bytes()).unwrap();
    users.set(&"nul@bank".parse().unwrap(), b"a\0b").unwrap();
    let security = ServerSecurity::builder().realm("bank").passwords(users.clone());
    let server = Server::new(|_| security.authentication(Authentication::Required));
    assert_eq!(Client::user(&server, "ann", &longest).call(), Ok(1.0));
    assert_eq!(Client::user(&server, "nul", "a\0b").call(), Ok(1.0));
    assert!(Client::user(&server, "nul", "a").call().is_err());
    let longer = users.set(&"ann@bank".parse().unwrap(), "x".repeat(1019).as_bytes()).unwrap_err();
    assert!(longer.to_string().contains("1018 octets"), "{longer}");
    for name in ["dn:CN=ann@bank", "uid:0@bank", "group:tellers@bank", "role:operator@bank"] {
        let refused = users.set(&name.parse().unwrap(), b"x").unwrap_err();
        assert!(refused.to_string().contains("no name for a user"), "{refused}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_user_of_this_host_needs_no_password() {
    let folder = std::env::temp_dir().join(format!("armilla-security-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let endpoint = format!("uiop://{}", folder.join("socket").display());
    let server = Server::at(&endpoint, |it| it.authentication(Authentication::Required));
    assert_eq!(Client::of(&server, Orb::builder()).call(), Ok(1.0));
    let own = rustix::process::geteuid().as_raw();
    assert_eq!(server.callers(), [format!("uid:{own} by operating-system")]);
    drop(server);
    std::fs::remove_dir_all(&folder).unwrap();
}
