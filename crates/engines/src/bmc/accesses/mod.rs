//! What do reads and writes touch, and what do they find? Places and cells, objects, logs and events.
//!
//! [`locate`] finds the place of an access, [`read_and_write`] decides whether it is an event; events are kept in [`event_graph`], with what happens in
//! [`atomic_sections`] and where stores wait in [`store_buffers`]. What needs no events is in [`write_log`] and [`objects`].

pub(crate) mod allocation;
pub(crate) mod atomic_sections;
pub(crate) mod dependencies;
pub(crate) mod event_graph;
pub(crate) mod locate;
pub(crate) mod objects;
pub(crate) mod places;
pub(crate) mod race_candidates;
pub(crate) mod read_and_write;
pub(crate) mod store_buffers;
pub(crate) mod write_log;
