//! Which cells of an unrolled program are only ever added to? What that is good for is said in `memory::formula::counters`.

use super::bounds::Bounds;
use super::sites::{Location, Sites, What};
use crate::bmc::unrolled::Unrolled;
use logic::{TermId, Value};
use memory::formula::counters::{Addition, Counter, MIN_UPDATES, is_divided};
use memory::graph::Kind;
use rustc_hash::FxHashMap;

/// All cells that are only added to.
pub(super) fn counters(unrolled: &mut Unrolled, sites: &Sites, bounds: &Bounds) -> Vec<Counter> {
    let mut writes: FxHashMap<Location, Vec<usize>> = FxHashMap::default();
    for (event, site) in sites.sites.iter().enumerate() {
        if let (Kind::Write, Some(location), What::Write(_)) =
            (sites.shape.events[event].kind, site.location, site.what)
        {
            writes.entry(location).or_default().push(event);
        }
    }
    let mut found: Vec<(Location, Vec<usize>)> =
        writes.into_iter().filter(|(_, own)| own.len() >= MIN_UPDATES).collect();
    found.sort_unstable_by_key(|(_, own)| own[0]);
    let is_alone = |own: &[usize]| {
        let is_own = |event: usize| own.binary_search(&event).is_ok();
        let meets = |&(a, b, _): &(usize, usize, TermId)| is_own(a) || is_own(b);
        let leaves = |(a, b): (usize, usize)| {
            is_own(a) != is_own(b) && sites.sites[a].what != What::Initial && sites.sites[b].what != What::Initial
        };
        !bounds.same.iter().any(meets) && !bounds.co[1].iter().any(leaves)
    };
    found.into_iter().filter(|(_, own)| is_alone(own)).filter_map(|(_, own)| counter(unrolled, sites, &own)).collect()
}

fn counter(unrolled: &mut Unrolled, sites: &Sites, own: &[usize]) -> Option<Counter> {
    let mut initial = None;
    let mut additions = Vec::new();
    for &write in own {
        let read = sites.shape.rmw.iter().find(|(_, second)| *second == write)?.0;
        if is_divided(&sites.shape.po, (read, write), own) {
            return None;
        }
        let What::Read(number) = sites.sites[read].what else { return None };
        let at_first = unrolled.initial[number];
        if *initial.get_or_insert(at_first) != at_first {
            return None;
        }
        let (found, written) = (sites.sites[read].value?, sites.sites[write].value?);
        let sort = unrolled.pool.sort(found);
        if !matches!(sort, logic::Sort::Bv(_)) || sort != unrolled.pool.sort(written) {
            return None;
        }
        let added = unrolled.pool.sub(written, found);
        if !matches!(unrolled.pool.as_const(added), Some(Value::Bv(_))) {
            return None;
        }
        additions.push(Addition { write, found, added });
    }
    Some(Counter { initial: initial?, additions })
}
