//! What does the literature claim, and why do our figures differ? A paragraph for each experiment; what is seen is said by the experiment itself.

/// What is said of an experiment.
#[derive(Clone, Copy)]
pub(crate) struct Paragraph {
    /// Where it comes from.
    pub(crate) source: &'static str,
    /// What is claimed there.
    pub(crate) claimed: &'static str,
    /// Why our figures are others.
    pub(crate) differs: &'static str,
}

/// The paragraph of an experiment, if there is one.
pub(crate) fn paragraph(name: &str) -> Option<Paragraph> {
    PARAGRAPHS.iter().find(|(known, _)| *known == name).map(|(_, paragraph)| *paragraph)
}

const PARAGRAPHS: &[(&str, Paragraph)] = &[
    ("por", POR),
    ("coi", COI),
    ("conflicts", CONFLICTS),
    ("impact", IMPACT),
    ("oox", OOX),
    ("litmus", LITMUS),
    ("declarative", DECLARATIVE),
    ("weak", WEAK),
];

const POR: Paragraph = Paragraph {
    source: "[Telbisz24](references.md) table 3.1, figure 3.6, RQ3.1 to RQ3.3.",
    claimed: "Source sets that know the abstraction (AASPOR) explore 18 % fewer actions than those that do not (SPOR) with explicit values and 10 % fewer with predicates, in 7 % and 3 % less processor time, and \
              solve six and four more tasks of 605; the text names the two domains the other way round than the table. On the family of programs with 2N+1 threads NOPOR solves N = 1 and 2, SPOR also 4, AASPOR all up to 256.",
    differs: "The tasks are others and smaller, and a run has a fraction of a second instead of 900 s, so that hardly any task lies between what the two reductions solve. Statements that touch nothing shared are merged into large blocks first, which takes \
              actions away from all settings alike. The cone of influence is off here, since it takes away the same dependencies. How far a setting comes on the family depends on the limit (`--family-seconds`): what fails, fails by orders of magnitude.",
};

const COI: Paragraph = Paragraph {
    source: "[Telbisz24](references.md) table 4.1, figure 4.3, RQ4.1 to RQ4.4; [Telbisz25](references.md) table 1, figure 3.",
    claimed: "The cone of influence on the fly (DCOI) simplifies 19.6 % of all statements (14 % eliminated, 5.6 % to havoc), computes successors in 30 % (explicit values) and 32 % (predicates) less time than the static cone alone, and saves \
              3.7 % and 14.6 % of all time, of which it takes 3.8 % and 1 % itself. With a simple partial order reduction it solves the family up to N = 128 where the static cone ends at 4.",
    differs: "Shares are of the assignments that were executed on abstract states, of variables that the program declares; what a large block overwrites itself is not counted. Ours are larger because the graph keeps the order of statements in a thread and \
              because most of what these programs compute decides nothing about the property under a small precision. Successors cost less here than in THETA, where each is a question to Z3: values are evaluated, and questions to the solver are remembered. So less can be saved, and the cone's \
              own time weighs more.",
};

const CONFLICTS: Paragraph = Paragraph {
    source: "[Telbisz24](references.md) table 5.1, figure 5.5, RQ5.1 to RQ5.3. RQ5.4 compares with a tool that is not measured here.",
    claimed: "Conflicts found before solving (1125.7 for a task: 514.5 of figure 5.4a, 611.2 of 5.4b and c) save 59 % of the refinement clauses of BASIC and 41 % of the clauses of PROP, 65 % and 51 % of the solver's time, and 42 % and 31 % of all time; finding \
              them takes 0.6 s for a task, less than 5 %.",
    differs: "The tasks are smaller, and the theory solver sits in CaDiCaL with its own propagation, so that PROP refutes most of these assignments before they are complete and has less to gain. So it gets only the conflicts of overwriting by program order and of two updates, in a number that its choices bound, and only once a question has taken 200 conflicts of the solver, since most are answered while conflicts would be looked for; BASIC gets all kinds at once. We leave out every conflict that a shorter clause says already and bound \
              those of three literals, so that fewer are found than there are. CaDiCaL does not tell its restarts.",
};

const IMPACT: Paragraph = Paragraph {
    source: "[Wachter13](references.md) tables I and II. Table III is about weak memory models (`experiment weak`).",
    claimed: "Impara decides all nine programs in less than 40 s, with fewer nodes by dynamic partial order reduction (dPOR) than by the static one (sPOR), and fewer still with forced covers (FC); only dPOR+FC solves all.",
    differs: "The programs of the same names are our own and smaller or larger than those of the paper. Nodes are steps of large blocks, so that there are fewer of them; interpolants are weakest preconditions, as there. Without forced covers ours does worse than Impara: most of the programs that it still decides run out of time, since loops of the protocols are closed by forced covers only; why Impara's plain covers suffice for them is open. With them all nine are decided, as in the paper.",
};

const OOX: Paragraph = Paragraph {
    source: "[Vrooman24](references.md) figures 6.1 to 6.8, tables 6.2, 6.3, A.6, A.7.",
    claimed: "All verdicts are right but that of EXP-2.5; EXP-3 has 128 traces without a reduction and 4 with MPOR; the philosophers are explored to depth 100 without a reduction, 115 with SR and 130 with MPOR within 900 s, the merge sort to 32, 170 and 170; the deadlock of four philosophers is found in \
              51.5 s and that of three in 2.23 s.",
    differs: "Our instructions are not its primitive statements: there are fewer of them in a program, without checks for null where nothing can be null, so that the same depth reaches further, and EXP-3 has other numbers of interleavings. Accesses to objects that only one thread reaches are local here and accesses there. \
              Threads are ordered by names that do not depend on the schedule, which the proof needs. An answer up to a depth is not called valid here, but `valid to depth`.",
};

const LITMUS: Paragraph = Paragraph {
    source: "[Bajczi22](references.md) §4.6.",
    claimed: "On 50 AArch64 tests THETA counts the executions that herd counts, except that herd tells coherence orders apart and THETA only what reads read. Neither counts nor times are printed.",
    differs: "herd is not part of this repository and was not run, so that our two procedures take its place: they share the reading of tests and models and nothing of the search. The tests are ours, since the thesis does not name its own. Where one procedure gives up, the count of the other stands alone.",
};

const WEAK: Paragraph = Paragraph {
    source: "[Wachter13](references.md) table III.",
    claimed: "Impara finds what is wrong with a worker that goes to sleep (sober) under TSO, PSO, RMO and Power, and proves the fix, each in some seconds; with the latch of a database (sql) it does so under SC and TSO, and both questions under Power time out.",
    differs: "The programs are our own versions, smaller than the originals. Power and RMO are axioms here and not buffers written into the program, so that the rows that time out there are decided; the last row is a fix that works, which the paper does not have.",
};

const DECLARATIVE: Paragraph = Paragraph {
    source: "[Bajczi22](references.md) chapter 5, which has no experiment; the programs are ours.",
    claimed: "Abstraction with one graph for each thread decides programs with loops under axiomatic models, which unrolling cannot.",
    differs: "There are no figures to compare with. `bmc` with growing bounds shows what unrolling says of the same programs: violations, and nothing about loops that may go on.",
};
