// The page: the list of studies, and the panels with images of one of them.
"use strict";

import { date, getJson, holdThumbnails, name, number, octetsText, text, thumbnail, values, watchers } from "./api.js";
import { Panel } from "./panel.js";

const byId = (id) => document.getElementById(id);
const [worklist, viewer, studies, rail, panels] =
  ["worklist", "viewer", "studies", "rail", "panels"].map(byId);
const PAGE = 50;

function make(kind, content, ...classes) {
  const element = document.createElement(kind);
  if (typeof content === "string") element.textContent = content;
  else if (content) element.append(...[content].flat());
  element.classList.add(...classes);
  return element;
}

// ---- the list

let searching = null;
let shown = 0;

function filters() {
  const fields = Object.fromEntries(new FormData(byId("search")));
  const query = new URLSearchParams();
  for (const key of ["PatientID", "PatientName", "ModalitiesInStudy"]) {
    if (fields[key]) query.set(key, fields[key]);
  }
  const plain = (day) => day.replaceAll("-", "");
  if (fields.from || fields.to) query.set("StudyDate", `${plain(fields.from)}-${plain(fields.to)}`);
  return query;
}

/** Tells of what goes wrong, and of servers that do not answer. */
function note(lines) {
  byId("note").hidden = lines.length === 0;
  byId("note").textContent = lines.join(" · ");
}

async function search(from = 0, quiet = false) {
  searching?.abort();
  const control = (searching = new AbortController());
  const query = filters();
  const limit = quiet ? Math.max(PAGE, shown) : PAGE;
  query.set("limit", limit);
  query.set("offset", from);
  if (!quiet) byId("count").textContent = "Loading …";
  try {
    const { objects, warnings } = await getJson(`/studies?${query}`, control.signal);
    if (from === 0 && !quiet) studies.replaceChildren();
    const more = warnings.filter((warning) => warning.includes("more than"));
    note(warnings.filter((warning) => !more.includes(warning)));
    showStudies(objects, from === 0);
    shown = studies.children.length;
    byId("more").hidden = more.length === 0;
    byId("count").textContent =
      shown === 0 ? "No study matches." : `${shown} ${shown === 1 ? "study" : "studies"}${more.length ? ", and more" : ""}`;
  } catch (error) {
    if (control.signal.aborted) return;
    byId("count").textContent = "";
    note([`The list did not come: ${error.message}`]);
  }
}

/** Adds rows; those that stand already, and have not changed, stay. */
function showStudies(objects, fromStart) {
  const known = new Map([...studies.children].map((row) => [row.dataset.uid, row]));
  const wanted = new Set(objects.map((study) => text(study, "0020000D")));
  if (fromStart) for (const [uid, row] of known) if (!wanted.has(uid)) row.remove();
  objects.forEach((study, at) => {
    const uid = text(study, "0020000D");
    const old = known.get(uid);
    const state = JSON.stringify(study);
    if (old?.dataset.state === state) return;
    const row = studyRow(study, uid);
    row.dataset.state = state;
    if (old) old.replaceWith(row);
    else if (fromStart) studies.insertBefore(row, studies.children[at] ?? null);
    else studies.append(row);
  });
}

function studyRow(study, uid) {
  const time = text(study, "00080030").replace(/^(\d\d)(\d\d).*/, "$1:$2");
  const cell = (...content) => make("td", content);
  const small = (content) => make("small", content);
  const images = number(study, "00201208", 0);
  const series = number(study, "00201206", 0);
  const row = make("tr", [
    cell(thumbnail(`/studies/${uid}/thumbnail`, values(study, "00080061").join(" "))),
    cell(date(text(study, "00080020")) || "no date", small(time)),
    cell(make("span", name(study, "00100010") || "no name", "main"),
      small([text(study, "00100020"), date(text(study, "00100030")), text(study, "00100040")].filter(Boolean).join(" · "))),
    cell(text(study, "00081030") || "–", small(text(study, "00080050"))),
    cell(...values(study, "00080061").map((modality) => make("span", modality, "tag"))),
    cell(`${images}`, small(`${series} series`)),
  ]);
  row.dataset.uid = uid;
  row.tabIndex = 0;
  row.setAttribute("aria-label", `${name(study, "00100010")}, ${date(text(study, "00080020"))}`);
  row.addEventListener("click", () => (location.hash = `#/study/${uid}`));
  return row;
}

// ---- the images of a study

