import { html } from 'hono/html'
import { type InlineSchema, resolve, type Schema, type Schemas, titleOf, typesOf } from '../http/document.ts'
import { type Markup, prose } from './pieces.ts'

/** The list shows a body's alternatives one after the other, and nested fields under their path. */
export function fieldList(schema: Schema, schemas: Schemas): Markup {
  const { anyOf, oneOf } = resolve(schema, schemas)
  const alternatives = anyOf ?? oneOf
  if (alternatives)
    return html`${alternatives.map(
      (alternative, index) =>
        html`<p class="or">${index === 0 ? 'Either' : 'or'}${alternativeName(alternative, schemas)}</p>${alternativeLabel(alternative, schemas)}${fieldList(alternative, schemas)}`,
    )}`
  const fields = fieldsOf(schema, schemas)
  if (fields.length === 0) return html`<p class="muted">${typeLabel(schema, schemas)}</p>`
  return html`<dl class="fieldlist">${fields.map(
    ({ path, field, required }) =>
      html`<dt><code>${path}</code> <span class="muted">${typeLabel(field, schemas)}</span>${required ? '' : html` <span class="muted">· optional</span>`}</dt><dd>${prose(resolve(field, schemas).description ?? '')}</dd>`,
  )}</dl>`
}

const alternativeName = (alternative: Schema, schemas: Schemas) => {
  const title = titleOf(alternative, schemas)
  return title ? html` <b>${title}</b>` : ''
}

const alternativeLabel = (alternative: Schema, schemas: Schemas) => {
  const { description } = resolve(alternative, schemas)
  return description ? html`<p>${prose(description)}</p>` : ''
}

/** The label says which values a field takes: `string, uuid`, `list of EventType`, `integer, 1 to 7, or null`. */
export function typeLabel(schema: Schema, schemas: Schemas): Markup {
  const resolved = resolve(schema, schemas)
  const name = schema.$ref?.split('/').at(-1)
  if (name && resolved.enum) return html`<a href="#${name}">${name}</a>`
  const alternatives = resolved.anyOf ?? resolved.oneOf
  if (alternatives)
    return html`${alternatives.map((alternative, index) => html`${index > 0 ? ' or ' : ''}${typeLabel(alternative, schemas)}`)}`
  if (resolved.items) return html`list of ${typeLabel(resolved.items, schemas)}`
  if (resolved.enum?.length === 1) return html`<code>${resolved.enum[0]}</code>`
  if (resolved.enum) return html`one of ${resolved.enum.join(', ')}`
  const types = typesOf(resolved)
  const plain = types.filter((type) => type !== 'null').join(' or ') || 'anything'
  const words = [plain, resolved.format, range(resolved), defaultLabel(resolved.default)]
    .filter(Boolean)
    .join(', ')
  return html`${words}${types.includes('null') ? ', or null' : ''}`
}

interface Field {
  readonly path: string
  readonly field: Schema
  readonly required: boolean
}

function fieldsOf(schema: Schema, schemas: Schemas, prefix = ''): Field[] {
  const resolved = resolve(schema, schemas)
  if (resolved.items) return fieldsOf(resolved.items, schemas, `${prefix}[]`)
  return Object.entries(resolved.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name
    const required = resolved.required?.includes(name) ?? false
    return [{ path, field, required }, ...fieldsOf(field, schemas, path)]
  })
}

function range({ minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems }: InlineSchema) {
  if (maxLength !== undefined)
    return `${minLength ? `${minLength} to` : 'at most'} ${maxLength.toLocaleString('en')} characters`
  if (minItems) return `at least ${minItems}`
  if (exclusiveMinimum !== undefined && maximum !== undefined)
    return `more than ${exclusiveMinimum}, at most ${maximum.toLocaleString('en')}`
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum.toLocaleString('en')}`
  return ''
}

const defaultLabel = (value: unknown) =>
  value === undefined || typeof value === 'object' ? '' : `otherwise ${value}`
