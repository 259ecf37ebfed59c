"use strict";
// The page of `attend serve`: a photo goes to the server that gave this page, its captions come back.
(async () => {
  const {attend} = window;
  const KEPT = 12; // photos of this visit that can be shown again
  const part = name => document.querySelector(`[data-part="${name}"]`);
  const run = await (await fetch("run")).json();
  const earlier = [];
  let viewer = null, asked = 0;

  part("run").textContent = run.run;
  document.title = `${run.run} · Show, Attend and Tell`;
  part("about").textContent = `${run.looking} over ${run.grid[0]}×${run.grid[1]} places of ${run.encoder}, trained on ${run.dataset}`;
  part("ways").textContent = run.search.method === "sample" ? "Captions that were drawn" : "Its best captions";

  function tell(trouble) {
    part("trouble").hidden = !trouble;
    part("trouble").textContent = trouble || "";
  }

  function show(found, choice = 0) {
    if (viewer) viewer.stop();
    const caption = found.captions[choice];
    const rest = `log p ${caption.log_prob.toFixed(1).replace("-", "−")}${caption.finished ? "" : ", cut at the length limit"}`;
    viewer = attend.viewer({photo: found.photo, caption, run, rest});
    part("photo").replaceChildren(viewer.stage);
    part("caption").replaceChildren(viewer.words, viewer.reading);
    part("note").hidden = !found.note;
    part("note").textContent = found.note;
    part("others").hidden = found.captions.length < 2;
    part("list").replaceChildren(...found.captions.map((one, place) => {
      const likely = attend.element("b", "", [one.log_prob.toFixed(1).replace("-", "−")]);
      likely.title = "log p";
      const button = attend.element("button", "", [one.words.join(" ") || "no words", likely]);
      button.type = "button";
      button.setAttribute("aria-pressed", String(place === choice));
      button.addEventListener("click", () => show(found, place));
      return attend.element("li", "", [button]);
    }));
    part("drop").hidden = true;
    part("another").hidden = false;
    part("result").hidden = false;
    part("result").dataset.shown = found.name;
    remember(found);
  }

  function remember(found) {
    if (!earlier.includes(found)) earlier.unshift(found);
    earlier.length = Math.min(earlier.length, KEPT);
    part("earlier").hidden = earlier.length < 2;
    part("strip").replaceChildren(...earlier.map(one => {
      const picture = Object.assign(attend.element("img"), {src: one.photo, alt: one.captions[0].words.join(" ")});
      const button = attend.element("button", "", [picture]);
      button.type = "button";
      button.setAttribute("aria-current", String(one === found));
      button.addEventListener("click", () => { tell(""); show(one); });
      return button;
    }));
  }

  async function send(file) {
    const turn = ++asked; // only the answer to the latest photo is shown
    tell("");
    if (file.size > run.bytes) {
      tell(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MB; ${run.bytes / 2 ** 20} are allowed: make it smaller`);
      return;
    }
    part("name").textContent = file.name;
    part("busy").hidden = false;
    try {
      const headers = {"Content-Type": "application/octet-stream", "X-Photo-Name": encodeURIComponent(file.name)};
      const response = await fetch("captions", {method: "POST", headers, body: file});
      const found = await response.json();
      if (turn !== asked) return;
      if (response.ok) show({...found, name: file.name});
      else tell(found.error);
    } catch (error) {
      if (turn === asked) tell(`The server does not answer (${error.message}): is it still running?`);
    } finally {
      if (turn === asked) part("busy").hidden = true;
    }
  }

  const pick = files => { if (files && files.length) send(files[0]); };
  part("file").addEventListener("change", () => {
    pick([...part("file").files]);
    part("file").value = ""; // so that the same file can be chosen again
  });
  part("another").addEventListener("click", () => part("file").click());
  addEventListener("paste", event => pick([...event.clipboardData.files]));
  let depth = 0;
  const dragging = change => {
    depth = change === null ? 0 : depth + change;
    document.body.classList.toggle("dragging", depth > 0);
  };
  addEventListener("dragenter", event => { event.preventDefault(); dragging(1); });
  addEventListener("dragleave", () => dragging(-1));
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => {
    event.preventDefault();
    dragging(null);
    if (event.dataTransfer.files.length) pick([...event.dataTransfer.files]);
    else tell("That was no file: drop a photo from a folder");
  });
})();
