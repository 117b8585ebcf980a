import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'

/**
 * The console has one stylesheet. It uses the dashboard's palette in light and dark, and lengths that grow with the reader's
 * text size.
 */
const style = `
/* Text uses this typeface until Inter has loaded. It is scaled to Inter's metrics, so that nothing moves afterwards. */
@font-face { font-family:"Inter too late"; src:local("Arial"),local("Liberation Sans"); size-adjust:107.06%; ascent-override:90.49%; descent-override:22.56%; line-gap-override:0% }
:root { color-scheme: light dark; --bg:#fafaf8; --surface:#fff; --line:#e8e6e1; --line-strong:#d6d3cc; --text:#1c1b19; --muted:#5c5a53;
  --ink:#1c1b19; --on-ink:#fff; --focus:#4f46e5; --hover:#f3f2ee; --code:#f6f5f1;
  --wait:#596070; --wait-bg:#f1f2f4; --move:#1d4ed8; --move-bg:#eaf0ff; --held:#9a4506; --held-bg:#fdf1e0;
  --done:#157347; --done-bg:#e7f5ec; --fail:#b3261e; --fail-bg:#fdecea; --back:#6d28d9; --back-bg:#f2ecfd;
  --sans:"Inter Variable","Inter too late",Inter,ui-sans-serif,system-ui,sans-serif; --mono:"JetBrains Mono Variable","JetBrains Mono",ui-monospace,Menlo,monospace }
@media (prefers-color-scheme: dark) { :root { --bg:#0e0f10; --surface:#151617; --line:#26282b; --line-strong:#37393d; --text:#ededeb; --muted:#a8a7a2;
  --ink:#ededeb; --on-ink:#151617; --focus:#8b8cf8; --hover:#1d1f21; --code:#101112;
  --wait:#a3a8b3; --wait-bg:#23262b; --move:#8fb0ff; --move-bg:#172340; --held:#f0b36a; --held-bg:#33230f;
  --done:#6fce98; --done-bg:#12291c; --fail:#f58f87; --fail-bg:#371614; --back:#c0a3fb; --back-bg:#271a40 } }
* { box-sizing:border-box }
body { margin:0; min-height:100dvh; display:flex; flex-direction:column; background:var(--bg); color:var(--text); font:.9375rem/1.5 var(--sans); -webkit-font-smoothing:antialiased; overflow-wrap:anywhere }
:focus-visible { outline:2px solid var(--focus); outline-offset:2px; border-radius:.25rem }
a { color:inherit; text-underline-offset:3px }
.skip { position:absolute; left:-999px } .skip:focus { left:1rem; top:.75rem; background:var(--surface); padding:.5rem .75rem }
header { display:flex; flex-wrap:wrap; align-items:center; gap:.25rem 1.25rem; border-bottom:1px solid var(--line); padding:.625rem 1.75rem; background:var(--surface) }
.brand { display:flex; align-items:center; gap:.625rem; font-weight:650; letter-spacing:-.01em; text-decoration:none; padding:.25rem 0 }
.brand svg { width:1.375rem; height:1.375rem } .tag { font-size:.75rem; font-weight:550; color:var(--muted); border:1px solid var(--line-strong); border-radius:.375rem; padding:1px .5rem }
header nav { display:flex; flex-wrap:wrap; gap:2px; margin-left:auto } header nav a { height:2rem; display:flex; align-items:center; padding:0 .6875rem; border-radius:.375rem; color:var(--muted); font-size:.875rem; font-weight:500; text-decoration:none } header nav a:hover { background:var(--hover) } header nav a[aria-current] { background:var(--hover); color:var(--text) }
main, footer { width:100%; max-width:67.5rem; margin:0 auto } main { flex:1; padding:1.75rem 1.75rem 4.5rem } h1 { font-size:1.375rem; line-height:1.3; font-weight:620; letter-spacing:-.017em; margin:0 } .sub { color:var(--muted); margin:.25rem 0 1.25rem; font-size:.875rem; max-width:70ch }
h2 { font-size:.9375rem; font-weight:620; margin:2rem 0 .625rem } .card { background:var(--surface); border:1px solid var(--line); border-radius:.75rem; margin-top:1rem; overflow:clip } .ids { display:flex; gap:.375rem 1.25rem; margin-top:.375rem } .ids > span { display:inline-flex; align-items:center; gap:.375rem } .pad { padding:1.125rem 1.25rem }
.card > ul, .list { list-style:none; margin:0; padding:0 } .card > ul > li { display:flex; align-items:center; gap:.375rem 1rem; padding:.8125rem 1.25rem } .card > ul > li + li { border-top:1px solid var(--line) } .grow { flex:1; min-width:0 } .next { min-height:2lh }
.name { font-weight:570; font-size:.875rem } .muted { color:var(--muted); font-size:.84375rem } .small { font-size:.78125rem }
.mono { font-family:var(--mono); font-size:.78125rem; letter-spacing:-.01em } .num { font-variant-numeric:tabular-nums }
.facts { display:grid; grid-template-columns:max-content 1fr; gap:.5rem 1.25rem; margin:0; font-size:.875rem } dt { color:var(--muted) } dd { margin:0; min-width:0 }
.btn { white-space:nowrap; height:2.125rem; padding:0 .8125rem; border-radius:.5rem; border:1px solid var(--line-strong); background:var(--surface); color:var(--text); font:550 .84375rem var(--sans); display:inline-flex; align-items:center; gap:.4375rem; cursor:pointer; text-decoration:none } .btn:hover { background:var(--hover) } .pri { background:var(--ink); border-color:var(--ink); color:var(--on-ink) } .pri:hover { background:var(--ink); opacity:.88 } .tiny { height:1.625rem; padding:0 .5625rem; font-size:.78125rem; border-radius:.4375rem }
.fields { display:flex; flex-wrap:wrap; gap:.875rem 1rem; align-items:flex-end } .fields > * { flex:1 1 12.5rem; min-width:0 } .fields > label { align-self:flex-start } .fields > .check { align-self:flex-end } .fields > .btn { flex:0 0 auto; height:2.375rem } label { display:block; font-size:.84375rem; font-weight:550 } label input, label select { margin-top:.375rem }
textarea { width:100%; margin-top:.375rem; border:1px solid var(--line-strong); border-radius:.5rem; background:var(--code); color:var(--text); padding:.625rem .75rem; font:.78125rem/1.6 var(--mono); resize:vertical } .below { margin-top:1rem }
input:not([type=checkbox]), select { width:100%; height:2.375rem; border:1px solid var(--line-strong); border-radius:.5rem; background:var(--surface); color:var(--text); padding:0 .6875rem; font:.875rem var(--sans) } [aria-invalid=true] { border-color:var(--fail) !important } .check { display:flex; align-items:center; gap:.5rem; height:2.375rem; font-weight:450 } .check input { margin:0; width:1rem; height:1rem }
.error { color:var(--fail); font-size:.8125rem; margin:.3125rem 0 0; font-weight:450 } .note { border-radius:.625rem; padding:.75rem 1rem; margin:0 0 1.25rem; font-size:.875rem; background:var(--done-bg); color:var(--done) } .note.bad { background:var(--fail-bg); color:var(--fail) } .note.warn { background:var(--held-bg); color:var(--held) } .note .mono { color:inherit }
.st { display:inline-flex; align-items:center; gap:.3125rem; font-size:.75rem; font-weight:570; border-radius:.375rem; padding:1px .4375rem; white-space:nowrap } .wait{color:var(--wait);background:var(--wait-bg)} .move{color:var(--move);background:var(--move-bg)} .held{color:var(--held);background:var(--held-bg)} .done{color:var(--done);background:var(--done-bg)} .fail{color:var(--fail);background:var(--fail-bg)} .back{color:var(--back);background:var(--back-bg)} .on{color:var(--held);background:var(--held-bg)}
.steps { display:flex; flex-wrap:wrap; gap:.25rem; margin-top:.375rem; align-items:center } .steps i { color:var(--muted); font-style:normal; font-size:.6875rem }
.code { font:600 1.75rem/1 var(--mono); letter-spacing:.08em; font-variant-numeric:tabular-nums } .chips { display:flex; flex-wrap:wrap; gap:.5rem; margin:1rem 0 .25rem } h2 { scroll-margin-top:1rem } .chip { min-height:1.875rem; max-width:100%; overflow-wrap:anywhere; border:1px solid var(--line-strong); border-radius:.4375rem; padding:.125rem .625rem; font-size:.8125rem; color:var(--muted); display:inline-flex; align-items:center; text-decoration:none } .chip:hover { background:var(--hover) } .chip[aria-current] { color:var(--text); background:var(--surface); font-weight:550 }
details > summary { display:flex; flex-wrap:wrap; align-items:center; gap:.25rem .875rem; padding:.6875rem 1.25rem; cursor:pointer; font-size:.875rem; list-style:none } details > summary::-webkit-details-marker { display:none } summary::before { content:"›"; color:var(--muted); width:.5rem; transition:transform .1s } details[open] > summary::before { transform:rotate(90deg) } summary .grow { flex:1 1 13.75rem } time { white-space:nowrap } td.num { white-space:nowrap } details > summary:hover { background:var(--hover) } details + details { border-top:1px solid var(--line) } details > div { padding:2px 1.25rem 1.125rem 2.625rem }
.scroll { overflow-x:auto } table { width:100%; border-collapse:collapse; font-size:.84375rem } th { text-align:left; font-size:.78125rem; font-weight:550; color:var(--muted); padding:.5rem 1rem .5rem 0; border-bottom:1px solid var(--line); white-space:nowrap } td.mono { min-width:13.75rem } td { padding:.5rem 1rem .5rem 0; border-bottom:1px solid var(--line); vertical-align:top } .card > .scroll { padding:.25rem 1.25rem 0 } .card > .scroll tr:last-child td { border-bottom:0 }
pre { margin:.75rem 0 0; background:var(--code); border:1px solid var(--line); border-radius:.5rem; padding:.75rem .875rem; font:.75rem/1.6 var(--mono); overflow:auto; max-height:21.25rem } .empty { padding:2.125rem 1.25rem; text-align:center; color:var(--muted) } footer { padding:0 1.75rem 2.5rem; color:var(--muted); font-size:.8125rem }
.row { display:flex; flex-wrap:wrap; align-items:center; gap:.5rem .625rem } .end { justify-content:flex-end; margin:1rem 0 0 } .spaced { margin-top:1.25rem } .flat { margin:0 } .ruled { border-top:1px solid var(--line) } .filter { margin:1.25rem 0 .75rem } .compact > label { flex:0 1 16.25rem } .tall { max-height:30rem; overflow-y:auto }
.btn:disabled { opacity:.45; cursor:not-allowed } .btn[aria-pressed=true] { background:var(--ink); border-color:var(--ink); color:var(--on-ink) } .btn[aria-busy=true] { opacity:.6; cursor:progress } .danger { background:var(--fail-bg); border-color:var(--fail); color:var(--fail) }
.heading { align-items:baseline } .moves { margin:.75rem 0 0; max-width:70ch } .moves b { font-weight:570; color:var(--text) }
.playing { position:sticky; bottom:1rem; margin-top:1.5rem } .playing .note { display:flex; flex-wrap:wrap; align-items:center; gap:.5rem 1rem; margin:0; background:var(--surface); color:var(--text); border:1px solid var(--line-strong); box-shadow:0 .375rem 1.5rem rgb(0 0 0 / .12) } .playing .note .num { color:var(--muted) }
.clock { font-size:1.625rem; font-weight:600; letter-spacing:-.01em; margin:0 0 2px } progress { width:100%; max-width:26.25rem; height:.5rem; accent-color:var(--move) }
.state > * { padding:.5rem 1.75rem; flex-wrap:nowrap; font-size:.84375rem; background:var(--held-bg); color:var(--held); border-bottom:1px solid var(--line) } .state span { flex:1; min-width:0 } .state .btn { flex:none; background:transparent; color:inherit; border-color:currentColor }
.switch { padding:.875rem 1.25rem } .switch + .switch { border-top:1px solid var(--line) } .switch .row { flex-wrap:nowrap } .switch details > summary { padding:.375rem 0 0; font-size:.8125rem; color:var(--muted) } .switch details > summary:hover { background:none; color:var(--text) } .switch details > .fields { padding:.625rem 0 .25rem } footer p { margin:0 0 .25rem }
html { scroll-padding-bottom:4rem } html:has(.playing .note) { scroll-padding-bottom:8.5rem }
@media (max-width:40rem) { .btn, .fields > .btn { flex-shrink:1; max-width:100%; min-height:2.125rem; height:auto; padding-block:.25rem; white-space:normal } .tiny { min-height:1.625rem } .st, time { white-space:normal } .state > * { padding:.5rem 1rem } .switch { padding:.875rem 1rem } .switch .row { flex-wrap:wrap } .switch .row > .grow { flex-basis:100% } header, main, footer { padding-left:1rem; padding-right:1rem } header nav { margin-left:-11px; width:100% } .card > ul > li { flex-wrap:wrap; padding:.8125rem 1rem } .card > ul > li > .grow { flex-basis:100% } .next { min-height:4lh } .ids { flex-wrap:wrap } .pad { padding:1rem } .facts { grid-template-columns:1fr; gap:0 } .facts dd { margin-bottom:.5rem } details > summary { padding:.6875rem 1rem } details > div { padding:2px 1rem 1rem } .card > .scroll { padding:.25rem 1rem 0 } }
@media (pointer:coarse) { .btn, .fields > .btn, .chip, header nav a, .brand, input:not([type=checkbox]), select, .check, summary { min-height:2.5rem } }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation-duration:.01ms !important; transition-property:none !important } }
`

