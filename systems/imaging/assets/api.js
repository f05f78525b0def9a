// Asking the server: DICOMweb (PS3.18), with the token of this tab, and how far transfers are.
"use strict";

const BASE = "/dicomweb";
const TOKEN = "armilla-imaging-token";

/** Called with the transfers under way: how many, octets that came, octets in all, octets a second. */
export const watchers = new Set();

const transfers = new Set();
let rate = 0;
let counted = { when: performance.now(), octets: 0 };

function tell() {
  const now = performance.now();
  if (now - counted.when > 400) {
    rate = (counted.octets * 1000) / (now - counted.when);
    counted = { when: now, octets: 0 };
  }
  let [come, whole] = [0, 0];
  for (const one of transfers) {
    come += one.come;
    whole += one.whole;
  }
  for (const watcher of watchers) watcher({ count: transfers.size, come, whole, rate });
}

/** An answer that is not what was asked for; `status` is that of HTTP. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text.trim() || `the server answers with status ${status}`);
    this.status = status;
  }
}

/** Shows who has logged in, and the way out. */
async function showUser() {
  const answer = await fetch("/session", { headers: { "X-Armilla-Console": "reload" } });
  if (answer.status !== 200) return;
  const { user, by_password } = await answer.json();
  if (!by_password) return;
  const out = document.createElement("button");
  out.type = "button";
  out.id = "log-out";
  out.title = user;
  out.textContent = "Log out";
  out.addEventListener("click", async () => {
    await fetch("/logout", { method: "POST", headers: { "X-Armilla-Console": "1" } }).catch(() => null);
    location.href = "/login";
  });
  document.querySelector("body > header").append(out);
}
showUser().catch(() => null);

let asking = null;

/** Asks the reader for a token, once for all requests that need one. */
function askToken(again) {
  asking ??= new Promise((resolve) => {
    const dialog = document.getElementById("access");
    dialog.querySelector(".bad").hidden = !again;
    dialog.addEventListener("close", () => {
      const field = dialog.querySelector("input");
      if (field.value) sessionStorage.setItem(TOKEN, field.value);
      field.value = "";
      asking = null;
      resolve();
    }, { once: true });
    dialog.showModal();
  });
  return asking;
}

async function ask(path, accept, signal, byItself = false) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = { Accept: accept };
    // The reader's session does not last longer for what the page does by itself.
    if (byItself) headers["X-Armilla-Console"] = "reload";
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(BASE + path, { headers, signal });
    if (answer.ok) return answer;
    // The session has ended, and a reader logs in on a page of its own.
    if (answer.status === 401 && answer.headers.has("X-Armilla-Login")) location.reload();
    if (answer.status !== 401) throw new Refusal(answer.status, await answer.text());
    // Another request may have asked for it by now.
    if (sessionStorage.getItem(TOKEN) === token) await askToken(Boolean(token));
  }
}

/** A search or attributes: the objects, and what the server warns of. */
export async function getJson(path, signal, byItself = false) {
  const answer = await ask(path, "application/dicom+json", signal, byItself);
  const warnings = (answer.headers.get("Warning") ?? "").match(/"[^"]*"/g) ?? [];
  return { objects: await answer.json(), warnings: warnings.map((text) => text.slice(1, -1)) };
}

/** Octets, told of while they come. */
export async function getOctets(path, accept, signal) {
  const transfer = { come: 0, whole: 0 };
  transfers.add(transfer);
  try {
    const answer = await ask(path, accept, signal);
    transfer.whole = Number(answer.headers.get("Content-Length") ?? 0);
    let octets = new Uint8Array(transfer.whole || 1 << 16);
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (transfer.come + value.length > octets.length) {
        const larger = new Uint8Array(2 * octets.length + value.length);
        larger.set(octets);
        octets = larger;
      }
      octets.set(value, transfer.come);
      transfer.come += value.length;
      counted.octets += value.length;
      tell();
    }
    const type = answer.headers.get("Content-Type") ?? "";
    return { octets: octets.subarray(0, transfer.come), type };
  } finally {
    transfers.delete(transfer);
    tell();
  }
}

/** A picture that can be drawn. */
export async function getPicture(path, signal) {
  const { octets, type } = await getOctets(path, "image/png, image/jpeg;q=0.9", signal);
  return createImageBitmap(new Blob([octets], { type }));
}

/** The values of an attribute, by its tag. */
export const values = (object, tag) => object[tag]?.Value ?? [];
/** Its first value as a text. */
export function text(object, tag) {
  const value = values(object, tag)[0];
  return value === undefined || value === null ? "" : String(value.Alphabetic ?? value);
}
/** Its first value as a number. */
export function number(object, tag, otherwise) {
  const found = parseFloat(text(object, tag));
  return Number.isFinite(found) ? found : otherwise;
}

/** A name as people write it. */
export const name = (object, tag) => text(object, tag).replace(/\^+$/, "").split("^").filter(Boolean).join(", ");
/** A date as people read it. */
export const date = (written) => written.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");

export function octetsText(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  for (; count >= 1024 && unit < units.length - 1; unit++) count /= 1024;
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    fillThumbnail(entry.target);
  }
}, { rootMargin: "200px" });

let running = 0;
const waiting = [];
let held = null;

/** Holds thumbnails back, for a second at most, until what is returned is called. */
export function holdThumbnails() {
  let release;
  held = new Promise((resolve) => (release = resolve));
  setTimeout(release, 1000);
  return release;
}

/** What stands for an object that is no picture: a sign, and what kind of object it is. */
function icon(kind, why) {
  const signs = [
    [/^(ECG|EPS|HD|AU|RESP|EEG|EMG|EOG|IVUS)$/, "∿"],
    [/^(RT|PLAN|REG|SEG|FID|RWV)/, "◎"],
    [/^(SR|DOC|KO|PR|PLN|OT)?$/, "≡"],
  ];
  const element = document.createElement("span");
  element.className = "thumb icon";
  element.title = why;
  const [, sign] = signs.find(([kinds]) => kinds.test(kind)) ?? [null, "▧"];
  for (const text of [sign, kind]) {
    element.append(Object.assign(document.createElement("span"), { textContent: text }));
  }
  element.setAttribute("aria-hidden", "true");
  return element;
}

/** A thumbnail that comes when it is scrolled to; a few at a time, so that images come first. What
 *  cannot be drawn becomes an icon with its kind. */
export function thumbnail(path, kind = "") {
  const canvas = document.createElement("canvas");
  canvas.className = "thumb waiting";
  canvas.width = canvas.height = 128;
  canvas.dataset.path = path;
  canvas.dataset.kind = kind;
  canvas.setAttribute("aria-hidden", "true");
  seen.observe(canvas);
  return canvas;
}

async function fillThumbnail(canvas) {
  await held;
  if (running >= 3) await new Promise((resolve) => waiting.push(resolve));
  running++;
  try {
    if (!canvas.isConnected) return;
    const picture = await getPicture(`${canvas.dataset.path}?viewport=128,128`);
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0);
  } catch (error) {
    canvas.replaceWith(icon(canvas.dataset.kind, error.message));
  } finally {
    canvas.classList.remove("waiting");
    running--;
    waiting.shift()?.();
  }
}
