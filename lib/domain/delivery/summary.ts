import type { Envelope } from './envelope.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'
import { transactionFields } from './transaction-fields.ts'

/**
 * A copy of the envelope with only the fields that the fold reads, so that a subject can be kept in memory
 * without its bodies. `whole` and `text` are empty.
 */
export function summaryOf(envelope: Envelope): Envelope {
  return {
    type: copyOf(envelope.type),
    subType: copyOf(envelope.subType),
    uuid: copyOf(envelope.uuid),
    data: envelope.data && pick(envelope.data, fields),
    fields: nothing,
    text: '',
  }
}

const nothing: JsonObject = new Map()

interface Fields extends ReadonlyMap<string, Fields | null> {}

const fieldsOf = (names: readonly string[], more: Readonly<Record<string, Fields>> = {}): Fields =>
  new Map<string, Fields | null>([...names.map((name) => [name, null] as const), ...Object.entries(more)])

const accountFields = fieldsOf(['currency', 'iban', 'accountNumber', 'bankCode', 'bankName'])

const fields = fieldsOf(
  [
    'status',
    'direction',
    'currency',
    ...Object.keys(transactionFields),
    'sendingAddress',
    'sendingWalletAddress',
  ],
  {
    senderDetails: fieldsOf(['senderName', 'senderCountry'], { accountDetails: accountFields }),
    beneficiaryDetails: fieldsOf(['receiverName'], { accountDetails: accountFields }),
  },
)

function pick(object: JsonObject, wanted: Fields): JsonObject {
  const picked = new Map<string, Json>()
  for (const [name, inner] of wanted) {
    const value = object.get(name)
    const kept = inner ? isJsonObject(value) && pick(value, inner) : scalarOf(value)
    if (kept) picked.set(name, kept)
  }
  return picked
}

/** Texts are cut where `textField` cuts them anyway: one character more shows it that there was more. */
function scalarOf(value: Json | undefined): Json {
  if (typeof value === 'string') return copyOf(value.slice(0, longest + 1))
  return value instanceof JsonNumber ? new JsonNumber(copyOf(value.digits)) : null
}

const longest = 500

/** Copies the text: a slice would keep the whole body in memory. */
function copyOf<T extends string | null>(text: T): T
function copyOf(text: string | null): string | null {
  return text === null ? null : ` ${text}`.slice(1)
}
