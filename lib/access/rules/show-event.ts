import {
  canonicalJson,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
} from '#lib/deliveries/rules/json.ts'
import { type EventRules, eventRules } from './event-fields.ts'
import type { Role } from './roles.ts'
import { showRecord } from './show-record.ts'
import { showValue } from './show-value.ts'
import { type Information, type Visibility, visibilityOf } from './visibility.ts'

interface ShownEvent {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/** What of an event may leave the server for a role. `restricted`: there is more, for other roles. */
export function showEvent<T extends ShownEvent>(
  role: Role,
  { subType, status, ...event }: T,
): T & { readonly restricted: boolean } {
  const { exists, says } = eventRules(event.type)
  const visible = visibilityOf(role, exists) !== 'hidden'
  const shown = showRecord(role, 'event', event)
  return {
    ...shown,
    type: visible ? event.type : null,
    subType: showValue(role, says, subType),
    status: showValue(role, says, status),
    restricted: !['plain', 'known'].includes(visibilityOf(role, says)),
  } as T & { readonly restricted: boolean }
}

/** How a role gets the body of an event of this type as it came. */
export const bodyVisibility = (role: Role, type: string | null): Visibility =>
  visibilityOf(role, eventRules(type).body)

/**
 * A body as JSON with every field as the role may have it: masked in place; what is hidden is left out, and what the table
 * does not name shows as dots to those who may ask for the whole. Null where the role gets nothing of it, or it is no object.
 */
export function showBody(role: Role, text: string): string | null {
  const json = parseJson(text)
  if (json.kind === 'malformed' || !isJsonObject(json.value)) return null
  const type = json.value.get('type')
  const rules = eventRules(typeof type === 'string' ? type : null)
  if (visibilityOf(role, rules.says) === 'hidden') return null
  return write(role, envelopeRules(rules), json.value, '')
}

const envelopeRules = ({ exists, says, data }: EventRules): ReadonlyMap<string, Information> =>
  new Map<string, Information>([
    ['type', exists],
    ['subType', says],
    ['uuid', 'staff'],
    ...Object.entries(data).map(([path, sort]): [string, Information] => [`data.${path}`, sort]),
  ])

/** Goes no deeper than the table does. */
function write(
  role: Role,
  rules: ReadonlyMap<string, Information>,
  object: JsonObject,
  prefix: string,
): string {
  const fields: string[] = []
  for (const [key, value] of object) {
    const path = prefix + key
    const inside = isJsonObject(value) && [...rules.keys()].some((known) => known.startsWith(`${path}.`))
    const shown = inside
      ? write(role, rules, value, `${path}.`)
      : writeValue(role, rules.get(path) ?? 'unknown', value)
    if (shown !== null) fields.push(`${JSON.stringify(key)}:${shown}`)
  }
  return `{${fields.join(',')}}`
}

/** A value that is no text or number where one is expected says something that the table does not know. */
function writeValue(role: Role, sort: Information, value: Json): string | null {
  const known = typeof value !== 'object' || value === null || value instanceof JsonNumber ? sort : 'unknown'
  return visibilityOf(role, known) === 'hidden' ? null : canonicalJson(showValue(role, known, value))
}
