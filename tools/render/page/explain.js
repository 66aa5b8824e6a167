(function () {
  var all = document.querySelectorAll('details'), button = document.querySelector('.open-all'), before;
  button.addEventListener('click', function () {
    var open = button.getAttribute('aria-pressed') !== 'true';
    all.forEach(function (d) { d.open = open; });
    button.setAttribute('aria-pressed', String(open));
    button.textContent = open ? 'Close all steps' : 'Open all steps';
  });
  addEventListener('beforeprint', function () {
    before = [].map.call(all, function (d) { return d.open; });
    all.forEach(function (d) { if (!d.classList.contains('quiet')) d.open = true; });
  });
  addEventListener('afterprint', function () {
    if (before) all.forEach(function (d, i) { d.open = before[i]; });
  });
})();
