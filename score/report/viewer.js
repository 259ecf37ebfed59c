"use strict";
// A word that is hovered, tapped or focused lights its photo up: a mask of light, then the photo drawn where the mask is.
(() => {
  const maps = JSON.parse(document.getElementById("maps").textContent);
  const {pixels, down, across} = maps;
  const mask = Object.assign(document.createElement("canvas"), {width: pixels, height: pixels});

  // down · weights · acrossᵀ is the grid enlarged through a Gaussian; full light at its peak, none at half of even attention
  function paintMask(weights) {
    const rows = down[0].length, columns = across[0].length;
    const half = down.map(row => Array.from({length: columns}, (_, c) => {
      let sum = 0;
      for (let r = 0; r < rows; r++) sum += row[r] * weights[r * columns + c];
      return sum;
    }));
    const enlarged = half.flatMap(row => across.map(spread => spread.reduce((sum, share, c) => sum + share * row[c], 0)));
    const dark = weights.reduce((sum, weight) => sum + weight, 0) / weights.length / 2;
    const range = Math.max(Math.max(...enlarged) - dark, 1e-9);
    const context = mask.getContext("2d");
    const image = context.createImageData(pixels, pixels);
    enlarged.forEach((value, place) => { image.data[4 * place + 3] = 255 * (value - dark) / range; });
    context.putImageData(image, 0, 0);
  }

  function light(card, weights) {
    const photo = card.querySelector("img"), canvas = card.querySelector("canvas");
    canvas.width = photo.naturalWidth;
    canvas.height = photo.naturalHeight;
    paintMask(weights);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(mask, 0, 0, canvas.width, canvas.height);
    context.globalCompositeOperation = "source-in";
    context.drawImage(photo, 0, 0);
  }

  for (const card of document.querySelectorAll(".card")) {
    const words = [...card.querySelectorAll("button[data-word]")];
    const figures = card.querySelector(".figures"), bar = card.querySelector(".meter i");
    const resting = figures.textContent;
    let held = null;

    function show(word) {
      card.classList.toggle("looking", word !== null);
      for (const other of words) other.setAttribute("aria-pressed", String(other === word));
      if (word === null) {
        figures.textContent = resting;
        return;
      }
      light(card, maps.weights[card.dataset.example][word.dataset.word]);
      bar.style.width = `${100 * word.dataset.gate}%`;
      figures.textContent = `gate ${word.dataset.gate} · p ${word.dataset.probability} %`;
    }

    words.forEach((word, place) => {
      word.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") show(word); });
      word.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") show(held); });
      word.addEventListener("focus", () => { if (word.matches(":focus-visible")) show(word); });
      word.addEventListener("blur", () => show(held));
      word.addEventListener("click", () => show(held = held === word ? null : word));
      word.addEventListener("keydown", event => {
        const next = words[place + {ArrowRight: 1, ArrowLeft: -1}[event.key]];
        if (next) next.focus();
        if (event.key === "Escape") show(held = null);
      });
    });
  }
})();
