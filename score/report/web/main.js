"use strict";
(() => {
  const {attend} = window;
  if (!attend.data.index) {
    document.querySelector("[data-part='missing']").hidden = false;
    return;
  }
  attend.examples(document.getElementById("examples"));
  const gallery = attend.gallery(document.getElementById("gallery"));
  const {photos} = attend.data.index;
  const detail = attend.detail(document.getElementById("detail"), () => gallery.shown);

  // #photo-12 opens that photo: from a card, from an address that was kept
  function follow() {
    const found = /^#photo-(\d+)$/.exec(location.hash);
    const photo = found && photos.find(one => one.number === Number(found[1]));
    if (photo) detail.open(photo);
  }
  window.addEventListener("hashchange", follow);
  follow();
})();
