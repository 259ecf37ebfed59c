"use strict";
// The best, middle and worst captions, each a card that is filled when it comes near.
(() => {
  const attend = (window.attend = window.attend || {});
  const LOG_P = "log p";

  function rest(photo) {
    const score = photo.scores["BLEU-4"];
    return `BLEU-4 ${score.toFixed(1)} · ${LOG_P} ${photo.log_prob.toFixed(1).replace("-", "−")}`;
  }

  async function fill(card, photo) {
    let caption;
    try {
      caption = await attend.data.caption(photo);
    } catch (error) {
      card.append(attend.element("p", "trouble", [error.message]));
      return;
    }
    const viewer = attend.viewer({photo: attend.data.photo(photo), caption, run: attend.data.index, rest: rest(photo)});
    const references = attend.element("ul", "references", caption.references.map(text => attend.element("li", "", [text])));
    const more = attend.element("a", "", ["Look closer"]);
    more.href = `#photo-${photo.number}`;
    const links = attend.element("p", "links", [attend.element("span", "", [photo.id]), more]);
    const frame = attend.element("div", "frame", [viewer.stage]);
    card.replaceChildren(frame, attend.element("div", "side", [viewer.words, viewer.reading, references, links]));
    card.classList.add("filled");
  }

  attend.examples = root => {
    const {photos, groups} = attend.data.index;
    const numbered = new Map(photos.map(photo => [photo.number, photo]));
    const waiting = new Map();
    const near = new IntersectionObserver(entries => {
      for (const {target} of entries.filter(entry => entry.isIntersecting)) {
        near.unobserve(target);
        fill(target, waiting.get(target));
      }
    }, {rootMargin: "900px"});
    for (const section of root.querySelectorAll("[data-group]")) {
      const members = groups[section.dataset.group].map(number => numbered.get(number));
      section.hidden = !members.length;
      for (const photo of members) {
        const card = attend.element("article", "example");
        card.dataset.number = photo.number;
        waiting.set(card, photo);
        section.querySelector(".examples").append(card);
        near.observe(card);
      }
    }
  };
})();
