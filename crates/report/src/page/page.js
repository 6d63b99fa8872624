"use strict";
// Steps through the execution that the page carries. Nothing is fetched; only the rows near the current step exist in the document.
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const answer = read("answer");
  const files = read("files");
  const $ = (id) => document.getElementById(id);
  const make = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // Light or dark: as the system says, until the reader says otherwise.
  const root = document.documentElement;
  const dark = window.matchMedia ? window.matchMedia("(prefers-color-scheme: dark)") : { matches: false };
  root.dataset.theme = dark.matches ? "dark" : "light";
  $("theme").addEventListener("click", () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; });

  const steps = answer.trace || [];
  const threads = answer.threads || [];
  const colour = (thread) => "t" + (thread % 8);

  // ---- the source
  const source = $("source");
  let shown = -1;
  let lineOf = new Map();
  const fileOf = new Map(files.map((file, index) => [file.path, index]));
  function showFile(index) {
    if (!source || index === shown || !files[index]) return;
    shown = index;
    lineOf = new Map();
    const file = files[index];
    const marks = new Map();
    for (const mark of file.marks) {
      if (!marks.has(mark.line)) marks.set(mark.line, []);
      marks.get(mark.line).push(mark);
    }
    const all = document.createDocumentFragment();
    let before = 0;
    for (const [number, text] of file.lines) {
      if (number > before + 1 && before > 0) all.append(make("div", "cut", "⋮"));
      before = number;
      const line = make("div", "l");
      line.append(make("i", "", String(number)), make("u"), make("b", "", text));
      for (const mark of marks.get(number) || []) line.classList.add(mark.kind);
      all.append(line);
      lineOf.set(number, line);
      for (const mark of marks.get(number) || []) all.append(make("div", "say " + mark.kind, mark.text));
    }
    source.replaceChildren(all);
    for (const tab of document.querySelectorAll("#tabs button")) tab.classList.toggle("on", Number(tab.dataset.file) === index);
  }
  const tabs = $("tabs");
  if (tabs && files.length > 1) {
    files.forEach((file, index) => {
      const tab = make("button", "", file.path.split("/").pop());
      tab.title = file.path;
      tab.dataset.file = index;
      tab.addEventListener("click", () => { showFile(index); paintSource(); });
      tabs.append(tab);
    });
  }
  if (files.length > 0) showFile(0);
  if (steps.length === 0) { if (files.length > 0) window.ravel = { step: () => 0, count: 0 }; return; }

  // ---- what is known of the state after each step: effects are applied one after the other
  const effects = (step) => step.effects || [];
  // A place whose first effect is a read, or a write that knows what was there, had that value from the start.
  const initial = new Map();
  for (const step of steps) {
    for (const e of effects(step)) {
      if (!e.name || initial.has(e.name)) continue;
      if (e.kind === "read") initial.set(e.name, e.written_at ? undefined : e.value);
      else if (e.kind === "write" || e.kind === "commit") initial.set(e.name, e.old);
    }
  }
  const begin = () => ({
    at: 0,
    shared: new Map([...initial].filter(([, value]) => value !== undefined).map(([name, value]) => [name, { value, by: -1, step: 0 }])),
    own: threads.map(() => new Map()),
    locks: new Map(),
    buffers: threads.map(() => []),
    status: threads.map((_, index) => (index === 0 ? "runs" : "not started")),
    last: threads.map(() => -1),
    changed: new Map(),
  });
  function apply(state, index) {
    const step = steps[index];
    const mine = state.own[step.thread];
    state.changed = new Map();
    state.last[step.thread] = index;
    state.status[step.thread] = "runs";
    for (const e of effects(step)) {
      const threadNamed = e.name !== undefined ? threads.indexOf(e.name) : -1;
      switch (e.kind) {
        case "write": case "commit": {
          const old = state.shared.get(e.name);
          if (!state.changed.has(e.name)) state.changed.set(e.name, e.old !== undefined ? e.old : old && old.value);
          state.shared.set(e.name, { value: e.value, by: step.thread, step: step.step });
          if (e.kind === "commit") {
            const waits = state.buffers[step.thread];
            const at = waits.findIndex(([name]) => name === e.name);
            if (at >= 0) waits.splice(at, 1);
          }
          break;
        }
        case "buffer": state.buffers[step.thread].push([e.name, e.value]); break;
        case "read": if (!state.shared.has(e.name)) state.shared.set(e.name, { value: e.value, by: -1, step: 0 }); break;
        case "set":
          if (!state.changed.has("=" + e.name)) state.changed.set("=" + e.name, mine.get(e.name));
          mine.set(e.name, e.value);
          break;
        case "lock": {
          if (!state.locks.has(e.name)) state.locks.set(e.name, []);
          state.locks.get(e.name).push(step.thread);
          state.changed.set("#" + e.name, true);
          break;
        }
        case "unlock": {
          const holders = state.locks.get(e.name) || [];
          const at = holders.indexOf(step.thread);
          if (at >= 0) holders.splice(at, 1); else holders.pop();
          state.locks.set(e.name, holders);
          state.changed.set("#" + e.name, true);
          break;
        }
        case "start": if (threadNamed >= 0) state.status[threadNamed] = "started"; else startNamed(state, e.name); break;
        case "wait": state.status[step.thread] = e.text; break;
        case "free": for (const name of [...state.shared.keys()]) if (name === e.name || name.startsWith(e.name + "[")) state.shared.delete(name); break;
        case "note": if (e.text === "ends") state.status[step.thread] = "has ended"; break;
        default: break;
      }
    }
    state.at = index + 1;
  }
  function startNamed(state, name) {
    const at = threads.findIndex((thread) => thread === name || thread.startsWith(name + " "));
    if (at >= 0) state.status[at] = "started";
  }
  // States are kept now and then, so that a step back does not start from the beginning; the more steps, the farther apart.
  const APART = Math.max(64, Math.ceil(steps.length / 64));
  const kept = new Map();
  const copy = (s) => ({
    at: s.at, shared: new Map(s.shared), own: s.own.map((own) => new Map(own)),
    locks: new Map([...s.locks].map(([name, holders]) => [name, [...holders]])),
    buffers: s.buffers.map((buffer) => [...buffer]), status: [...s.status], last: [...s.last], changed: new Map(s.changed),
  });
  let state = begin();
  function goTo(index) {
    const wanted = index + 1;
    if (wanted === state.at) return;
    let near = 0;
    for (const at of kept.keys()) if (at <= wanted && at > near) near = at;
    if (wanted < state.at || near > state.at) state = near > 0 ? copy(kept.get(near)) : begin();
    while (state.at < wanted) {
      apply(state, state.at);
      if (state.at % APART === 0 && !kept.has(state.at)) kept.set(state.at, copy(state));
    }
  }

  // ---- the lanes
  const lanes = $("lanes");
  const WINDOW = 120;
  let from = 0, to = 0, rowOf = new Map();
  function renderLanes(first, end) {
    from = Math.max(0, first);
    to = Math.min(steps.length, end);
    rowOf = new Map();
    const table = make("table");
    const head = make("tr");
    head.append(make("th", "n", "step"));
    threads.forEach((name, index) => head.append(make("th", "c " + colour(index), name)));
    const thead = make("thead");
    thead.append(head);
    const body = make("tbody");
    const gap = (text, target) => {
      const row = make("tr", "gap");
      const cell = make("td", "", text);
      cell.colSpan = threads.length + 1;
      cell.addEventListener("click", () => show(target));
      row.append(cell);
      body.append(row);
    };
    if (from > 0) gap(`… ${from} earlier steps`, from - 1);
    for (let index = from; index < to; index++) body.append(laneRow(index));
    if (to < steps.length) gap(`… ${steps.length - to} later steps`, to);
    else {
      const row = make("tr");
      const cell = make("td", "bad", "!! " + answer.violation.message);
      cell.colSpan = threads.length + 1;
      row.append(cell);
      body.append(row);
    }
    table.append(thead, body);
    const arrows = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    arrows.id = "arrows";
    lanes.replaceChildren(table, arrows);
  }
  function laneRow(index) {
    const step = steps[index];
    const row = make("tr");
    if (index > 0 && steps[index - 1].thread !== step.thread) row.className = "switch";
    row.dataset.step = index;
    row.append(make("td", "n", String(step.step)));
    threads.forEach((_, thread) => {
      const cell = make("td", thread === step.thread ? "cell" : "");
      if (thread === step.thread) {
        const src = make("div", "src c " + colour(thread));
        const place = step.place ? (files.length > 1 ? step.place.file.split("/").pop() + ":" : "") + step.place.line : "";
        src.append(make("span", "no", place), document.createTextNode(step.source));
        cell.append(src);
        for (const e of effects(step)) cell.append(effectLine(e));
      }
      row.append(cell);
    });
    row.addEventListener("click", (event) => { if (!event.target.closest("a")) show(index); });
    rowOf.set(index, row);
    return row;
  }
  function effectLine(e) {
    const changes = e.kind === "write" || e.kind === "commit" || e.kind === "lock" || e.kind === "unlock" || e.kind === "start";
    const line = make("div", "eff" + (changes ? " ch" : ""));
    if (e.kind === "read" && e.written_at) {
      line.append(document.createTextNode(`reads ${e.name} = ${e.value} from `));
      line.append(link("step " + e.written_at, e.written_at - 1));
    } else line.textContent = e.text;
    return line;
  }
  function link(text, index) {
    const a = make("a", "", text);
    a.href = "#step-" + (index + 1);
    a.addEventListener("click", (event) => { event.preventDefault(); show(index); });
    return a;
  }
  // Arrows from the writes that the current step reads.
  function drawArrows() {
    const svg = $("arrows");
    if (!svg) return;
    for (const row of lanes.querySelectorAll("tr.from")) row.classList.remove("from");
    const step = steps[now];
    const target = rowOf.get(now);
    let paths = "";
    svg.setAttribute("width", lanes.scrollWidth);
    svg.setAttribute("height", lanes.scrollHeight);
    const corner = lanes.getBoundingClientRect();
    const middle = (row, thread) => {
      const box = row.children[thread + 1].getBoundingClientRect();
      return [box.left - corner.left + lanes.scrollLeft, box.top - corner.top + lanes.scrollTop, box.width, box.height];
    };
    for (const e of effects(step)) {
      if (e.kind !== "read" || !e.written_at) continue;
      const writer = rowOf.get(e.written_at - 1);
      if (!writer || !target) continue;
      writer.classList.add("from");
      const source = steps[e.written_at - 1].thread;
      const [x1, y1, w1, h1] = middle(writer, source);
      const [x2, y2, w2] = middle(target, step.thread);
      const same = source === step.thread;
      const sx = same ? x1 + w1 - 14 : x1 + w1 / 2, ex = same ? x2 + w2 - 14 : x2 + w2 / 2;
      const sy = y1 + h1 - 3, ey = y2 + 4;
      paths += `<path d="M${sx} ${sy}C${sx} ${(sy + ey) / 2} ${ex} ${(sy + ey) / 2} ${ex} ${ey}" marker-end="url(#read)"/>`;
    }
    svg.innerHTML = `<defs><marker id="read" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>` + paths;
  }

  // ---- what is shown of a step
  let now = 0, before = -1;
  const clamp = (index) => Math.max(0, Math.min(steps.length - 1, index));
  function show(index) {
    now = clamp(index);
    goTo(now);
    const edge = 20;
    if (now < from + (from > 0 ? edge : 0) || now >= to - (to < steps.length ? edge : 0)) renderLanes(now - WINDOW / 2, now + WINDOW / 2);
    for (const [at, row] of rowOf) {
      if (row.classList.contains("now") !== (at === now)) {
        row.classList.toggle("now", at === now);
        if (at === now) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
      }
      if (row.classList.contains("later") !== at > now) row.classList.toggle("later", at > now);
    }
    scrollInto(lanes, rowOf.get(now));
    drawArrows();
    const step = steps[now];
    if (step.place && fileOf.has(step.place.file)) showFile(fileOf.get(step.place.file));
    paintSource();
    paintState();
    $("slider").value = now;
    const words = effects(step).map((e) => e.text).join("; ");
    $("where").textContent = `step ${step.step} of ${steps.length}: ${threads[step.thread]}${step.place ? " at line " + step.place.line : ""}${words ? ": " + words : ""}`;
    before = now;
  }
  function scrollInto(box, element) {
    if (!element) return;
    const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
    const top = inner.top - outer.top, margin = Math.min(80, outer.height / 4);
    if (top < margin || top + inner.height > outer.height - margin) box.scrollTop += top - outer.height / 3;
  }
  let painted = new Set();
  function paintSource() {
    for (const line of painted) {
      line.classList.remove("here", "c", ...["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]);
      line.children[1].textContent = "";
      line.removeAttribute("title");
    }
    painted = new Set();
    // Where every thread was last.
    state.last.forEach((at, thread) => {
      if (at < 0 || !steps[at].place || fileOf.get(steps[at].place.file) !== shown) return;
      const line = lineOf.get(steps[at].place.line);
      if (!line) return;
      painted.add(line);
      line.children[1].textContent = at === now ? "▶" : line.children[1].textContent || "•";
      line.title = (line.title ? line.title + ", " : "") + threads[thread] + (at === now ? " is here" : " was last here");
      if (at === now) { line.classList.add("here", "c", colour(thread)); scrollInto(source, line); }
    });
  }
  const MOST = 250;
  function paintState() {
    const box = $("state");
    box.replaceChildren();
    const part = (title) => { const d = make("div"); d.append(make("h3", "", title)); box.append(d); return d; };
    const table = (head) => { const t = make("table"); const r = make("tr"); for (const h of head) r.append(make("th", "", h)); t.append(r); return t; };
    const valueCell = (value, key) => {
      const cell = make("td");
      if (state.changed.has(key)) {
        const old = state.changed.get(key);
        if (old !== undefined && old !== value) { cell.append(make("s", "", old), document.createTextNode(" → ")); }
      }
      cell.append(document.createTextNode(value));
      return cell;
    };
    const shared = [...state.shared].sort((a, b) => (a[0] < b[0] ? -1 : 1));
    const recent = shared.length > MOST ? shared.filter(([name]) => state.changed.has(name)).concat(shared.filter(([name]) => !state.changed.has(name))).slice(0, MOST) : shared;
    if (recent.length > 0) {
      const t = table(["shared", "value", "written by"]);
      for (const [name, { value, by, step }] of recent) {
        const row = make("tr", state.changed.has(name) ? "ch" : "");
        const who = make("td");
        if (by >= 0) who.append(make("span", "c " + colour(by), threads[by] + ", "), link("step " + step, step - 1)); else who.textContent = "initially";
        row.append(make("td", "", name), valueCell(value, name), who);
        t.append(row);
      }
      const d = part("Variables");
      d.append(t);
      if (recent.length < shared.length) d.append(make("p", "", `and ${shared.length - recent.length} more`));
    }
    if (state.own.some((own) => own.size > 0)) {
      const t = table(["thread", "variable", "value"]);
      state.own.forEach((own, thread) => {
        for (const [name, value] of [...own].slice(0, MOST)) {
          const changed = thread === steps[now].thread && state.changed.has("=" + name);
          const row = make("tr", changed ? "ch" : "");
          row.append(make("td", "c " + colour(thread), threads[thread]), make("td", "", name), changed ? valueCell(value, "=" + name) : make("td", "", value));
          t.append(row);
        }
      });
      part("Of the threads").append(t);
    }
    if (state.locks.size > 0) {
      const t = table(["lock", "held by"]);
      for (const [name, holders] of state.locks) {
        const row = make("tr", state.changed.has("#" + name) ? "ch" : "");
        const who = make("td");
        if (holders.length === 0) who.textContent = "nobody";
        holders.forEach((thread, index) => who.append(make("span", "c " + colour(thread), (index ? ", " : "") + threads[thread])));
        row.append(make("td", "", name), who);
        t.append(row);
      }
      part("Locks").append(t);
    }
    if (state.buffers.some((buffer) => buffer.length > 0)) {
      const t = table(["thread", "stores that are not in memory yet"]);
      state.buffers.forEach((buffer, thread) => {
        if (buffer.length > 0) { const row = make("tr"); row.append(make("td", "c " + colour(thread), threads[thread]), make("td", "", buffer.map(([n, v]) => n + " = " + v).join(", "))); t.append(row); }
      });
      part("Store buffers").append(t);
    }
    const t = table(["thread", "is at", ""]);
    threads.forEach((name, thread) => {
      const row = make("tr", thread === steps[now].thread ? "ch" : "");
      const at = state.last[thread];
      const place = make("td");
      if (at >= 0 && steps[at].place) place.append(link("line " + steps[at].place.line, at)); else place.textContent = "–";
      row.append(make("td", "c " + colour(thread), name), place, make("td", "", state.status[thread]));
      t.append(row);
    });
    part("Threads").append(t);
  }
  const switchFrom = (index, way) => {
    let at = index + way;
    while (at > 0 && at < steps.length - 1 && steps[at].thread === steps[at - 1].thread) at += way;
    return clamp(at);
  };
  const slider = $("slider");
  slider.max = steps.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  const actions = {
    first: () => show(0), last: () => show(steps.length - 1), back: () => show(now - 1), forth: () => show(now + 1),
    "jump-back": () => show(switchFrom(now, -1)), "jump-forth": () => show(switchFrom(now, 1)),
  };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  const keys = {
    ArrowRight: "forth", ArrowDown: "forth", l: "forth", j: "forth", ArrowLeft: "back", ArrowUp: "back", h: "back", k: "back",
    Home: "first", End: "last", PageUp: "jump-back", PageDown: "jump-forth",
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target === slider && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    actions[action]();
  });
  window.addEventListener("resize", drawArrows);
  // On paper all steps are wanted, as far as that makes sense.
  window.addEventListener("beforeprint", () => { renderLanes(0, Math.min(steps.length, 2000)); });
  window.addEventListener("afterprint", () => { from = to = 0; show(now); });
  window.ravel = { show, step: () => now, count: steps.length, rows: () => rowOf.size };
  const wanted = /^#step-(\d+)$/.exec(location.hash);
  renderLanes(0, WINDOW);
  show(wanted ? Number(wanted[1]) - 1 : 0);
})();

// Relations of an execution graph, on and off; what an axiom is about stays.
document.querySelectorAll("input[data-relation]").forEach((box) => {
  const apply = () => document.querySelectorAll("g[data-relation]").forEach((arrow) => {
    if (arrow.dataset.relation === box.dataset.relation) arrow.style.display = box.checked || arrow.classList.contains("hit") ? "" : "none";
  });
  box.addEventListener("change", apply);
  apply();
});
