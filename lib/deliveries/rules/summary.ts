import type { Envelope } from './envelope.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'
import { amountNames, transactionFields } from './transaction-fields.ts'

/**
 * `summaryOf` copies only the fields of an envelope that the fold reads, so that a subject stays in memory without its
 * bodies. `fields`, `hidden` and `text` are empty.
 */
export function summaryOf(envelope: Envelope): Envelope {
  return {
    type: copyOf(envelope.type),
    subType: copyOf(envelope.subType),
    uuid: copyOf(envelope.uuid),
    data: envelope.data && pickFields(envelope.data, fields),
    fields: nothing,
    hidden: [],
    text: '',
  }
}

const nothing: JsonObject = new Map()

/** A field tree has names of fields, with the names inside an object below them. */
export interface FieldTree extends ReadonlyMap<string, FieldTree | null> {}

/** @param paths such as `senderDetails.senderName` */
export function fieldTree(paths: readonly string[]): FieldTree {
  const split = paths.map((path) => path.split('.'))
  return new Map(
    [...Map.groupBy(split, ([name = '']) => name)].map(([name, some]) => {
      const inner = some.flatMap(([, ...rest]) => (rest.length > 0 ? [rest.join('.')] : []))
      return [name, inner.length > 0 ? fieldTree(inner) : null] as const
    }),
  )
}

const accountOf = (party: string) =>
  ['currency', 'iban', 'accountNumber', 'bankCode', 'bankName'].map(
    (name) => `${party}.accountDetails.${name}`,
  )

/** The fold reads these fields of `data`. */
export const foldedPaths: readonly string[] = [
  'status',
  'direction',
  'currency',
  ...Object.keys(transactionFields),
  'sendingAddress',
  'sendingWalletAddress',
  'senderDetails.senderName',
  'senderDetails.senderCountry',
  ...accountOf('senderDetails'),
  'beneficiaryDetails.receiverName',
  ...accountOf('beneficiaryDetails'),
]

const fields = fieldTree(foldedPaths)

/**
 * `pickFields` copies the texts and numbers of these fields. Other kinds of value are left out, but an amount of another
 * kind becomes `true`, so that it still counts as unreadable.
 */
export function pickFields(object: JsonObject, wanted: FieldTree): JsonObject {
  const picked = new Map<string, Json>()
  for (const [name, inner] of wanted) {
    const value = object.get(name)
    const kept = inner
      ? isJsonObject(value) && pickFields(value, inner)
      : (scalarOf(value) ?? (value != null && amountNames.includes(name)))
    if (kept) picked.set(name, kept)
  }
  return picked
}

/** A text keeps one character more than `textField` does, so that `textField` still shows that it was cut. */
function scalarOf(value: Json | undefined): Json {
  if (typeof value === 'string') return copyOf(value.slice(0, longest + 1))
  return value instanceof JsonNumber ? new JsonNumber(copyOf(value.digits)) : null
}

const longest = 500

/** The text is copied, because a slice would keep the whole body in memory. */
function copyOf<T extends string | null>(text: T): T
function copyOf(text: string | null): string | null {
  return text === null ? null : ` ${text}`.slice(1)
}
