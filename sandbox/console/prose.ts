import { html } from 'hono/html'
import type { Markup } from './markup.ts'

/** A sentence of the document: code between backticks, and what the sandbox had to decide made to be seen. */
export const prose = (text: string): Markup =>
  html`${text.split(/(`[^`]+`|\bASSUMED\b:?)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('ASSUMED') ? html`<span class="st held">assumed</span>` : part
  })}`
