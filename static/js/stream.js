// While runs are live: follow the end of the last one, fold what is over, tick the seconds. The swaps themselves are
// htmx's.

const live = () => [...document.querySelectorAll("[data-live]")];
const chip = () => document.getElementById("follow");
const NEAR = 160, GAP = 32;

// How far the end of what is followed lies below what the reader sees of the window: the dock covers the rest.
function below() {
  const run = live().at(-1), dock = document.querySelector(".dock");
  return run ? run.getBoundingClientRect().bottom - (dock?.getBoundingClientRect().top ?? window.innerHeight) : 0;
}

const inView = () => below() <= NEAR && (live().at(-1)?.getBoundingClientRect().bottom ?? 0) >= 0;
let following = true;

function toEnd() {
  if (below() > 0) window.scrollBy({ top: below() + GAP, behavior: "instant" });
}

window.addEventListener("scroll", () => {
  if (live().length) following = inView();
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
  for (const run of live()) {
    for (const fold of [...run.querySelectorAll(".turn > details")].slice(0, -1)) {
      if (!fold.dataset.touched && !fold.contains(document.activeElement)) fold.open = false;
    }
  }
}

const countTurns = () => document.querySelectorAll("[data-live] .turn").length;
const ids = () => live().map((run) => run.id);
let running = ids(), turns = countTurns();
foldEarlier();

document.addEventListener("htmx:after:swap", () => {
  const before = running, now = countTurns();
  running = ids();
  for (const id of before.filter((one) => !running.includes(one))) ended(id);
  if (running.length) {
    if (now !== turns) foldEarlier();
    if (following) toEnd();
    else if (now !== turns && chip()) chip().hidden = false;
  }
  turns = now;
});

// The answer has taken the place of the turns: show its beginning, unless the reader is elsewhere.
function ended(id) {
  if (chip()) chip().hidden = true;
  if (document.activeElement === document.body) document.getElementById("q")?.focus({ preventScroll: true });
  const answer = document.getElementById(id.replace("run-", "answer-"));
  if (following && !running.length) answer?.previousElementSibling?.scrollIntoView({ block: "start", behavior: "instant" });
}

function tick() {
  for (const clock of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max((Date.now() - Date.parse(clock.dataset.since)) / 1000, 0);
    clock.textContent = `${seconds.toFixed(0)} s`;
  }
}
setInterval(tick, 1000);
tick();
