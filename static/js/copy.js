// Copy buttons: shown where the browser can copy, and saying so when it has.

function reveal() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy], [data-copy-link], [data-copy-table]")) button.hidden = false;
}
reveal();
document.addEventListener("htmx:after:swap", reveal);

function tableText(table) {
  const rows = [...table.rows].map((row) => [...row.cells].slice(1).map((cell) => {
    const head = cell.closest("thead") ? cell.querySelector(".sort") ?? cell.firstChild : cell;
    return head.textContent.trim().replaceAll("\t", " ").replaceAll("\u2212", "-");
  }));
  return rows.map((cells) => cells.join("\t")).join("\n");
}

function textFor(button) {
  if (button.dataset.copyLink) return new URL(button.dataset.copyLink, window.location.href).href;
  if (button.dataset.copyTable) return tableText(document.getElementById(button.dataset.copyTable));
  const source = document.getElementById(button.dataset.copy);
  return source.value ?? source.textContent;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-link], [data-copy-table]");
  if (!button) return;
  await navigator.clipboard.writeText(textFor(button));
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.append(Object.assign(document.createElement("p"), { textContent: "Copied" }));
  document.getElementById("toasts").replaceChildren(toast);
  setTimeout(() => toast.remove(), 2500);
});
