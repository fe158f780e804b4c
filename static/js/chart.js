// Draws the server's figure with plotly, in the colours of the page. Plotly is loaded when the first chart is shown.

const script = document.getElementById("chart-script");

function colour(value) {
  const probe = document.createElement("span");
  probe.style.color = value;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

// The figure names tokens, var(--series-1); plotly wants colours.
function resolved(node, known = new Map()) {
  if (typeof node === "string") {
    if (!node.startsWith("var(--")) return node;
    if (!known.has(node)) known.set(node, colour(node));
    return known.get(node);
  }
  if (Array.isArray(node)) return node.map((one) => resolved(one, known));
  if (node && typeof node === "object") {
    return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, resolved(one, known)]));
  }
  return node;
}

let loading;
function plotly() {
  loading ??= new Promise((done, failed) => {
    // Plotly adds no style element of its own where this one stands, which the page's policy would refuse.
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: script.dataset.style });
    style.id = "plotly.js-style-global";
    style.className = "no-inline-styles";
    const code = Object.assign(document.createElement("script"), { src: script.dataset.plotly });
    code.onload = () => done(window.Plotly);
    code.onerror = failed;
    document.head.append(style, code);
  });
  return loading;
}

async function draw(canvas) {
  const data = document.getElementById(canvas.dataset.figure);
  if (!data || canvas.dataset.drawn) return;
  canvas.dataset.drawn = "yes";
  const library = await plotly();
  if (!canvas.isConnected) return;
  const figure = JSON.parse(data.textContent);
  const font = { ...figure.layout.font, family: getComputedStyle(document.body).fontFamily };
  const layout = { ...resolved(figure.layout), font: resolved(font), height: Number(canvas.dataset.height) };
  await library.newPlot(canvas, resolved(figure.data), layout, { displayModeBar: false, responsive: true });
  for (const button of canvas.closest(".result")?.querySelectorAll("[data-image]") ?? []) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-image]");
  if (!button) return;
  const result = button.closest(".result");
  const canvas = result.querySelector(".chart__canvas");
  const library = await plotly();
  const title = result.querySelector(".chart__title").textContent.trim() || "chart";
  await library.downloadImage(canvas, {
    format: button.dataset.image, filename: title.slice(0, 60), width: canvas.clientWidth, height: canvas.clientHeight, scale: 2,
  });
});

function drawAll() {
  for (const canvas of document.querySelectorAll(".chart__canvas")) draw(canvas);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const canvas of document.querySelectorAll(".chart__canvas")) delete canvas.dataset.drawn;
  drawAll();
});
document.addEventListener("htmx:after:swap", drawAll);
drawAll();
