//! DICOMweb as an HTTP client sees it; `lab/interop/imaging/check` asks with a client of others.

use crate::common::{Scratch, serve, write_image};
use armilla::Orb;
use armilla_imaging::access::token_hash;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::{ServerRef, SourceRef};
use armilla_imaging::locator::Locator;
use armilla_imaging::web::Web;
use armilla_imaging::web::accept::MediaType;
use armilla_imaging::web::multipart::{MultipartReader, MultipartWriter};
use armilla_service::{Console, Lifecycle};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

/// What an HTTP server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{} {text}", self.status))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        });
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }

    fn parts(&self) -> Vec<Vec<u8>> {
        let kind = MediaType::parse(self.field("content-type")).unwrap();
        let boundary = kind.parameter("boundary").unwrap();
        let mut reader = MultipartReader::new(&self.body[..], boundary).unwrap();
        let mut parts = Vec::new();
        while reader.next_part().unwrap().is_some() {
            let mut octets = Vec::new();
            reader.read_to_end(&mut octets).unwrap();
            parts.push(octets);
        }
        parts
    }
}

/// Asks a console. `fields` are lines of the head.
pub(crate) fn ask(
    console: &Console,
    method: &str,
    path: &str,
    fields: &str,
    body: &[u8],
) -> Answer {
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let length = body.len();
    let head = format!(
        "{method} /dicomweb/{path} HTTP/1.0\r\nHost: localhost\r\n{fields}Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let mut octets = Vec::new();
    stream.read_to_end(&mut octets).unwrap();
    let end = octets.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(octets[..end].to_vec()).unwrap();
    let status = head[9..12].parse().unwrap();
    Answer { status, head, body: octets[end + 4..].to_vec() }
}

fn get(console: &Console, path: &str, accept: &str) -> Answer {
    ask(console, "GET", path, &format!("Accept: {accept}\r\n"), b"")
}

fn console(source: SourceRef) -> Console {
    console_to(source, Guard::default())
}

/// The same with rules.
pub(crate) fn console_to(source: SourceRef, guard: Guard) -> Console {
    let builder = Web::new(source, guard).add_to(Console::builder("127.0.0.1:0"), 64 << 20);
    builder.start(&Lifecycle::new()).unwrap()
}

/// A server with a study of three images, and its console.
fn with_study(scratch: &Scratch) -> (Orb, ServerRef, Console) {
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let path = scratch.file("file");
    for number in 1..4 {
        write_image(&path, "1.2.3", number, 32, number);
        store.import(&path).unwrap();
    }
    let console = console(server.upcast());
    (orb, server, console)
}

const SERIES: &str = "studies/1.2.3/series/1.2.3.1";

fn values<'j>(json: &'j Value, tag: &str) -> Vec<&'j Value> {
    json.as_array().unwrap().iter().map(|one| &one[tag]["Value"][0]).collect()
}

#[test]
fn studies_series_and_instances_are_searched_for() {
    let scratch = Scratch::new();
    let (orb, _, console) = with_study(&scratch);
    let search = |path: &str| get(&console, path, "application/dicom+json");
    let studies = search("studies?PatientName=doe*&ModalitiesInStudy=MR");
    assert_eq!((studies.status, studies.field("content-type")), (200, "application/dicom+json"));
    let studies = studies.json();
    assert_eq!(values(&studies, "0020000D"), ["1.2.3"]);
    assert_eq!(values(&studies, "00201208"), [3]);
    assert_eq!(studies[0]["00100010"]["Value"][0]["Alphabetic"], "Doe^Jane");
    assert_eq!(values(&studies, "00081190"), ["http://localhost/dicomweb/studies/1.2.3"]);
    for nothing in ["studies?PatientID=x", "studies?StudyDate=20250315-", "studies/9/series"] {
        assert_eq!(search(nothing).json(), Value::Array(Vec::new()), "{nothing}");
    }
    assert_eq!(values(&search("studies/1.2.3/series").json(), "0020000E"), ["1.2.3.1"]);
    let path = format!("{SERIES}/instances?limit=2&offset=1");
    assert_eq!(values(&search(&path).json(), "00200013"), [2, 3]);
    let cut = search("instances?limit=2&includefield=PatientSex");
    assert_eq!(values(&cut.json(), "00200013"), [1, 2]);
    assert!(cut.field("warning").contains("offset"));
    for (wrong, part) in [
        ("studies?limit=many", "limit=many"),
        ("studies?StudyDate=yesterday", "StudyDate=yesterday"),
        ("patients", "patients"),
    ] {
        let answer = search(wrong);
        assert!([400, 404].contains(&answer.status) && answer.text().contains(part), "{wrong}");
    }
    assert_eq!(get(&console, "studies", "text/html").status, 406);
    orb.shutdown();
}

