// The list of questions: deleting is possible once something is chosen, and asks first.

const form = () => document.querySelector("#question-list form");

document.addEventListener("change", (event) => {
  if (event.target.name !== "thread") return;
  const chosen = form().querySelectorAll("[name=thread]:checked").length;
  document.getElementById("delete-selected").disabled = chosen === 0;
});

document.addEventListener("submit", (event) => {
  if (event.target !== form() || event.target.dataset.sure) return;
  event.preventDefault();
  const dialog = document.getElementById("delete-dialog");
  dialog.querySelector("[data-count]").textContent = new Set(
    [...form().querySelectorAll("[name=thread]:checked")].map((box) => box.value),
  ).size;
  dialog.showModal();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("#delete-sure")) return;
  form().dataset.sure = "yes";
  form().requestSubmit();
});
