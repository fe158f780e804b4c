// The trace: the chosen row is marked, the lens stays in the address.

document.addEventListener("click", (event) => {
  const row = event.target.closest(".trace__item");
  if (!row) return;
  for (const one of document.querySelectorAll(".trace__item[aria-current]")) one.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
});

document.addEventListener("change", (event) => {
  if (event.target.name !== "lens") return;
  const address = new URL(window.location.href);
  address.searchParams.set("lens", event.target.value);
  history.replaceState(history.state, "", address);
});
