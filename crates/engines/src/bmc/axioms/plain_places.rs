//! Which accesses are of plain places (`NAL`), where nothing atomic happens? C11 lets a read of such a place see only what happened before it.
//!
//! An access, and an initial write, is plain by its place, not by itself. Where addresses are not known it depends on the execution: then the place is plain if no atomic access that may be
//! there both happens and is. Accesses of different sizes are never of one place here, since memory that is accessed in several sizes is refused.

use super::sites::{Location, Site, What};
use logic::{Pool, TermId, Value};
use memory::graph::Event;

/// Says of each event whether its place is plain for certain; gives those of which it is not known, with the atomic accesses that may be there.
pub(super) fn tell(events: &mut [Event], sites: &[Site], pool: &Pool) -> Vec<(usize, Vec<usize>)> {
    // That an object is made or ends is no access of it.
    let place = |site: &Site| match (site.what, site.location) {
        (What::Use(_) | What::Over(_), _) => None,
        (_, Some(Location::Memory(region, addr))) => Some((region, addr, site.value.map(|value| pool.sort(value)))),
        _ => None,
    };
    let is_atomic = |event: &Event| event.thread.is_some() && !event.is_plain;
    let atomic: Vec<usize> =
        (0..events.len()).filter(|&event| is_atomic(&events[event]) && place(&sites[event]).is_some()).collect();
    let is_known = |addr: TermId| pool.as_const(addr).is_some();
    let mut perhaps = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        let Some((region, addr, sort)) = place(site) else { continue };
        let mut may_be_here = Vec::new();
        let mut is_sure = is_atomic(&events[number]);
        for &other in &atomic {
            let Some((its_region, its_addr, its_sort)) = place(&sites[other]) else { continue };
            let are_apart = addr.zip(its_addr).is_some_and(|(a, b)| a != b && is_known(a) && is_known(b))
                || sort.zip(its_sort).is_some_and(|(a, b)| a != b);
            if its_region == region && !are_apart {
                may_be_here.push(other);
                is_sure |= addr == its_addr && pool.as_const(sites[other].guard) == Some(&Value::Bool(true));
            }
        }
        events[number].is_plain = may_be_here.is_empty() && !is_sure;
        if !is_sure && !may_be_here.is_empty() {
            perhaps.push((number, may_be_here));
        }
    }
    perhaps
}
