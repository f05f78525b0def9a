//! Disks that are full, or lose what they had.

use crate::common::{Scratch, serve, write_image};
use crate::programs::{Program, names, run, wait_until};
use armilla::Orb;
use armilla_imaging::fetch::send;
use armilla_imaging::idl::{Refusal, Server, ServerRef};
use armilla_imaging::store::Store;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A soft limit of a process for the size of files stands for the full disk.
fn limit_files(program: &Program, octets: &str) {
    let arguments = ["--pid".to_owned(), program.id().to_string(), format!("--fsize={octets}:")];
    assert!(Command::new("prlimit").args(arguments).status().unwrap().success());
}

fn server(program: &Program) -> ServerRef {
    Orb::new().unwrap().resolve(&program.url).unwrap()
}

fn is_clean(store: &Path, images: usize) -> bool {
    names(&store.join("incoming")).is_empty() && names(&store.join("images")).len() == images
}

#[test]
fn a_disk_that_was_full_takes_images_again_without_a_restart() {
    let scratch = Scratch::new();
    let store = scratch.file("store");
    // Without the trap, the signal of the limit would end the server.
    let arguments = ["serve", "--http", "127.0.0.1:0", "--store", store.to_str().unwrap()];
    let program = Program::start_after("trap '' XFSZ", &arguments);
    let server = server(&program);
    assert_eq!(program.health(), 200);
    let (small, large) = (scratch.file("small"), scratch.file("large"));
    let uid = write_image(&small, "1.2.3", 1, 16, 0);
    write_image(&large, "1.2.3", 2, 256, 0);

    // There is no room for the file.
    limit_files(&program, "100000");
    let error = send(&server, &large).unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
    // There is room for the file, and none in the index.
    limit_files(&program, "4000");
    let error = send(&server, &small).unwrap_err().to_string();
    assert!(error.contains("index.redb") && error.contains("cannot be written"), "{error}");
    assert!(is_clean(&store, 0) && server.state().unwrap().images == 0);
    assert_eq!(program.health(), 503);

    limit_files(&program, "unlimited");
    wait_until("it is healthy again", || program.health() == 200);
    wait_until("the index is written again", || send(&server, &small).is_ok());
    send(&server, &large).unwrap();
    assert!(is_clean(&store, 2) && server.metadata(&uid).is_ok());
}

/// A file system of so many octets, as long as it is held.
struct SmallDisk<'s>(&'s Path);

impl<'s> SmallDisk<'s> {
    /// `None` if this user may not mount one.
    fn mount(at: &'s Path, octets: u64) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let size = format!("size={octets}");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).output();
        mount.is_ok_and(|done| done.status.success()).then_some(Self(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0).status().ok();
    }
}

#[test]
fn a_small_disk_is_filled_to_its_end_and_freed() {
    let scratch = Scratch::new();
    let disk = scratch.file("disk");
    let Some(_disk) = SmallDisk::mount(&disk, 8 << 20) else {
        eprintln!("skipped: only root may mount a small disk");
        return;
    };
    let store = disk.join("store");
    let arguments = ["serve", "--spare", "0", "--store", store.to_str().unwrap()];
    let program = Program::start(&arguments);
    let server = server(&program);
    let path = scratch.file("image");
    let mut kept = Vec::new();
    let refused = (1..).find_map(|number| {
        write_image(&path, "1.2.3", number, 256, 0);
        match send(&server, &path) {
            Ok(image) => {
                kept.push(image.uid);
                None
            }
            Err(error) => Some(error),
        }
    });
    let refused = refused.unwrap();
    assert_eq!(refused.refusal, Some(Refusal::NoRoom), "{refused}");
    assert!(refused.to_string().contains("no room"), "{refused}");
    // Something else takes what is left, so that not even the index has room.
    let filler = disk.join("filler");
    Command::new("dd")
        .arg("if=/dev/zero")
        .arg(format!("of={}", filler.display()))
        .output()
        .unwrap();
    write_image(&path, "1.2.3", 999, 4, 0);
    assert!(send(&server, &path).is_err());
    assert!(is_clean(&store, kept.len()));
    assert!(kept.iter().all(|uid| server.metadata(uid).is_ok()), "what is there is read");

    fs::remove_file(filler).unwrap();
    wait_until("an image is removed", || server.remove(&kept[0]).is_ok());
    wait_until("an image is stored", || send(&server, &path).is_ok());
    drop(program);
    let store = Store::open_with_spare(&store, 0, 0).unwrap();
    assert_eq!(store.usage().0 as usize, kept.len(), "what was acknowledged, and nothing else");
}

#[test]
fn images_without_their_index_are_left_alone() {
    let scratch = Scratch::new();
    let (directory, path) = (scratch.file("store"), scratch.file("file"));
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    drop(Store::open(&directory, 0).unwrap().import(&path).unwrap());
    fs::remove_file(directory.join("index.redb")).unwrap();
    let started = run(&["serve", "--store", directory.to_str().unwrap()]);
    let said = String::from_utf8(started.stderr).unwrap();
    assert!(!started.status.success() && said.contains("import its files"), "{said}");

    // As it says.
    let away = scratch.file("away");
    fs::rename(directory.join("images"), &away).unwrap();
    let store = Store::open(&directory, 0).unwrap();
    assert_eq!(store.import(&away.join(format!("{uid}.dcm"))).unwrap().uid, uid);
}

#[test]
fn a_lost_image_comes_back_only_as_it_was_or_is_removed() {
    let scratch = Scratch::new();
    let (directory, path) = (scratch.file("store"), scratch.file("file"));
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    drop(Store::open(&directory, 0).unwrap().import(&path).unwrap());
    let file = directory.join(format!("images/{uid}.dcm"));
    fs::write(&file, b"cut off").unwrap();
    let (orb, server, store) = serve(&directory, 0);
    assert!(store.image(&uid).is_none() && !store.holds(&uid) && store.usage().1 == 0);
    assert!(file.exists(), "it is not thrown away");
    let original = fs::read(&path).unwrap();
    write_image(&path, "1.2.3", 1, 16, 9);
    assert!(store.import(&path).unwrap_err().to_string().contains("other contents"));
    fs::write(&path, original).unwrap();
    assert_eq!(store.import(&path).unwrap().uid, uid);
    assert!(store.holds(&uid));
    fs::remove_file(&file).unwrap();
    assert!(!store.holds(&uid));
    drop((server.remove(&uid).unwrap(), store));
    orb.shutdown();
}