const state = { study: null, series: [], panels: [], active: null, compare: false, link: false };

const host = {
  changed(panel) {
    if (panel.drawn) state.release?.();
    if (panel === state.active) showTools();
  },
  moved(panel, steps) {
    if (!state.link) return;
    for (const other of state.panels) if (other !== panel) other.goTo(other.at + steps);
  },
  activate(panel) {
    state.active = panel;
    for (const one of state.panels) one.element.classList.toggle("active", one === panel);
    markSeries();
    showTools();
  },
};

async function openStudy(uid) {
  closeStudy();
  worklist.hidden = true;
  viewer.hidden = false;
  const ours = (state.opening = Symbol());
  state.release = holdThumbnails();
  addPanel();
  rail.replaceChildren();
  try {
    const [found, series] = await Promise.all([
      getJson(`/studies?StudyInstanceUID=${uid}`),
      getJson(`/studies/${uid}/series?limit=1000`),
    ]);
    if (state.opening !== ours) return;
    if (!found.objects.length) throw new Error("no server that answers has it");
    state.study = found.objects[0];
    state.series = series.objects;
    document.title = `${name(state.study, "00100010")} – Armilla imaging`;
    showRail(uid);
    await openSeries(0);
  } catch (error) {
    if (state.opening === ours) state.active?.show(`This study cannot be opened: ${error.message}`);
  }
}

function closeStudy() {
  state.opening = null;
  state.release?.();
  for (const panel of state.panels) panel.close();
  Object.assign(state, { study: null, series: [], panels: [], active: null, compare: false, link: false });
}

function showRail(uid) {
  rail.replaceChildren(...state.series.map((series, at) => {
    const path = `/studies/${uid}/series/${text(series, "0020000E")}/thumbnail`;
    const label = text(series, "0008103E") || `Series ${text(series, "00200011")}`;
    const button = make("button", [
      thumbnail(path, text(series, "00080060")),
      make("span", label),
      make("small", `${text(series, "00080060")} · ${number(series, "00201209", 0)}`),
    ], "series");
    button.type = "button";
    button.setAttribute("aria-label", `${label}, ${number(series, "00201209", 0)} images`);
    button.addEventListener("click", () => openSeries(at));
    return button;
  }));
}

