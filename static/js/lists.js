// Lists of questions and runs: what needs a choice is possible once something is chosen, and deleting asks first.

const formOf = (element) => element.closest("form");

function count(form, name, which = "") {
  return new Set([...form.querySelectorAll(`[name=${name}]:checked${which}`)].map((box) => box.value)).size;
}

document.addEventListener("change", (event) => {
  if (event.target.type !== "checkbox" || !event.target.closest("table")) return;
  for (const button of formOf(event.target).querySelectorAll("[data-needs]")) {
    button.disabled = count(button.form, button.dataset.needs) === 0;
  }
});

let asked;
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-asks]");
  if (button && button.form.dataset.sure !== "yes") {
    event.preventDefault();
    asked = button;
    const dialog = document.getElementById(button.dataset.asks);
    dialog.querySelector("[data-count]").textContent = count(button.form, button.dataset.needs);
    const note = dialog.querySelector("[data-others-note]"), others = count(button.form, button.dataset.needs, "[data-others]");
    if (note) {
      note.hidden = !others;
      note.querySelector("[data-count-others]").textContent = others;
    }
    dialog.showModal();
  } else if (event.target.closest("[data-sure-button]")) {
    asked.form.dataset.sure = "yes";
    asked.form.requestSubmit(asked);
  }
});
