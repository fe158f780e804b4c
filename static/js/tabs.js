// Tabs are links; this adds arrow keys, Home and End, and keeps the focus on the chosen tab through the swap.

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest?.("[role=tab]");
  if (!tab) return;
  const tabs = [...tab.closest("[role=tablist]").querySelectorAll("[role=tab]")];
  const here = tabs.indexOf(tab);
  const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    tabs[(to + tabs.length) % tabs.length].focus();
  } else if (event.key === " ") {
    event.preventDefault();
    tab.click();
  }
});
