import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { z } from 'zod'
import type { Markup } from './pieces.ts'

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
