//! One function for each row of a platform report.

use super::{Finding, Grant, Platform, PlatformReport, facts};
use armilla_ipc::affinity::allowed_cpus;
use armilla_ipc::real_time::{Scheduling, timer_slack};
use std::thread;

/// The topics whose rows [`Platform::prepare`] completes.
pub(super) const MEMORY: &str = "locked memory";
pub(super) const CPUS: &str = "CPUs";
pub(super) const SLACK: &str = "timer slack";

pub(super) fn report(asked: &Platform) -> PlatformReport {
    let mut findings: Vec<_> = asked.scheduling.iter().copied().map(scheduling).collect();
    findings.extend(asked.lock_memory.then(memory));
    findings.extend((!asked.cpus.is_empty() || asked.exclusive).then(|| cpus(asked)));
    findings.extend(asked.busy_poll.then(|| busy_poll(asked)));
    findings.extend(asked.timer_slack.map(|slack| Finding {
        topic: SLACK,
        asked: format!("{slack:?}"),
        grant: Grant::Granted,
        found: timer_slack().map_or_else(|e| e.to_string(), |now| format!("now {now:?}")),
        remedy: String::new(),
    }));
    let real_time = asked.scheduling.iter().any(Scheduling::is_real_time);
    let facts: [Option<Finding>; 9] = [
        real_time.then(throttling),
        real_time.then(group_budget).flatten(),
        Some(preemption()),
        Some(isolation()),
        governor(),
        Some(idle_states()),
        Some(clock()),
        Some(swap()),
        hypervisor(),
    ];
    findings.extend(facts.into_iter().flatten());
    PlatformReport::new(findings)
}

/// A row about a fact.
fn fact(topic: &'static str, good: bool, found: impl Into<String>, remedy: &str) -> Finding {
    let grant = if good { Grant::Granted } else { Grant::Partly };
    let remedy = if good { String::new() } else { remedy.to_owned() };
    Finding { topic, asked: String::new(), grant, found: found.into(), remedy }
}

/// Tries the class out with a thread that ends at once.
fn scheduling(scheduling: Scheduling) -> Finding {
    let tried = thread::Builder::new().spawn(move || scheduling.apply());
    let tried = tried.and_then(|thread| {
        thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the trial panicked")))
    });
    let (grant, found, remedy) = match tried {
        Ok(()) => (Grant::Granted, "a thread got it".to_owned(), String::new()),
        Err(error) => {
            let priority = match scheduling {
                Scheduling::Fifo { priority } | Scheduling::RoundRobin { priority } => priority,
                _ => 99,
            };
            let limit = facts::limit("Max realtime priority").unwrap_or(0);
            let remedy = format!(
                "as root: setcap cap_sys_nice+ep PROGRAM; or in /etc/security/limits.conf: USER - \
                 rtprio {priority}; or in a systemd unit: LimitRTPRIO={priority}; in a container: \
                 --cap-add SYS_NICE"
            );
            (Grant::Refused, format!("{error}; RLIMIT_RTPRIO is {limit}"), remedy)
        }
    };
    Finding { topic: "scheduling", asked: scheduling.to_string(), grant, found, remedy }
}

fn memory() -> Finding {
    let limit = facts::limit("Max locked memory");
    let privileged = facts::has_capability(facts::IPC_LOCK);
    let found = match (privileged, limit) {
        (true, _) => "CAP_IPC_LOCK".to_owned(),
        (false, None) => "RLIMIT_MEMLOCK is unlimited".to_owned(),
        (false, Some(octets)) => format!("RLIMIT_MEMLOCK is {} KiB", octets / 1024),
    };
    let granted = privileged || limit.is_none();
    Finding {
        topic: MEMORY,
        asked: "all pages".to_owned(),
        grant: if granted { Grant::Granted } else { Grant::Refused },
        found,
        remedy: "as root: setcap cap_ipc_lock+ep PROGRAM; or in limits.conf: USER - memlock \
                 unlimited; or in a systemd unit: LimitMEMLOCK=infinity; in a container: --cap-add \
                 IPC_LOCK"
            .to_owned(),
    }
}

/// The CPUs that were asked for, or all that the process may use.
fn wanted_cpus(asked: &Platform) -> Vec<usize> {
    match asked.cpus.is_empty() {
        false => asked.cpus.clone(),
        true => allowed_cpus().unwrap_or_default(),
    }
}

fn cpus(asked: &Platform) -> Finding {
    let wanted = wanted_cpus(asked);
    let allowed = allowed_cpus().unwrap_or_default();
    let isolated = facts::isolated_cpus();
    let missing: Vec<_> = wanted.iter().filter(|cpu| !allowed.contains(cpu)).collect();
    let shared: Vec<_> = wanted.iter().filter(|cpu| !isolated.contains(cpu)).collect();
    let text = if asked.exclusive { format!("{wanted:?} alone") } else { format!("{wanted:?}") };
    let (grant, found, remedy) = if !missing.is_empty() {
        (Grant::Refused, format!("the process may not run on {missing:?}"), CPUSET)
    } else if asked.exclusive && !shared.is_empty() {
        (Grant::Refused, format!("others run on {shared:?} too"), ISOLATE)
    } else {
        (Grant::Granted, format!("of {} CPUs", allowed.len()), "")
    };
    Finding { topic: CPUS, asked: text, grant, found, remedy: remedy.to_owned() }
}

const CPUSET: &str = "widen the cpuset of the process (taskset, cgroup cpuset.cpus, AllowedCPUs=)";
const ISOLATE: &str = "boot with isolcpus=managed_irq,domain,LIST nohz_full=LIST rcu_nocbs=LIST, or \
                       make an isolated cpuset partition (cpuset.cpus.partition = isolated)";