#[test]
fn a_file_that_is_refused_is_named_whatever_its_head_leaves_out() {
    let scratch = Scratch::new();
    let (orb, server, _) = serve(&scratch.file("store"), 0);
    let console = console(server.upcast());
    let path = scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    let whole = fs::read(&path).unwrap();
    let without_length = [&whole[..132], &whole[144..]].concat();
    for file in [&whole, &without_length] {
        // Its head is there, and not all of its pixels.
        let answer = post(&console, "studies", &[file[..file.len() - 100].to_vec()]);
        assert_eq!(answer.status, 409);
        let failed = &answer.json()["00081198"]["Value"][0];
        assert_eq!(failed["00081155"]["Value"][0], uid.as_str());
    }
    assert_eq!(post(&console, "studies", &[without_length]).status, 200);
    orb.shutdown();
}

#[test]
fn parameters_that_say_nothing_are_ignored_by_every_resource() {
    let scratch = Scratch::new();
    let (orb, _, console) = with_study(&scratch);
    let parameters = "_=17&access_token=x&orderby=y&includefield=Nonsense&PatientAge=7";
    let image = format!("{SERIES}/instances/1.2.3.1.1");
    for path in ["studies", "studies/1.2.3/series", &format!("{SERIES}/instances")] {
        let answer = get(&console, &format!("{path}?{parameters}"), "*/*");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let warning = answer.field("warning");
        let names = ["_", "access_token", "orderby", "includefield=Nonsense", "PatientAge"];
        assert!(names.iter().all(|name| warning.contains(name)), "{warning}");
    }
    for path in
        ["studies/1.2.3", SERIES, &image, "studies/1.2.3/metadata", "studies/1.2.3/thumbnail"]
    {
        assert_eq!(get(&console, &format!("{path}?{parameters}"), "*/*").status, 200, "{path}");
    }
    for what in ["metadata", "frames/1", "rendered", "thumbnail", "frames/1/rendered"] {
        let answer = get(&console, &format!("{image}/{what}?{parameters}&quality=7"), "*/*");
        assert_eq!(answer.status, 200, "{what}");
    }
    let octets = fs::read(scratch.file("file")).unwrap();
    assert_eq!(post(&console, &format!("studies?{parameters}"), &[octets]).status, 200);
    orb.shutdown();
}

#[test]
fn files_come_as_they_were_stored() {
    let scratch = Scratch::new();
    let (orb, server, console) = with_study(&scratch);
    let parts = r#"multipart/related; type="application/dicom"; transfer-syntax=*"#;
    let files = get(&console, "studies/1.2.3", parts);
    assert_eq!(files.status, 200);
    let files = files.parts();
    assert_eq!(files.len(), 3);
    let stored = |number| {
        let store = scratch.file("store").join(format!("images/1.2.3.1.{number}.dcm"));
        fs::read(store).unwrap()
    };
    assert!((1..4).all(|number| files[number - 1] == stored(number)));
    let one = get(&console, &format!("{SERIES}/instances/1.2.3.1.2"), "application/dicom");
    assert!(one.body == stored(2));
    assert_eq!(one.field("content-type"), "application/dicom; transfer-syntax=1.2.840.10008.1.2.1");
    let other = r#"multipart/related; type="application/dicom"; transfer-syntax=1.2.840.10008.1.2"#;
    let refused = get(&console, "studies/1.2.3", other);
    assert!(refused.status == 406 && refused.text().contains("transfer-syntax=*"));
    assert_eq!(get(&console, "studies/1.2.9", parts).status, 404);
    assert_eq!(get(&console, "studies/1.2.3", "application/dicom").status, 406);
    drop(server);
    orb.shutdown();
}

