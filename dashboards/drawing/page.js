// Draws every chart into its box; `drawn` is the promise of all of them.
window.drawn = Promise.all(
  [...document.querySelectorAll(".chart")].map((box) => {
    const { data, layout } = JSON.parse(box.dataset.figure);
    const size = { width: box.clientWidth, height: box.clientHeight };
    return Plotly.newPlot(box, data, { ...layout, ...size }, { staticPlot: true });
  }),
);
