import { normaliseIdentifier } from '#lib/domain/delivery/identifier.ts'
import { uuidPattern } from '#lib/domain/text/uuid.ts'

/** One way to look: ids that begin with `prefix` and end with `suffix`; `whole` means equal to `prefix`. */
export interface Probe {
  readonly prefix: string | null
  readonly suffix: string | null
  readonly exact: boolean
}

/** How a search was understood. Without any of the three there is nothing to look up, and `explanation` says why. */
export interface QueryReading {
  readonly probes: readonly Probe[]
  /** The text as an account number, whole; absent when it cannot be one. Looked up as it is, whoever asks. */
  readonly accountNumber?: string
  /** Of somebody whose subjects may be meant. */
  readonly email?: string
  /** For people: "Id beginning with 2046967a or ending with it". */
  readonly explanation: string
}

/** Whether there is anything to look up. */
export const isSearchable = ({ probes, accountNumber, email }: QueryReading): boolean =>
  probes.length > 0 || accountNumber !== undefined || email !== undefined

/** Whether a text is a whole id of ours or of a chain, and nothing else: addresses may hold these. */
export const namesPublicId = (text: string): boolean => {
  const { probes } = readQuery(text)
  return probes.some(({ exact, prefix }) => exact && prefix === normaliseIdentifier(text))
}

/** The fewest characters to look for. */
const shortestQuery = 4

/**
 * Understands whatever was pasted: an id, its beginning, its end, `head…tail` as we print it, a whole account number, or an
 * e-mail.
 */
export function readQuery(text: string): QueryReading {
  const whole = findWholeId(text.slice(0, longest)) ?? findEmail(text.slice(0, longest))
  if (whole) return whole
  const pasted = normaliseIdentifier(text.slice(0, longest)).replace(wrapping, '')
  const parts = pasted.split(ellipsis)
  if (parts.length > 1) return readHeadAndTail(parts[0] ?? '', parts.at(-1) ?? '')
  if (pasted === '') return nothing('Paste an id, a hash, a wallet, an IBAN or an e-mail')
  if (significantLength(pasted) < shortestQuery) return nothing(`Type at least ${shortestQuery} characters`)
  if (isIban(pasted)) return readIban(pasted)
  if (bareUuid.test(pasted)) {
    const probes = [...exactly(dashed(pasted), '').probes, ...beginning(pasted)]
    return { probes, accountNumber: pasted, explanation: `Id ${dashed(pasted)}` }
  }
  if (pasted.startsWith('0x')) {
    return { probes: beginning(pasted), explanation: `Hash or wallet beginning with ${pasted}` }
  }
  return readPart(pasted)
}

/** No id is longer; the rest of an accidental paste is not looked at. */
const longest = 500
const uuid = new RegExp(`(?<![0-9a-f])${uuidPattern}(?![0-9a-f])`, 'i')
const hash = /\b0x[0-9a-f]{64}\b/i
const wallet = /\b0x[0-9a-f]{40}\b/i
const email = /[^\s@<>()[\]{}"“”',;:]+@[^\s@<>()[\]{}"“”',;:]+\.[\p{L}\d-]{2,}/u
const bareUuid = /^[0-9a-f]{32}$/
const iban = /^[a-z]{2}\d{2}[a-z0-9]{11,30}$/
const hexOnly = /^[0-9a-f]+$/
/** What stands between head and tail: `…`, two or more dots, or the marks of a masked number. */
const ellipsis = /(?:…|\.{2,}|[•*]+)+/
const wrapping = /^["'`“”‘’<([{#]+|["'`“”‘’>)\]},;:!?]+$/g

/** A whole id anywhere in the text, so that a link or a line of a mail can be pasted as it is. */
function findWholeId(text: string): QueryReading | null {
  const id = uuid.exec(text)?.[0].toLowerCase()
  if (id) return exactly(id, `Id ${id}`)
  const transactionHash = hash.exec(text)?.[0].toLowerCase()
  if (transactionHash) return exactly(transactionHash, `Transaction hash ${transactionHash}`)
  const address = wallet.exec(text)?.[0].toLowerCase()
  if (address) return exactly(address, `Wallet ${address}`)
  return null
}

/** An e-mail anywhere in the text. */
function findEmail(text: string): QueryReading | null {
  const found = email.exec(text)?.[0]
  return found ? { probes: [], email: found, explanation: `E-mail ${found}` } : null
}

function readHeadAndTail(head: string, tail: string): QueryReading {
  if (Math.max(significantLength(head), tail.length) < shortestQuery) {
    return nothing(`Type at least ${shortestQuery} characters of its beginning or its end`)
  }
  if (head === '') return { probes: ending(tail), explanation: `Id ending with ${tail}` }
  if (tail === '') return { probes: beginning(head), explanation: `Id beginning with ${head}` }
  return {
    probes: [{ prefix: head, suffix: tail, exact: false }],
    explanation: `Id beginning with ${head} and ending with ${tail}`,
  }
}

/** Many an IBAN is hexadecimal too, and may then be part of another id. */
const readIban = (text: string): QueryReading => ({
  probes: hexOnly.test(text) ? readPart(text).probes : [],
  accountNumber: text,
  explanation: `IBAN ${text.toUpperCase()}`,
})

/** Whether a normalised text is one: its shape and its check digits; letters count from 10, the whole is 1 modulo 97 (ISO 13616). */
export function isIban(text: string): boolean {
  if (!iban.test(text)) return false
  const digits = [...text.slice(4), ...text.slice(0, 4)].map((character) => Number.parseInt(character, 36))
  return BigInt(digits.join('')) % 97n === 1n
}

const readPart = (part: string): QueryReading => ({
  probes: [...beginning(part), ...ending(part)],
  accountNumber: part,
  explanation: `Id beginning or ending with ${part}, or an account number`,
})

/** Also with the dashes of a uuid that was typed without, and with the `0x` that was left out. */
function beginning(part: string): Probe[] {
  const probes: Probe[] = [{ prefix: part, suffix: null, exact: false }]
  if (!hexOnly.test(part)) return probes
  probes.push({ prefix: `0x${part}`, suffix: null, exact: false })
  if (part.length > 8 && part.length <= 32) {
    probes.push({ prefix: dashed(part), suffix: null, exact: false })
  }
  return probes
}

function ending(part: string): Probe[] {
  const probes: Probe[] = [{ prefix: null, suffix: part, exact: false }]
  if (hexOnly.test(part) && part.length > 12 && part.length < 32) {
    const filled = dashed(part.padStart(32, '0'))
    const suffix = filled.slice(filled.length - part.length - dashesInLast(part.length))
    probes.push({ prefix: null, suffix, exact: false })
  }
  return probes
}

const exactly = (value: string, explanation: string): QueryReading => ({
  probes: [{ prefix: value, suffix: null, exact: true }],
  explanation,
})

const nothing = (explanation: string): QueryReading => ({ probes: [], explanation })

/** `0x` alone narrows nothing down. */
const significantLength = (part: string) => part.replace(/^0x/, '').length

/** Up to 32 hexadecimal digits with the dashes of a uuid. */
const dashed = (hex: string) =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .filter((group) => group !== '')
    .join('-')

/** How many dashes stand within the last `digits` digits of a uuid. */
const dashesInLast = (digits: number) => [12, 16, 20, 24].filter((place) => digits > place).length
