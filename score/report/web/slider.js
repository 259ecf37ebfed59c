"use strict";
// A range between two thumbs, over a histogram of what there is.
(() => {
  const attend = (window.attend = window.attend || {});
  const BARS = 30;

  // values: numbers to choose from; step: what the ends are rounded to; change([from, to] | null) null: everything
  attend.slider = ({label, values, step, change}) => {
    const rounded = round => value => round(value / step) * step;
    const low = rounded(Math.floor)(Math.min(...values)), high = Math.max(rounded(Math.ceil)(Math.max(...values)), low + step);
    const counts = new Array(BARS).fill(0);
    for (const value of values) counts[Math.min(BARS - 1, Math.floor(((value - low) / (high - low)) * BARS))] += 1;
    const most = Math.max(...counts, 1);
    const bars = counts.map(count => {
      const bar = attend.element("i");
      bar.style.height = `${count ? Math.max(4, (100 * count) / most) : 0}%`;
      return bar;
    });
    const histogram = attend.element("span", "histogram", bars);
    histogram.setAttribute("aria-hidden", "true");
    const [from, to] = [["from", low], ["to", high]].map(([end, value]) => {
      const input = Object.assign(document.createElement("input"), {type: "range", min: low, max: high, step, value});
      input.setAttribute("aria-label", `${label}, ${end}`);
      return input;
    });
    const said = attend.element("output", "between");
    const name = attend.element("span", "name", [label]);
    const tracks = attend.element("span", "tracks", [from, to]);
    const root = attend.element("div", "slider", [attend.element("span", "head", [name, said]), histogram, tracks]);

    function told() {
      const [first, last] = [Number(from.value), Number(to.value)];
      const all = first <= low && last >= high;
      said.textContent = all ? "all" : `${first} to ${last}`;
      bars.forEach((bar, place) => {
        const middle = low + ((place + 0.5) / BARS) * (high - low);
        bar.classList.toggle("out", middle < first || middle > last);
      });
      return all ? null : [first, last];
    }
    from.addEventListener("input", () => { if (Number(from.value) > Number(to.value)) from.value = to.value; change(told()); });
    to.addEventListener("input", () => { if (Number(to.value) < Number(from.value)) to.value = from.value; change(told()); });
    told();
    return {root, reset() { from.value = low; to.value = high; told(); }};
  };
})();
