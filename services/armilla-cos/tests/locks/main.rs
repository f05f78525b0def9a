//! The lock service: its rules against an oracle, and its objects as clients of any vendor use them.

mod oracle;
mod programs;
mod rules;
mod served;
