(function () {
  'use strict';
  var by = function (id) { return document.getElementById(id); };
  var all = function (selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); };

  // Whatever an element stands in is opened, so that it can be seen.
  function reveal(element) {
    for (var up = element; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
  }

  // ---- Permanent links: #path-3, or #q=TEXT and what the filter of the audit and of flows shows.

  function state() {
    var parts = [];
    if (search && search.value) parts.push('q=' + encodeURIComponent(search.value));
    if (filter && filter.value) parts.push('audit=' + encodeURIComponent(filter.value));
    if (choice && choice.value) parts.push('show=' + encodeURIComponent(choice.value));
    if (grouping && grouping.value) parts.push('by=' + encodeURIComponent(grouping.value));
    if (wanted_flows && wanted_flows.value) parts.push('flows=' + encodeURIComponent(wanted_flows.value));
    return parts.join('&');
  }

  function keep() { history.replaceState(null, '', '#' + state()); }

  function follow() {
    var hash = location.hash.slice(1);
    if (hash.indexOf('=') > 0) {
      var given = new URLSearchParams(hash);
      if (search) search.value = given.get('q') || '';
      if (filter) filter.value = given.get('audit') || '';
      if (choice) choice.value = given.get('show') || '';
      if (grouping) grouping.value = given.get('by') || '';
      if (wanted_flows) wanted_flows.value = given.get('flows') || '';
      if (grouping) group_flows();
      if (wanted_flows) narrow_flows();
      if (search) find();
      if (filter) narrow();
      return;
    }
    var target = hash && by(decodeURIComponent(hash));
    if (!target) return;
    reveal(target);
    go_to(target);
  }

  // Dumps on the way take their places when they are drawn: until then, or until the reader does something, it is gone to anew.
  var watched;
  function stop() { if (watched) watched.disconnect(); watched = null; }
  function go_to(target) {
    stop();
    target.scrollIntoView();
    if (!window.ResizeObserver) return;
    watched = new ResizeObserver(function () { target.scrollIntoView(); });
    watched.observe(document.body);
    setTimeout(stop, 1500);
  }
  ['wheel', 'keydown', 'pointerdown', 'touchstart'].forEach(function (event) { addEventListener(event, stop, {passive: true, capture: true}); });

  // ---- Search: items without the words are hidden.

  var search = by('search');
  var searched = '.item, .matrix tbody tr, .dump, table.list tbody tr', items = all(searched);
  var texts = new Map();
  function text_of(element) {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  }

  function find() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), count = 0;
    items.forEach(function (item) {
      var found = words.every(function (w) { return text_of(item).indexOf(w) >= 0; });
      item.classList.toggle('unfound', !found);
      show(item);
      if (found) count += 1;
    });
    by('search-count').textContent = words.length ? count + ' of ' + items.length : '';
    show_groups(words.length > 0);
  }

  function show(item) { item.hidden = item.classList.contains('unfound') || item.classList.contains('unwanted'); }

  // ---- The audit's filter.

  var filter = by('audit-filter'), choice = by('audit-state');
  function narrow() {
    var words = filter.value.toLowerCase().split(/\s+/).filter(Boolean), rows = all('.matrix tbody tr'), count = 0;
    rows.forEach(function (row) {
      var cells = all('.cell', row);
      cells.forEach(function (c) { c.hidden = choice.value !== '' && c.dataset.state !== choice.value; });
      var wanted = words.every(function (w) { return text_of(row).indexOf(w) >= 0; }) && cells.some(function (c) { return !c.hidden; });
      row.classList.toggle('unwanted', !wanted);
      show(row);
      if (wanted) count += 1;
    });
    by('audit-count').textContent = words.length || choice.value ? count + ' of ' + rows.length : '';
    document.querySelector('.nothing').hidden = count > 0;
  }

  // ---- Flows: grouped by what is chosen, some of them alone. Groups in which nothing is left go; those in which a word was found open.

  var grouping = by('flows-by'), wanted_flows = by('flows-show'), flow_list = by('flow-list'), marks = new Map();

  function show_groups(open) {
    var narrowed = open || wanted_flows && wanted_flows.value !== '';
    all('.group, .beneath').forEach(function (group) {
      var left = all('.item', group).some(function (i) { return !i.hidden; });
      group.hidden = narrowed && !left;
      if (open && left && group.tagName === 'DETAILS') group.open = true;
    });
  }

  function narrow_flows() {
    all('.flow').forEach(function (flow) {
      flow.classList.toggle('unwanted', wanted_flows.value !== '' && !flow.classList.contains(wanted_flows.value));
      show(flow);
    });
    show_groups(false);
  }

  function ungroup() {
    marks.forEach(function (mark, flow) { mark.before(flow); });
    all('.regrouped').forEach(function (group) { group.remove(); });
  }

  function group_flows() {
    ungroup();
    flow_list.hidden = grouping.value !== '';
    if (grouping.value !== '') regroup('.by-' + grouping.value);
    items = all(searched);
    stops = all('.item');
  }

  // A flow that several objects stand behind is shown behind each.
  function regroup(selector) {
    var groups = new Map();
    all('.flow', flow_list).forEach(function (flow) {
      if (!marks.has(flow)) { marks.set(flow, document.createComment('')); flow.before(marks.get(flow)); }
      var keys = all(selector, flow).map(function (e) { return e.textContent; });
      (keys.length ? keys : ['none']).forEach(function (key, n) {
        if (!groups.has(key)) groups.set(key, []);
        var shown = n === 0 ? flow : flow.cloneNode(true);
        if (n > 0) shown.removeAttribute('id');
        groups.get(key).push(shown);
      });
    });
    var keys = Array.from(groups.keys()).sort(function (a, b) { return (a === 'none') - (b === 'none') || groups.get(b).length - groups.get(a).length || (a < b ? -1 : 1); });
    keys.forEach(function (key) { flow_list.before(group_of(key, groups.get(key), keys.length < 12)); });
  }

  function group_of(key, flows, open) {
    var group = document.createElement('details'), summary = document.createElement('summary'), name = document.createElement('b'), count = document.createElement('span');
    var packets = flows.reduce(function (sum, flow) { return sum + Number(flow.dataset.packets); }, 0);
    group.className = 'group regrouped';
    group.open = open;
    name.className = 'key';
    name.textContent = key;
    count.className = 'count';
    count.textContent = ' ' + flows.length + (flows.length === 1 ? ' flow, ' : ' flows, ') + packets + ' packets';
    summary.append(name, count);
    var list = document.createElement('div');
    list.className = flow_list.classList.contains('rated') ? 'flows rated' : 'flows';
    list.append(document.querySelector('.columns').cloneNode(true));
    list.append.apply(list, flows);
    group.append(summary, list);
    return group;
  }

  var open_groups = by('flows-open');
  function toggle_groups() {
    var open = open_groups.getAttribute('aria-pressed') !== 'true';
    all('details.group').forEach(function (group) { group.open = open; });
    open_groups.setAttribute('aria-pressed', String(open));
    open_groups.textContent = open ? 'Close all groups' : 'Open all groups';
  }

  // ---- Evidence: a click shows the lines around it in place; without this script the link leads to them.

  function unfold(link) {
    var text = link.closest('p').nextElementSibling, hit = by(link.getAttribute('href').slice(1));
    if (!hit || !text) return;
    if (text.classList.contains('around')) { text.hidden = !text.hidden; text.nextElementSibling.hidden = !text.hidden; return; }
    var around = document.createElement('div'), lines = document.createElement('ol'), printed = hit.closest('.dump').querySelector('h3 + p');
    var list = Array.prototype.slice.call(hit.parentNode.children), at = list.indexOf(hit);
    around.className = 'around';
    lines.className = 'lines';
    list.slice(Math.max(0, at - 5), at + 6).forEach(function (line) {
      var copy = line.cloneNode(true);
      copy.removeAttribute('id');
      if (line !== hit) copy.classList.remove('hit');
      lines.appendChild(copy);
    });
    if (printed) around.appendChild(printed.cloneNode(true)).querySelectorAll('.copy').forEach(function (b) { b.remove(); });
    around.appendChild(lines);
    text.before(around);
    text.hidden = true;
  }

  document.addEventListener('click', function (event) {
    var link = event.target.closest && event.target.closest('a.evidence');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    unfold(link);
  });

  // ---- Copy buttons.

  function copied(button) {
    button.textContent = 'Copied';
    setTimeout(function () { button.textContent = 'Copy'; }, 1200);
  }

  function copy_chosen(code, button) {
    var range = document.createRange(), chosen = getSelection();
    range.selectNodeContents(code);
    chosen.removeAllRanges();
    chosen.addRange(range);
    if (!document.execCommand('copy')) { button.textContent = 'Press Ctrl+C'; return; }
    chosen.removeAllRanges();
    copied(button);
  }

  // Browsers keep the clipboard from some pages: of files, of servers without TLS.
  function copy(code, button) {
    if (!navigator.clipboard) { copy_chosen(code, button); return; }
    navigator.clipboard.writeText(code.textContent).then(function () { copied(button); }, function () { copy_chosen(code, button); });
  }

  document.addEventListener('click', function (event) {
    var button = event.target.closest && event.target.closest('button.copy');
    if (!button) return;
    event.preventDefault();
    copy(button.previousElementSibling, button);
  });

  all('code.command').forEach(function (code) {
    if (!code.textContent) return;
    var button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    code.after(button);
  });

  // ---- All steps of a path.

  function open_steps(within) {
    var button = within.querySelector('.open-all');
    if (!button) return;
    var open = button.getAttribute('aria-pressed') !== 'true';
    all('details', within).forEach(function (d) { d.open = open; });
    button.setAttribute('aria-pressed', String(open));
    button.textContent = open ? 'Close all steps' : 'Open all steps';
  }
  all('.open-all').forEach(function (button) {
    button.addEventListener('click', function () { open_steps(button.closest('.item')); });
  });

  // ---- Topology: a node that is chosen is shown with what joins it to others.

  var plan = document.querySelector('.plan svg');
  function pick(node) {
    var name = node && node.dataset.node, again = !node || node.classList.contains('chosen');
    all('[data-node]', plan).forEach(function (m) {
      m.classList.toggle('chosen', !again && m === node);
      m.setAttribute('aria-pressed', String(!again && m === node));
    });
    plan.classList.toggle('picked', !again);
    all('[data-ends]', plan).forEach(function (line) {
      line.classList.toggle('away', !again && line.dataset.ends.split(' ').indexOf(name) < 0);
    });
    all('.about-node').forEach(function (about) { about.hidden = again || about.dataset.about !== name; });
  }
  if (plan) {
    all('.about-node').forEach(function (about) { about.hidden = true; });
    all('[data-node]', plan).forEach(function (node) {
      node.addEventListener('click', function () { pick(node); });
      node.addEventListener('keydown', function (event) {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(node); }
        else if (event.key === 'Escape') pick(null);
      });
    });
  }
  document.addEventListener('click', function (event) {
    var button = event.target.closest && event.target.closest('button[data-filter]');
    if (!button || !filter) return;
    filter.value = button.dataset.filter;
    choice.value = '';
    narrow();
    keep();
    by('audit').scrollIntoView();
  });

  // ---- Keys.

  var current = -1, going = false;
  var stops = all('.item');
  function step(by_how_many) {
    var seen = stops.filter(function (s) { return !s.hidden; });
    if (!seen.length) return;
    var at = seen.indexOf(stops[current]);
    at = at < 0 ? (by_how_many > 0 ? 0 : seen.length - 1) : Math.min(seen.length - 1, Math.max(0, at + by_how_many));
    stops.forEach(function (s) { s.classList.toggle('current', s === seen[at]); });
    current = stops.indexOf(seen[at]);
    seen[at].querySelector('summary').focus();
    seen[at].scrollIntoView({block: 'start'});
  }

  var places = {l: 'flows', f: 'findings', x: 'expectations', i: 'differences', c: 'captured', t: 'map', a: 'audit', p: 'paths', e: 'evidence', d: 'dumps'};
  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search && event.key === 'Escape') { search.value = ''; find(); keep(); search.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (going) {
      going = false;
      if (places[event.key] && by(places[event.key])) { location.hash = places[event.key]; event.preventDefault(); }
      return;
    }
    if (event.key === '/') { search.focus(); search.select(); }
    else if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'o' && current >= 0) stops[current].open = !stops[current].open;
    else if (event.key === 'O' && current >= 0) { stops[current].open = true; open_steps(stops[current]); }
    else if (event.key === 'g') going = true;
    else if (event.key === '?') by('help').showModal();
    else return;
    event.preventDefault();
  });
  by('help-open').addEventListener('click', function () { by('help').showModal(); });

  // ---- Paper has everything but the steps that only pass a packet on, and in the audit the lines that stand below Evidence.

  var before;
  addEventListener('beforeprint', function () {
    var details = all('details');
    before = details.map(function (d) { return [d, d.open]; });
    details.forEach(function (d) { if (!d.matches('.path details.quiet')) d.open = true; });
  });
  addEventListener('afterprint', function () {
    (before || []).forEach(function (pair) { pair[0].open = pair[1]; });
  });

  all('.script').forEach(function (element) { element.hidden = false; });
  search.addEventListener('input', function () { find(); keep(); });
  if (filter) {
    filter.addEventListener('input', function () { narrow(); keep(); });
    choice.addEventListener('change', function () { narrow(); keep(); });
  }
  if (grouping) grouping.addEventListener('change', function () { group_flows(); find(); keep(); });
  if (wanted_flows) wanted_flows.addEventListener('change', function () { narrow_flows(); find(); keep(); });
  if (open_groups) open_groups.addEventListener('click', toggle_groups);
  addEventListener('hashchange', follow);
  follow();
})();
