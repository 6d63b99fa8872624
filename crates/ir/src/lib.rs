//! The program model.
