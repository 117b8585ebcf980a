import { html } from 'hono/html'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { faultTitles } from './fault-labels.ts'
import type { Markup } from './markup.ts'
import { durationText, timeElement } from './pieces.ts'

/** What every page says of the sandbox as long as it is not as it began: its clock, its faults, a load. */
export function stateNotices({ clock, time, faults, load }: SandboxWithLoad): Markup {
  const target = time.target()
  const pace = describeClock(clock)
  const kinds = new Set(faults.list().map((fault) => faultTitles[fault.kind]))
  const running = load.progress()
  return html`${
    target
      ? note('The clock is going ahead', html`to ${timeElement(target)}.`, '/clock')
      : pace && note('Clock:', `${pace}; the dashboard’s stays real.`, '/clock')
  }
${kinds.size > 0 ? note('Faults are on:', `${[...kinds].join(', ')}.`, '/faults', switchOff) : ''}
${running?.state === 'running' ? note('A load is running:', `${running.sent} of ${running.events} events.`, '/events#load') : ''}`
}

const note = (title: string, what: Markup | string, href: string, button: Markup | string = '') =>
  html`<div class="row"><span><b>${title}</b> ${what} <a href="${href}" aria-label="${title} see more">See</a></span>${button}</div>`

const switchOff = html`<form method="post" action="/faults/off"><button class="btn tiny">Switch all off</button></form>`

/** How the clock differs from real time, or nothing when it does not. */
export function describeClock({ now, speed, frozen }: SandboxWithLoad['clock']): string {
  const ahead = (now().getTime() - Date.now()) / 1000
  const words = [
    frozen ? `frozen at ${now().toISOString()}` : '',
    Math.abs(ahead) < sameSeconds
      ? ''
      : `${durationText(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} real time`,
    speed === 1 ? '' : `${speed.toLocaleString('en')} times as fast`,
  ]
  return words.filter(Boolean).join(', ')
}

/** Seconds of difference that are no difference. */
const sameSeconds = 2
