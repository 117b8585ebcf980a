/** The console's one script: copy buttons, times in the reader's zone, and pages that refresh themselves. */
export const script = `
const localTimes = () => document.querySelectorAll('time').forEach((time) => {
  const at = new Date(time.dateTime)
  const today = at.toDateString() === new Date().toDateString()
  time.textContent = today ? at.toLocaleTimeString([], { hour12: false }) : at.toLocaleString([], { hour12: false })
  time.title = time.dateTime
})
localTimes()
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(button.dataset.copy)
  const label = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => { button.textContent = label }, 1200)
})
const main = document.querySelector('main[data-refresh]')
if (main) setInterval(async () => {
  const reading = main.querySelector('details[open]') || main.contains(document.activeElement) || String(getSelection())
  if (reading || document.hidden) return
  const answer = await fetch(location.href).catch(() => undefined)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main')
  if (fresh && fresh.innerHTML !== shown) { shown = main.innerHTML = fresh.innerHTML; shown = fresh.innerHTML; localTimes() }
}, 2000)
let shown = ''
`