function markSeries() {
  [...rail.children].forEach((button, at) => {
    const current = state.active?.seriesAt === at;
    button.setAttribute("aria-current", current);
    if (current) button.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

async function openSeries(at, panel = state.active) {
  const series = state.series[at];
  if (!series || !panel) return panel?.show("This study has no series.");
  panel.seriesAt = at;
  markSeries();
  const [study, uid] = [text(state.study, "0020000D"), text(series, "0020000E")];
  const images = [];
  try {
    // A page at a time, until one is not full.
    for (const size = 10000; ;) {
      const path = `/studies/${study}/series/${uid}/instances?limit=${size}&offset=${images.length}`;
      const { objects } = await getJson(path);
      images.push(...objects);
      if (objects.length < size) break;
    }
    if (panel.seriesAt !== at || !state.panels.includes(panel)) return;
    panel.open(state.study, series, images.filter((image) => number(image, "00280010", 0) > 0));
  } catch (error) {
    panel.show(`This series did not come: ${error.message}`);
  }
}

function addPanel() {
  const panel = new Panel(host);
  state.panels.push(panel);
  panels.append(panel.element);
  host.activate(panel);
  panel.element.focus({ preventScroll: true });
  return panel;
}

function showTools() {
  const panel = state.active;
  const presets = panel?.presets() ?? [];
  const select = byId("preset");
  const names = [...presets.map(([name]) => name), "Own"];
  if ([...select.options].map((option) => option.text).join() !== names.join()) {
    select.replaceChildren(...names.map((name, at) => new Option(name, at)));
  }
  select.disabled = presets.length === 0;
  const same = ([, window]) => JSON.stringify(window) === JSON.stringify(panel?.window);
  const automatic = panel?.window === null ? 0 : -1;
  const chosen = presets.findIndex(same);
  select.value = chosen >= 0 ? chosen : automatic >= 0 ? automatic : presets.length;
  const pressed = { play: Boolean(panel?.timer), compare: state.compare, link: state.link };
  for (const [what, on] of Object.entries(pressed)) {
    document.querySelector(`[data-do=${what}]`).setAttribute("aria-pressed", on);
  }
  document.querySelector("[data-do=link]").hidden = !state.compare;
}

const actions = {
  invert: (panel) => { panel.inverted = !panel.inverted; panel.redraw(); },
  reset: (panel) => panel.reset(),
  play: (panel) => panel.play(),
  compare() {
    state.compare = !state.compare;
    if (state.compare) {
      const at = state.active.seriesAt ?? 0;
      openSeries(Math.min(at + 1, state.series.length - 1), addPanel());
    } else {
      state.link = false;
      const kept = state.active;
      for (const panel of state.panels) if (panel !== kept) panel.close();
      state.panels = [kept];
      host.activate(kept);
    }
  },
  link() {
    state.link = state.compare && !state.link;
    showTools();
  },
  window(panel) {
    const presets = panel.presets();
    if (!presets.length) return;
    const at = Number(byId("preset").value);
    panel.setWindow(presets[(at + 1) % presets.length][1]);
  },
};

// ---- keys

const keys = {
  ArrowDown: (panel) => panel.step(1),
  ArrowUp: (panel) => panel.step(-1),
  PageDown: (panel) => panel.step(10),
  PageUp: (panel) => panel.step(-10),
  Home: (panel) => panel.step(-Infinity),
  End: (panel) => panel.step(Infinity),
  ArrowRight: (panel) => openSeries(panel.seriesAt + 1 < state.series.length ? panel.seriesAt + 1 : panel.seriesAt),
  ArrowLeft: (panel) => openSeries(Math.max(0, panel.seriesAt - 1)),
  "+": (panel) => panel.zoomBy(1.25),
  "=": (panel) => panel.zoomBy(1.25),
  "-": (panel) => panel.zoomBy(0.8),
  " ": actions.play, i: actions.invert, r: actions.reset, c: actions.compare, l: actions.link, w: actions.window,
  Escape: () => (location.hash = "#/"),
  Tab(panel) {
    const other = state.panels.find((one) => one !== panel);
    if (!other) return false;
    other.element.focus();
  },
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  const field = event.target.matches("input:not([type=range]), select, textarea");
  if (field) return event.key === "Escape" && event.target.blur();
  if (event.key === "?") return byId("help").showModal();
  if (viewer.hidden) return listKey(event);
  // Buttons are pressed as everywhere.
  if (event.target.matches("button, a") && [" ", "Enter", "Tab"].includes(event.key)) return;
  const key = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!key || !state.active) return;
  if (key(state.active) !== false) event.preventDefault();
});

function listKey(event) {
  const row = event.target.closest?.("tr");
  if (event.key === "/") {
    event.preventDefault();
    byId("search").elements.PatientName.focus();
  } else if (row && event.key === "Enter") {
    row.click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const rows = [...studies.children];
    const next = rows.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1);
    rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
    event.preventDefault();
  }
}

// ---- the page

function route() {
  const [, study] = location.hash.match(/^#\/study\/([0-9.]+)$/) ?? [];
  if (study) return openStudy(study);
  closeStudy();
  document.title = "Images – Armilla imaging";
  viewer.hidden = true;
  worklist.hidden = false;
  search(0, studies.children.length > 0);
}

watchers.add(({ count, come, whole, rate }) => {
  const transfer = byId("transfer");
  transfer.hidden = count === 0;
  const bar = transfer.querySelector("progress");
  if (whole) bar.value = Math.min(1, come / whole);
  else bar.removeAttribute("value");
  const speed = rate ? ` · ${octetsText(rate)}/s` : "";
  // While a server decodes or draws, nobody knows yet how much will come.
  const far = whole ? `${octetsText(come)} of ${octetsText(whole)}${speed}` : "preparing …";
  transfer.querySelector("span").textContent = `${count} · ${far}`;
});

byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
byId("search").addEventListener("reset", () => setTimeout(search));
byId("search").addEventListener("change", () => search());
byId("more").addEventListener("click", () => search(shown));
byId("show-help").addEventListener("click", () => byId("help").showModal());
byId("tools").addEventListener("click", (event) => {
  const what = event.target.dataset?.do;
  if (what && state.active) actions[what](state.active);
});
byId("preset").addEventListener("change", (event) => {
  const preset = state.active?.presets()[Number(event.target.value)];
  if (preset) state.active.setWindow(preset[1]);
  state.active?.element.focus();
});
// Studies that come in appear by themselves.
setInterval(() => !worklist.hidden && !document.hidden && search(0, true), 20000);
window.addEventListener("hashchange", route);
route();
