// Live pages: an event from the server reloads the part with the id "live" and those with an id and
// data-live; a form with data-send is sent as JSON, and its answer shown. If the answer is 428, the
// server wants to know whether its reader is sure, and the form is sent again with the field
// "confirmed".
"use strict";

const connection = document.getElementById("connection");
let waiting = null;
let events = null;

async function reload() {
  waiting = null;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
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
  events.onerror = () => { if (connection) connection.textContent = "not connected"; };
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
addEventListener("pageshow", (event) => { if (event.persisted) listen(); });

listen();
