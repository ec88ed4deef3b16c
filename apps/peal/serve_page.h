/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of `peal serve`. It requests the data beside it, and inserts names as text alone.
 */
#ifndef PEAL_COMMAND_SERVE_PAGE_H
#define PEAL_COMMAND_SERVE_PAGE_H

static const char serve_page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>peal</title>\n"
    "<style>body{font:14px sans-serif;margin:1.5em;color:#222}table{border-collapse:collapse;margin:.5em 0 1.5em}\n"
    "th,td{text-align:right;padding:.2em .8em;border-bottom:1px solid #ddd}th:last-child,td:last-child{text-align:left}\n"
    "td{font-variant-numeric:tabular-nums}code{color:#555}.off{color:#b00}li{margin:.15em 0}</style>\n"
    "<h1 id=\"title\">peal</h1><p id=\"state\"></p>\n"
    "<h2>Calls</h2><table><thead><tr><th>calls/s<th>median<th>99th<th>longest<th>method, observer</thead>\n"
    "<tbody id=\"calls\"></tbody></table>\n"
    "<h2>Queues</h2><table><thead><tr><th>waiting<th>delivered<th>dropped<th>queue</thead>\n"
    "<tbody id=\"queues\"></tbody></table>\n"
    "<h2>Protocols</h2><ul id=\"protocols\"></ul>\n"
    "<script>\n"
    "const at = id => document.getElementById(id);\n"
    "const add = (parent, name, text) => { const e = document.createElement(name); e.textContent = text;\n"
    "  parent.appendChild(e); return e; };\n"
    "const row = (body, cells) => { const r = add(body, 'tr', ''); cells.forEach(c => add(r, 'td', c)); };\n"
    "const time = n => n < 1e3 ? n + ' ns' : n < 1e6 ? (n / 1e3).toFixed(1) + ' us' : (n / 1e6).toFixed(1) + ' ms';\n"
    "const get = async path => { const r = await fetch(path); if (!r.ok) throw Error(await r.text()); return r.json(); };\n"
    "function showTop(lines) {\n"
    "  const calls = at('calls'), queues = at('queues'); let seconds = 1; calls.replaceChildren(); queues.replaceChildren();\n"
    "  for (const l of lines) {\n"
    "    if (l.kind === 'period') { seconds = l.nanoseconds / 1e9 || Infinity; at('state').className = '';\n"
    "      at('state').textContent = Math.round((l.calls + l.lost) / seconds) + ' calls a second'\n"
    "        + (l.lost ? ', of which ' + Math.round(l.lost / seconds) + ' are not in the lines below' : ''); }\n"
    "    if (l.kind === 'calls') row(calls, [Math.round(l.calls / seconds), time(l.median_ns), time(l.p99_ns),\n"
    "      time(l.longest_ns), l.method + ', ' + l.name]);\n"
    "    if (l.kind === 'queue') row(queues, [l.waiting, l.delivered, l.dropped, l.name]);\n"
    "  }\n"
    "}\n"
    "function showTree(lines) {\n"
    "  const list = at('protocols'), names = {}; list.replaceChildren();\n"
    "  for (const l of lines) if (l.kind === 'observer') names[l.id] = l.name;\n"
    "  let methods = null;\n"
    "  for (const l of lines) {\n"
    "    if (l.kind === 'process') at('title').textContent = l.program + ' (' + l.pid + ')';\n"
    "    if (l.kind === 'protocol') { methods = l.built_in ? null : add(add(list, 'li', l.name), 'ul', ''); }\n"
    "    if (l.kind === 'method' && methods && !l.origin) {\n"
    "      const m = add(methods, 'li', ''); add(m, 'code', l.declaration);\n"
    "      if (l.observers.length) add(m, 'span', ' \\u2192 ' + l.observers.slice(0, 20).map(o => names[o] || '?').join(', ')\n"
    "        + (l.observers.length > 20 ? ' and ' + (l.observers.length - 20) + ' more' : ''));\n"
    "    }\n"
    "  }\n"
    "}\n"
    "async function run() {\n"
    "  try { showTop(await get('top')); if (run.count++ % 5 === 0) showTree(await get('tree')); }\n"
    "  catch (e) { at('state').className = 'off'; at('state').textContent = e.message || 'the command has ended'; }\n"
    "  setTimeout(run, 1000);\n"
    "}\n"
    "run.count = 0; run();\n"
    "</script></html>\n";

#endif
