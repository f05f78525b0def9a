//! What the tools have written about a side of a program.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The profile of one side.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// Name and share in percent.
    pub(super) functions: Vec<(String, f64)>,
    /// The share of the kernel, where it is known.
    pub(super) kernel: Option<f64>,
}

/// Numbers of calls by name.
pub(super) type Calls = HashMap<String, u64>;

pub(super) fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// What `perf` has recorded.
pub(super) fn perf(file: &Path) -> Result<Side, String> {
    let words = ["report", "--stdio", "-q", "--no-children", "-F", "overhead,sym", "-i"];
    let output = Command::new("perf").args(words).arg(file).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(of_report(&String::from_utf8_lossy(&output.stdout)))
}

/// Lines such as `12.34%  [k] tcp_sendmsg`.
fn of_report(text: &str) -> Side {
    let mut side = Side { kernel: Some(0.0), ..Side::default() };
    for line in text.lines() {
        let Some((share, rest)) = line.trim().split_once('%') else { continue };
        let Ok(share) = share.parse::<f64>() else { continue };
        let Some((kind, name)) = rest.trim().split_once(' ') else { continue };
        let name = name.split("  ").next().unwrap_or(name).trim();
        match kind {
            "[k]" => side.kernel = side.kernel.map(|sum| sum + share),
            _ => match side.functions.iter_mut().find(|(known, _)| known == plain(name)) {
                Some((_, sum)) => *sum += share,
                None => side.functions.push((plain(name).to_owned(), share)),
            },
        }
    }
    side
}

/// What a function is called whichever tool names it: without its parameters, and one of the C
/// library as programs know it, not by the variant for this processor.
fn plain(name: &str) -> &str {
    // Behind an @ stands the version of a library.
    let name = name.split('@').next().unwrap_or(name);
    let name = match name.find('(') {
        Some(place) if place > 0 && !name.starts_with('<') => &name[..place],
        _ => name,
    };
    let Some(within) = name.strip_prefix("__") else { return name };
    let within = within.strip_prefix("GI_").unwrap_or(within).trim_start_matches('_');
    let within = within.strip_prefix("libc_").unwrap_or(within);
    let variant = ["_avx", "_evex", "_sse"].iter().find_map(|variant| within.find(variant));
    match variant.map_or(within, |place| &within[..place]) {
        // One piece of code under two names.
        "memmove" => "memcpy",
        known => known,
    }
}

/// The shares and calls in a file of callgrind: `fn=` names what the following costs belong to,
/// `cfn=` and `calls=` what it calls; names are written once and then known by their number.
pub(super) fn callgrind(text: &str) -> (Side, Calls) {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let (mut costs, mut calls) = (HashMap::<&str, u64>::new(), Calls::new());
    let (mut here, mut called, mut inclusive) = ("", "", false);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("fn=") {
            here = resolve(&mut names, rest);
        } else if let Some(rest) = line.strip_prefix("cfn=") {
            called = resolve(&mut names, rest);
        } else if let Some(rest) = line.strip_prefix("calls=") {
            let count = rest.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            *calls.entry(plain(called).to_owned()).or_default() += count;
            // The next line is what the call cost, callees included.
            inclusive = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let cost = line.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            if !std::mem::take(&mut inclusive) {
                *costs.entry(plain(here)).or_default() += cost;
            }
        }
    }
    let total = costs.values().sum::<u64>().max(1) as f64;
    let share = |(name, cost): (&str, u64)| (name.to_owned(), cost as f64 * 100.0 / total);
    let mut functions: Vec<_> = costs.into_iter().map(share).collect();
    functions.sort_by(|a, b| b.1.total_cmp(&a.1));
    (Side { functions, kernel: None }, calls)
}

/// The name in `(12) name`, or the one that `(12)` stood for before.
fn resolve<'t>(names: &mut HashMap<&'t str, &'t str>, rest: &'t str) -> &'t str {
    let Some((id, name)) = rest.split_once(')') else { return rest };
    match name.trim() {
        "" => names.get(id).copied().unwrap_or(rest),
        name => {
            // Recursion is told apart by a number behind an apostrophe.
            let name = name.split('\'').next().unwrap_or(name);
            names.insert(id, name);
            name
        }
    }
}

/// Lines of a number and a system call.
pub(super) fn strace(text: &str) -> Vec<(String, u64)> {
    let mut calls: Vec<(String, u64)> = text
        .lines()
        .filter_map(|line| {
            let (count, name) = line.trim().split_once(' ')?;
            let name = name.trim();
            (name != "total").then_some((name.to_owned(), count.parse().ok()?))
        })
        .collect();
    calls.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_perf_are_read() {
        let side = of_report(
            "\n    60.50%  [k] tcp_sendmsg_locked\n     9.50%  [.] <A as B>::c\n     2%  x\n",
        );
        assert_eq!(side.kernel, Some(60.5));
        assert_eq!(side.functions, [("<A as B>::c".to_owned(), 9.5)]);
    }

    #[test]
    fn files_of_callgrind_are_read() {
        let text =
            "fn=(1) main\n16 400\ncfn=(2) memcpy\ncalls=3 50\n16 9000\n\nfn=(2)\n7 600\n+3 0\n";
        let (side, calls) = callgrind(text);
        assert_eq!(side.functions, [("memcpy".to_owned(), 60.0), ("main".to_owned(), 40.0)]);
        assert_eq!(calls["memcpy"], 3);
    }

    #[test]
    fn functions_have_one_name_whichever_tool_tells_it() {
        let of_perf =
            "__memmove_avx512_unaligned_erms __libc_recv __GI___libc_write __strlen_evex cdr::raw";
        let of_callgrind =
            "__memcpy_avx_unaligned_erms recv write __strlen_avx2 cdr::raw(char const*)";
        let names = of_perf.split(' ').zip(of_callgrind.splitn(5, ' '));
        assert!(names.clone().all(|(perf, callgrind)| plain(perf) == plain(callgrind)));
        let known: Vec<_> = names.map(|(perf, _)| plain(perf)).collect();
        assert_eq!(known, ["memcpy", "recv", "write", "strlen", "cdr::raw"]);
        for whole in ["<A as B<fn()>>::c", "(anonymous namespace)::d", "futex_wait"] {
            assert_eq!(plain(whole), whole);
        }
        assert_eq!(plain("clock_nanosleep@GLIBC_2.2.5"), "clock_nanosleep");
        let twice = of_report(" 2%  [.] __send\n 1%  [.] __GI___send\n");
        assert_eq!(twice.functions, [("send".to_owned(), 3.0)]);
    }

    #[test]
    fn summaries_of_strace_are_read() {
        let text = "    calls syscall\n--------- --------\n      527 sendto\n       12 read\n\
                    \x20     539 total\n";
        assert_eq!(strace(text), [("sendto".to_owned(), 527), ("read".to_owned(), 12)]);
    }
}
