"use strict";
// One photo in full: a dialog over the gallery, with the photos before and after it.
(() => {
  const attend = (window.attend = window.attend || {});

  // dialog: the element; list(): the photos to walk through
  attend.detail = (dialog, list) => {
    const part = name => dialog.querySelector(`[data-part="${name}"]`);
    const run = attend.data.index;
    let shown = null, viewer = null, opener = null;
    const around = photo => (list().includes(photo) ? list() : run.photos);

    function minis(photo, caption) {
      return caption.words.map((word, place) => {
        const source = attend.data.thumbnail(photo);
        const stage = attend.stage({photo: source, alt: "", size: caption.size, seen: caption.seen, ...run});
        const button = attend.element("button", "mini", [stage.root, attend.element("span", "", [word])]);
        button.type = "button";
        button.addEventListener("click", () => viewer.hold(place));
        stage.show(viewer.maps[place]);
        return button;
      });
    }

    function facts(photo) {
      const pairs = [...Object.entries(photo.scores), ["log p", photo.log_prob]];
      return pairs.map(([name, value]) => attend.element("div", "", [
        attend.element("dt", "", [name]),
        attend.element("dd", "", [value.toFixed(1).replace("-", "−")]),
      ]));
    }

    async function open(photo) {
      shown = photo;
      if (viewer) viewer.stop();
      const photos = around(photo), place = photos.indexOf(photo);
      let caption;
      try {
        caption = await attend.data.caption(photo);
      } catch (error) {
        part("photo").replaceChildren(attend.element("p", "trouble", [error.message]));
        if (!dialog.open) dialog.showModal();
        return;
      }
      if (shown !== photo) return;
      viewer = attend.viewer({photo: attend.data.photo(photo), caption, run, rest: "Hover or tap a word, or touch the photo"});
      part("photo").replaceChildren(viewer.stage);
      part("caption").replaceChildren(viewer.words, viewer.reading);
      part("references").replaceChildren(...caption.references.map(text => attend.element("li", "", [text])));
      part("people").hidden = !caption.references.length;
      part("facts").replaceChildren(...facts(photo));
      part("minis").replaceChildren(...minis(photo, caption));
      part("id").textContent = photo.id;
      part("cut").hidden = caption.finished;
      part("panel").hidden = !photo.panel;
      if (photo.panel) part("panel").href = attend.data.panel(photo);
      part("place").textContent = `${place + 1} of ${photos.length.toLocaleString("en")}`;
      part("before").disabled = place === 0;
      part("after").disabled = place + 1 === photos.length;
      dialog.dataset.shown = photo.number;
      if (!dialog.open) {
        opener = document.activeElement;
        dialog.showModal();
      }
      part("scroller").scrollTop = 0;
      viewer.focus();
      history.replaceState(null, "", `#photo-${photo.number}`);
    }

    function walk(step) {
      const photos = around(shown), next = photos[photos.indexOf(shown) + step];
      if (next) open(next);
    }

    part("before").addEventListener("click", () => walk(-1));
    part("after").addEventListener("click", () => walk(1));
    part("close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("keydown", event => {
      const step = {PageUp: -1, PageDown: 1}[event.key];
      if (step) {
        event.preventDefault();
        walk(step);
      }
    });
    dialog.addEventListener("close", () => {
      shown = null;
      if (viewer) viewer.stop();
      delete dialog.dataset.shown;
      history.replaceState(null, "", location.pathname + location.search);
      if (opener && opener.isConnected) opener.focus({preventScroll: true});
    });
    return {open};
  };
})();
