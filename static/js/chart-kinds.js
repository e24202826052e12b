"use strict";
// How each kind of chart is drawn with Observable Plot: chart, what its columns say, width -> options of Plot, and a legend.
// The names in `draw` are those that shared/figures.py and the modules *_charts.py write. A small picture has no tips: one
// would cover the mark that is clicked.
window.chartKinds = (function () {
  const STEPS = ["--step-1", "--step-2", "--step-3", "--step-4", "--step-5"];
  const LINES = ["--ink", "--chart-point", "--chart-second", "--chart-third", "--ink-soft", "--line-strong"];
  const DASHES = ["", "8 4", "2 4", "10 3 2 3", "4 4", "1 3"];
  const SYMBOLS = ["circle", "diamond2", "triangle2", "square2", "times", "plus"];
  const FAINT = 0.35;
  const FONT = 12; // px, as in charts.css

  const FORMATS = {
    share: (v) => d3.format(".1%")(v > 1e-9 && v < 1 - 1e-9 ? Math.min(Math.max(v, 0.001), 0.999) : v), // as shared/numbers.py
    count: d3.format(","),
    cents: (v) => "$" + d3.format(",.2f")(v / 100),
    kappa: d3.format(".3f"),
    number: d3.format(",.2f"),
    z: d3.format(".2f"),
    p: (v) => (v >= 1e-4 ? d3.format(".2~g")(v) : "< .0001"),
    day: (v) => d3.utcFormat("%-d %b %Y")(new Date(v)),
  };
  const AXES = {
    share: (v) => d3.format(".3~%")(v),
    count: d3.format(","),
    cents: (v) => "$" + d3.format(",~g")(v / 100),
  };

  const colour = (name) => "var(" + name + ")";
  const opacity = (row) => (row.faint ? FAINT : 1);

  /* What the kinds share */

  function reader(chart) {
    const columns = new Map(chart.columns.map((column) => [column.key, column]));
    const kind = (key) => (columns.get(key) || {}).kind || "text";
    const show = (key, value) => (value === null || value === undefined ? "" : (FORMATS[kind(key)] || String)(value));
    return {
      kind,
      show,
      name: (key) => (columns.get(key) || { name: key }).name,
      axis: (key) => AXES[kind(key)],
      // All that the table says of a row, for the pointer and for a screen reader on a link.
      words: (row) =>
        chart.columns
          .filter((column) => row[column.key] !== null && row[column.key] !== undefined && row[column.key] !== "")
          .map((column) => column.name + ": " + show(column.key, row[column.key]))
          .join("\n"),
    };
  }

  // What a mark says: to the pointer, and as the name of its link.
  const says = (text) => ({ title: text, ariaLabel: (row) => text(row).replaceAll("\n", ", ") });

  // The width of the longest text in pixels, in the font of charts.css. Letters differ: "wwm" is twice "ill".
  function widest(texts) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = FONT + "px " + getComputedStyle(document.documentElement).getPropertyValue("--font-text");
    return Math.max(0, ...texts.map((text) => Math.ceil(pen.measureText(text).width)));
  }

  // The room that names need on the left, and the height of a row: long names go over two or three lines.
  function leftRoom(names, width) {
    const longest = widest(names) + 14;
    const room = Math.max(
      Math.min(longest, width < 500 ? width * 0.36 : width * 0.3),
      widest(names.flatMap((name) => String(name).split(" "))) + 14 // a word is never cut
    );
    const lines = Math.min(3, Math.ceil(longest / Math.max(room, 1) - 0.02) + (longest > room ? 1 : 0));
    return { room, row: Math.max(26, 14 * lines + 8), em: longest <= room ? Infinity : (room - 14) / FONT / 1.12 }; // better a line more than a letter cut off
  }

  const rowNames = (left) =>
    Plot.axisY({ label: null, tickSize: 0, lineWidth: left.em, tickFormat: (name) => String(name) || "none" });

  function xAxis(read, key, width, more) {
    return { label: read.name(key), tickFormat: read.axis(key), ticks: width < 500 ? 4 : 8, grid: true, ...more };
  }

  // Values to compare with: a dashed rule, with its name in the legend.
  // Nothing that is counted, such as an epoch, lies between two whole numbers.
  function wholeTicks(values, width) {
    return d3.ticks(d3.min(values), d3.max(values), width < 500 ? 4 : 8).filter(Number.isInteger);
  }

  const rules = (chart, axis) =>
    chart.lines
      .filter((line) => line.axis === axis)
      .map((line, index) =>
        line.high !== undefined
          ? Plot.rect([line], { [`${axis}1`]: "value", [`${axis}2`]: "high", fill: colour("--ink"), fillOpacity: 0.25 })
          : (axis === "x" ? Plot.ruleX : Plot.ruleY)([line.value], {
          stroke: colour("--ink"),
          strokeWidth: 1.5,
          strokeDasharray: DASHES[index + 1],
        })
      );

  const ruleLegend = (chart) =>
    ["x", "y"].flatMap((axis) =>
      chart.lines
        .filter((line) => line.axis === axis)
        .map((line, index) => ({ text: line.name, line: line.high === undefined ? "--ink" : "--ink-soft", dash: line.high === undefined ? DASHES[index + 1] : "" }))
    );

  // Names of the few points that matter, each on the first side of its point where no other stands. One without room is
  // left out: the pointer and the table name it.
  const apart = (texts) =>
    function (index, scales, values, dimensions, context, next) {
      const [xs, ys] = [Float64Array.from(values.x), Float64Array.from(values.y)];
      const taken = Array.from(index, (i) => [xs[i] - 5, xs[i] + 5, ys[i] - 5, ys[i] + 5]);
      const isFree = ([left, right, top, bottom]) =>
        left > dimensions.marginLeft && right < dimensions.width && top > 0 && bottom < dimensions.height - dimensions.marginBottom &&
        taken.every((other) => right <= other[0] || left >= other[1] || bottom <= other[2] || top >= other[3]);
      const shown = index.filter((i) => {
        const half = widest([texts[i]]) / 2 + 2;
        const aside = half + 10;
        for (const [dx, dy] of [[aside, 0], [-aside, 0], [0, -17], [0, 17], [aside, -13], [-aside, -13], [aside, 13], [-aside, 13]]) {
          const [x, y] = [values.x[i] + dx, values.y[i] + dy];
          const box = [x - half, x + half, y - 7, y + 7];
          if (isFree(box)) {
            taken.push(box);
            [xs[i], ys[i]] = [x, y];
            return true;
          }
        }
        return false;
      });
      return next(shown, scales, { ...values, x: xs, y: ys }, dimensions, context);
    };

  const domainOf = (draw, axis) => (draw[axis + "_domain"] ? { domain: draw[axis + "_domain"] } : {});

  /* The kinds */

  const KINDS = {
    // A point with its interval for each row, and other points beside it: draw.y, x, low, high, others.
    dots(chart, read, width) {
      const { y, x, low, high, others = [] } = chart.draw;
      const rows = chart.rows.filter((row) => row[x] !== null || others.some((key) => row[key] !== null));
      const left = leftRoom(rows.map((row) => row[y]), width);
      const ends = rows.filter((row) => low && row[low] !== null && row[low] !== undefined);
      const own = chart.colours[x] || "--chart-point";
      const cap = left.row / 2 - 7;
      return {
        legend: [
          ...(others.length ? [{ text: read.name(x), fill: own }] : []),
          ...others.map((key, index) => ({ text: read.name(key), symbol: SYMBOLS[index + 1], stroke: "--ink" })),
          ...ruleLegend(chart),
        ],
        height: left.row * rows.length + 64,
        marginLeft: left.room,
        x: xAxis(read, x, width, { nice: true, ...domainOf(chart.draw, "x") }),
        y: { domain: rows.map((row) => row[y]), axis: null },
        marks: [
          ...(chart.draw.is_small ? [] : [rowNames(left)]),
          ...rules(chart, "x"),
          Plot.ruleY(ends, { y, x1: low, x2: high, stroke: colour(own), strokeWidth: 2.5, strokeOpacity: opacity }),
          // The ends, which a point would hide where the interval is short.
          ...[low, high].filter(Boolean).map((end) =>
            Plot.tickX(ends, { y, x: end, insetTop: cap, insetBottom: cap, stroke: colour(own), strokeWidth: 2, strokeOpacity: opacity })
          ),
          ...others.map((key, index) =>
            Plot.dot(rows.filter((row) => row[key] !== null), {
              y,
              x: key,
              symbol: SYMBOLS[index + 1],
              r: 5,
              stroke: colour("--ink"),
              strokeWidth: 1.5,
            })
          ),
          Plot.dot(rows.filter((row) => row[x] !== null), {
            y,
            x,
            r: width < 500 ? 4.5 : 5.5,
            fill: colour(own),
            fillOpacity: opacity,
            stroke: colour(own),
            href: "href",
            ...says(read.words),
            tip: !chart.draw.is_small,
          }),
        ],
      };
    },

    // A bar for each row, of parts that stand one after the other: draw.y, series, and total (if the parts are numbers).
    bars(chart, read, width) {
      const { y, series } = chart.draw;
      const left = leftRoom(chart.rows.map((row) => row[y]), width);
      const parts = chart.rows.flatMap((row) =>
        series.map((key) => ({ row, key, name: row[y], value: row[key] || 0, href: (row.hrefs || {})[key] }))
      );
      const fills = series.map((key, index) => chart.colours[key] || STEPS[Math.min(index, STEPS.length - 1)]);
      const inks = fills.map((fill) =>
        fill.startsWith("--label") ? "--label-ink" : fill === "--step-1" || fill === "--accent" ? "--accent-ink" : "--ink"
      );
      const most = Math.max(...chart.rows.map((row) => d3.sum(series, (key) => row[key] || 0)));
      const isWide = (part) => ((width - left.room) * part.value) / (most || 1) > 8 * read.show(part.key, part.value).length;
      return {
        legend: series.map((key, index) => ({ text: read.name(key), symbol: "square", fill: fills[index] })),
        height: (left.row + 4) * chart.rows.length + 64,
        marginLeft: left.room,
        x: xAxis(read, series[0], width, { label: chart.draw.x_name || null, ...domainOf(chart.draw, "x") }),
        y: { domain: chart.rows.map((row) => row[y]), axis: null, padding: 0.18 },
        color: { type: "ordinal", domain: series, range: fills.map(colour) },
        marks: [
          rowNames(left),
          Plot.barX(
            parts,
            Plot.stackX({
              y: "name",
              x: "value",
              fill: "key",
              fillOpacity: (part) => opacity(part.row),
              stroke: colour("--surface"),
              strokeWidth: 1,
              href: "href",
              ...says((part) => part.name + "\n" + read.name(part.key) + ": " + read.show(part.key, part.value)),
              tip: true,
            })
          ),
          ...series.map((key, index) =>
            // All parts are stacked, so that each text stands in its own; the others are left empty.
            Plot.text(
              parts,
              Plot.stackX({
                y: "name",
                x: "value",
                text: (part) => (part.key === key && isWide(part) && !part.row.faint ? read.show(key, part.value) : ""),
                fill: colour(inks[index]),
                pointerEvents: "none",
              })
            )
          ),
          ...rules(chart, "x"),
        ],
      };
    },

    // A grid of numbers, the stronger the colour the more of its row: draw.y, series, x_name, y_name. With draw.x, a row of the
    // table is a cell: draw.value, and n below it; the colour then goes from the lowest to the highest that is not faint.
    heat(chart, read, width) {
      const { y, x, value, n, series } = chart.draw;
      const rows = [...new Set(chart.rows.map((row) => row[y]))];
      const left = leftRoom(rows, width);
      const most = d3.max(chart.rows, (row) => d3.max(series, (key) => row[key] || 0));
      const [low, high] = d3.extent(chart.rows.filter((row) => !row.faint), (row) => row[value]);
      const single = (row) => ({
        row,
        name: row[y],
        key: row[x],
        value: row[value],
        part: row.faint || row[value] === null ? 0 : high > low ? 0.15 + (0.85 * (row[value] - low)) / (high - low) : 0.5,
        text: read.show(value, row[value]) + "\n" + read.show(n, row[n]),
        says: read.words(row),
        href: row.href || null,
      });
      const cells = x ? chart.rows.map(single) : chart.rows.flatMap((row) => {
        const values = series.map((key) => row[key] || 0);
        const whole = { row: d3.sum(values), one: 1, all: most }[chart.draw.of] || d3.max(values);
        return series.map((key) => ({
          row,
          name: row[y],
          key,
          value: row[key],
          part: whole ? (row[key] || 0) / whole : 0,
          text: read.show(key, row[key]),
          href: (row.hrefs || {})[key],
        }));
      });
      const room = (width - left.room - 24) / series.length;
      const texts = series.map((key) => read.name(key));
      const word = widest(texts.flatMap((text) => text.split(" "))) + 4;
      const fits = word < room;
      // Names stand above their columns in lines, or lean, or stand upright where columns are narrower than leaning lines.
      const lines = Math.max(...texts.map((text) => Math.min(text.split(" ").length, Math.ceil(widest([text]) / Math.max(room - 8, 1)))));
      const angle = room < 17 ? -90 : -50;
      const names = fits
        ? { lineWidth: room / FONT / 1.12 - 0.4 }
        : { tickRotate: angle, textAnchor: "start", ...(angle === -90 ? { dx: 4, dy: 5 } : { dx: -4 }) };
      const top = fits ? 38 + 14 * lines : 40 + Math.sin((-angle * Math.PI) / 180) * widest(texts);
      return {
        legend: [],
        height: 44 * rows.length + top + 18,
        marginLeft: left.room,
        marginTop: top,
        marginRight: fits || angle === -90 ? 24 : 52, // the last name leans out
        marginBottom: 12,
        x: { domain: series, axis: null, padding: 0.04 },
        y: { domain: rows, axis: null, padding: 0.04 },
        marks: [
          rowNames(left),
          Plot.axisX({ anchor: "top", label: chart.draw.x_name || null, labelAnchor: "center", tickSize: 0, tickFormat: read.name, ...names }),
          Plot.cell(cells, {
            x: "key",
            y: "name",
            fill: colour("--chart-cell"),
            fillOpacity: (cell) => 0.42 * cell.part,
            stroke: colour("--line"),
            href: "href",
            ...says((cell) => cell.says || cell.name + ", " + read.name(cell.key) + ": " + cell.text),
          }),
          Plot.text(cells.filter((cell) => d3.max(cell.text.split("\n"), (line) => line.length) * 6.6 < room), { x: "key", y: "name", text: "text", fill: (cell) => colour(cell.value && !cell.row.faint ? "--ink" : "--ink-soft"), pointerEvents: "none" }),
        ],
      };
    },

    // Lines over a common axis: draw.x, series, band ([low, high] of the only line), points, ticks (a column whose values
    // are marked at the bottom), columns (numbers of days or weeks, as `interval` says, which stand behind the lines).
    lines(chart, read, width) {
      const { x, series, band, points, ticks, columns = [] } = chart.draw;
      const strokes = series.map((key, index) => chart.colours[key] || LINES[index % LINES.length]);
      const known = (key) => chart.rows.filter((row) => row[key] !== null && row[key] !== undefined);
      const first = series[0];
      const marked = ticks ? [...new Set(chart.rows.map((row) => row[ticks]).filter(Boolean))].sort() : [];
      const symbol = (value) => (value === marked[0] ? "circle" : "times");
      const scale = chart.draw.x_type === "time" ? (row) => new Date(row[x] + "T00:00Z") : x;
      return {
        legend: [
          ...columns.map((key) => ({ text: read.name(key), symbol: "square", fill: chart.colours[key] })),
          ...(series.length + columns.length > 1
            ? series.map((key, index) => ({ text: read.name(key), line: strokes[index], dash: DASHES[index % DASHES.length] }))
            : []),
          ...marked.map((value) => ({
            text: read.name(ticks) + " " + value,
            symbol: symbol(value),
            [symbol(value) === "times" ? "stroke" : "fill"]: chart.colours[value],
          })),
          ...ruleLegend(chart),
        ],
        height: columns.length ? 180 : Math.min(320, Math.max(220, width * 0.5)),
        marginLeft: 56,
        x:
          chart.draw.x_type === "time"
            ? { type: "utc", label: read.name(x), ticks: width < 500 ? 3 : 8 }
            : {
                ...xAxis(read, x, width, { grid: false, ...domainOf(chart.draw, "x") }),
                ...(read.kind(x) === "count" ? { ticks: wholeTicks(chart.rows.map((row) => row[x]), width) } : {}),
                ...(chart.draw.x_type === "log" ? { type: "log", ticks: 4, tickFormat: d3.format("~s") } : {}),
              },
        y: {
          label: series.length + columns.length > 1 ? chart.draw.y_name || null : read.name(columns[0] || first),
          tickFormat: read.axis(columns[0] || first),
          ticks: columns.length ? 3 : 5,
          grid: true,
          zero: chart.draw.zero !== false,
          ...domainOf(chart.draw, "y"),
        },
        marks: [
          ...columns.map((key) =>
            Plot.rectY(chart.rows, {
              x: scale,
              y: key,
              interval: chart.draw.interval,
              fill: colour(chart.colours[key]),
              ...says(read.words),
              tip: !chart.draw.is_small,
            })
          ),
          ...(band
            ? [
                Plot.areaY(known(band[0]), {
                  x: scale,
                  y1: band[0],
                  y2: band[1],
                  fill: colour(strokes[0]),
                  fillOpacity: 0.16,
                }),
              ]
            : []),
          ...rules(chart, "y"),
          ...rules(chart, "x"),
          ...series.map((key, index) =>
            Plot.line(known(key), {
              x: scale,
              y: key,
              stroke: colour(strokes[index]),
              strokeWidth: 2,
              strokeDasharray: DASHES[index % DASHES.length],
            })
          ),
          ...series.map((key, index) =>
            Plot.dot(known(key), {
              x: scale,
              y: key,
              r: points || known(key).length < 3 ? 4 : 0.01,
              fill: colour(strokes[index]),
              fillOpacity: opacity,
              ...says(read.words),
              tip: { strokeOpacity: 0.5 },
            })
          ),
          ...marked.map((value) =>
            Plot.dot(chart.rows.filter((row) => row[ticks] === value), {
              x: scale,
              y: 0,
              symbol: symbol(value),
              fill: symbol(value) === "times" ? "none" : colour(chart.colours[value]),
              stroke: colour(chart.colours[value]),
              strokeWidth: 1.5,
            })
          ),
        ],
      };
    },

    // Numbers by class: draw.low and high are the ends of a class (one that is open gets draw.width), y is how many are in
    // it, beside how many of others. A row that `is_out` is not chosen.
    histogram(chart, read, width) {
      const { low, high, y, beside } = chart.draw;
      return {
        legend: [
          ...(beside
            ? [
                { text: read.name(y), symbol: "square", fill: "--chart-point" },
                { text: read.name(beside), line: "--ink" },
              ]
            : []),
          ...ruleLegend(chart),
        ],
        height: 260,
        marginLeft: 48,
        x: xAxis(read, low, width, { grid: false, label: chart.draw.x_name, ...domainOf(chart.draw, "x") }),
        y: { label: read.name(y), grid: true, ticks: 4, tickFormat: read.axis(y) },
        marks: [
          Plot.rectY(chart.rows, {
            x1: low,
            x2: (row) => row[high] ?? row[low] + chart.draw.width,
            y,
            fill: colour("--chart-point"),
            fillOpacity: (row) => (row.is_out ? 0.25 : 0.75),
            insetLeft: 1,
            href: "href",
            ...says(read.words),
            tip: !chart.draw.is_small,
          }),
          ...(beside
            ? [Plot.line(chart.rows, { x: (row) => (row[low] + row[high]) / 2, y: beside, curve: "step", stroke: colour("--ink") })]
            : []),
          ...rules(chart, "x"),
          Plot.ruleY([0], { stroke: colour("--line-strong") }),
        ],
      };
    },

    // A point for each row: draw.x, y, size, series (its value says the shape), curves ([{name, points}]), x_type.
    scatter(chart, read, width) {
      const { x, y, size, series, curves = [] } = chart.draw;
      const rows = chart.rows.filter((row) => row[x] !== null && row[y] !== null);
      const groups = series ? [...new Set(rows.map((row) => row[series]))] : [""];
      const groupColour = (group) => chart.colours[group] || LINES[(groups.indexOf(group) + 1) % LINES.length];
      const lines = curves.map((curve, index) => ({ ...curve, dash: DASHES[index + 1] }));
      const xs = rows.map((row) => row[x]);
      const isLog = chart.draw.x_type === "log" && d3.min(xs) > 0;
      const named = rows.filter((row) => row.named);
      return {
        legend: [
          ...(series
            ? groups.map((group, index) => ({ text: group || "none", symbol: SYMBOLS[index], fill: groupColour(group) }))
            : []),
          ...lines.map((curve) => ({ text: curve.name, line: "--ink-soft", dash: curve.dash })),
          ...ruleLegend(chart),
        ],
        height: Math.min(440, Math.max(280, width * 0.62)),
        marginLeft: 56,
        x: {
          ...xAxis(read, x, width, { nice: true, ...domainOf(chart.draw, "x") }),
          ...(isLog ? { type: "log", nice: false, ticks: 4, tickFormat: d3.format("~s") } : {}),
        },
        y: {
          label: read.name(y),
          tickFormat: read.axis(y),
          ticks: 5,
          grid: true,
          nice: true,
          ...domainOf(chart.draw, "y"),
        },
        r: { range: [0, width < 500 ? 9 : 12] },
        inset: 8,
        marks: [
          ...rules(chart, "y"),
          ...rules(chart, "x"),
          ...lines.flatMap((curve) =>
            curve.lines.map((points) =>
              Plot.line(points, { stroke: colour("--ink-soft"), strokeDasharray: curve.dash, clip: true })
            )
          ),
          ...groups.map((group, index) =>
            Plot.dot(series ? rows.filter((row) => row[series] === group) : rows, {
              x,
              y,
              r: size ? (row) => Math.max(row[size], 1) : 5,
              symbol: SYMBOLS[index % SYMBOLS.length],
              fill: colour(groupColour(group)),
              fillOpacity: (row) => 0.55 * opacity(row),
              stroke: colour(groupColour(group)),
              href: "href",
              ...says(read.words),
              tip: true,
            })
          ),
          ...(chart.draw.text
            ? [
                Plot.text(named, {
                  x,
                  y,
                  text: chart.draw.text,
                  fill: colour("--ink"),
                  stroke: colour("--surface"),
                  strokeWidth: 3,
                  pointerEvents: "none",
                  render: apart(named.map((row) => row[chart.draw.text])),
                }),
              ]
            : []),
        ],
      };
    },

    // A strip for each row, from its lowest to its highest value: draw.y, all (places from 0 to 1), own, text, name.
    strips(chart, read, width) {
      const { y, all, own, text, name } = chart.draw;
      const left = leftRoom(chart.rows.map((row) => row[y]), width);
      const points = chart.rows.flatMap((row) => row[all].map((place) => ({ name: row[y], place })));
      const end = { y, dy: 17, fill: colour("--ink-soft"), pointerEvents: "none" };
      return {
        legend: [
          { text: name, symbol: "diamond2", fill: "--chart-second" },
          { text: "each of all people", fill: "--chart-point" },
        ],
        height: 58 * chart.rows.length + 16,
        marginLeft: left.room,
        marginBottom: 8,
        x: { domain: [0, 1], axis: null, insetLeft: 10, insetRight: 10 },
        y: { domain: chart.rows.map((row) => row[y]), axis: null },
        marks: [
          rowNames(left),
          Plot.ruleY(chart.rows, { y, x1: 0, x2: 1, stroke: colour("--chart-grid") }),
          Plot.dot(points, { x: "place", y: "name", r: 4, fill: colour("--chart-point"), fillOpacity: FAINT }),
          Plot.dot(chart.rows, {
            x: own,
            y,
            r: 7,
            symbol: "diamond2",
            fill: colour("--chart-second"),
            stroke: colour("--surface"),
            ...says(read.words),
            tip: true,
          }),
          Plot.text(chart.rows, {
            x: own,
            y,
            text,
            dy: -16,
            fontWeight: "bold",
            fill: colour("--ink"),
            stroke: colour("--surface"),
            strokeWidth: 3,
            pointerEvents: "none",
          }),
          Plot.text(chart.rows, { ...end, x: 0, text: "lowest", textAnchor: "start", dx: -8 }),
          Plot.text(chart.rows, { ...end, x: 1, text: "highest", textAnchor: "end", dx: 8 }),
        ],
      };
    },

    // Shares of three labels, each at a corner: draw.corners, size. A point in the middle has all three equally often.
    ternary(chart, read, width) {
      const { corners, size } = chart.draw;
      const side = Math.min(width - 24, 460);
      const at = (shares) => [shares[1] + shares[2] / 2, (shares[2] * Math.sqrt(3)) / 2];
      const shares = (row) => corners.map((key) => row[key]);
      const edges = [0, 1, 2].map((k) => [0, 1, 2].map((n) => (n === k ? 1 : 0))).map(at);
      const grid = [0.25, 0.5, 0.75].flatMap((part) => [
        [at([part, 1 - part, 0]), at([part, 0, 1 - part])],
        [at([1 - part, part, 0]), at([0, part, 1 - part])],
        [at([1 - part, 0, part]), at([0, 1 - part, part])],
      ]);
      const fill = (row) => {
        const most = d3.maxIndex(shares(row));
        return colour(chart.colours[corners[most]] || "--chart-point");
      };
      return {
        width: side + 24,
        height: side * 0.866 + 56,
        legend: [],
        marginTop: 24,
        marginBottom: 32,
        marginLeft: 12,
        marginRight: 12,
        x: { domain: [0, 1], axis: null },
        y: { domain: [0, Math.sqrt(3) / 2], axis: null },
        r: { range: [0, side / 26] },
        marks: [
          ...grid.map((line) => Plot.line(line, { stroke: colour("--chart-grid") })),
          Plot.line([...edges, edges[0]], { stroke: colour("--line-strong") }),
          Plot.dot(chart.rows, {
            x: (row) => at(shares(row))[0],
            y: (row) => at(shares(row))[1],
            r: size,
            fill: fill,
            fillOpacity: 0.7,
            stroke: colour("--surface"),
            ...says(read.words),
            tip: true,
          }),
          Plot.text(edges.slice(0, 1), { text: () => read.name(corners[0]), dy: 18, textAnchor: "start", dx: -10, fill: colour("--ink") }),
          Plot.text(edges.slice(1, 2), { text: () => read.name(corners[1]), dy: 18, textAnchor: "end", dx: 10, fill: colour("--ink") }),
          Plot.text(edges.slice(2), { text: () => read.name(corners[2]), dy: -14, fill: colour("--ink") }),
        ],
      };
    },
  };

  return { KINDS, reader, colour };
})();
