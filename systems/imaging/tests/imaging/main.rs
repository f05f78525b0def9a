//! Images from end to end.

mod cache;
mod commands;
mod common;
mod corpus;
mod crashes;
mod disk;
mod hostile;
mod images;
mod memory;
mod modalities;
mod naming;
mod odd;
mod programs;
mod reach;
mod strangers;
mod web;
