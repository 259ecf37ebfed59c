"use strict";
// A long list of cards that is built as it is scrolled into view.
(() => {
  const attend = (window.attend = window.attend || {});
  const AT_ONCE = 48;

  function card(photo, metric) {
    const text = photo.words.join(" ") || "no words";
    const picture = Object.assign(document.createElement("img"), {loading: "lazy", decoding: "async", alt: ""});
    [picture.width, picture.height] = photo.size;
    picture.src = attend.data.thumbnail(photo);
    const score = photo.scores[metric];
    const chip = attend.element("span", "chip", [score === undefined ? "no score" : score.toFixed(1)]);
    const link = attend.element("a", "photo-card", [picture, attend.element("span", "said", [text]), chip]);
    link.href = `#photo-${photo.number}`;
    return link;
  }

  // show(photos, metric) fills the list anew
  attend.cards = list => {
    const end = attend.element("div", "end");
    list.after(end);
    let photos = [], metric = "", built = 0;
    function more() {
      const part = photos.slice(built, built + AT_ONCE);
      list.append(...part.map(photo => card(photo, metric)));
      built += part.length;
    }
    const nearing = new IntersectionObserver(entries => {
      if (!entries.some(entry => entry.isIntersecting) || built >= photos.length) return;
      more();
      nearing.unobserve(end); // so that it is told again where the end is still near
      nearing.observe(end);
    }, {rootMargin: "1200px"});
    nearing.observe(end);
    return {
      show(chosen, by) {
        [photos, metric, built] = [chosen, by, 0];
        list.replaceChildren();
        more();
        nearing.unobserve(end);
        nearing.observe(end);
      },
    };
  };
})();
