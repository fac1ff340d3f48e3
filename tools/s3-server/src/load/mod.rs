//! What a real store under load does: scripted faults, limits per prefix, and counters that tell what happened.

pub mod faults;
pub mod stats;
pub mod throttle;