fn busy_poll(asked: &Platform) -> Finding {
    let isolated = facts::isolated_cpus();
    let exclusive = wanted_cpus(asked).iter().all(|cpu| isolated.contains(cpu));
    let privileged = facts::has_capability(facts::NET_ADMIN);
    let (grant, found, remedy) = match (exclusive, privileged) {
        (false, _) => (
            Grant::Refused,
            "the CPUs are not exclusive: a real-time thread that polls would stop all others",
            ISOLATE,
        ),
        (true, false) => (
            Grant::Partly,
            "shared memory only: SO_BUSY_POLL needs CAP_NET_ADMIN",
            "as root: setcap cap_net_admin+ep PROGRAM, or sysctl net.core.busy_read",
        ),
        (true, true) => (Grant::Granted, "the CPUs are exclusive", ""),
    };
    Finding {
        topic: "busy polling",
        asked: "yes".to_owned(),
        grant,
        found: found.to_owned(),
        remedy: remedy.to_owned(),
    }
}

/// Linux gives ordinary threads a part of each second, however much real-time threads want.
fn throttling() -> Finding {
    let period = facts::number("/proc/sys/kernel/sched_rt_period_us").unwrap_or(1_000_000);
    match facts::number("/proc/sys/kernel/sched_rt_runtime_us") {
        Some(-1) => fact("throttling", true, "sched_rt_runtime_us is -1", ""),
        Some(runtime) => fact(
            "throttling",
            false,
            format!(
                "real-time threads of a CPU get {} ms of each {} ms together; then all of them \
                 stop, the most urgent too (sched_rt_runtime_us)",
                runtime / 1000,
                period / 1000
            ),
            "give lanes below the highest a budget or an ordinary class (the default of \
             armilla-rt), or as root: sysctl kernel.sched_rt_runtime_us=-1 (and from Linux 6.12 on \
             0 in /sys/kernel/debug/sched/fair_server/cpu*/runtime)",
        ),
        None => Finding {
            grant: Grant::Unknown,
            ..fact("throttling", false, "sched_rt_runtime_us cannot be read", "mount /proc")
        },
    }
}

/// With `RT_GROUP_SCHED` each group of cgroup v1 has a budget, which is 0 for a new group.
fn group_budget() -> Option<Finding> {
    let group = facts::cpu_group()?;
    let path = format!("/sys/fs/cgroup/cpu{group}/cpu.rt_runtime_us");
    let runtime = facts::number(&path.replace("//", "/"))?;
    Some(fact(
        "cgroup budget",
        runtime != 0,
        format!("group {group}: {runtime} µs of real-time threads a period"),
        "write microseconds to cpu.rt_runtime_us of the group and of those above it",
    ))
}

fn preemption() -> Finding {
    let Some(model) = facts::preemption() else {
        let unknown = fact("kernel", false, "no /proc/version", "mount /proc");
        return Finding { grant: Grant::Unknown, ..unknown };
    };
    let good = model == "PREEMPT_RT" || model.contains("(full)");
    let found = match model.as_str() {
        "PREEMPT_DYNAMIC" => "PREEMPT_DYNAMIC, mode unknown (debugfs is not mounted)".to_owned(),
        _ => model,
    };
    let remedy = "install a kernel with PREEMPT_RT, or boot with preempt=full";
    fact("kernel", good, found, remedy)
}

fn isolation() -> Finding {
    let isolated = facts::isolated_cpus();
    let found = match isolated.is_empty() {
        true => "no CPU is isolated: interrupts and kernel threads run anywhere".to_owned(),
        false => format!("{isolated:?}"),
    };
    fact("isolated CPUs", !isolated.is_empty(), found, ISOLATE)
}

fn governor() -> Option<Finding> {
    let governor = facts::read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")?;
    let good = governor == "performance";
    let remedy = "cpupower frequency-set -g performance";
    Some(fact("frequency governor", good, governor, remedy))
}

fn idle_states() -> Finding {
    let driver = facts::read("/sys/devices/system/cpu/cpuidle/current_driver");
    match driver.as_deref() {
        None | Some("none" | "") => fact("idle states", true, "no driver", ""),
        Some(driver) => fact(
            "idle states",
            false,
            format!("{driver}: leaving a deep state delays a wake-up"),
            "hold /dev/cpu_dma_latency open with a 0 in it, or boot with processor.max_cstate=1",
        ),
    }
}

fn clock() -> Finding {
    let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = facts::read(source).unwrap_or_else(|| "unknown".to_owned());
    let good = ["tsc", "arch_sys_counter", "kvm-clock", "timebase"].contains(&source.as_str());
    let remedy = "a clock that is read without a system call: boot with clocksource=tsc";
    fact("clock", good, source, remedy)
}

fn swap() -> Finding {
    let swaps = facts::read("/proc/swaps").unwrap_or_default();
    let count = swaps.lines().count().saturating_sub(1);
    let found = if count == 0 { "none".to_owned() } else { format!("{count} areas") };
    fact("swap", count == 0, found, "swapoff -a, or lock the memory")
}

fn hypervisor() -> Option<Finding> {
    let cpu = facts::read("/proc/cpuinfo")?;
    let flags = cpu.lines().find(|line| line.starts_with("flags"))?;
    flags.split_whitespace().any(|flag| flag == "hypervisor").then(|| {
        fact(
            "virtual machine",
            false,
            "the host may stop a virtual CPU at any time",
            "pin the virtual CPUs to cores of their own, or measure on bare metal",
        )
    })
}
