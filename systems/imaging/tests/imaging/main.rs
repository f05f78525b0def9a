//! Images from end to end.

mod cache;
mod commands;
mod common;
mod contexts;
mod corpus;
mod crashes;
mod disk;
mod hostile;
mod images;
mod memory;
mod modalities;
mod naming;
mod odd;
mod procedures;
mod programs;
mod protected;
mod reach;
mod shares;
mod strangers;
mod web;
mod workitems;
