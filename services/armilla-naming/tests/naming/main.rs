//! The naming service: its rules, its store, its cluster, and what clients and operators meet.

mod cluster;
mod corpus;
mod crash;
mod damage;
mod etcd;
mod iterators;
mod killing;
mod liveness;
mod model;
mod pages;
mod rebinding;
mod rules;
mod rules_served;
mod served;
mod service;
mod shares;
mod transactions;
mod upkeep;
