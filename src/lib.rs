//! Keyed async locks and a bounded task pipeline; see `core`.
