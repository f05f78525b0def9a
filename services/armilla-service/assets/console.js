// Live pages: an event from the server reloads the part with the id "live" and those with an id and
// data-live; a form with data-send is sent as JSON, and its answer shown.
"use strict";

const connection = document.getElementById("connection");
let waiting = null;

async function reload() {
  waiting = null;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
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
  const events = new EventSource("/events");
  events.onopen = () => {
    if (connection) connection.textContent = "live";
    changed();
  };
  events.onerror = () => { if (connection) connection.textContent = "not connected"; };
  for (const name of ["change", "reload"]) events.addEventListener(name, changed);
}

async function send(form) {
  const question = form.dataset.confirm;
  if (question && !confirm(question)) return;
  const fields = Object.fromEntries(new FormData(form));
  const answer = await fetch(form.action, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Armilla-Console": "1" },
    body: JSON.stringify(fields),
  });
  let message = form.nextElementSibling;
  if (!message || !message.classList.contains("message")) {
    message = document.createElement("p");
    message.className = "message";
    message.setAttribute("role", "alert");
    form.after(message);
  }
  if (answer.ok) {
    message.remove();
    form.reset();
    if (document.activeElement) document.activeElement.blur();
    changed();
  } else {
    message.textContent = await answer.text();
  }
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-send]")) {
    event.preventDefault();
    send(event.target);
  }
});

listen();
