import { type RecordName, recordFields } from './record-fields.ts'
import type { Role } from './roles.ts'
import { showValue } from './show-value.ts'
import { type Information, visibilityOf } from './visibility.ts'

/**
 * What of a record may leave the server for a role. What is masked is masked in place; what is hidden, or has no row in the
 * table, is null, an empty list or false: the types of our views allow for it where a role that gets the view does not see
 * the field.
 */
export function showRecord<T extends object>(role: Role, name: RecordName, record: T): T {
  return showFields(role, rulesOf(name), record, '') as T
}

/** The fields of a record that a role may have shown whole, one by one. */
export function revealableFields(role: Role, name: RecordName, record: object): readonly string[] {
  return [...rulesOf(name)]
    .filter(([path, sort]) => visibilityOf(role, sort) === 'reveal' && fieldOf(record, path) !== null)
    .map(([path]) => path)
}

/** The value at a path such as `parties.sender.iban`; null when there is none. */
export function fieldOf(record: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? (value[key] ?? null) : null), record)
}

function showFields(role: Role, rules: Rules, record: object, prefix: string): object {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const path = prefix + key
      const sort = rules.get(path)
      if (sort) return [key, Array.isArray(value) ? showList(role, sort, value) : showOne(role, sort, value)]
      return [key, isObject(value) ? showFields(role, rules, value, `${path}.`) : hiddenLike(value)]
    }),
  )
}

const showOne = (role: Role, sort: Information, value: unknown) =>
  showValue(role, sort, value ?? null) ?? hiddenLike(value)

const showList = (role: Role, sort: Information, values: readonly unknown[]) =>
  visibilityOf(role, sort) === 'plain' ? values : []

function hiddenLike(value: unknown): false | null | readonly never[] {
  if (Array.isArray(value)) return []
  return typeof value === 'boolean' ? false : null
}

type Rules = ReadonlyMap<string, Information>

const rules: ReadonlyMap<RecordName, Rules> = new Map(
  Object.entries(recordFields).map(([name, fields]) => [name as RecordName, new Map(Object.entries(fields))]),
)

const rulesOf = (name: RecordName): Rules => rules.get(name) ?? new Map()

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
