// The page works without this. With it, it follows what happens in Discord and says at once that a button was pressed.
"use strict";

const EVERY = 1500;
let tag = null;
let working = 0;
let held = false;
let asked = 0;
let shown = 0;

function enable(on) {
  for (const button of document.querySelectorAll("main form:not([target]) button")) button.disabled = !on;
}

function install(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const main = document.querySelector("main");
  if (!fresh || !main) return;
  for (const open of main.querySelectorAll("details[open]")) {
    fresh.querySelector(`#${open.id}`)?.setAttribute("open", "");
  }
  main.replaceWith(document.adoptNode(fresh));
  if (working) enable(false);
}

async function look(force) {
  const choosing = document.activeElement?.tagName === "SELECT";
  if (!force && (document.hidden || choosing)) return;
  const mine = ++asked;
  const response = await fetch("/", { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  document.getElementById("gone").hidden = true;
  if (response.status !== 200) return;
  const text = await response.text();
  // A button that is replaced between press and release would swallow the click.
  while (held) await new Promise((resume) => setTimeout(resume, 50));
  // What was asked for before the page that is shown, is older than it.
  if (mine < shown) return;
  shown = mine;
  tag = response.headers.get("ETag");
  install(text);
}

async function follow() {
  try {
    await look(false);
  } catch {
    document.getElementById("gone").hidden = false;
  }
  setTimeout(follow, EVERY);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.target) return;
  event.preventDefault();
  if (working) return;
  working += 1;
  const body = new URLSearchParams(new FormData(form));
  enable(false);
  try {
    const response = await fetch(form.action, { method: "POST", body });
    if (response.status === 403) location.reload();
    document.activeElement?.blur();
    await look(true);
  } catch {
    document.getElementById("gone").hidden = false;
  } finally {
    working -= 1;
    if (!working) enable(true);
  }
});

document.addEventListener("pointerdown", () => { held = true; });
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(() => { held = false; }));
}

document.addEventListener("change", (event) => {
  if (event.target.id === "name") event.target.form.requestSubmit();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(true).catch(() => {}); });
document.documentElement.classList.add("scripted");
setTimeout(follow, EVERY);
