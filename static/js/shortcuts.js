// The keyboard's way to everything. Single keys work outside fields only, and can be switched off in the settings.

const inField = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.offsetParent !== null);

// What J and K walk through: the rows of the page's own list.
const ROWS = ".trace__item, summary.call__line, .step__line, .pick a, .grid--page tbody th a, .suggest button";

function walk(step) {
  const rows = all(ROWS);
  if (!rows.length) return;
  const here = rows.indexOf(document.activeElement);
  const next = here < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(here + step, 0), rows.length - 1);
  rows[next].focus();
}

function number(digit) {
  const options = all("form[id^='clarify-'] .chip:not(:disabled)");
  if (options.length) return options[digit - 1]?.click();
  const bars = all(".result .tabs");
  const tabs = bars.length ? [...bars.at(-1).querySelectorAll(".tab")] : [];
  const names = ["answer", "table", "chart", "steps", "sql"];
  tabs.find((tab) => tab.id.endsWith(`tab-${names[digit - 1]}`))?.click();
}

// E: the fields of the chosen step; of the one that has the focus, if none is chosen there.
let editing = false;
function edit() {
  const row = document.activeElement?.closest(".step__line");
  if (row && !row.hasAttribute("aria-current")) {
    editing = true;
    return row.click();
  }
  toForm();
}

function toForm() {
  editing = false;
  all("[data-step-form] .input, [data-step-form] .select").at(0)?.focus();
}

document.addEventListener("htmx:after:swap", () => {
  if (editing) toForm();
});

function escape() {
  const open = document.querySelector("details.menu[open]");
  if (open) {
    open.open = false;
    open.querySelector("summary").focus();
    return;
  }
  document.getElementById("stop")?.click();
}

const KEYS = {
  n: () => document.querySelector(".rail a.btn").click(),
  "/": () => (document.querySelector("[data-search]") ?? document.getElementById("q"))?.focus(),
  e: edit,
  j: () => walk(1),
  k: () => walk(-1),
  "?": () => document.getElementById("shortcuts")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return escape();
  if (inField(event.target) || document.body.dataset.shortcuts !== "on") return;
  const act = /^[1-5]$/.test(event.key) ? () => number(Number(event.key)) : KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});

// Browsers without command and commandfor.
if (!("commandForElement" in HTMLButtonElement.prototype)) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[commandfor]");
    const dialog = button && document.getElementById(button.getAttribute("commandfor"));
    if (dialog) button.getAttribute("command") === "close" ? dialog.close() : dialog.showModal();
  });
}

// A menu closes when one presses elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