/**
 * The console has one script. It keeps the reader's place, fills copy buttons, shows times in the reader's zone, runs the
 * clock, and refreshes pages.
 */
const script = `
const loadedAt = new WeakMap()
const localTimes = () => document.querySelectorAll('time').forEach((time) => {
  const at = new Date(time.dateTime)
  if (time.dataset.speed) return loadedAt.has(time) || loadedAt.set(time, performance.now())
  const today = at.toDateString() === new Date().toDateString()
  time.textContent = today ? at.toLocaleTimeString('en-GB', { hour12: false }) : at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium', hour12: false })
  time.title = time.dateTime
})
const runClock = () => document.querySelectorAll('time[data-speed]').forEach((time) => {
  const passed = (performance.now() - loadedAt.get(time)) * time.dataset.speed
  time.textContent = new Date(Date.parse(time.dateTime) + passed).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium', hour12: false })
})
localTimes()
runClock()
setInterval(runClock, 200)
const inStorage = (work) => { try { return work(sessionStorage) } catch { return null } }
const place = inStorage((storage) => storage.getItem('place'))?.split(' ') ?? []
inStorage((storage) => storage.removeItem('place'))
if (place[0] === location.pathname && !location.hash) scrollTo(0, Number(place[1]))
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(button.dataset.copy)
  const label = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => { button.textContent = label }, 1200)
})
document.addEventListener('submit', (event) => {
  const button = event.submitter
  if (event.target.method === 'post') inStorage((storage) => storage.setItem('place', location.pathname + ' ' + scrollY))
  if (button) setTimeout(() => { button.setAttribute('aria-busy', 'true') }, 300)
})
const parts = [...document.querySelectorAll('[data-refresh]')]
const shown = new Map()
const busy = (part) => part.contains(document.activeElement) || part.querySelector('details[open]') || [...part.querySelectorAll('input, textarea')].some((input) => input.value !== input.defaultValue)
setInterval(async () => {
  if (document.hidden || String(getSelection()) || parts.every(busy)) return
  const answer = await fetch(location.href).catch(() => undefined)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const part of parts) {
    const html = fresh.getElementById(part.id)?.innerHTML
    if (html === undefined || html === shown.get(part.id) || busy(part)) continue
    const scrolled = part.querySelector('.tall')?.scrollTop
    part.innerHTML = html
    if (scrolled) part.querySelector('.tall').scrollTop = scrolled
    shown.set(part.id, html)
  }
  localTimes()
  runClock()
}, 2000)
`

