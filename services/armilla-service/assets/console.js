// Live pages: an event from the server reloads the part with the id "live" and those with an id and
// data-live; a form with data-send is sent as JSON, and its answer shown. If the answer is 428, the
// server wants to know whether its reader is sure, and the form is sent again with the field
// "confirmed".
"use strict";

// Who is logged in, if the service asks that.
async function whoami() {
  const answer = await fetch("/session", { headers: { "X-Armilla-Console": "reload" } }).catch(() => null);
  if (answer && answer.status === 401) location.reload();
  if (!answer || answer.status !== 200 || document.getElementById("user")) return;
  const { user, by_password } = await answer.json();
  const place = document.createElement("span");
  place.id = "user";
  place.textContent = user;
  if (by_password) {
    const out = document.createElement("button");
    out.textContent = "Log out";
    out.addEventListener("click", logOut);
    place.append(" ", out);
  }
  document.querySelector("body > header").append(place);
}

async function logOut() {
  if (events) events.close();
  await fetch("/logout", { method: "POST", headers: { "X-Armilla-Console": "1" } }).catch(() => null);
  location.href = "/login";
}

const connection = document.getElementById("connection");
let waiting = null;
let events = null;

async function reload() {
  waiting = null;
  const answer = await fetch(location.href, { headers: { Accept: "text/html", "X-Armilla-Console": "reload" } }).catch(() => null);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const now of document.querySelectorAll("#live, [data-live]")) {
    const next = page.getElementById(now.id);
    // What the reader is typing or has focused stays, and so does what a command has answered.
    const told = now.id !== "live" && now.querySelector(".message");
    if (next && !told && !now.contains(document.activeElement)) now.replaceWith(next);
  }
}

function changed() {
  // Many changes at once make one reload.
  if (waiting === null) waiting = setTimeout(reload, 200);
}

function listen() {
  events = new EventSource("/events");
  events.onopen = () => {
    if (connection) connection.textContent = "live";
    changed();
  };
  events.onerror = () => {
    if (connection) connection.textContent = "not connected";
    // It is not tried again: perhaps the session has ended, and a login is needed.
    if (events.readyState === EventSource.CLOSED) whoami();
  };
  for (const name of ["change", "reload"]) events.addEventListener(name, changed);
}

async function post(form, fields) {
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Armilla-Console": "1" },
      body: JSON.stringify(fields),
    });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  } catch {
    return { ok: false, status: 0, text: "The service does not answer: nobody knows whether it is done." };
  }
}

async function send(form) {
  const question = form.dataset.confirm;
  if (question && !confirm(question)) return;
  const fields = Object.fromEntries(new FormData(form));
  let answer = await post(form, fields);
  if (answer.status === 428) {
    if (!confirm(answer.text)) return;
    answer = await post(form, { ...fields, confirmed: "yes" });
  }
  show(form, answer);
}

function show(form, answer) {
  if (!form.isConnected) {
    // A reload has put another form in its place meanwhile.
    if (answer.text) alert(answer.text);
    changed();
    return;
  }
  let message = form.nextElementSibling;
  if (!message || !message.classList.contains("message")) {
    message = document.createElement("p");
    message.className = "message";
    message.setAttribute("role", "alert");
    form.after(message);
  }
  message.textContent = answer.text;
  message.classList.toggle("done", answer.ok);
  if (!answer.ok) return;
  if (!answer.text) message.remove();
  form.reset();
  if (document.activeElement) document.activeElement.blur();
  changed();
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-send]")) {
    event.preventDefault();
    send(event.target);
  }
});

// A page that the browser keeps for the way back must not keep its connection: there are six to a
// host, and a form of the page that is shown would wait for one.
addEventListener("pagehide", () => { if (events) events.close(); });
addEventListener("pageshow", (event) => { if (event.persisted) begin(); });

function begin() {
  // The page of the login follows nothing.
  if (document.querySelector("form.login")) {
    if (connection) connection.textContent = "";
    return;
  }
  listen();
  whoami();
}

begin();
