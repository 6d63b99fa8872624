//! Which sets and relations does a model compute, and from what?
//!
//! A model becomes a graph of nodes: named sets and relations of the execution at the bottom, an operator above its operands, equal
//! nodes once. Functions, procedures and variants are gone by then. A node knows which choices it depends on (`rf`, `co`, values), so
//! that what is the same in all executions is computed once. Recursive definitions are groups: variables that start
//! empty and take the value of their bodies until nothing changes.
//!
//! Invariant: operands have smaller numbers than the node, except the bodies of recursive variables.
//! Computing values is `evaluate`'s business; how a text becomes a graph, `interpret`'s.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::relation::{EventSet, Relation};

/// Names a node of a `Graph`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set or a relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The events that carry a name.
    Events(Arc<str>),
    /// All events.
    AllEvents,
    /// No event.
    NoEvents,
    /// These events.
    TheseEvents(Arc<EventSet>),
    /// The variable of a recursive definition of sets.
    SetVariable(u32),
    /// Union of sets.
    SetUnion(NodeId, NodeId),
    /// Intersection of sets.
    SetIntersection(NodeId, NodeId),
    /// Difference of sets.
    SetDifference(NodeId, NodeId),
    /// Complement of a set.
    SetComplement(NodeId),
    /// Where a relation starts.
    Domain(NodeId),
    /// Where a relation ends.
    Range(NodeId),
    /// A relation of the execution.
    Pairs(Arc<str>),
    /// The empty relation.
    NoPairs,
    /// These pairs.
    ThesePairs(Arc<Relation>),
    /// The variable of a recursive definition of relations.
    Variable(u32),
    /// Union.
    Union(NodeId, NodeId),
    /// Intersection.
    Intersection(NodeId, NodeId),
    /// Difference.
    Difference(NodeId, NodeId),
    /// Complement.
    Complement(NodeId),
    /// Composition.
    Sequence(NodeId, NodeId),
    /// Inverse.
    Inverse(NodeId),
    /// Transitive closure.
    Plus(NodeId),
    /// Reflexive and transitive closure.
    Star(NodeId),
    /// Reflexive closure.
    Optional(NodeId),
    /// Product of sets.
    Product(NodeId, NodeId),
    /// Identity on a set.
    Identity(NodeId),
    /// `[S]; r`: set, relation.
    From(NodeId, NodeId),
    /// `r; [S]`: relation, set.
    To(NodeId, NodeId),
    /// The pairs of accesses with different values.
    DifferentValues(NodeId),
}

/// Which choices of an execution a node depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Depends(pub u8);

impl Depends {
    /// The same in all executions of the same paths.
    pub const NOTHING: Depends = Depends(0);
    /// On which write each read reads.
    pub const RF: Depends = Depends(1);
    /// On the order of writes.
    pub const CO: Depends = Depends(2);
    /// On values.
    pub const VALUES: Depends = Depends(4);

    /// Whether nothing is chosen.
    pub fn is_fixed(self) -> bool {
        self.0 == 0
    }

    fn and(self, other: Depends) -> Depends {
        Depends(self.0 | other.0)
    }
}

/// A recursive definition.
#[derive(Clone, Debug)]
pub struct Group {
    /// The variables, each with the node that defines it.
    pub variables: Vec<(NodeId, NodeId)>,
    /// What has to be computed in each round, in order.
    pub members: Vec<Step>,
    /// Whether no variable occurs negated in a body.
    pub is_monotone: bool,
}

/// Something to compute: a node, or a whole recursive definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A node that is not part of a recursive definition.
    One(NodeId),
    /// A recursive definition, by index.
    Fix(u32),
}

/// The nodes of a model.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    depends: Vec<Depends>,
    /// The innermost recursive definition that a node is computed in.
    group_of: Vec<Option<u32>>,
    groups: Vec<Group>,
    known: FxHashMap<Node, NodeId>,
}

impl Graph {
    /// The node itself.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every node with its number, in order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// What a node depends on.
    pub fn depends(&self, id: NodeId) -> Depends {
        self.depends[id.index()]
    }

    /// The innermost recursive definition that computes a node.
    pub fn group_of(&self, id: NodeId) -> Option<u32> {
        self.group_of[id.index()]
    }

    /// A recursive definition.
    pub fn group(&self, group: u32) -> &Group {
        &self.groups[group as usize]
    }

    /// Whether a node is a set.
    pub fn is_set(&self, id: NodeId) -> bool {
        use Node::*;
        matches!(
            self.node(id),
            Events(_)
                | AllEvents
                | NoEvents
                | TheseEvents(_)
                | SetVariable(_)
                | SetUnion(..)
                | SetIntersection(..)
                | SetDifference(..)
                | SetComplement(_)
                | Domain(_)
                | Range(_)
        )
    }

