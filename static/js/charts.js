"use strict";
// Draws the figures of templates/charts/_figure.html. What is drawn is the JSON in the figure, which the table below it
// shows too. Colours are the interface's own variables, so light and dark need no second drawing.
(function () {
  const { KINDS, reader, colour } = window.chartKinds;
  const opened = new Set(); // tables that a reader has opened: a page that loads itself again leaves them open

  function sample(item) {
    const mark = item.line
      ? '<line x1="0" x2="24" y1="7" y2="7" stroke="' + colour(item.line) + '" stroke-width="2" stroke-dasharray="' + (item.dash || "none") + '"/>'
      : "";
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", item.line ? 24 : 14);
    svg.setAttribute("height", 14);
    svg.setAttribute("aria-hidden", "true");
    svg.innerHTML = mark;
    if (!item.line) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const shape = { square: d3.symbolSquare, diamond2: d3.symbolDiamond2, triangle2: d3.symbolTriangle2, square2: d3.symbolSquare2 };
      const others = { times: d3.symbolTimes, plus: d3.symbolPlus };
      path.setAttribute("d", d3.symbol(shape[item.symbol] || others[item.symbol] || d3.symbolCircle, 78)());
      path.setAttribute("transform", "translate(7,7)");
      path.setAttribute("fill", item.fill ? colour(item.fill) : "none");
      path.setAttribute("stroke", colour(item.stroke || "--line-strong"));
      svg.append(path);
    }
    return svg;
  }

  function showLegend(figure, items) {
    const list = figure.querySelector(".chart-legend");
    list.replaceChildren(
      ...items.map((item) => {
        const entry = document.createElement("li");
        entry.append(sample(item), item.text);
        return entry;
      })
    );
    list.hidden = !items.length;
  }

  // A picture beside numbers: one axis, and no legend but of values to compare with.
  function shrunk(options, chart) {
    return {
      ...options,
      height: 74,
      marginLeft: 24, // half of a date, which may stand at the edge
      marginTop: 6,
      marginBottom: 24,
      legend: chart.lines.length ? options.legend : [],
      x: { ...options.x, label: null, ticks: 3, grid: false, ...(options.x.type === "utc" ? { tickFormat: d3.utcFormat("%-d %b") } : {}) },
      y: { ...options.y, axis: null, grid: false },
    };
  }

  const IN_A_BOARD = 0.7; // of the usual height of a line: cards stand beside each other on one screen

  function picture(chart, width, share = 1) {
    const options = KINDS[chart.kind](chart, reader(chart), width);
    const { legend, ...plot } = chart.draw.is_small ? shrunk(options, chart) : options;
    const drawn = Plot.plot({
      width,
      marginRight: 24,
      marginBottom: 40,
      className: "chart-svg",
      ...plot,
      height: plot.height * share,
    });
    // Plot adds a style sheet, which our policy does not allow; charts.css says the same.
    drawn.querySelectorAll("style").forEach((sheet) => sheet.remove());
    const links = drawn.querySelectorAll("a");
    for (const link of links) {
      link.setAttribute("aria-label", link.firstElementChild.getAttribute("aria-label"));
      if (links.length > 60 || chart.draw.is_small) link.setAttribute("tabindex", "-1"); // the table below has the same links
    }
    // Plot also names groups and marks, which have no role that may have a name.
    drawn.querySelectorAll("[aria-label]:not(a)").forEach((mark) => mark.removeAttribute("aria-label"));
    // What is in a picture of one piece cannot be reached one by one.
    drawn.setAttribute("role", links.length ? "group" : "img");
    drawn.setAttribute("aria-label", chart.title);
    return { drawn, legend };
  }

  function draw(figure) {
    const chart = figure.chart;
    const box = figure.querySelector(".chart-picture");
    box.hidden = false;
    const width = Math.floor(box.clientWidth);
    if (!width || figure.drawnAt === width) return;
    figure.drawnAt = width;
    const { drawn, legend } = picture(chart, width, figure.closest(".board") && chart.kind === "lines" ? IN_A_BOARD : 1);
    figure.scale = drawn.scale("x");
    box.replaceChildren(drawn);
    showLegend(figure, legend);
  }

  // The rows of the table that are drawn: those of `draw.where`, not those of `draw.without`, with at least the values of
  // `draw.least`; the first `draw.most` of them.
  function drawn({ rows, draw: { where, without, least = {}, most } }) {
    const fits = (row, values) => Object.entries(values).every(([key, value]) => row[key] === value);
    const enough = (row) => Object.entries(least).every(([key, value]) => row[key] >= value);
    return rows.filter((row) => (!where || fits(row, where)) && !(without && fits(row, without)) && enough(row)).slice(0, most);
  }

  // Of a picture with a line for each row, the first rows alone until somebody asks for all; its file has all of them.
  const BY_ROW = ["dots", "bars", "heat", "strips"];
  const [MOST, A_FEW_MORE] = [20, 5];
  function shorten(figure) {
    const { chart } = figure;
    const names = [...new Set(chart.rows.map((row) => row[chart.draw.y]))];
    if (!BY_ROW.includes(chart.kind) || names.length <= MOST + A_FEW_MORE) return;
    const first = new Set(names.slice(0, MOST));
    figure.rows = { all: chart.rows, first: chart.rows.filter((row) => first.has(row[chart.draw.y])) };
    chart.rows = figure.rows.first;
    const [note, said, button] = ["p", "span", "button"].map((name) => document.createElement(name));
    note.className = "soft small";
    button.type = "button";
    button.className = "button-quiet";
    function say() {
      const isShort = chart.rows === figure.rows.first;
      said.textContent = isShort ? `The first ${MOST} of ${names.length} rows are drawn. ` : `All ${names.length} rows are drawn. `;
      button.textContent = isShort ? `Draw all ${names.length}` : `Draw the first ${MOST}`;
    }
    button.addEventListener("click", () => {
      drawRows(figure, chart.rows === figure.rows.first ? figure.rows.all : figure.rows.first);
      say();
    });
    say();
    note.append(said, button);
    figure.querySelector(".chart-picture").after(note);
  }

  function drawRows(figure, rows) {
    figure.chart.rows = rows;
    figure.drawnAt = 0;
    draw(figure);
  }

  function begin(figure) {
    if (figure.chart) return;
    figure.chart = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    figure.chart.rows = drawn(figure.chart);
    shorten(figure);
    const table = figure.querySelector("details");
    try {
      draw(figure);
    } catch (error) {
      figure.querySelector(".chart-picture").hidden = true; // the table stays open in its place
      reportError(error);
      return;
    }
    table.open = opened.has(figure.chart.key);
    table.addEventListener("toggle", () => (table.open ? opened.add : opened.delete).call(opened, figure.chart.key));
    // A press on a link is a link's alone: Plot would pin its tip there, which then takes the click.
    figure.querySelector(".chart-picture").addEventListener("pointerdown", (event) => event.target.closest("a") && event.stopPropagation(), true);
    const button = figure.querySelector("[data-svg]");
    button.hidden = false;
    button.addEventListener("click", () => save(figure));
    if (figure.chart.draw.moves) follow(figure, figure.chart.draw.moves);
    new ResizeObserver(() => draw(figure)).observe(figure.querySelector(".chart-picture"));
    if ("saves" in figure.dataset) save(figure);
  }

  // A line that a field of the page moves, and that a pointer can pull: moves {field (its id), times, step, name}.
  function follow(figure, { field, times, step, name }) {
    const input = document.getElementById(field);
    const box = figure.querySelector(".chart-picture");
    const { lines } = figure.chart;
    let line = lines.find((each) => each.name.startsWith(name));
    function move() {
      if (!line) lines.push((line = { axis: "x" }));
      line.value = input.value * times;
      const [least, most] = figure.chart.draw.x_domain;
      figure.chart.draw.x_domain = [least, Math.max(most, line.value)];
      line.name = name + " (" + reader(figure.chart).show(figure.chart.draw.low, line.value) + ")";
      figure.drawnAt = 0;
      draw(figure);
    }
    function pull(event) {
      const place = event.clientX - box.firstElementChild.getBoundingClientRect().left;
      const [least, most] = figure.scale.domain;
      const value = Math.min(most, Math.max(least, figure.scale.invert(place)));
      input.value = ((Math.round(value / step) * step) / times).toFixed(2);
      move();
    }
    input.addEventListener("input", move);
    box.classList.add("chart-moves");
    box.addEventListener("pointerdown", (event) => {
      if (event.target.closest("a")) return;
      event.preventDefault();
      box.setPointerCapture(event.pointerId);
      pull(event);
    });
    box.addEventListener("pointermove", (event) => box.hasPointerCapture(event.pointerId) && pull(event));
    box.addEventListener("pointerup", (event) => {
      if (box.hasPointerCapture(event.pointerId)) input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }

  // Below the picture of a file, what stands beside it on the page: the legend, in lines.
  function addLegend(copy, figure) {
    const [width, height] = ["width", "height"].map((name) => Number(copy.getAttribute(name)));
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = copy.getAttribute("font-size") + " system-ui, sans-serif";
    let [x, y] = [8, height];
    for (const entry of figure.querySelectorAll(".chart-legend li")) {
      const mark = entry.querySelector("svg").cloneNode(true);
      const start = Number(mark.getAttribute("width")) + 6;
      const room = start + pen.measureText(entry.textContent).width + 20;
      if (x > 8 && x + room > width) [x, y] = [8, y + 20];
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      text.textContent = entry.textContent;
      for (const [part, place] of [[mark, { x, y }], [text, { x: x + start, y: y + 11, "text-anchor": "start" }]])
        for (const [name, value] of Object.entries(place)) part.setAttribute(name, value);
      entry.querySelectorAll("svg *").forEach((element, index) => {
        for (const name of ["fill", "stroke"]) if (element.hasAttribute(name)) mark.children[index].setAttribute(name, getComputedStyle(element)[name]);
      });
      copy.append(mark, text);
      x += room;
    }
    if (x === 8) return;
    copy.setAttribute("height", y + 24);
    copy.setAttribute("viewBox", [0, 0, width, y + 24].join(" "));
  }

  // A file knows none of the page's variables and style sheets, so what they give is written into it.
  function save(figure) {
    const seen = figure.chart.rows;
    if (figure.rows) drawRows(figure, figure.rows.all);
    const shown = figure.querySelector(".chart-svg");
    const copy = shown.cloneNode(true);
    const theirs = copy.querySelectorAll("*");
    shown.querySelectorAll("*").forEach((element, index) => {
      for (const name of ["fill", "stroke"])
        if ((element.getAttribute(name) || "").startsWith("var(")) theirs[index].setAttribute(name, getComputedStyle(element)[name]);
    });
    const style = getComputedStyle(shown);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("font-family", "system-ui, sans-serif");
    copy.setAttribute("font-size", style.fontSize);
    copy.setAttribute("color", style.color);
    copy.setAttribute("fill", style.color);
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", style.getPropertyValue("--surface")]])
      ground.setAttribute(name, value);
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = figure.chart.title;
    copy.prepend(title, ground);
    addLegend(copy, figure);
    const link = document.createElement("a");
    link.download = figure.chart.key + ".svg";
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    if (figure.rows) drawRows(figure, seen);
  }

  const beginIn = (part) => part.querySelectorAll("[data-chart]").forEach(begin);
  beginIn(document);
  document.addEventListener("htmx:load", (event) => beginIn(event.detail.elt));
})();
