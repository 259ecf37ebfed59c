"use strict";
// Attention over a grid of places as light on pixels: what score/pictures/enlarge.py does, in the page.
(() => {
  const attend = (window.attend = window.attend || {});
  const PER_PLACE = 16; // pixels of a mask a place, as in the paper

  // Abramowitz and Stegun 7.1.26: wrong by less than 1.5e-7
  function erf(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return Math.sign(x) * (1 - sum * Math.exp(-x * x));
  }

  // pixels × places: the share of a Gaussian about a pixel's centre that lies on each place; rows sum to 1
  const known = new Map();
  function spreading(places, pixels, spread) {
    const key = `${places} ${pixels} ${spread}`;
    if (known.has(key)) return known.get(key);
    const matrix = Array.from({length: pixels}, (_, pixel) => {
      const below = Array.from({length: places + 1}, (_, edge) => {
        const distance = ((edge / places) * pixels - pixel - 0.5) / ((spread * pixels) / places);
        return 0.5 * (1 + erf(distance / Math.SQRT2));
      });
      const shares = Float64Array.from({length: places}, (_, place) => below[place + 1] - below[place]);
      const sum = shares.reduce((all, share) => all + share, 0);
      return shares.map(share => share / sum);
    });
    known.set(key, matrix);
    return matrix;
  }

  // base64 of words × places bytes, 255 the largest of a word -> the weights of each word, which sum to 1
  function decode(text, places) {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    return Array.from({length: bytes.length / places}, (_, word) => {
      const part = Float64Array.from(bytes.subarray(word * places, (word + 1) * places));
      const sum = part.reduce((all, weight) => all + weight, 0);
      return part.map(weight => weight / sum);
    });
  }

  function chosen(weights) {
    return weights.indexOf(Math.max(...weights));
  }

  // all weight on one place: a place that was chosen, not a distribution
  const single = weights => weights[chosen(weights)] > 0.999;

  function enlarge(weights, [rows, columns], spread) {
    const height = rows * PER_PLACE, width = columns * PER_PLACE;
    const down = spreading(rows, height, spread), across = spreading(columns, width, spread);
    const values = new Float64Array(height * width);
    for (let y = 0; y < height; y++) {
      const row = new Float64Array(columns);
      for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) row[c] += down[y][r] * weights[r * columns + c];
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (let c = 0; c < columns; c++) sum += across[x][c] * row[c];
        values[y * width + x] = sum;
      }
    }
    return {values, width, height};
  }

  // 1 at the peak, 0 where the weights are half of even attention; a chosen place is lit sharply, and it alone
  function light(weights, grid, spread) {
    const [rows, columns] = grid;
    if (single(weights)) {
      const place = chosen(weights), width = columns * PER_PLACE, height = rows * PER_PLACE;
      const values = Float64Array.from({length: width * height}, (_, pixel) => {
        const row = Math.floor(pixel / width / PER_PLACE), column = Math.floor((pixel % width) / PER_PLACE);
        return Number(row * columns + column === place);
      });
      return {values, width, height};
    }
    const {values, width, height} = enlarge(weights, grid, spread);
    const dark = 1 / weights.length / 2;
    const range = Math.max(values.reduce((most, value) => Math.max(most, value), 0) - dark, 1e-12);
    return {values: values.map(value => Math.min(1, Math.max(0, (value - dark) / range))), width, height};
  }

  // how many times as much as even attention is at a place, given as shares (0 to 1) of the grid's width and height
  function looked(weights, [rows, columns], spread, across, down) {
    const pixel = (share, places) => Math.min(places * PER_PLACE - 1, Math.max(0, Math.floor(share * places * PER_PLACE)));
    if (single(weights)) {
      const row = Math.min(rows - 1, Math.floor(down * rows)), column = Math.min(columns - 1, Math.floor(across * columns));
      return chosen(weights) === row * columns + column ? weights.length : 0;
    }
    const y = spreading(rows, rows * PER_PLACE, spread)[pixel(down, rows)];
    const x = spreading(columns, columns * PER_PLACE, spread)[pixel(across, columns)];
    let sum = 0;
    for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) sum += y[r] * x[c] * weights[r * columns + c];
    return sum * weights.length;
  }

  attend.light = {decode, chosen, light, looked};
})();
