//! The command line, as an operator uses it.

use crate::common::{Scratch, write_image};
use crate::programs::{Program, run};
use std::fs;

fn lines(octets: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(octets).lines().map(str::to_owned).collect()
}

#[test]
fn directories_are_imported_and_sent_without_what_is_no_image() {
    let scratch = Scratch::new();
    let disc = scratch.file("disc");
    fs::create_dir_all(disc.join("series/more")).unwrap();
    let uids = [
        write_image(&disc.join("IM0001"), "1.2.3", 1, 16, 0),
        write_image(&disc.join("series/IM0002"), "1.2.3", 2, 16, 0),
        write_image(&disc.join("series/more/IM0003"), "1.2.3", 3, 16, 0),
    ];
    fs::write(disc.join("DICOMDIR"), "contents").unwrap();
    fs::write(disc.join("series/readme.txt"), "no image").unwrap();
    std::os::unix::fs::symlink(&disc, disc.join("series/back")).unwrap();
    let (one, two) = (scratch.file("one"), scratch.file("two"));
    let [disc, one, two] = [&disc, &one, &two].map(|path| path.to_str().unwrap());

    let imported = Program::start(&["serve", "--store", one, disc]);
    let found = run(&["find", &imported.url]);
    let found = lines(&found.stdout);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().zip(&uids).all(|(line, uid)| line.ends_with(uid)), "{found:?}");
    assert!(found.iter().all(|line| line.contains(" Doe, Jane ")), "{found:?}");

    let other = Program::start(&["serve", "--store", two]);
    let sent = run(&["send", &other.url, disc]);
    assert_eq!(lines(&sent.stdout), uids);
    let errors = lines(&sent.stderr);
    assert!(errors[0].contains("series/readme.txt: ") && errors.len() == 2, "{errors:?}");
    assert!(errors[1].contains("1 of 4 files were not stored"), "{errors:?}");
}
