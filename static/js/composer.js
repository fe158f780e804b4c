// The composer: Enter sends, Shift+Enter breaks the line, the field grows with what is written.

const field = () => document.getElementById("q");

function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.rows = Math.min(Math.max(area.value.split("\n").length, 1), 9);
}

document.addEventListener("keydown", (event) => {
  const area = field();
  if (event.target !== area || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  const send = document.getElementById("send");
  if (send && area.value.trim()) send.click();
});

document.addEventListener("input", (event) => {
  if (event.target === field()) grow(event.target);
});

// A question is sent once, however often the button is pressed.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "composer" || event.submitter?.id === "stop") return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  const composer = document.getElementById("composer");
  if (composer) delete composer.dataset.sent;
});

// Another connection: its tables and suggestions; what was written and chosen stays.
document.addEventListener("change", (event) => {
  if (event.target.name !== "connection" || event.target.form?.id !== "composer") return;
  const connection = event.target.value, model = event.target.form.elements.model.value, q = field().value;
  const query = new URLSearchParams({ connection, ...(model && { model }), ...(q && { q }) });
  window.location.assign(`/?${query}`);
});
