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
    assert!(said.contains("`armilla trader recover`"), "{said}");
    let is_placed = said.contains("record 1 of \"offers\"")
        && said.contains("at octet ")
        && said.contains("last good state");
    assert!(is_placed, "{said}");
    let orb = client();
    let found = Store::recover(&directory.0, true, &orb).unwrap();
    assert!(found.losses.iter().any(|loss| loss.contains("record 2 of \"offers\"")), "{found:?}");
    assert!(found.saved.offers == 1 && !second.is_empty());
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

#[test]
fn what_can_be_saved_of_a_damaged_store_is_saved() {
    let directory = Directory::new("recover");
    let orb = armilla::Orb::new().unwrap();
    let ids: Vec<String> = {
        let served =
            Served::by(listening(), Store::open(&directory.0, &orb).unwrap(), Limits::default());
        served.add_printers();
        (0..60).map(|number| served.printer(&format!("p{number}"), 1.0, number)).collect()
    };
    let file = directory.file();
    let whole = std::fs::read(&file).unwrap();
    for (page, octets) in whole.chunks(4096).enumerate() {
        let Some(used) = octets.iter().rposition(|octet| *octet != 0) else { continue };
        let mut damaged = whole.clone();
        damaged[page * 4096 + (page * 97) % (used + 1)] ^= 4;
        std::fs::write(&file, &damaged).unwrap();
        let told = Store::open(&directory.0, &orb).map(drop);
        if let Err(error) = told {
            let text = error.to_string();
            assert!(text.contains("octet") && text.contains("armilla trader recover"), "{text}");
        }
        std::fs::write(&file, &damaged).unwrap();
        let recovered = Store::recover(&directory.0, false, &orb).unwrap();
        assert_eq!(std::fs::read(recovered.kept.as_ref().unwrap()).unwrap(), damaged);
        std::fs::remove_file(recovered.kept.as_ref().unwrap()).unwrap();
        let offers = recovered.saved.offers;
        assert!(offers + 1 >= ids.len(), "page {page}: {recovered:?}");
        let is_told = offers == ids.len() || !recovered.losses.is_empty();
        assert!(is_told, "page {page}: {recovered:?}");
        let store = Store::open(&directory.0, &orb).unwrap();
        assert_eq!(store.model().offer_count(), offers);
    }
    for length in (0..whole.len()).step_by(50_021) {
        std::fs::write(&file, &whole[..length]).unwrap();
        if let Ok(found) = Store::recover(&directory.0, true, &orb) {
            let is_told = found.saved.offers == ids.len() || !found.losses.is_empty();
            assert!(is_told, "{length}: {found:?}");
        }
    }
}
