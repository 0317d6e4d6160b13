"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const el = (tag, attrs, ...children) => {
    const e = document.createElement(tag);
    for (const k in attrs || {}) e.setAttribute(k, attrs[k]);
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
  };
  const svg = (tag, attrs, ...children) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const k in attrs || {}) e.setAttribute(k, attrs[k]);
    e.append(...children);
    return e;
  };
  const count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s");

  // What is shorter to read: names without what most of them begin with.
  const prefix = D.prefix;
  const short = (p) => {
    const n = D.packages[p][0];
    return n.startsWith(prefix) ? n.slice(prefix.length) : n;
  };

  // Relations by node.
  const users = D.nodes.map(() => []), used = D.nodes.map(() => []);
  D.edges.forEach((e, i) => { used[e[0]].push(i); users[e[1]].push(i); });
  const members = D.packages.map(() => []);
  D.nodes.forEach((n, i) => { if (n[2] >= 0) members[n[2]].push(i); });
  const deps = D.packages.map(() => []), dependents = D.packages.map(() => []);
  for (const u of D.uses) { deps[u[0]].push(u); dependents[u[1]].push(u); }

  const place = (file, line) => file < 0 ? "" : D.files[file] + (line ? ":" + line : "");
  const nodeLink = (i) => el("a", { href: "#n" + i, class: "mono" }, D.nodes[i][0]);
  const packageLink = (i) => el("a", { href: "#p" + i, class: "mono", title: D.packages[i][0] }, short(i));
  const list = (items, most) => {
    const ul = el("ul");
    const add = (from, to) => { for (const i of items.slice(from, to)) ul.append(el("li", null, ...i)); };
    add(0, most);
    if (items.length > most) {
      const more = el("a", { href: "#", role: "button" }, "show " + count(items.length - most, "more", "more"));
      const li = el("li", null, more);
      more.addEventListener("click", (ev) => { ev.preventDefault(); li.remove(); add(most, items.length); });
      ul.append(li);
    }
    return ul;
  };

  const main = el("main");
  const box = el("input", { type: "search", placeholder: "find a declaration or package", "aria-label": "find a declaration or package" });
  const views = [["", "Packages"], ["hubs", "Hubs"], ["entries", "Entry points"], ["routes", "Routes"], ["communities", "Communities"], ["external", "Imported"]]
    .filter(([v]) => v === "" || D[v].length);
  const nav = el("nav", null, box, ...views.map(([v, title]) => el("a", { href: "#" + v, "data-view": v }, title)));
  const m = D.metrics;
  const cut = D.nodes.length < D.declarations || D.edges.length < D.relations;
  document.body.append(el("header", null, el("h1", null, D.title),
    D.note ? el("div", { class: "bad" }, D.note) : null,
    el("div", { class: "dim" }, [count(m.declarations, "declaration"), count(m.files, "file"), count(m.packages, "package"), count(m.dependencies, "dependency", "dependencies"),
      count(m.layers, "layer"), count(m.cycles, "cycle"), count(m.tests, "test"), count(m.unknowns, "place", "places") + " that could not be told"].join(" · ")),
    cut ? el("div", { class: "dim" }, "The page holds the " + count(D.nodes.length, "declaration") + " with the most relations, of " + D.declarations.toLocaleString("en") +
      (D.edges.length < D.relations ? ", and " + D.edges.length.toLocaleString("en") + " of " + count(D.relations, "relation") : "") + ". Counts are of all.") : null,
    nav), main);

  const packagesView = () => {
    if (!D.packages.length) return [el("p", { class: "dim" }, "There are no packages.")];
    const layers = [];
    D.packages.forEach((p, i) => { (layers[p[1]] = layers[p[1]] || []).push(i); });
    const wide = 190, high = 24, gapX = 14, gapY = 10, perRow = Math.max(3, Math.min(8, Math.ceil(Math.sqrt(D.packages.length))));
    const x = [], y = [];
    let top = 10, width = 0;
    for (let l = layers.length - 1; l >= 0; l--) {
      const row = layers[l] || [];
      // Near what uses them, which stands above.
      const pull = (i) => { const at = dependents[i].map((u) => x[u[0]]).filter((v) => v !== undefined); return at.length ? at.reduce((a, b) => a + b, 0) / at.length : 0; };
      const order = row.map((i) => [pull(i), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      order.forEach(([, i], k) => {
        x[i] = 70 + (k % perRow) * (wide + gapX) + (Math.floor(k / perRow) % 2) * 20;
        y[i] = top + Math.floor(k / perRow) * (high + gapY);
        width = Math.max(width, x[i] + wide);
      });
      layers[l] = Object.assign(row, { top });
      top += Math.ceil(row.length / perRow) * (high + gapY) + 18;
    }
    const pic = svg("svg", { width: width + 20, height: top, viewBox: `0 0 ${width + 20} ${top}`, role: "group", class: D.uses.length > 400 ? "many" : "", "aria-label": "packages by layer" });
    layers.forEach((row, l) => { const t = svg("text", { x: 6, y: row.top + 16, class: "label" }); t.textContent = "layer " + l; pic.append(t); });
    const lines = D.uses.map((u) => {
      const [a, b] = [u[0], u[1]];
      const x1 = x[a] + wide / 2, y1 = y[a] + high, x2 = x[b] + wide / 2, y2 = y[b];
      const p = svg("path", { d: `M${x1},${y1} C${x1},${y1 + 30} ${x2},${y2 - 30} ${x2},${y2}` });
      pic.append(p);
      return p;
    });
    const info = el("div", { class: "dim" }, "Packages stand above those that they depend on. Point at one to see its dependencies, follow it to see what it declares.");
    const boxes = D.packages.map((p, i) => {
      const t = svg("text", { x: x[i] + 8, y: y[i] + 16 });
      const name = short(i);
      t.textContent = name.length > 25 ? "…" + name.slice(-24) : name;
      const title = svg("title");
      title.textContent = p[0];
      const g = svg("g", { class: "p" + (p[6] ? " cycle" : ""), tabindex: "0", role: "link", "aria-label": p[0] }, title, svg("rect", { x: x[i], y: y[i], width: wide, height: high }), t);
      const pick = () => {
        pic.classList.add("picked");
        g.classList.add("on");
        D.uses.forEach((u, k) => {
          if (u[0] === i) { lines[k].classList.add("out"); boxes[u[1]].classList.add("near"); }
          if (u[1] === i) { lines[k].classList.add("in"); boxes[u[0]].classList.add("near"); }
        });
        info.replaceChildren(el("span", { class: "mono" }, p[0]), ": ", count(p[3], "declaration"), ", ", el("span", { class: "out" }, "depends on " + p[4]), ", ", el("span", { class: "in" }, "used by " + p[5]), p[6] ? el("span", { class: "bad" }, ", in a cycle") : null);
      };
      const drop = () => {
        pic.classList.remove("picked");
        g.classList.remove("on");
        for (const l of lines) l.classList.remove("in", "out");
        for (const b of boxes) b.classList.remove("near");
      };
      const go = () => { location.hash = "p" + i; };
      g.addEventListener("mouseenter", pick);
      g.addEventListener("mouseleave", drop);
      g.addEventListener("focus", pick);
      g.addEventListener("blur", drop);
      g.addEventListener("click", go);
      g.addEventListener("keydown", (ev) => { if (ev.key === "Enter") go(); });
      pic.append(g);
      return g;
    });
    return [el("h2", null, "Packages", prefix ? el("span", { class: "dim" }, " in " + prefix.replace(/[/.]$/, "")) : null), info, el("div", { class: "scroll" }, pic)];
  };

  const packageView = (i) => {
    const p = D.packages[i];
    const row = (n) => [nodeLink(n), " ", el("span", { class: "dim" }, D.kinds[D.nodes[n][1]] + ", used by " + D.nodes[n][5] + ", uses " + D.nodes[n][6] + (D.nodes[n][7] ? ", test" : "") + "  " + place(D.nodes[n][3], D.nodes[n][4]))];
    const byUse = members[i].slice().sort((a, b) => D.nodes[a][7] - D.nodes[b][7] || D.nodes[b][5] - D.nodes[a][5] || a - b);
    return [el("h2", { class: "mono" }, p[0]),
      el("div", { class: "dim" }, [count(p[2], "file"), count(p[3], "declaration"), "layer " + p[1]].join(" · "), p[6] ? el("span", { class: "bad" }, " · in a cycle") : null),
      el("div", { class: "sides" },
        el("section", null, el("h2", { class: "in" }, "Used by " + dependents[i].length), list(dependents[i].map((u) => [packageLink(u[0]), el("span", { class: "dim" }, " " + count(u[2], "import"))]), 30)),
        el("section", null, el("h2", { class: "out" }, "Depends on " + deps[i].length), list(deps[i].map((u) => [packageLink(u[1]), el("span", { class: "dim" }, " " + count(u[2], "import"))]), 30))),
      el("h2", null, "Declares"), byUse.length ? list(byUse.map(row), 100) : el("p", { class: "dim" }, "Nothing that this page holds.")];
  };

  const nodeView = (i) => {
    const n = D.nodes[i];
    const side = (ids, end, all) => {
      const groups = new Map();
      for (const k of ids) {
        const e = D.edges[k];
        if (!groups.has(e[2])) groups.set(e[2], []);
        groups.get(e[2]).push([nodeLink(e[end]), " ", el("span", { class: "dim" }, place(e[4], e[5]) + (e[3] ? ", " + D.certainties[e[3]] : "") + (D.nodes[e[end]][7] ? ", test" : ""))]);
      }
      const parts = [];
      for (const [k, items] of [...groups].sort((a, b) => a[0] - b[0])) parts.push(el("h2", null, D.edge_kinds[k] + " ", el("span", { class: "dim" }, String(items.length))), list(items, 40));
      const here = new Set(ids.map((k) => D.edges[k][end])), rest = all - (here.has(i) ? here.size - 1 : here.size);
      if (rest > 0) parts.push(el("p", { class: "dim" }, count(rest, "more is", "more are") + " not on this page: fields, externals, or what is used least."));
      return parts;
    };
    return [el("h2", { class: "mono" }, n[0]),
      el("div", { class: "dim" }, D.kinds[n[1]] + (n[7] ? ", test" : "") + " · " + place(n[3], n[4])),
      n[8] ? el("div", { class: "card" }, el("code", null, n[8])) : null,
      n[2] >= 0 ? el("div", null, "in ", packageLink(n[2])) : null,
      el("div", { class: "sides" },
        el("section", null, el("h2", { class: "in" }, "Used by " + n[5]), ...side(users[i], 0, n[5])),
        el("section", null, el("h2", { class: "out" }, "Uses " + n[6]), ...side(used[i], 1, n[6])))];
  };

  const several = (ids) => ids.flatMap((n, k) => k ? [", ", nodeLink(n)] : [nodeLink(n)]);
  const lists = {
    hubs: () => [el("h2", null, "What most others use"), list(D.hubs.map((n) => [nodeLink(n), el("span", { class: "dim" }, " used by " + D.nodes[n][5] + ", uses " + D.nodes[n][6])]), 100)],
    entries: () => [el("h2", null, "Started from outside"), list(D.entries.map((n) => [nodeLink(n), el("span", { class: "dim" }, " " + place(D.nodes[n][3], D.nodes[n][4]))]), 100),
      m.entry_points > D.entries.length ? el("p", { class: "dim" }, "of " + m.entry_points) : null],
    routes: () => [el("h2", null, "Routes"), el("table", null, el("tr", null, el("th", null, "route"), el("th", null, "handled by"), el("th", null, "requested by")),
      ...D.routes.map(([name, handlers, callers]) => el("tr", null, el("td", { class: "mono" }, name), el("td", null, ...several(handlers)), el("td", null, ...several(callers))))),
      m.routes > D.routes.length ? el("p", { class: "dim" }, "of " + m.routes) : null],
    communities: () => [el("h2", null, "Declarations that use each other more than others"), list(D.communities.map(([name, some]) => [el("strong", null, name), " ", el("span", { class: "mono" }, some)]), 100)],
    external: () => [el("h2", null, "Imported from outside"), list(D.external.map(([name, n]) => [el("span", { class: "mono" }, name), el("span", { class: "dim" }, " in " + count(n, "package"))]), 200)],
  };

  const found = (text) => {
    const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (s) => { s = s.toLowerCase(); return parts.every((p) => s.includes(p)); };
    const ps = D.packages.map((p, i) => i).filter((i) => fits(D.packages[i][0]));
    const ns = D.nodes.map((n, i) => i).filter((i) => fits(D.nodes[i][0])).sort((a, b) => D.nodes[b][5] - D.nodes[a][5] || a - b);
    return [el("h2", null, count(ps.length, "package") + ", " + count(ns.length, "declaration")),
      list(ps.map((i) => [packageLink(i)]), 20), list(ns.map((n) => [nodeLink(n), el("span", { class: "dim" }, " " + D.kinds[D.nodes[n][1]] + "  " + place(D.nodes[n][3], D.nodes[n][4]))]), 100)];
  };

  const show = () => {
    const at = location.hash.slice(1), i = Number(at.slice(1));
    let parts;
    if (at[0] === "p" && D.packages[i]) parts = packageView(i);
    else if (at[0] === "n" && D.nodes[i]) parts = nodeView(i);
    else if (Object.hasOwn(lists, at)) parts = lists[at]();
    else parts = packagesView();
    main.replaceChildren(...parts.filter((p) => p !== null));
    for (const a of nav.querySelectorAll("a")) a.toggleAttribute("aria-current", a.dataset.view === at);
    scrollTo(0, 0);
  };
  box.addEventListener("input", () => { if (box.value.trim()) main.replaceChildren(...found(box.value)); else show(); });
  addEventListener("hashchange", () => { box.value = ""; show(); });
  show();
})();
