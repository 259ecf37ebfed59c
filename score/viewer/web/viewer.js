"use strict";
// A photo with its caption: a word lights up where the model looked; a place of the photo marks the words that looked there.
(() => {
  const attend = (window.attend = window.attend || {});
  const PACE = 750; // milliseconds a word, when the caption plays
  const number = (value, digits) => value.toFixed(digits).replace("-", "−");

  function meter(label) {
    const bar = attend.element("i"), value = attend.element("b");
    const root = attend.element("span", "figure", [`${label} `, attend.element("span", "meter", [bar]), value]);
    return {root, set(share, text) { bar.style.width = `${100 * share}%`; value.textContent = text; }};
  }

  // caption: what score/viewer/view.py gives; run: grid, spread, cells; rest: the text shown while no word is
  attend.viewer = ({photo, caption, run, rest = "", play = true}) => {
    const {grid, spread, cells} = run;
    const alt = caption.words.join(" ");
    const maps = attend.light.decode(caption.maps, grid[0] * grid[1]);
    const stage = attend.stage({photo, alt, size: caption.size, seen: caption.seen, grid, spread, cells});
    const told = attend.element("span", "told"), gate = meter("gate"), probability = meter("probability");
    const figures = attend.element("span", "figures", [probability.root, gate.root]);
    const reading = attend.element("p", "reading", [told, figures]);
    reading.setAttribute("aria-live", "polite");
    const words = attend.words(caption.words, show);
    let pinned = null, timer = null;

    function show(word) {
      if (timer && word === null) return;
      stage.show(word === null ? null : maps[word]);
      reading.classList.toggle("of-word", word !== null);
      if (word === null) return point(pinned);
      words.tint(null);
      stage.mark(null);
      told.textContent = caption.words[word];
      gate.set(caption.gates[word], number(caption.gates[word], 2));
      probability.set(caption.probabilities[word], `${number(100 * caption.probabilities[word], 0)} %`);
    }

    // at: [across, down] as shares of the photo, or null
    function point(at) {
      stage.mark(at ? at[0] : null, at ? at[1] : null);
      const onGrid = at && stage.onGrid(...at);
      const times = onGrid ? maps.map(weights => attend.light.looked(weights, grid, spread, ...onGrid)) : null;
      const most = times ? Math.max(2, ...times) : 0;
      words.tint(times && times.map(time => Math.min(1, Math.max(0, time - 1) / (most - 1))));
      reading.classList.toggle("of-place", Boolean(at));
      if (!at) told.textContent = rest;
      else if (!times) told.textContent = "Outside of what the model saw";
      else {
        const named = times.map((time, word) => [time, caption.words[word]]).sort((a, b) => b[0] - a[0]);
        const best = named.filter(([time]) => time > 1.25).slice(0, 3);
        told.textContent = best.length
          ? `Looked here: ${best.map(([time, word]) => `${word} ${number(time, 1)}×`).join(", ")}`
          : "No word looked here more than elsewhere";
      }
    }

    const at = event => {
      const box = stage.root.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    stage.root.tabIndex = 0;
    stage.root.setAttribute("role", "group");
    stage.root.setAttribute("aria-label", "Photo: arrow keys move a point, the words that looked there are marked");
    stage.root.addEventListener("pointermove", event => { if (event.pointerType === "mouse" && !timer) point(at(event)); });
    stage.root.addEventListener("pointerleave", event => { if (event.pointerType === "mouse" && !timer) point(pinned); });
    stage.root.addEventListener("click", event => { stop(); words.hold(null); point(pinned = at(event)); });
    stage.root.addEventListener("keydown", event => {
      const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
      const [left, top, width, height] = caption.seen;
      if (step) {
        event.preventDefault();
        stop();
        words.hold(null);
        const [x, y] = pinned || [left + width / 2, top + height / 2];
        const moved = pinned ? [x + (step[0] * width) / grid[1], y + (step[1] * height) / grid[0]] : [x, y];
        point(pinned = moved.map(share => Math.min(0.999, Math.max(0, share))));
      } else if (event.key === "Escape" && pinned) {
        event.stopPropagation();
        event.preventDefault();
        point(pinned = null);
      }
    });

    const player = Object.assign(attend.element("button", "play", ["Play"]), {type: "button"});
    function stop() {
      clearInterval(timer);
      timer = null;
      player.textContent = "Play";
    }
    player.addEventListener("click", () => {
      if (timer) {
        stop();
        words.hold(null);
        return;
      }
      let word = 0;
      const next = () => {
        if (word < maps.length) words.hold(word++);
        else {
          stop();
          words.hold(null);
        }
      };
      player.textContent = "Stop";
      point(pinned = null);
      timer = setInterval(next, PACE);
      next();
    });

    point(null);
    const line = attend.element("div", "line", play && maps.length > 1 ? [reading, player] : [reading]);
    return {stage: stage.root, words: words.root, reading: line, hold: words.hold, focus: words.focus, stop, maps};
  };
})();
