// What the tests ask of a page; evaluated in it, where the page itself cannot see it.
window.checks = (function () {
  'use strict';
  var all = function (selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); };
  var shown = function (e) { return e.checkVisibility ? e.checkVisibility({contentVisibilityAuto: false, visibilityProperty: true}) : e.getClientRects().length > 0; };

  // A name for an element, for the test's messages.
  function name(e) {
    if (!e || e === document.body) return '';
    return e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (e.getAttribute('class') ? '.' + e.getAttribute('class').trim().split(/\s+/).join('.') : '') + ' ' + e.textContent.trim().slice(0, 30);
  }

  // ---- Controls, and what the Tab key reaches.

  function controls() {
    return all('a[href], button, input, select, summary, [tabindex="0"]').filter(function (e) { return shown(e) && !e.disabled; });
  }
  var reached = new Set();
  document.addEventListener('focusin', function (event) { reached.add(event.target); });
  function missed() { return controls().filter(function (e) { return !reached.has(e); }).map(name); }

  // ---- Where an element is.

  function in_view(id) {
    var e = document.getElementById(id), bar = document.querySelector('.bar');
    if (!e || !shown(e)) return false;
    var box = e.getBoundingClientRect(), top = bar ? bar.getBoundingClientRect().bottom : 0;
    return box.height > 0 && box.top >= top - 2 && box.top < innerHeight - 10;
  }

  function place(id) {
    var box = document.getElementById(id).getBoundingClientRect();
    return [scrollY, document.documentElement.scrollHeight, box.top, box.height];
  }

  // ---- Colours: contrast of text as WCAG 2.1 computes it.

  function channels(colour) {
    var numbers = colour.match(/[\d.]+/g);
    return numbers ? numbers.map(Number) : [0, 0, 0, 0];
  }
  function alpha(c) { return c.length > 3 ? c[3] : 1; }
  function luminance(c) {
    var parts = c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  }
  function behind(e) {
    for (var up = e; up; up = up.parentElement) {
      var c = channels(getComputedStyle(up).backgroundColor);
      if (alpha(c) > 0.99) return c;
    }
    return [255, 255, 255];
  }
  function contrast(a, b) {
    var one = luminance(a), two = luminance(b);
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  }
  // In a drawing the shape of the same group is behind a text, else the drawing's own ground.
  function behind_text(text) {
    var shape = text.parentElement.querySelector('rect');
    return shape ? channels(getComputedStyle(shape).fill) : behind(text.ownerSVGElement);
  }
  function pale() {
    var out = [], seen = new Set();
    var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (var node = walker.nextNode(); node; node = walker.nextNode()) {
      var e = node.parentElement;
      if (!node.data.trim() || seen.has(e) || /^(SCRIPT|STYLE|TITLE|OPTION|DATALIST)$/i.test(e.tagName) || !shown(e)) continue;
      seen.add(e);
      var drawn = e.ownerSVGElement, style = getComputedStyle(e);
      var ratio = contrast(channels(drawn ? style.fill : style.color), drawn ? behind_text(e) : behind(e));
      if (ratio < 4.5) out.push(ratio.toFixed(2) + ' ' + name(e));
    }
    return out;
  }

  // ---- What is wider than the window, other than in a box of its own that scrolls.

  function too_wide() {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    return all('body *').filter(function (e) { return shown(e) && e.getBoundingClientRect().right > innerWidth + 1; }).slice(0, 5).map(name);
  }

  return {name: name, shown: shown, controls: controls, missed: missed, in_view: in_view, place: place, pale: pale, too_wide: too_wide,
          focused: function () { return name(document.activeElement); },
          count: function (selector) { return all(selector).filter(shown).length; }};
})();