#[test]
fn metadata_frames_and_pictures_tell_of_the_same_pixels() {
    let scratch = Scratch::new();
    let (orb, _, console) = with_study(&scratch);
    let all = get(&console, "studies/1.2.3/metadata", "application/dicom+json").json();
    assert_eq!(values(&all, "00280010"), [32, 32, 32]);
    assert!(all[0].get("7FE00010").is_none() && all[0].get("00020010").is_none());

    let image = format!("{SERIES}/instances/1.2.3.1.1");
    let frame = get(&console, &format!("{image}/frames/1"), "application/octet-stream");
    let expected: Vec<u8> =
        (0..32 * 32_u16).flat_map(|at| ((at / 32 + at % 32) ^ 1).to_le_bytes()).collect();
    assert!(frame.body == expected);
    let parts = get(&console, &format!("{image}/frames/1,1"), "*/*");
    assert_eq!(parts.parts(), [expected.clone(), expected]);
    for beyond in ["frames/2", "frames/1,2", "frames/2/rendered"] {
        let answer = get(&console, &format!("{image}/{beyond}"), "*/*");
        assert!(answer.status == 404 && answer.text().contains("no frame 2"), "{beyond}");
    }
    assert_eq!(get(&console, &format!("{image}/frames/0"), "*/*").status, 400);

    let drawn = |what: &str, accept: &str| get(&console, &format!("{image}/{what}"), accept);
    let png = drawn("rendered?window=16,32,linear&viewport=8,8", "image/png");
    assert_eq!((png.status, png.field("content-type")), (200, "image/png"));
    let reader = png::Decoder::new(std::io::Cursor::new(&png.body[..])).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (8, 8));
    let jpeg = drawn("thumbnail", "*/*");
    assert_eq!((jpeg.field("content-type"), &jpeg.body[..2]), ("image/jpeg", &[0xff, 0xd8][..]));
    assert_eq!(get(&console, "studies/1.2.3/thumbnail", "image/png").status, 200);
    assert_eq!(drawn("rendered?window=1", "image/png").status, 400);
    assert_eq!(drawn("rendered", "text/html").status, 406);
    orb.shutdown();
}

/// A request to store files.
fn post(console: &Console, path: &str, files: &[Vec<u8>]) -> Answer {
    let mut body = Vec::new();
    let mut writer = MultipartWriter::new(&mut body, "xyz");
    for file in files {
        writer.begin(&[("Content-Type", "application/dicom")]).unwrap().write_all(file).unwrap();
    }
    writer.end().unwrap();
    let kind = r#"multipart/related; type="application/dicom"; boundary=xyz"#;
    ask(console, "POST", path, &format!("Content-Type: {kind}\r\n"), &body)
}

#[test]
fn what_is_stored_over_http_is_found_and_what_fails_is_named() {
    let scratch = Scratch::new();
    let (orb, server, _) = serve(&scratch.file("store"), 100_000);
    let console = console(server.upcast());
    let path = scratch.file("file");
    let file = |study: &str, number, edge| {
        write_image(&path, study, number, edge, 0);
        fs::read(&path).unwrap()
    };
    let good = file("1.2.3", 1, 64);
    let stored = post(&console, "studies", &[good.clone(), file("1.2.3", 2, 64)]);
    assert_eq!(stored.status, 200, "{}", stored.text());
    let kept = &stored.json()["00081199"]["Value"];
    assert_eq!(kept[1]["00081155"]["Value"][0], "1.2.3.1.2");
    let url = kept[0]["00081190"]["Value"][0].as_str().unwrap();
    let found = get(&console, url.split_once("/dicomweb/").unwrap().1, "application/dicom");
    assert!(found.body == good);

    // One of another study, one that is no image, one that is too large; the last one is kept.
    let bad =
        [file("9.9", 1, 16), b"no image".to_vec(), file("1.2.3", 4, 256), file("1.2.3", 5, 16)];
    let partly = post(&console, "studies/1.2.3", &bad);
    assert_eq!(partly.status, 202);
    let (kept, failed) = (&partly.json()["00081199"], &partly.json()["00081198"]["Value"]);
    assert_eq!(kept["Value"].as_array().unwrap().len(), 1);
    let reasons: Vec<_> = (0..3).map(|at| failed[at]["00081197"]["Value"][0].clone()).collect();
    assert_eq!(reasons, [0xa900, 0xc000, 0xa700]);
    assert_eq!(failed[0]["00081155"]["Value"][0], "9.9.1.1");
    assert!(failed[2]["00000902"]["Value"][0].as_str().unwrap().contains("quota"));

    assert_eq!(post(&console, "studies", &[b"no image".to_vec()]).status, 409);
    assert_eq!(post(&console, "studies", &[]).status, 400);
    let plain = ask(&console, "POST", "studies", "Content-Type: text/plain\r\n", b"x");
    assert_eq!(plain.status, 415);
    assert_eq!(fs::read_dir(scratch.file("store").join("incoming")).unwrap().count(), 0);
    orb.shutdown();
}

