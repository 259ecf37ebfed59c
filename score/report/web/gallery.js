"use strict";
// The gallery: words, score and length choose among all photos of the report.
(() => {
  const attend = (window.attend = window.attend || {});

  attend.gallery = root => {
    const {photos, metrics} = attend.data.index;
    const part = name => root.querySelector(`[data-part="${name}"]`);
    const cards = attend.cards(part("cards"));
    const [search, metric, sort, count] = ["search", "metric", "sort", "count"].map(part);
    const wanted = {text: "", metric: metrics[0], scores: null, lengths: null};
    let shown = [], scoreSlider = null;

    for (const name of metrics) metric.append(new Option(name, name));
    part("metrics").hidden = metrics.length < 2;

    function update() {
      const [by, direction] = sort.value.split("/");
      const order = {sort: by === "score" ? wanted.metric : by, rising: direction === "rising"};
      shown = attend.filter(photos, {...wanted, ...order});
      count.textContent = `${shown.length.toLocaleString("en")} of ${photos.length.toLocaleString("en")} captions`;
      part("none").hidden = shown.length > 0;
      cards.show(shown, wanted.metric);
    }

    function makeScoreSlider() {
      const values = photos.map(photo => photo.scores[wanted.metric]).filter(value => value !== undefined);
      wanted.scores = null;
      part("scores").replaceChildren();
      if (!values.length) return;
      const step = Math.max(...values) > 200 ? 10 : 1;
      const change = between => { wanted.scores = between; update(); };
      scoreSlider = attend.slider({label: wanted.metric, values, step, change});
      part("scores").append(scoreSlider.root);
    }

    const lengths = photos.map(photo => photo.words.length);
    const change = between => { wanted.lengths = between; update(); };
    const lengthSlider = attend.slider({label: "Words", values: lengths.length ? lengths : [0], step: 1, change});
    part("lengths").append(lengthSlider.root);
    makeScoreSlider();

    search.addEventListener("input", () => { wanted.text = search.value; update(); });
    sort.addEventListener("change", update);
    metric.addEventListener("change", () => { wanted.metric = metric.value; makeScoreSlider(); update(); });
    part("reset").addEventListener("click", () => {
      search.value = "";
      Object.assign(wanted, {text: "", scores: null, lengths: null});
      if (scoreSlider) scoreSlider.reset();
      lengthSlider.reset();
      update();
    });
    update();
    return {get shown() { return shown; }};
  };
})();
