//! What is wrong with tasks is said with its place, its value and the remedy.

use armilla_schedule::{Description, System};

fn faults(text: &str) -> String {
    let read = Description::parse("nav.toml", None, text).and_then(Description::finish);
    read.and_then(System::new).map(|_| ()).unwrap_err().to_string()
}

fn task(lines: &str) -> String {
    format!("[[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n{lines}\n")
}

#[test]
fn each_fault_has_its_message() {
    let b = "[[task]]\nname = \"b\"\nwcet = \"1 ms\"";
    for (text, expected) in [
        (task("deadline = 5"), "nav.toml:5: 5 has no unit or no quotes; write it in quotes"),
        (task("deadline = \"5\""), "nav.toml:5: `5` has no unit; write `5 ms`"),
        (task("deadline = \"0 ms\""), "a: the deadline is 0"),
        (task("deadline = \"500 us\""), "wcet 1 ms is longer than the deadline 500 us"),
        (task("jitter = \"10 ms\""), "the jitter 10 ms is not below the deadline 10 ms"),
        (task("threads = 0"), "it has 0 threads"),
        (task("importence = \"high\""), "`importence` is no key of a task; meant `importance`?"),
        (task("criticality = \"hihg\""), "`hihg` is no criticality"),
        (task(&format!("calls = [\"bb\"]\n{b}")), "it calls `bb`, which is unknown; meant `b`?"),
        (
            task(&format!("calls = [\"b\"]\n{b}\ncalls = [\"a\"]")),
            "the calls form a cycle: a → b → a",
        ),
        (task(b), "b: it has no period and nobody calls it"),
        (
            task(&format!("calls = [{{ operation = \"b\", oneway = false }}]\n{b}\noneway = true")),
            "it calls `b` two-way, which is oneway",
        ),
        (
            task("sections = [{ resource = \"r\", length = \"2 ms\" }]"),
            "its critical sections take 2 ms, but its wcet is 1 ms",
        ),
        (
            task(&format!(
                "sections = [{{ resource = \"r\", length = \"1 ms\" }}]\n{b}\nperiod = \"1 s\"\n\
                 processor = \"cpu7\"\nsections = [{{ resource = \"r\", length = \"1 ms\" }}]"
            )),
            "it shares `r` with a, which another processor executes",
        ),
        (
            "[[task]]\nname = \"a\"\n".into(),
            "nav.toml:1: a: its worst-case execution time is missing",
        ),
        ("[[task]]\nwcet = \"1 ms\"".into(), "nav.toml:1: this task has no name"),
        ("[[taks]]\nname = \"a\"".into(), "`taks` is no key of the file; meant `task`?"),
        (String::new(), "tasks: there is none"),
        ("period = = 3".into(), "nav.toml:1: it is no TOML"),
    ] {
        let found = faults(&text);
        assert!(found.contains(expected), "{text}\n{found}\nexpected: {expected}");
    }
}