#[test]
fn a_locator_answers_for_several_servers_and_says_who_is_missing() {
    let scratch = Scratch::new();
    let (one, first, near) = serve(&scratch.file("one"), 0);
    let (two, second, far) = serve(&scratch.file("two"), 0);
    let path = scratch.file("file");
    for (store, number) in [(&near, 1), (&far, 1), (&far, 2)] {
        write_image(&path, "1.2.3", number, 16, 0);
        store.import(&path).unwrap();
    }
    let urls = [(&one, &first), (&two, &second)]
        .map(|(orb, server)| orb.object_to_string(server.object()).unwrap());
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let locator = Locator::activate(&orb, urls.to_vec(), Guard::default()).unwrap();
    let console = console(locator);
    let search = || get(&console, "studies", "*/*");
    assert_eq!(values(&search().json(), "00201208"), [2]);
    let files = |path: &str| get(&console, path, "multipart/related");
    assert_eq!(files("studies/1.2.3").parts().len(), 2);

    one.shutdown();
    let found = search();
    assert_eq!(values(&found.json(), "00201208"), [2]);
    assert!(found.field("warning").contains("does not answer"));
    // The replica has it, though the other one was remembered to have the series.
    assert_eq!(files(&format!("{SERIES}/instances/1.2.3.1.1")).parts().len(), 1);
    let stored = post(&console, "studies", &[fs::read(&path).unwrap()]);
    assert_eq!(stored.status, 200, "the one that is there takes it");
    two.shutdown();
    let gone = files("studies/1.2.3");
    assert!(gone.status == 503 && gone.text().contains("do not answer"), "{}", gone.text());
    assert_eq!(post(&console, "studies", &[fs::read(&path).unwrap()]).status, 503);
    orb.shutdown();
}

#[test]
fn rules_and_tokens_say_who_reads_and_the_record_has_no_names() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let (path, record) = (scratch.file("file"), scratch.file("record"));
    write_image(&path, "1.2.3", 1, 16, 0);
    store.import(&path).unwrap();
    let rules = format!("allow read token desk {}", token_hash("secret"));
    let guard = Guard::new(rules.parse().unwrap(), Some(&record)).unwrap();
    let console = console_to(server.upcast(), guard);
    let with = |token: &str, path: &str| {
        ask(&console, "GET", path, &format!("Authorization: Bearer {token}\r\n"), b"")
    };
    let refused = get(&console, "studies", "*/*");
    assert_eq!(
        (refused.status, refused.field("www-authenticate")),
        (401, "Bearer realm=\"images\"")
    );
    assert_eq!(with("guess", "studies").status, 401);
    assert_eq!(with("secret", "studies?PatientName=Doe*").status, 200);
    assert_eq!(with("secret", &format!("{SERIES}/instances/1.2.3.1.1/rendered")).status, 200);
    let octets = fs::read(&path).unwrap();
    let stored = post(&console, "studies", &[octets]);
    assert!(stored.status == 403 && stored.text().contains("store"), "{}", stored.text());

    let record = fs::read_to_string(record).unwrap();
    let lines: Vec<Value> =
        record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["denied", "denied", "allowed", "allowed", "denied"]);
    let seen = &lines[3];
    assert_eq!(
        (&seen["token"], &seen["image"], &seen["what"]),
        (&"desk".into(), &"1.2.3.1.1".into(), &"picture".into())
    );
    assert!(!record.contains("Doe") && !record.contains("P7") && !record.contains("secret"));
    orb.shutdown();
}

#[test]
fn what_cannot_be_recorded_is_not_shown() {
    let scratch = Scratch::new();
    let (orb, server, _) = serve(&scratch.file("store"), 0);
    // A device that is always full.
    let guard = Guard::new("".parse().unwrap(), Some("/dev/full".as_ref())).unwrap();
    let console = console_to(server.upcast(), guard);
    let refused = get(&console, "studies", "*/*");
    assert!(refused.status == 503 && refused.text().contains("record"), "{}", refused.text());
    orb.shutdown();
}
