"use strict";
// A caption as words to hover, tap or walk through with the arrow keys. One tab stop a caption.
(() => {
  const attend = (window.attend = window.attend || {});

  // show(place | null) is called with the word to show: hovered, focused or held by a tap
  attend.words = (texts, show) => {
    const buttons = texts.map((text, place) => {
      const button = Object.assign(attend.element("button", "", [text]), {type: "button", tabIndex: place ? -1 : 0});
      button.setAttribute("aria-pressed", "false");
      return button;
    });
    const root = attend.element("p", "words", buttons.flatMap(button => [button, " "]));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Caption: each word shows where the model looked");
    if (!texts.length) root.append(attend.element("em", "", ["no words"]));
    let held = null;

    function present(place) {
      buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(number === place)));
      show(place);
    }

    function reach(place, scroll) {
      buttons.forEach((button, number) => { button.tabIndex = number === place ? 0 : -1; });
      buttons[place].focus({preventScroll: scroll === false});
    }

    buttons.forEach((button, place) => {
      button.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") present(place); });
      button.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") present(held); });
      button.addEventListener("focus", () => { if (button.matches(":focus-visible")) present(place); });
      button.addEventListener("blur", () => present(held));
      button.addEventListener("click", () => present(held = held === place ? null : place));
      button.addEventListener("keydown", event => {
        const last = buttons.length - 1;
        const next = {ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: last}[event.key];
        if (next >= 0 && next <= last) {
          event.preventDefault();
          reach(next);
        } else if (event.key === "Escape" && held !== null) {
          event.stopPropagation();
          event.preventDefault();
          present(held = null);
        }
      });
    });

    return {
      root,
      hold(place) { present(held = place); },
      // strengths 0 to 1, one a word; null: none is marked
      tint(strengths) {
        root.classList.toggle("tinted", strengths !== null);
        buttons.forEach((button, place) => button.style.setProperty("--look", strengths ? strengths[place] : 0));
      },
      focus() { if (buttons.length) reach(0, false); },
    };
  };
})();
