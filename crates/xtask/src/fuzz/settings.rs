//! Who is asked? Engines with their knobs: every reduction with and without symmetry, both procedures, every domain and cone.

/// An engine and its knobs; `interpreter` is the reference interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Setting {
    /// All of it in words.
    pub(crate) name: String,
    pub(crate) engine: &'static str,
    pub(crate) knobs: Vec<(&'static str, &'static str)>,
}

type Knob = (&'static str, &'static str);

fn setting(engine: &'static str, knobs: &[Knob]) -> Setting {
    let words = knobs.iter().map(|(name, value)| format!(" {name}={value}"));
    Setting { name: format!("{engine}{}", words.collect::<String>()), engine, knobs: knobs.to_vec() }
}

const REDUCTIONS: [&str; 5] = ["none", "source", "aware", "dpor", "aware-dpor"];

/// Plain interleaving first, and whoever may choose among the others last.
pub(crate) fn explicit() -> Vec<Setting> {
    let mut all = Vec::new();
    for symmetry in ["off", "on"] {
        for por in ["none", "source", "dpor"] {
            all.push(setting("explicit", &[("por", por), ("symmetry", symmetry)]));
        }
    }
    all.push(setting("explicit", &[("por", "none"), ("threads", "2")]));
    all.push(setting("portfolio", &[]));
    all
}

/// Plain interleaving.
pub(crate) fn plain() -> Setting {
    setting("explicit", &[("por", "none")])
}

/// Both procedures; one round finds nothing that is not true.
pub(crate) fn bmc() -> Vec<Setting> {
    let mut all = Vec::new();
    for procedure in ["theory", "basic"] {
        for conflicts in ["on", "off"] {
            all.push(setting("bmc", &[("procedure", procedure), ("conflicts", conflicts)]));
        }
    }
    all.push(setting("bmc", &[("unwind", "1")]));
    all
}

/// Six domains with five reductions, three of them with four cones; and threads that are not told apart.
pub(crate) fn cegar() -> Vec<Setting> {
    let mut all = Vec::new();
    for domain in ["expl", "pred", "prod"] {
        for por in REDUCTIONS {
            for coi in ["none", "static", "dynamic", "both"] {
                all.push(setting("cegar", &[("domain", domain), ("por", por), ("coi", coi)]));
            }
        }
    }
    for por in REDUCTIONS {
        all.push(setting("cegar", &[("por", por), ("prune", "lazy")]));
        all.push(setting("cegar", &[("por", por), ("domain", "pred"), ("prune", "several")]));
        all.push(setting("cegar", &[("por", por), ("domain", "expl"), ("prune", "lazy")]));
    }
    // Where a step may lead to several abstract states.
    for domain in ["expl-enum", "pred-bool", "pred-split"] {
        for por in REDUCTIONS {
            for coi in ["none", "both"] {
                all.push(setting("cegar", &[("domain", domain), ("por", por), ("coi", coi)]));
            }
        }
    }
    for domain in ["expl", "expl-enum", "pred", "pred-bool", "pred-split", "prod"] {
        for por in ["none", "source", "aware"] {
            all.push(setting("cegar", &[("domain", domain), ("por", por), ("counter-abstraction", "all")]));
        }
    }
    all
}

/// Four reductions, two orders, with and without forced covers, and labels from both sources; branches apart; invariants that are guessed; and steps that commute.
pub(crate) fn impact() -> Vec<Setting> {
    let mut all = Vec::new();
    for interpolants in ["wp", "solver"] {
        for cover in ["on", "off"] {
            for (por, order) in [
                ("sleep", "sequential"),
                ("sleep", "lockstep"),
                ("monotonic", "sequential"),
                ("monotonic", "lockstep"),
                ("shared", "sequential"),
                ("none", "sequential"),
            ] {
                let knobs = [("por", por), ("order", order), ("force-cover", cover), ("interpolants", interpolants)];
                all.push(setting("impact", &knobs));
                if (interpolants, cover) == ("wp", "on") {
                    all.push(setting("impact", &[("por", por), ("order", order), ("branches", "apart")]));
                    all.push(setting("impact", &[("por", por), ("order", order), ("invariants", "guessed")]));
                    for invariants in ["guessed", "learnt"] {
                        let outcomes = [("por", por), ("order", order), ("dependence", "outcomes")];
                        all.push(setting("impact", &[&outcomes[..], &[("invariants", invariants)]].concat()));
                    }
                }
            }
        }
    }
    all
}

