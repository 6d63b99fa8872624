//! Verdicts for people and machines.