    /// The operands of a node, each with whether it counts negatively.
    pub fn operands(&self, id: NodeId) -> Vec<(NodeId, bool)> {
        use Node::*;
        match *self.node(id) {
            Events(_) | AllEvents | NoEvents | TheseEvents(_) | SetVariable(_) => Vec::new(),
            Pairs(_) | NoPairs | ThesePairs(_) | Variable(_) => Vec::new(),
            SetUnion(a, b) | SetIntersection(a, b) | Union(a, b) | Intersection(a, b) => vec![(a, false), (b, false)],
            Sequence(a, b) | Product(a, b) | From(a, b) | To(a, b) => vec![(a, false), (b, false)],
            SetDifference(a, b) | Difference(a, b) => vec![(a, false), (b, true)],
            SetComplement(a) | Complement(a) => vec![(a, true)],
            Domain(a) | Range(a) | Inverse(a) | Plus(a) | Star(a) | Optional(a) | Identity(a) => vec![(a, false)],
            DifferentValues(a) => vec![(a, false)],
        }
    }

    /// All nodes that a node is made of, those of recursive definitions included.
    pub fn parts(&self, id: NodeId) -> Vec<NodeId> {
        let (mut parts, mut next) = (vec![id], 0);
        while let Some(at) = parts.get(next).copied() {
            next += 1;
            let operands = self.operands(at).into_iter().map(|(operand, _)| operand);
            let group = self.group_of(at).map_or(&[][..], |group| &self.group(group).variables);
            let bodies = group.iter().filter(|(variable, _)| *variable == at).map(|(_, body)| *body);
            let more: Vec<NodeId> = operands.chain(bodies).filter(|part| !parts.contains(part)).collect();
            parts.extend(more);
        }
        parts
    }

    /// A node, made simpler where that is obvious, and shared with equal ones.
    pub fn add(&mut self, node: Node) -> NodeId {
        let node = match self.simplify(node) {
            Ok(id) => return id,
            Err(node) => node,
        };
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.known.insert(node.clone(), id);
        let base = match &node {
            Node::Pairs(name) => match &**name {
                "rf" => Depends::RF,
                "co" => Depends::CO,
                _ => Depends::NOTHING,
            },
            Node::Events(name) if &**name == "FW" => Depends::CO,
            Node::DifferentValues(_) => Depends::VALUES,
            _ => Depends::NOTHING,
        };
        self.nodes.push(node);
        self.group_of.push(None);
        let depends = self.operands(id).into_iter().fold(base, |sum, (operand, _)| sum.and(self.depends(operand)));
        self.depends.push(depends);
        id
    }

    fn simplify(&mut self, node: Node) -> Result<NodeId, Node> {
        use Node::*;
        let is_no_pairs = |id: NodeId| matches!(self.node(id), NoPairs);
        let is_no_events = |id: NodeId| matches!(self.node(id), NoEvents);
        let simple = match node {
            SetUnion(a, b) | Union(a, b) if a == b => Ok(a),
            SetIntersection(a, b) | Intersection(a, b) if a == b => Ok(a),
            Union(a, b) if is_no_pairs(a) => Ok(b),
            Union(a, b) if is_no_pairs(b) => Ok(a),
            SetUnion(a, b) if is_no_events(a) => Ok(b),
            SetUnion(a, b) if is_no_events(b) => Ok(a),
            Difference(a, b) if is_no_pairs(b) || is_no_pairs(a) => Ok(a),
            SetDifference(a, b) if is_no_events(b) || is_no_events(a) => Ok(a),
            Intersection(a, b) | Sequence(a, b) if is_no_pairs(a) || is_no_pairs(b) => Err(NoPairs),
            SetIntersection(a, b) if is_no_events(a) || is_no_events(b) => Err(NoEvents),
            Plus(a) | Inverse(a) if is_no_pairs(a) => Ok(a),
            Identity(a) if is_no_events(a) => Err(NoPairs),
            Product(a, b) if is_no_events(a) || is_no_events(b) => Err(NoPairs),
            Domain(a) | Range(a) if is_no_pairs(a) => Err(NoEvents),
            From(s, _) | To(_, s) if is_no_events(s) => Err(NoPairs),
            From(_, r) | To(r, _) if is_no_pairs(r) => Ok(r),
            Sequence(a, b) => match (self.node(a), self.node(b)) {
                (&Identity(s), &Identity(t)) => {
                    let both = self.add(SetIntersection(s, t));
                    Err(Identity(both))
                }
                (&Identity(s), _) => Err(From(s, b)),
                (_, &Identity(s)) => Err(To(a, s)),
                _ => return Err(node),
            },
            Domain(a) | Range(a) => match *self.node(a) {
                Identity(s) => Ok(s),
                _ => return Err(node),
            },
            _ => return Err(node),
        };
        match simple {
            Ok(id) => Ok(id),
            Err(simpler) => Ok(self.add(simpler)),
        }
    }

