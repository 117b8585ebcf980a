import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { findEmailAddress } from '#lib/platform/rules/mail-address.ts'
import { type CleanText, cleanText, withoutListMarks } from '#lib/platform/rules/pasted-text.ts'
import {
  findShortIds,
  findWholeIds,
  isBare,
  joinBrokenAddress,
  joinIdLines,
} from '#lib/platform/rules/whole-ids.ts'
import { findIban, ibanLengths, ibanShape, isIban } from './iban.ts'
import { beginning, dashed, ending, exactly, hexOnly, type Probe } from './probes.ts'
import { readAmount, type TypedAmount } from './read-amount.ts'
import type { TypedDay } from './read-day.ts'

/** `QueryReading` says how a search was understood. When there is nothing to search, `explanation` says why. */
export interface QueryReading {
  readonly probes: readonly Probe[]
  /** The text may be a whole account number; it is searched unchanged for every role. */
  readonly accountNumber?: string
  /** The text can only be the merchant's own number of a customer: it is too short for an id. */
  readonly customerNumber?: string
  /** The e-mail address of a person may be meant. */
  readonly email?: string
  /** People may be named by the beginning of a name, of an e-mail address or of the merchant's own number. */
  readonly name?: string
  readonly amount?: TypedAmount
  /** People read a text such as "ID beginning with 2046967a or ending with it". */
  readonly explanation: string
}

export const isSearchable = ({ probes, explanation, ...others }: QueryReading): boolean =>
  probes.length > 0 || Object.values(others).some((one) => one !== undefined)

/** The text is a whole id of ours or of a chain and nothing else, so an address of a page may contain it. */
export const namesPublicId = (text: CleanText): boolean => {
  const [found] = findWholeIds(text)
  return found !== undefined && !isBare(found) && found.id === normaliseIdentifier(text)
}

/** An id or a name needs at least this many characters. */
const shortestQuery = 4
const shortestName = 3
/** A text that may also be an amount needs more characters: the end of some id matches a short one by chance. */
const shortestOfAmount = 8

/**
 * The pasted text may be an id, its beginning, its end, `head…tail` as we print it, a whole account number, an
 * e-mail address, a name, or an amount with a day. Anything else finds nothing.
 */
export function readQuery(given: CleanText): QueryReading {
  const text = alone(given)
  const bare = text.replace(label, '')
  return (
    findWholeId(text) ??
    findShortId(text, bare) ??
    findIbanAmongOthers(text) ??
    findEmail(text) ??
    readChainName(bare) ??
    readLongWords(bare) ??
    readMoney(text) ??
    readBritish(text) ??
    readLabelled(text, bare)
  )
}

const alone = (given: CleanText) => cleanText(withoutListMarks(joinIdLines(given.slice(0, longest)), isMoney))
/** The number in "20. Nov 5 EUR" is that of a day. */
const isMoney = (text: string) => /amount|day/.test(readAmount(text)?.kind ?? '')

/** These words of the languages of customers come before an id. */
const words = [
  'iban|a/c|acct\\.?(?: no)?|tx(?: ?(?:id|hash))?|hash|wallet(?: address)?|address|id|uuid|person|company|event|payment',
  '(?:account|customer|user|transaction)(?: (?:number|no|nr|id|hash))?|ref(?:erence)?|no|nr|n[o°]',
  'konto(?:nummer)?|kunden?(?:nummer|-?nr|-?id)?|referenz(?:nummer)?|transaktion(?:s-?id)?|vorgang|zahlung|überweisung',
  'referencia|operaci[oó]n|transacci[oó]n|pago|transferencia|cliente|cuenta|n[uú]mero(?: de (?:cliente|cuenta))?',
  'r[eé]f[eé]rence|op[eé]ration|paiement|virement|client|compte|num[eé]ro(?: de (?:client|compte))?',
  'refer[eê]ncia|opera[cç][aã]o|transa[cç][aã]o|pagamento|transfer[eê]ncia|conta|n[uú]mero d[ea] (?:cliente|conta)',
].join('|')
const field =
  '[a-z_]{2,30}(?:uuid|_id|hash|number|address)|[a-z]{0,20}(?:account|customer|entity|transaction|user)id'

