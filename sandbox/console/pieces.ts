import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { z } from 'zod'

/** The badge shows a status by colour, shape and word. */
export const badge = (variant: BadgeVariant, label: string): Markup =>
  html`<span class="st ${variant}"><span aria-hidden="true">${shapes[variant]}</span>${label}</span>`

export type BadgeVariant = keyof typeof shapes

const shapes = { wait: '○', move: '→', held: '‖', done: '✓', fail: '✕', back: '↩', on: '●' }

/** The function chooses the badge for a status of §3. */
export const badgeVariantOf = (status: string): BadgeVariant =>
  badgeVariants.get(status) ?? (status.startsWith('ON_HOLD') ? 'held' : 'move')

const badgeVariants = new Map<string, BadgeVariant>([
  ['PENDING', 'wait'],
  ['WAITING_CREATION', 'wait'],
  ['CREATED', 'wait'],
  ['KYC_NEEDED', 'held'],
  ['PENDING_KYC_DATA', 'held'],
  ['KYC_PENDING', 'move'],
  ['KYB_PENDING', 'move'],
  ['IN_REVIEW', 'held'],
  ['WALLET_CREATED', 'done'],
  ['SUCCESS', 'done'],
  ['ACTIVE', 'done'],
  ['FULL_USER', 'done'],
  ['FAILED', 'fail'],
  ['FAILED_CREATION', 'fail'],
  ['SOFT_KYC_FAILED', 'fail'],
  ['HARD_KYC_FAILED', 'fail'],
  ['KYB_FAILED', 'fail'],
  ['KYB_PASSED', 'done'],
  ['PASSED', 'done'],
  ['SUSPENDED', 'fail'],
  ['SENDER_NAME_MISMATCH', 'held'],
  ['DUPLICATE_USER', 'held'],
  ['DISABLED', 'back'],
  ['EMAIL_DELIVERY_FAILED', 'fail'],
  ['LIMIT_BREACHED', 'fail'],
  ['REFUNDED', 'back'],
  ['CHECK_COMPLETED', 'move'],
])

export const copyButton = (text: string, what: string): Markup =>
  html`<button type="button" class="btn tiny" data-copy="${text}" aria-label="Copy ${what}">Copy</button>`

/** The id is shortened in its middle. Hovering shows the whole id, and copying takes it. */
export const shortIdMarkup = (id: string, what: string): Markup =>
  html`<span class="mono" title="${id}">${shortText(id)}</span> ${copyButton(id, what)}`

export const shortText = (id: string) => `${id.slice(0, 8)}…${id.slice(-5)}`

/** The element shows UTC as delivered, and the reader's zone once the script has run. */
export const timeElement = (at: Date | string): Markup => {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" class="num">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}

/** The text names the two largest units that matter: 3 s, 1 min 6 s, 4 h 20 min, 2 d 3 h. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  if (whole < 86_400) return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3_600)} h`
}

export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** The markup sets text between backticks as code, and highlights what the sandbox assumes. */
export const prose = (text: string): Markup =>
  html`${text.split(/(`[^`]+`|\bASSUMED\b:?)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('ASSUMED') ? html`<span class="st held">assumed</span>` : part
  })}`

/** The state holds the typed values and the errors of a form, by field. */
export interface FormState {
  readonly typed?: Record<string, string>
  readonly errors?: Record<string, string>
}

/** The result holds the filled fields as text. */
export async function readForm(context: Context): Promise<Record<string, string>> {
  const body = await context.req.parseBody()
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() ? [[name, value.trim()]] : [],
    ),
  )
}

/** The errors name one problem for each field, in the words of `hints` where there are any. */
export const errorsOf = (error: z.ZodError, hints: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    error.issues.map(({ path, message }) => {
      const name = String(path[0])
      return [name, hints[name] ?? message]
    }),
  )

/** The field shows an input with its label, its typed value and its error. */
export function field(
  { typed, errors }: FormState,
  name: string,
  label: string,
  options: FieldOptions = {},
): Markup {
  const { attributes = '', id = name } = options
  const error = errors?.[name]
  return html`<label>${label}<input name="${name}" value="${typed?.[name] ?? options.value ?? ''}" autocomplete="off" ${raw(attributes)} ${describedBy(id, error)}>${
    error ? errorText(id, error) : ''
  }</label>`
}

/** `attributes` is trusted markup. `id` distinguishes fields of the same name. */
interface FieldOptions {
  readonly value?: string
  readonly attributes?: string
  readonly id?: string
}

export const describedBy = (id: string, error: string | undefined) =>
  error ? raw(`aria-invalid="true" aria-describedby="${id}-error"`) : ''

export const errorText = (id: string, error: string) =>
  html`<span class="error" id="${id}-error" role="alert">${error}</span>`

export const option = (value: string, label: string, selected: boolean) =>
  html`<option value="${value}" ${selected ? raw('selected') : ''}>${label}</option>`
