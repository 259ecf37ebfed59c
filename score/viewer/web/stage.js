"use strict";
// A photo that can be lit where a model looked: dark everywhere, the photo itself where the mask is.
(() => {
  const attend = (window.attend = window.attend || {});
  const SHARPEST = 2; // canvas pixels a CSS pixel, at most

  function element(tag, name, inside = []) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
  }

  const percent = share => `${100 * share}%`;

  function place(box, left, top, width, height) {
    Object.assign(box.style, {left: percent(left), top: percent(top), width: percent(width), height: percent(height)});
  }

  function maskOf(lit) {
    const mask = Object.assign(document.createElement("canvas"), {width: lit.width, height: lit.height});
    const context = mask.getContext("2d");
    const image = context.createImageData(lit.width, lit.height);
    lit.values.forEach((value, pixel) => { image.data[4 * pixel + 3] = Math.round(255 * value); });
    context.putImageData(image, 0, 0);
    return mask;
  }

  // size [width, height] of the photo; seen: what the encoder saw of it, as shares; grid, spread, cells as the run's
  function stage({photo, alt, size, seen, grid, spread, cells}) {
    const image = Object.assign(element("img"), {src: photo, alt, decoding: "async", draggable: false});
    image.setAttribute("width", size[0]);
    image.setAttribute("height", size[1]);
    const canvas = element("canvas"), frame = element("span", "seen"), cell = element("span", "cell");
    const point = element("span", "point");
    for (const part of [canvas, frame, cell, point]) part.setAttribute("aria-hidden", "true");
    const root = element("div", "stage", [image, canvas, frame, cell, point]);
    root.style.aspectRatio = `${size[0]} / ${size[1]}`;
    root.style.setProperty("--ratio", size[0] / size[1]);
    const [left, top, width, height] = seen;
    place(frame, left, top, width, height);
    root.classList.toggle("cropped", width < 0.999 || height < 0.999);
    let wanted = null;

    function paint() {
      if (!wanted || !image.complete || !image.naturalWidth) return;
      const sharpness = Math.min(window.devicePixelRatio || 1, SHARPEST);
      canvas.width = Math.max(1, Math.round(image.clientWidth * sharpness));
      canvas.height = Math.max(1, Math.round(image.clientHeight * sharpness));
      const context = canvas.getContext("2d");
      const lit = attend.light.light(wanted, grid, spread);
      context.imageSmoothingEnabled = true;
      context.imageSmoothingQuality = "high";
      const across = canvas.width, down = canvas.height;
      context.drawImage(maskOf(lit), left * across, top * down, width * across, height * down);
      context.globalCompositeOperation = "source-in";
      context.drawImage(image, 0, 0, across, down);
    }

    image.addEventListener("load", paint);
    if (window.ResizeObserver) new ResizeObserver(paint).observe(root);

    return {
      root,
      show(weights) {
        wanted = weights;
        root.classList.toggle("looking", Boolean(weights));
        root.classList.toggle("chosen", Boolean(weights && cells));
        if (weights && cells) {
          const [rows, columns] = grid, best = attend.light.chosen(weights);
          place(cell, left + (width * (best % columns)) / columns, top + (height * Math.floor(best / columns)) / rows,
                width / columns, height / rows);
        }
        paint();
      },
      mark(across, down) {
        root.classList.toggle("pointed", across !== null);
        if (across !== null) Object.assign(point.style, {left: percent(across), top: percent(down)});
      },
      // where a place of the photo lies on the grid, as shares of it; null: the encoder did not see it
      onGrid(across, down) {
        const x = (across - left) / width, y = (down - top) / height;
        return x < 0 || x > 1 || y < 0 || y > 1 ? null : [x, y];
      },
    };
  }

  attend.element = element;
  attend.stage = stage;
})();
