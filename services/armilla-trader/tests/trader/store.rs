//! The store on the disk: what was acknowledged is there after a restart, and damage is said.

use crate::served;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::IncarnationNumber;
use armilla_cos_trading::{Admin, FollowOption, Link, Proxy, Register};
use armilla_tests::orbs::{client, listening};
use armilla_trader::{Limits, Store};
use served::{Served, property, text};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that goes with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trader-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("trader.redb")
    }

    /// A trader with the contents of the directory.
    fn served(&self) -> Served {
        let orb = listening();
        let store = Store::open(&self.0, &orb).unwrap();
        Served::by(orb, store, Limits::default())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn everything_outlives_the_process() {
    let directory = Directory::new("outlives");
    let (kept, modified, stem) = {
        let served = directory.served();
        served.add_printers();
        served.types.add_type("Laser", "", &[], &["Printer".to_owned()]).unwrap();
        served.types.add_type("Gone", "", &[], &[]).unwrap();
        served.types.remove_type("Gone").unwrap();
        served.types.mask_type("Laser").unwrap();
        let kept = served.printer("ä – 漢", 2.0, 1);
        let withdrawn = served.printer("b", 1.0, 1);
        served.register.withdraw(&withdrawn).unwrap();
        let modified = served.printer("c", 1.0, 1);
        served.register.modify(&modified, &[], &[property("price", &5.0)]).unwrap();
        let target = &served.lookup;
        served
            .link
            .add_link("self", target, FollowOption::LocalOnly, FollowOption::Always)
            .unwrap();
        let name = [text("name", "p")];
        served.proxy.export_proxy(target, "Printer", &name, true, "$*", &[]).unwrap();
        served.admin.set_max_list(77).unwrap();
        (kept, modified, served.admin.request_id_stem().unwrap())
    };
    let served = directory.served();
    assert_eq!(served.find("price > 0", "max price", &[]), "c ä – 漢");
    assert_eq!(served.register.describe(&modified).unwrap().properties[2], property("price", &5.0));
    assert_eq!(served.register.describe(&kept).unwrap().reference, served.object("ä – 漢"));
    assert!(served.types.describe_type("Laser").unwrap().masked);
    assert_eq!(served.types.fully_describe_type("Laser").unwrap().props.len(), 4);
    // Numbers are not given again.
    assert_eq!(served.types.incarnation().unwrap(), IncarnationNumber { high: 0, low: 4 });
    assert!(served.printer("d", 1.0, 1) > modified);
    assert_eq!(served.link.list_links().unwrap(), ["self"]);
    assert_eq!(served.admin.list_proxies(9).unwrap().0.len(), 1);
    assert_eq!(served.admin.request_id_stem().unwrap(), stem);
    assert_eq!(
        served
            .trader
            .read(|model| model.attributes().get(armilla_trader::model::Attribute::MaxList)),
        77
    );
}

fn refusal(directory: &Path) -> String {
    Store::open(directory, &client()).map(drop).unwrap_err().to_string()
}

#[test]
fn two_traders_cannot_share_a_directory() {
    let directory = Directory::new("shared");
    let served = directory.served();
    assert!(refusal(&directory.0).contains("is held by another trading service"));
    drop(served);
}

#[test]
fn a_damaged_record_is_refused_with_its_place() {
    let directory = Directory::new("damaged");
    let second = {
        let served = directory.served();
        served.add_printers();
        served.printer("first", 1.0, 1);
        served.printer("needle in the file", 1.0, 1)
    };
    let mut octets = fs::read(directory.file()).unwrap();
    let needle = b"needle in the file\0";
    let places: Vec<usize> =
        (0..octets.len() - needle.len()).filter(|at| octets[*at..].starts_with(needle)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| octets[at] = b'N');
    fs::write(directory.file(), &octets).unwrap();
    let said = refusal(&directory.0);
    assert!(said.contains("is damaged"), "{said}");
    assert!(said.contains("let the exporters export again"), "{said}");
    let is_placed = said.contains(&format!("the offer {second}"))
        && said.contains("record 2 of \"offers\", behind ")
        && said.contains("at octet ")
        && said.contains("last good state");
    // The engine may see the damage first, if it checks the page.
    assert!(is_placed || said.contains("checksum") || said.contains("engine"), "{said}");
}

#[test]
fn files_of_others_are_refused() {
    let directory = Directory::new("others");
    fs::create_dir_all(&directory.0).unwrap();
    for octets in [&b"not a database"[..], &[0; 8192]] {
        fs::write(directory.file(), octets).unwrap();
        let said = refusal(&directory.0);
        assert!(said.contains("trader.redb"), "{said}");
    }
}
