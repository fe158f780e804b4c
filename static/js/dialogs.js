// A dialogue that was loaded into the page opens at once. Closing it gives the focus back to what opened it.

let opener;

document.addEventListener("click", (event) => {
  const button = event.target.closest("[hx-target='#dialog-place']");
  if (button && !button.closest("dialog")) opener = button;
});

document.addEventListener("htmx:after:swap", () => {
  const dialog = document.querySelector("#dialog-place dialog[data-opens]");
  if (!dialog || dialog.open) return;
  dialog.showModal();
  dialog.addEventListener("close", () => opener?.focus(), { once: true });
});