/** The API reference needs these rules beside the console's own style. */
const docsStyle = `
.docs { display:grid; grid-template-columns:13.75rem minmax(0, 1fr); gap:0 2.25rem; align-items:start }
.toc { position:sticky; top:0; max-height:100vh; overflow:auto; padding:.75rem 0 1.75rem; font-size:.84375rem } .toc h2 { font-size:.8125rem; margin:1rem 0 .25rem } .toc h2 a { text-decoration:none } .toc li a { display:block; padding:.1875rem 0 .1875rem .625rem; border-left:1px solid var(--line); color:var(--muted); text-decoration:none } .toc a:hover { color:var(--text) }
.operations > h2 { font-size:1.1875rem; letter-spacing:-.012em; margin:2.75rem 0 .125rem; scroll-margin-top:1rem } .operations > .sub { margin-bottom:0 }
.op { scroll-margin-top:1rem; overflow:visible } .op:target { border-color:var(--focus) } .op p { margin:.375rem 0; max-width:75ch; font-size:.875rem }
h3 { font-size:1rem; font-weight:600; letter-spacing:-.01em; margin:0 } h3 a { text-decoration:none } h3 a:hover { text-decoration:underline } h4 { font-size:.8125rem; font-weight:600; margin:1.125rem 0 .25rem } h4 .muted { font-weight:450 }
code { font-family:var(--mono); font-size:.88em; letter-spacing:-.01em } .verb { font:600 .75rem var(--mono); border:1px solid var(--line-strong); border-radius:.375rem; padding:.125rem .4375rem; margin-right:.25rem }
.fieldlist { margin:0; font-size:.84375rem } .fieldlist dt { color:var(--text); padding-top:.5rem } .fieldlist dd { color:var(--muted); max-width:75ch } .fieldlist dt code { font-weight:600 } .op .or { color:var(--muted); margin-top:1rem } .statuses { margin-top:1.25rem } .or b { color:var(--text); font-weight:600 }
.answer { border:1px solid var(--line); border-radius:.5rem; margin-top:.5rem; font-size:.875rem } p.answer { padding:.5625rem .875rem } details.answer > summary { padding:.5625rem .875rem; border-radius:.5rem } details.answer > div { padding:0 .875rem .875rem } details.answer + details.answer { border-top:1px solid var(--line) } .refused a { margin-right:.3125rem }
.example { position:relative } .example pre { margin-top:.25rem; max-height:none; white-space:pre-wrap } .example .btn { position:absolute; right:.5rem; top:.5rem }
@media (min-width:53.8125rem) { .example pre { padding-right:5.25rem } }
@media (max-width:53.75rem) { .docs { grid-template-columns:minmax(0, 1fr) } .toc { position:static; max-height:none; columns:2; column-gap:1.5rem; padding-bottom:0 } .toc ul { break-inside:avoid } .toc h2 { break-after:avoid } .toc h2:first-child { margin-top:0 } .example .btn { position:static; margin-top:.5rem } .toc li a { padding:.375rem 0 .375rem .625rem } }
@media (max-width:32.5rem) { .toc { columns:1 } }
`

