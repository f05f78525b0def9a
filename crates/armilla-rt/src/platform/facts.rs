//! Facts about the platform, read from `/proc` and `/sys`. What is not there is `None`.

use std::fs;

/// The contents of a file of `/proc` or `/sys`, without white space around it.
pub(super) fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// A number in a file.
pub(super) fn number(path: &str) -> Option<i64> {
    read(path)?.parse().ok()
}

/// The soft limit with this name in `/proc/self/limits`; `None` if it is unlimited or unknown.
pub(super) fn limit(name: &str) -> Option<u64> {
    let limits = read("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Whether the process has the capability with this number.
pub(super) fn has_capability(number: u32) -> bool {
    let status = read("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> number & 1 == 1)
}

/// `CAP_IPC_LOCK`.
pub(super) const IPC_LOCK: u32 = 14;
/// `CAP_NET_ADMIN`.
pub(super) const NET_ADMIN: u32 = 12;

/// The CPUs of a list such as `0-2,5`.
pub(super) fn cpu_list(text: &str) -> Vec<usize> {
    let ranges = text.split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
    });
    // No kernel has more.
    ranges.flatten().take(1 << 16).collect()
}

/// The CPUs that the scheduler leaves alone.
pub(super) fn isolated_cpus() -> Vec<usize> {
    let lists = ["/sys/devices/system/cpu/isolated", "/sys/fs/cgroup/cpuset.cpus.isolated"];
    lists.iter().filter_map(|path| read(path)).flat_map(|list| cpu_list(&list)).collect()
}

/// The group of the controller `cpu` of cgroup v1 in which the process is.
pub(super) fn cpu_group() -> Option<String> {
    let groups = read("/proc/self/cgroup")?;
    groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == "cpu").then(|| path.to_owned())
    })
}

/// The preemption model of the kernel in the kernel's own word, such as `PREEMPT_RT`.
pub(super) fn preemption() -> Option<String> {
    if number("/sys/kernel/realtime") == Some(1) {
        return Some("PREEMPT_RT".to_owned());
    }
    let version = read("/proc/version")?;
    let built = version.split_whitespace().find(|word| word.starts_with("PREEMPT"));
    let chosen = read("/sys/kernel/debug/sched/preempt");
    let chosen = chosen.as_deref().and_then(|modes| modes.split(['(', ')']).nth(1));
    let built = built.unwrap_or("no preemption");
    Some(chosen.map_or_else(|| built.to_owned(), |mode| format!("{built} ({mode})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpu_list("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(cpu_list("3\n"), [3]);
        assert!(cpu_list("").is_empty() && cpu_list("x-,").is_empty());
    }

    #[test]
    fn facts_that_every_linux_has_are_found() {
        assert!(read("/proc/version").is_some());
        assert!(preemption().is_some());
        assert!(read("/proc/no such file").is_none());
    }
}