/** A label, or the name of a field, may come before an id that was copied; a digit must follow. Two dots shorten the id. */
const label = new RegExp(
  `^["']?(?:(?:${words})(?: n[o°])?(?:["']? ?(?:(?!\\.{2})[:#.=]){1,3} ?["'#]?|\\s+|(?=\\.{2}))|(?:${field})["']? ?[:=] ?["']?)(?=\\S*\\d)`,
  'iu',
)

/** These signs and words leave no doubt that a number follows. */
const sureLabel = /[:#=]|n[uú]m|iban|a\/c|acct|tx|hash|wallet|address|u?id\b|r[eé]f/i
/** A name may have a word behind its number, or a short number at its end. */
const numberAlone = /^(?:\S*(?:\.{2}|[…•*])|0x|\S{9,}$|(?!\d{4}$)[\da-f-]{4,}$|\d+[ -][\d -]+$)/i

/** "Company 42 Ltd" and "Person 7" may be names as well. */
function readLabelled(text: string, bare: string): QueryReading {
  const before = text.slice(0, text.length - bare.length)
  const name = before === '' || sureLabel.test(before) || numberAlone.test(bare) ? null : nameIn(text)
  if (name === null) return readRest(bare)
  const rest = readRest(bare, null)
  if (ibanShape.test(rest.accountNumber ?? '')) return rest
  if (!isSearchable(rest) || rest.name !== undefined) return { ...readName(name), probes: rest.probes }
  return {
    ...rest,
    name,
    explanation: `Name beginning with ${name}, or ${rest.explanation.replace(/^C/, 'c')}`,
  }
}

/**
 * "12345678CAD" is read as an amount, but may also be the beginning or the end of an id; this reads it as one.
 * Null for all else.
 */
export function readIdInstead(given: CleanText): QueryReading | null {
  const { amount, explanation } = readQuery(given)
  const part = amount ? partOfId(alone(given)) : null
  return part === null ? null : { ...readRest(part), explanation }
}

/** A text that may be an amount is read as the beginning or the end of an id; null when it can be none. */
function partOfId(text: string): string | null {
  const part = text.trim().toLowerCase()
  return hexOnly.test(part) && part.length >= shortestOfAmount ? part : null
}

function readRest(text: string, name: string | null = nameIn(text)): QueryReading {
  const pasted = normaliseIdentifier(text).replace(wrapping, '')
  const parts = pasted.split(ellipsis)
  if (parts.length > 1 && text.split(ellipsis).every(isOneId))
    return readHeadAndTail(parts[0] ?? '', parts.at(-1) ?? '')
  if (pasted === '') return nothing('Paste an ID, a hash, a wallet, an IBAN, an e-mail, a name or an amount')
  if (!mayBeId(text, pasted)) return readNoId(text, name)
  if (significantLength(pasted) < shortestQuery) return name === null ? readShort(pasted) : readName(name)
  if (isIban(pasted)) return readIban(pasted)
  if (isNearlyIban(pasted)) return readWrongIban(pasted)
  if (bareUuid.test(pasted)) return readBareUuid(pasted)
  if (pasted.startsWith('0x')) {
    return { probes: beginning(pasted), explanation: `Hash or wallet beginning with ${pasted}` }
  }
  return readPart(pasted, name)
}

/** No id is longer; the rest of an accidental paste is ignored. */
const longest = 500
const tooShort = `Type at least ${shortestQuery} characters, or ${shortestName} letters of a name`
const bareUuid = /^[0-9a-f]{32}$/
/** The head and the tail are separated by `…`, two or more dots, or the marks of a masked number. */
const ellipsis = /(?:…|\.{2,}|[•*]+)+/
/** One dot ends a sentence; more of them shorten an id. */
const wrapping = /^["'`“”‘’<([{#]+|(?:["'`“”‘’>)\]},;:!?]|(?<!\.)\.(?!\.))+$/g

/** A whole id is found anywhere in the text, so that a link or a line of a mail can be pasted. */
function findWholeId(text: string): QueryReading | null {
  const [found] = findWholeIds(text)
  if (!found) return null
  const { kind, id } = found
  if (kind === 'bare-uuid') return normaliseIdentifier(text) === id ? null : readBareUuid(id)
  if (kind === 'bare-hash' || kind === 'bare-wallet') return readBare(kind, id)
  return { probes: [exactly(id)], explanation: `${kindLabels[kind]} ${id}` }
}

/** The shortened id may be beside any other text. Groups of it alone are left to `readRest`, which takes all of them. */
function findShortId(text: string, bare: string): QueryReading | null {
  const [found] = findShortIds(text)
  if (!found) return null
  const { head, tail, from, to } = found
  const isGroups = bare.split(ellipsis).length === 2 && bare.split(ellipsis).every(isInGroups)
  return isGroups && !asPagesShow.test(text.slice(from, to)) ? null : readHeadAndTail(head, tail)
}

const asPagesShow = /^(?:(?=.*[a-f])[0-9a-f]{8}\W+[0-9a-f]{5}|0x[0-9a-f]{4}\W+[0-9a-f]{4})$/i

const kindLabels = {
  uuid: 'ID',
  hash: 'Transaction hash',
  wallet: 'Wallet',
  'bare-hash': 'Transaction hash',
  'bare-wallet': 'Wallet',
} as const

/** A bare wallet may also be a part of a hash. The merchant may have given a number of this shape. */
const readBare = (kind: 'bare-hash' | 'bare-wallet', id: string): QueryReading => ({
  probes: [
    ...[id, `0x${id}`].map(exactly),
    ...(kind === 'bare-wallet' ? [...beginning(id), ...ending(id)] : []),
  ],
  accountNumber: id,
  explanation: `${kindLabels[kind]} ${id}`,
})

const readBareUuid = (id: string): QueryReading => ({
  probes: [exactly(dashed(id)), ...beginning(id)],
  accountNumber: id,
  explanation: `ID ${dashed(id)}`,
})

/** The e-mail address may be anywhere in the text. */
function findEmail(text: CleanText): QueryReading | null {
  const found = findEmailAddress(text)
  return found ? { probes: [], email: found, explanation: `E-mail ${found}` } : null
}

/** The IBAN may be beside any other text, or touch an e-mail address. */
function findIbanAmongOthers(text: string): QueryReading | null {
  const found = findIban(text)
  return found && readIban(found.iban)
}

/** Names of wallets can be resolved only on their chain. */
const chainName =
  /^@?(?:[\p{L}\p{N}\p{S}_-]+\.)+(?:eth|ens|lens|sol|crypto|nft|wallet|blockchain|bitcoin|bit|dao|zil|bnb|arb|polygon|near|stark|ton|apt|sui|zk|(?:cb|fcast|ccid)\.id|ud\.me)$|^(?:lens|farcaster|ens)[/:]@?[\p{L}\p{N}._-]+$/iu

function readChainName(text: string): QueryReading | null {
  const words = text.split(/\s+/).map((word) => word.replace(/'s$/i, '').replace(wrapping, ''))
  const name = words.find((word) => chainName.test(word))
  if (name === undefined) return null
  return {
    probes: [],
    customerNumber: name,
    explanation: `${name} is a name of a chain, which is not known here: paste its address, which begins with 0x`,
  }
}

function readMoney(text: string): QueryReading | null {
  const reading = readAmount(text)
  if (reading === null) return null
  if (reading.kind === 'day-alone')
    return nothing('A day alone: type an amount with it, such as €255.86 20 Nov')
  if (reading.kind === 'not-understood')
    return nothing('No ID and no amount. Type an amount like €255.86, with a day like €255.86 20 Nov.')
  const { amount } = reading
  const words = [amount.digits.join(' or '), amount.currency, amount.day && dayLabel(amount.day)]
  const part = partOfId(text)
  const id = part === null ? 'Amount' : `ID beginning or ending with ${part}, else amount`
  return { probes: [], amount, explanation: `${id} ${words.filter((word) => word !== null).join(' ')}` }
}

function dayLabel(typed: TypedDay): string {
  if (typed.kind === 'days-ago') return typed.days === 0 ? 'today' : 'yesterday'
  return ['on', typed.day, monthNames[typed.month - 1], typed.year].filter((word) => word !== null).join(' ')
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function readHeadAndTail(head: string, tail: string): QueryReading {
  if (Math.max(significantLength(head), tail.length) < shortestQuery) {
    return nothing(`Type at least ${shortestQuery} characters of its beginning or its end`)
  }
  if (head === '') return { probes: ending(tail), explanation: `Id ending with ${tail}` }
  if (tail === '') return { probes: beginning(head), explanation: `ID beginning with ${head}` }
  return {
    probes: [{ prefix: head, suffix: tail, exact: false }],
    explanation: `ID beginning with ${head} and ending with ${tail}`,
  }
}

/** A British account number has six to eight digits, and a sort code beside it. Senders write them in two fields. */
const besideSortCode =
  /(?<![\w-])(?:\d\d-\d\d-\d\d(?![\w-])\D{1,30}(?<!-)(?<first>\d{6,8})|(?<second>\d{6,8})(?![\w-])\D{1,30}(?<!-)\d\d-\d\d-\d\d)(?![\w-])/

function readBritish(text: string): QueryReading | null {
  const { first, second } = besideSortCode.exec(text)?.groups ?? {}
  const number = first ?? second
  if (number === undefined) return null
  return { probes: [], accountNumber: number, explanation: `Account number ${number}` }
}

/** An IBAN can be hexadecimal too, and may then be part of another id. */
const readIban = (text: string): QueryReading => ({
  probes: hexOnly.test(text) ? [...beginning(text), ...ending(text)] : [],
  accountNumber: text,
  explanation: `IBAN ${text.toUpperCase()}`,
})

/**
 * The text may be a whole account number; null when it cannot be one. An IBAN has the length of its country; another number
 * has at least eight characters, of which a mask shows four. A hexadecimal text with letters is an id.
 */
export function wholeNumberIn(text: CleanText): string | null {
  const { accountNumber } = readQuery(text)
  if (accountNumber === undefined) return null
  const length = ibanLengths.get(/^[a-z]{2}(?=\d{2})/.exec(accountNumber)?.[0] ?? '')
  if (length !== undefined) return accountNumber.length === length ? accountNumber : null
  if (ibanShape.test(accountNumber)) return accountNumber
  const signs = accountNumber.replace(/[^0-9a-z]/g, '')
  const isId = hexOnly.test(signs) && /[a-f]/.test(signs)
  return !isId && signs.length >= 8 && signs.replace(/\D/g, '').length >= 6 ? accountNumber : null
}

/** The text has the length and the shape of an IBAN of its country. */
const isNearlyIban = (text: string) =>
  ibanShape.test(text) && !hexOnly.test(text) && ibanLengths.get(text.slice(0, 2)) === text.length

/** The sender may have made the same mistake, so the text is searched unchanged. */
const readWrongIban = (text: string): QueryReading => ({
  probes: [],
  accountNumber: text,
  explanation: `Like an IBAN, but its check digits do not fit: a character of ${text.toUpperCase()} may be wrong`,
})

/**
 * An id has no other signs than these. It may be written in groups, of which at least half have a digit. A
 * sentence is no id.
 */
function mayBeId(text: string, pasted: string): boolean {
  if (!/^[0-9a-z_\-:]+$/.test(pasted)) return false
  const words = text.trim().toLowerCase().split(/\s+/)
  const numbers = words.filter((word) => /\d/.test(word))
  return words.length === 1 || (numbers.length * 2 >= words.length && words.every((word) => group.test(word)))
}

/** The part of a text has no words beside an id. */
const isOneId = (text: string): boolean =>
  !/\S\s+\S/.test(text) || mayBeId(text, normaliseIdentifier(text).replace(wrapping, ''))

/** Each word has a digit, except the bank of an IBAN. */
const isInGroups = (text: string): boolean =>
  isOneId(text) && !/(?:^|\s)[^\d\s]+(?=\s|$)/.test(text.replace(/^(\W*[a-z]{2}\d\d) [a-z]{4}\b/i, '$1'))

const group = /^["'(<=]?(?:[0-9a-z]{1,4}|(?:0x)?[0-9a-f-]+)["')>=]?$/

/**
 * Beside other words, in a link or in JSON, a long word of letters and digits may be an id of any chain. A word like an
 * IBAN is searched as if it stood alone.
 */
function readLongWords(text: string): QueryReading | null {
  const broken = joinBrokenAddress(text)
  const words = [broken ?? [], longWordsIn(text)].flat().map((word) => word.toLowerCase())
  const ids = words.filter((word) => !ibanShape.test(word))
  const [first] = words
  const isAlone = broken === null && first === normaliseIdentifier(text).replace(wrapping, '')
  if (first === undefined || isAlone) return null
  if (ids.length === 0) return readRest(first)
  return { probes: ids.map(exactly), explanation: `ID ${ids.join(' or ')}` }
}

/** Each long word of a text occurs once. The groups of one broken id are no words. */
export function longWordsIn(text: string): readonly string[] {
  const found = (text.match(longWord) ?? []).filter((word) => /\d/.test(word) && /[a-z]/i.test(word))
  if (found.length === 0 || mayBeId(text, normaliseIdentifier(text).replace(wrapping, ''))) return []
  return [...new Map(found.map((word) => [word.toLowerCase(), word])).values()]
}

const longWord = /(?<![\p{L}\p{N}])[0-9a-z]{26,100}(?![\p{L}\p{N}])/giu

/** The merchant's own number of a customer may have any sign, and so may a whole id of the service. */
function readNoId(text: string, name: string | null): QueryReading {
  const number = text.trim().replace(/\s+/g, ' ')
  const whole = normaliseIdentifier(text)
  const probes = number.includes(' ') || whole.length < shortestQuery ? [] : [exactly(whole)]
  if (name === null && !probes[0] && (number.match(/[\p{L}\d]/gu)?.length ?? 0) < shortestName)
    return nothing('No id, name, number or amount')
  return { ...readName(name ?? number.slice(0, 100)), probes }
}

/** A name has three or more letters that are not digits of an id; "Ana's" and "Name: Ana." give "Ana". */
function nameIn(text: string): string | null {
  const name = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(wrapping, '')
    .replace(nameLabel, '')
    .replace(/['’]s$|\.{2,}$/i, '')
  const letters = name.match(/\p{L}/gu)?.length ?? 0
  const isHexadecimal = /\d/.test(name) && /^[0-9a-fx\s-]+$/i.test(name)
  return letters >= shortestName && !isHexadecimal && name.length <= 100 ? name : null
}

const nameLabel =
  /^(?:\p{L}+ )?(?:[\p{L}_]{0,20}(?:name|nombre|nome?)(?: complet[oa]?)?|apell?idos?|customer|cliente?|kunde|kundin|person|user)["']? ?[:=] ?["']?/iu

const readName = (name: string): QueryReading => ({
  probes: [],
  name,
  explanation: `Name, e-mail or customer number beginning with ${name}`,
})

const readShort = (part: string): QueryReading =>
  /^[0-9a-z]*[0-9][0-9a-z]*$/.test(part) && !part.startsWith('0x')
    ? {
        probes: [],
        customerNumber: part,
        explanation: `Customer number ${part.toUpperCase()}; an ID needs at least ${shortestQuery} characters`,
      }
    : nothing(tooShort)

function readPart(part: string, name: string | null): QueryReading {
  const id = name === null ? `ID beginning or ending with ${part}` : `Name or ID beginning with ${part}`
  const number = /\d/.test(part) ? ', or a whole account or customer number' : ''
  return {
    probes: [...beginning(part), ...ending(part)],
    accountNumber: part,
    ...(name === null ? {} : { name }),
    explanation: `${id}${name === null ? '' : ', or id ending with it'}${number}`,
  }
}

const nothing = (explanation: string): QueryReading => ({ probes: [], explanation })

/** `0x` alone is no restriction. */
const significantLength = (part: string) => part.replace(/^0x/, '').length
