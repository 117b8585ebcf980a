import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { style } from './style.ts'

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
const place = sessionStorage.getItem('place')?.split(' ') ?? []
sessionStorage.removeItem('place')
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
  if (event.target.method === 'post') sessionStorage.setItem('place', location.pathname + ' ' + scrollY)
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
