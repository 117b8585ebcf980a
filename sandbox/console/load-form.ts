import { html } from 'hono/html'
import type { LoadProgress } from '../load/load.ts'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { type FormState, field } from './forms.ts'
import type { Markup } from './markup.ts'
import { type BadgeLook, badge } from './pieces.ts'

/** Many events at a given pace: how it goes, and a form that starts it. */
export function loadForm({ load }: SandboxWithLoad, state: FormState = {}): Markup {
  const progress = load.progress()
  const running = progress?.state === 'running'
  return html`<section id="load" data-refresh><h2>Send many</h2>
<div class="card">
${progress ? progressRow(progress) : ''}
<form method="post" action="/events/load" class="fields pad" novalidate>
${field(state, 'per_second', 'Events per second', { value: '20', attributes: 'inputmode="numeric"' })}
${field(state, 'seconds', 'For so many seconds', { value: '30', attributes: 'inputmode="numeric"' })}
<button class="btn" ${running ? 'disabled' : ''}>Start</button></form></div>
<p class="muted">Transactions of all users are begun and go on beside each other, most of them to success, so that this many events leave in each real second.</p></section>`
}

/** What is wrong with a field that does not fit. */
export const loadHints: Record<string, string> = {
  per_second: 'A whole number from 1 to 10000',
  seconds: 'A whole number from 1 to 86400',
}

const looks = { running: 'move', finished: 'done', stopped: 'wait', failed: 'fail' } satisfies Record<
  LoadProgress['state'],
  BadgeLook
>

const progressRow = ({ state, sent, events, perSecond, seconds, deliveries }: LoadProgress) => html`<ul><li>
<div class="grow"><div class="name num">${sent.toLocaleString('en')} of ${events.toLocaleString('en')} events</div>
<progress max="${events}" value="${sent}" aria-label="Events sent"></progress>
<div class="muted num">${perSecond.toLocaleString('en')} a second asked for, ${Math.round(sent / Math.max(seconds, 1)).toLocaleString('en')} sent · ${deliveries.toLocaleString('en')} deliveries</div></div>
${badge(looks[state], state)}
${state === 'running' ? html`<form method="post" action="/events/load/stop"><button class="btn tiny">Stop</button></form>` : ''}</li></ul>`