/// Who takes atomic sections as one step, or as few.
pub(crate) fn sections() -> Vec<Setting> {
    let mut all = impact();
    all.extend([setting("explicit", &[]), setting("bmc", &[]), setting("cegar", &[])]);
    all
}

/// One of each kind, for programs with an oracle of their own.
pub(crate) fn every() -> Vec<Setting> {
    let mut all = vec![setting("interpreter", &[])];
    all.extend(explicit());
    all.push(setting("bmc", &[]));
    all.push(setting("bmc", &[("procedure", "basic")]));
    all.extend(REDUCTIONS.map(|por| setting("cegar", &[("por", por)])));
    all.push(setting("cegar", &[("por", "none"), ("coi", "none")]));
    all.push(setting("cegar", &[("por", "aware"), ("coi", "both")]));
    all.push(setting("cegar", &[("por", "aware-dpor"), ("coi", "both")]));
    all.push(setting("impact", &[]));
    all.push(setting("impact", &[("order", "lockstep"), ("interpolants", "solver")]));
    all
}

/// Who runs programs with written store buffers, and who says that nothing waits in them for long.
pub(crate) fn buffers() -> Vec<Setting> {
    let mut all = explicit();
    all.pop();
    all.push(interleavings());
    all.extend(REDUCTIONS.map(|por| setting("cegar", &[("por", por)])));
    all.push(setting("cegar", &[("por", "none"), ("coi", "none"), ("domain", "expl")]));
    all.push(setting("cegar", &[("por", "aware"), ("coi", "both"), ("domain", "prod")]));
    for order in ["sequential", "lockstep"] {
        all.push(setting("impact", &[("order", order)]));
        all.push(setting("impact", &[("order", order), ("dependence", "outcomes"), ("invariants", "guessed")]));
    }
    all
}

/// Who says of a weak memory model that it allows nothing but interleavings.
fn interleavings() -> Setting {
    setting(engines::portfolio::INTERLEAVINGS, &[])
}

/// Who knows models in cat.
pub(crate) fn judged() -> Vec<Setting> {
    vec![setting("bmc", &[]), interleavings()]
}

/// Who knows races in cat.
pub(crate) fn judged_races() -> Vec<Setting> {
    vec![setting("bmc", &[]), setting("modular", &[]), interleavings()]
}

/// Who knows which outcomes a model in cat allows: by symbols, and by enumeration where the model can be asked about parts of executions.
pub(crate) fn outcomes() -> Vec<Setting> {
    vec![setting("bmc", &[]), setting("graphs", &[]), interleavings()]
}

/// Threads one by one, with values and with predicates, beside who visits states and who unrolls.
pub(crate) fn declarative() -> Vec<Setting> {
    let pred = setting("declarative", &[("domain", "pred")]);
    vec![setting("declarative", &[]), pred, setting("explicit", &[]), setting("bmc", &[])]
}

/// Who knows RC11.
pub(crate) fn repaired() -> Vec<Setting> {
    let pred = setting("declarative", &[("domain", "pred")]);
    vec![setting("declarative", &[]), pred, setting("graphs", &[]), setting("bmc", &[]), interleavings()]
}

/// All execution graphs, one by one.
pub(crate) fn graphs() -> Vec<Setting> {
    vec![setting("graphs", &[])]
}

/// Those who know memory orders.
pub(crate) fn orders() -> Vec<Setting> {
    vec![setting("explicit", &[]), setting("bmc", &[])]
}

/// For programs of which there is one execution.
pub(crate) fn one_execution() -> Vec<Setting> {
    let mut all = vec![setting("explicit", &[]), setting("explicit", &[("por", "dpor")])];
    all.extend([setting("bmc", &[]), setting("cegar", &[]), setting("impact", &[]), setting("portfolio", &[])]);
    all
}