/**
 * Each stylesheet, script and typeface has its own address. Inline code would break the page's policy whenever the script
 * reads that page again.
 */
export function assets() {
  const router = new Hono()
  for (const [path, { type, text }] of Object.entries(files)) {
    router.get(path, (context) => context.body(text, 200, { ...forGood, 'Content-Type': type }))
  }
  router.get('/fonts/:file', async (context) => {
    const file = fontFiles.get(context.req.param('file'))
    if (!file) return context.notFound()
    const bytes = new Uint8Array(await readFile(file))
    return context.body(bytes, 200, { ...forGood, 'Content-Type': 'font/woff2' })
  })
  return router
}

/** A file's address changes whenever its content changes. */
export const assetPath = (path: keyof typeof files): string =>
  `${path}?v=${createHash('sha256').update(files[path].text).digest('hex').slice(0, 12)}`

const forGood = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** The typefaces are those of the dashboard, from the same packages. */
const typefaces = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono']

/** The map has each file of a typeface by the name in its address. */
const fontFiles = new Map<string, URL>()

/** A typeface that loads late is used from the next page on, so that nothing moves under the reader. */
const fontFaces = typefaces.map((typeface) => {
  const sheet = new URL(import.meta.resolve(`${typeface}/wght.css`))
  const faces = readFileSync(sheet, 'utf8').replaceAll('font-display: swap', 'font-display: optional')
  return faces.replaceAll(/url\(\.\/files\/([\w.-]+)\)/g, (_whole, name: string) => {
    fontFiles.set(name, new URL(`files/${name}`, sheet))
    return `url(/fonts/${name})`
  })
})

const files = {
  '/console.css': { type: 'text/css; charset=utf-8', text: fontFaces.join('\n') + style },
  '/docs.css': { type: 'text/css; charset=utf-8', text: docsStyle },
  '/console.js': { type: 'text/javascript; charset=utf-8', text: script },
} as const
