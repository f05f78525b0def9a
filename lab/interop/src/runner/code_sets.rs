//! Strings in the native code sets of omniORB: the negotiated code set, and correct characters.

use super::{Client, Orb, Server, Suite};
use crate::interop::{EchoRef, Values};
use crate::report::expect;

/// The code sets of omniORB by its names, and a string that needs each.
const SETS: [(&str, &str); 11] = [
    ("ISO-8859-2", "Łódź"),
    ("ISO-8859-4", "Ķņ"),
    ("ISO-8859-5", "Москва №"),
    ("ISO-8859-9", "Işık"),
    ("ISO-8859-10", "Đŋ"),
    ("ISO-8859-13", "Ģėž"),
    ("ISO-8859-14", "Ŵŷ"),
    ("ISO-8859-15", "1 € Œuf"),
    ("ISO-8859-16", "Ștț"),
    ("windows-1251", "Москва"),
    ("windows-1252", "“€”"),
];

pub(super) fn run(suite: &mut Suite) {
    for (set, text) in SETS {
        let native = ["-ORBnativeCharCodeSet", set];
        suite.group(&format!("code-sets/us-to-omni/{set}"), |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let served = Server::start(programs, directory, Orb::Omni, &native)?;
            let orb = armilla::Orb::new()?;
            let echo: EchoRef = orb.string_to_object(&served.ior)?.narrow()?;
            group.check("own_letters", || {
                let mut kept = text.to_owned();
                let (result, copy) = echo.echo_string(text, &mut kept)?;
                let all = [&result, &copy, &kept];
                expect(all.iter().all(|got| *got == text), format!("{all:?} for {text:?}"))
            });
            group.check("other_letters", || {
                let error = echo.echo_string("漢", &mut String::new()).unwrap_err();
                let said = error.to_string();
                let refused = error.kind() == armilla::ExceptionKind::DataConversion;
                expect(refused && said.contains(set), said)
            });
            orb.shutdown();
            Ok(())
        });
        // In the other sets, some octets that the client sends are not characters.
        if !set.starts_with("ISO") {
            continue;
        }
        suite.group(&format!("code-sets/omni-to-us/{set}"), |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let options = ["-ORBNativeCharCodeSet", set];
            let served = Server::start(programs, directory, Orb::Us, &options)?;
            let client = Client::new(programs, Orb::Omni, &served.ior).options(&native);
            client.only(&["echo_string"]).run(directory, "", group)?;
            served.end()
        });
    }
}
