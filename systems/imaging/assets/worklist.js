// What is planned at modalities, and what they say that they did or do.
"use strict";

import { date, getJson, name, text, values } from "./api.js";

const EVERY = 10_000;
const find = (id) => document.getElementById(id);

/** A row of cells, each with the name of its column for narrow screens. */
function row(table, cells) {
  const heads = table.closest("table").querySelectorAll("th");
  const line = document.createElement("tr");
  cells.forEach((cell, at) => {
    const field = document.createElement("td");
    field.dataset.label = heads[at].textContent;
    field.textContent = cell;
    line.append(field);
  });
  return line;
}

function fill(id, rows, one, many) {
  const table = find(id);
  table.replaceChildren(...rows.map((cells) => row(table, cells)));
  table.closest("table").hidden = rows.length === 0;
  find(`${id}-count`).textContent = rows.length === 0 ? `no ${many}` : `${rows.length} ${rows.length === 1 ? one : many}`;
}

const moment = (day, time) => `${date(day)} ${time.replace(/^(\d\d)(\d\d).*/, "$1:$2")}`.trim();
const patient = (object) => [name(object, "00100010"), text(object, "00100020")].filter(Boolean).join(" · ");

function planned(object) {
  const step = values(object, "00400100")[0] ?? {};
  return [
    moment(text(step, "00400002"), text(step, "00400003")), patient(object),
    text(step, "00400007") || text(object, "00321060"), text(step, "00080060"),
    text(step, "00400001"), text(step, "00400020").toLowerCase(),
  ];
}

const performed = (object) => [
  moment(text(object, "00400244"), text(object, "00400245")), patient(object),
  text(object, "00400254") || text(object, "00400253"), text(object, "00080060"),
  text(object, "00400241"), text(object, "00400252").toLowerCase(),
];

/** Shows what there is now; `byItself` says that no reader has asked for it. */
async function show(byItself) {
  const note = find("note");
  try {
    const { objects: entries } = await getJson("/workitems", undefined, byItself === true);
    const open = (entry) => ["SCHEDULED", "IN PROGRESS"].includes(text(entry, "00741000"));
    fill("planned", entries.filter((entry) => find("all").checked || open(entry)).map(planned), "entry", "entries");
    const { objects: steps } = await getJson("/performed-procedure-steps", undefined, byItself === true);
    const begin = (step) => text(step, "00400244") + text(step, "00400245");
    steps.sort((a, b) => begin(b).localeCompare(begin(a)));
    fill("performed", steps.map(performed), "step", "steps");
    note.hidden = true;
  } catch (error) {
    note.textContent = error.message;
    note.hidden = false;
  }
}

find("all").addEventListener("change", show);
setInterval(() => document.hidden || show(true), EVERY);
show();
