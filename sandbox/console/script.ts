/** The console's one script: the place that one read at, copy buttons, times in the reader's zone, a running clock, and pages that refresh themselves. */
export const script = `
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