    /// Relations derived from `co` and `rf` that models for herd take for granted where they do not generate `co` themselves.
    pub(crate) fn communication(&mut self, name: &str) -> Option<NodeId> {
        let mut named = |name: &str| self.add(Node::Pairs(name.into()));
        let (rf, co, id, int, ext) = (named("rf"), named("co"), named("id"), named("int"), named("ext"));
        let whole = match name.get(..2)? {
            "rf" => rf,
            "co" => co,
            "fr" => {
                let inverse = self.add(Node::Inverse(rf));
                let sequence = self.add(Node::Sequence(inverse, co));
                self.add(Node::Difference(sequence, id))
            }
            _ => return None,
        };
        match &name[2..] {
            "" => Some(whole),
            "i" => Some(self.add(Node::Intersection(whole, int))),
            "e" => Some(self.add(Node::Intersection(whole, ext))),
            _ => None,
        }
    }

    /// Opens a recursive definition: one variable for each flag, which says whether it is a set.
    pub fn open_group(&mut self, are_sets: &[bool]) -> (u32, Vec<NodeId>) {
        let group = self.groups.len() as u32;
        self.groups.push(Group { variables: Vec::new(), members: Vec::new(), is_monotone: true });
        let variables = are_sets.iter().map(|&is_set| {
            let unique = self.nodes.len() as u32;
            self.add(if is_set { Node::SetVariable(unique) } else { Node::Variable(unique) })
        });
        let variables: Vec<NodeId> = variables.collect();
        self.groups[group as usize].variables = variables.iter().map(|&variable| (variable, variable)).collect();
        (group, variables)
    }

    /// Closes a recursive definition: its variables are defined by these nodes.
    pub fn close_group(&mut self, group: u32, bodies: &[NodeId]) {
        let variables: Vec<NodeId> = self.group(group).variables.iter().map(|&(variable, _)| variable).collect();
        let first = variables.first().map_or(self.nodes.len(), |variable| variable.index());
        // What reaches a variable is computed in rounds; inner definitions that do so, as a whole.
        let mut reaches = vec![false; self.nodes.len()];
        let mut members = Vec::new();
        let mut negative = false;
        let mut inner_done = Vec::new();
        let mut polarity = vec![(false, false); self.nodes.len()];
        for &variable in &variables {
            reaches[variable.index()] = true;
            polarity[variable.index()].0 = true;
        }
        loop {
            let mut changed = false;
            for index in first..self.nodes.len() {
                let id = NodeId(index as u32);
                let mut operands = self.operands(id);
                if let Some(inner) = self.group_of[index] {
                    let inner = &self.groups[inner as usize];
                    operands.extend(
                        inner.variables.iter().filter(|(variable, _)| *variable == id).map(|&(_, body)| (body, false)),
                    );
                }
                for (operand, flips) in operands {
                    let (plus, minus) = polarity[operand.index()];
                    let (plus, minus) = if flips { (minus, plus) } else { (plus, minus) };
                    let old = polarity[index];
                    let new = (old.0 || plus, old.1 || minus);
                    if new != old {
                        polarity[index] = new;
                        reaches[index] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for body in bodies {
            negative |= polarity[body.index()].1;
        }
        let mut depends = Depends::NOTHING;
        let reached = (first..self.nodes.len()).filter(|index| reaches[*index]);
        for index in reached.collect::<Vec<_>>() {
            let id = NodeId(index as u32);
            depends = depends.and(self.depends[index]);
            match self.group_of[index] {
                Some(inner) => {
                    let outer = self.outermost(inner, group);
                    if !inner_done.contains(&outer) {
                        inner_done.push(outer);
                        members.push(Step::Fix(outer));
                    }
                }
                None => {
                    self.group_of[index] = Some(group);
                    if !variables.contains(&id) {
                        members.push(Step::One(id));
                    }
                }
            }
        }
        for body in bodies {
            depends = depends.and(self.depends(*body));
        }
        for (index, reaches) in reaches.iter().enumerate().skip(first) {
            if *reaches {
                self.depends[index] = self.depends[index].and(depends);
            }
        }
        let definition = &mut self.groups[group as usize];
        definition.variables = variables.into_iter().zip(bodies.iter().copied()).collect();
        definition.members = members;
        definition.is_monotone = !negative;
    }

    /// The definition around `inner` that is directly within `group`; `inner` itself while nothing is around it yet.
    fn outermost(&self, inner: u32, group: u32) -> u32 {
        let holder = self
            .groups
            .iter()
            .enumerate()
            .find(|(index, around)| *index as u32 != group && around.members.contains(&Step::Fix(inner)));
        match holder {
            Some((index, _)) => self.outermost(index as u32, group),
            None => inner,
        }
    }
}
