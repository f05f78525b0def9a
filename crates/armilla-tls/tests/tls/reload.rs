//! Files that change while the ORB runs.

use crate::certificates::{Authority, Identity};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::Tls;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// A file that is removed with this.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("armilla-tls-{name}-{}.pem", std::process::id())))
    }

    /// Replaces the file at once, as an operator should.
    fn write(&self, text: &str) {
        let next = self.0.with_extension("next");
        fs::write(&next, text).unwrap();
        fs::rename(&next, &self.0).unwrap();
    }

    fn put(&self, identity: &Identity) {
        self.write(&format!("{}{}", identity.certificate, identity.key));
    }
}

impl Drop for File {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

#[test]
fn a_new_certificate_is_used_without_a_restart_and_a_bad_one_is_not() {
    let authority = Authority::new("root");
    let file = File::new("reload");
    let serial = |number: u64| {
        authority.issue_with(&["127.0.0.1"], |params| params.serial_number = Some(number.into()))
    };
    file.put(&serial(1));
    let tls = authority.tls().certificate(file.0.clone());
    let builder = orbs::builder().transport(tls.clone());
    let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
    let own = |tls: &Tls| tls.own_certificate().unwrap().serial;
    assert_eq!(own(&tls), "1");
    let ping = || {
        let client = orbs::builder().transport(authority.tls()).build().unwrap();
        server.remote(&client).ping().unwrap();
        client.shutdown();
    };
    ping();

    // By itself, within a second or so.
    file.put(&serial(2));
    eventually("the new certificate is in use", || own(&tls) == "2");
    ping();

    // A bad one leaves the old one in use, and says what is wrong.
    file.write("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
    let why = tls.reload().unwrap_err();
    assert!(why.contains(&file.0.display().to_string()), "{why}");
    assert_eq!(own(&tls), "2");
    ping();

    // At once, when the program says so.
    file.put(&serial(3));
    tls.reload().unwrap();
    assert_eq!(own(&tls), "3");
    ping();
}

/// As containers get secrets: the name leads through a link to a folder, and a link to another folder takes
/// its place. The new file may have the time and the length of the old one.
#[test]
fn a_link_that_leads_to_another_folder_is_followed() {
    let authority = Authority::new("root");
    let place = std::env::temp_dir().join(format!("armilla-tls-links-{}", std::process::id()));
    let issued: Vec<Identity> = (1..3_u64)
        .map(|number| {
            let issue = |params: &mut rcgen::CertificateParams| {
                params.serial_number = Some(number.into());
            };
            authority.issue_with(&["127.0.0.1"], issue)
        })
        .collect();
    let length = 8192;
    for (name, identity) in ["first", "second"].iter().zip(&issued) {
        let text = format!("{}{}", identity.certificate, identity.key);
        fs::create_dir_all(place.join(name)).unwrap();
        let path = place.join(name).join("tls.pem");
        fs::write(&path, format!("{text:\n<length$}")).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    }
    let lead = |to: &str| {
        symlink(to, place.join("next")).unwrap();
        fs::rename(place.join("next"), place.join("data")).unwrap();
    };
    lead("first");
    let tls = authority.tls().certificate(place.join("data/tls.pem"));
    let server = orbs::builder().transport(tls.clone()).listen("ssliop://127.0.0.1:0").unwrap();
    let server = server.build().unwrap();
    let own = || tls.own_certificate().unwrap().serial;
    assert_eq!(own(), "1");
    lead("second");
    eventually("the new certificate is in use", || own() == "2");
    // A link that leads nowhere for a while takes nothing away.
    lead("nowhere");
    eventually("it is said that there is no file", || tls.fault().is_some());
    assert_eq!(own(), "2");
    lead("first");
    eventually("the certificate of before is back", || own() == "1" && tls.fault().is_none());
    server.shutdown();
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn no_call_is_lost_while_certificates_are_replaced() {
    let authority = Authority::new("root");
    let tls = authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
    let builder = orbs::builder().transport(tls.clone());
    let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
    let client = orbs::builder().transport(authority.tls()).build().unwrap();
    let remote = server.remote(&client);
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..200).for_each(|_| remote.ping().unwrap()))).collect();
        while callers.iter().any(|caller| !caller.is_finished()) {
            let next = authority.issue(&["127.0.0.1"]).pem();
            let _ = tls.clone().settings(|settings| settings.certificate = Some(next));
        }
    });
}
