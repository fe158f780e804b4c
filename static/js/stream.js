// While a run is live: follow its end, fold what is over, tick the seconds. The swaps themselves are htmx's.

const log = () => document.getElementById("run-log");
const chip = () => document.getElementById("follow");
const NEAR = 160;

const atEnd = () => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - NEAR;
let following = true;

function toEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}

window.addEventListener("scroll", () => {
  following = atEnd();
  if (following && chip()) chip().hidden = true;
}, { passive: true });

document.addEventListener("click", (event) => {
  if (event.target.closest("#follow")) {
    following = true;
    toEnd();
  }
  // What a reader folded or opened by hand stays as it is.
  const head = event.target.closest(".turn__head");
  if (head) head.parentElement.dataset.touched = "yes";
});

// The newest turn is open; the ones before it fold when it begins.
function foldEarlier() {
  const folds = [...log().querySelectorAll(".turn > details")];
  for (const fold of folds.slice(0, -1)) {
    if (!fold.dataset.touched && !fold.contains(document.activeElement)) fold.open = false;
  }
}

if (log()) {
  let turns = log().querySelectorAll(".turn").length;
  foldEarlier();
  document.addEventListener("htmx:after:swap", () => {
    if (!log()) return ended();
    const now = log().querySelectorAll(".turn").length;
    if (now !== turns) foldEarlier();
    if (following) toEnd();
    else if (now !== turns && chip()) chip().hidden = false;
    turns = now;
  });
}

// The answer has taken the place of the turns: show its beginning, unless the reader is elsewhere.
let over = false;
function ended() {
  if (over) return;
  over = true;
  if (chip()) chip().hidden = true;
  if (document.activeElement === document.body) document.getElementById("q")?.focus({ preventScroll: true });
  if (following) [...document.querySelectorAll(".ask")].at(-1)?.scrollIntoView({ block: "start", behavior: "instant" });
}

function tick() {
  for (const clock of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max((Date.now() - Date.parse(clock.dataset.since)) / 1000, 0);
    clock.textContent = `${seconds.toFixed(0)} s`;
  }
}
setInterval(tick, 1000);
tick();
