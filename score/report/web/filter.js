"use strict";
// Which photos of the gallery are asked for, and in what order.
(() => {
  const attend = (window.attend = window.attend || {});
  const value = (photo, by) => (by === "words" ? photo.words.length : by === "log p" ? photo.log_prob : photo.scores[by]);

  // every part of the text must begin a word of the caption
  function says(photo, text) {
    const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
    return parts.every(part => photo.words.some(word => word.toLowerCase().startsWith(part)));
  }

  // metric: the score that is filtered by, between scores [from, to]; lengths [from, to] in words
  attend.filter = (photos, {text = "", metric, scores, lengths, sort = metric, rising = false}) => {
    const kept = photos.filter(photo => {
      const score = photo.scores[metric], length = photo.words.length;
      const scored = !scores || (score !== undefined && score >= scores[0] && score <= scores[1]);
      return scored && (!lengths || (length >= lengths[0] && length <= lengths[1])) && says(photo, text);
    });
    const sign = rising ? 1 : -1;
    return kept.sort((a, b) => {
      const [one, other] = [value(a, sort), value(b, sort)];
      if (one === undefined || other === undefined) return (one === undefined) - (other === undefined) || a.number - b.number;
      return sign * (one - other) || a.number - b.number;
    });
  };
})();
