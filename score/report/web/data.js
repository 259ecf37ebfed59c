"use strict";
// Data of the report. It comes as scripts, since a page opened from a disk may not read files otherwise.
(() => {
  const attend = (window.attend = window.attend || {});
  const waiting = new Map(), there = new Map();

  // called by the data scripts
  function put(name, content) {
    there.set(name, content);
    const asked = waiting.get(name);
    if (asked) asked.resolve(content);
  }

  // the content of data/NAME.js, loaded once, when it is first asked for
  function load(name) {
    if (there.has(name)) return Promise.resolve(there.get(name));
    if (!waiting.has(name)) {
      let settle;
      const promise = new Promise((resolve, reject) => { settle = {resolve, reject}; });
      waiting.set(name, {promise, resolve: settle.resolve});
      const script = Object.assign(document.createElement("script"), {src: `data/${name}.js`});
      script.onerror = () => {
        waiting.delete(name);
        settle.reject(new Error(`data/${name}.js is not there: the report's folder must stay whole`));
      };
      document.head.append(script);
    }
    return waiting.get(name).promise;
  }

  const file = number => String(number).padStart(5, "0");

  attend.data = {
    put,
    get index() { return there.get("index"); },
    async caption(photo) {
      const part = await load(`maps-${Math.floor(photo.number / attend.data.index.at_once)}`);
      return part[photo.number];
    },
    photo: photo => `photos/${file(photo.number)}.jpg`,
    thumbnail: photo => `thumbnails/${file(photo.number)}.jpg`,
    panel: photo => (photo.panel ? `panels/${file(photo.number)}.png` : null),
  };
})();
