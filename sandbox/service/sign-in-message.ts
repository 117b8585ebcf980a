import { checksumAddress, recoverMessageAddress } from 'viem'
import { z } from 'zod'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import { findAccountByAddress } from './accounts.ts'
import { unauthorized } from './refusal.ts'
import { openServiceSession, type Session } from './sessions.ts'

interface MessageRules {
  /** The value is the service's base address, e.g. http://localhost:4010/onboarding. */
  readonly publicUrl: string
  readonly now: Date
  /** A message may be valid for at most this many minutes from issue to expiry; 0 allows any. */
  readonly longestMinutes: number
}

/** A refusal names one line of the message and the rule that it breaks. */
type CheckedMessage =
  | { kind: 'accepted'; address: `0x${string}`; nonce: string }
  | { kind: 'refused'; line: string; rule: string }

/**
 * The function checks every line of an EIP-4361 message against §5.2. It checks neither the signature nor whether the nonce
 * is new.
 */
export function checkSignInMessage(text: string, rules: MessageRules): CheckedMessage {
  try {
    const fields = readLines(text)
    checkFields(fields, rules)
    return { kind: 'accepted', address: `0x${fields.address.slice(2)}`, nonce: fields.Nonce }
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error
    return { kind: 'refused', line: error.line, rule: error.message }
  }
}

class BrokenLine extends Error {
  readonly line: string

  constructor(number: number, name: string, rule: string) {
    super(rule)
    this.line = name ? `line ${number} (${name})` : `line ${number}`
  }
}

/** The lines have a fixed order. ASSUMED: as in EIP-4361 the statement may be missing, and three more fields may follow. */
function readLines(text: string) {
  const lines = text.split('\n')
  let number = 0
  const at = new Map<string, number>()

  function take(name: string, pattern: RegExp, rule: string): string {
    const line = lines[number++]
    at.set(name, number)
    if (line === undefined) throw new BrokenLine(number, name, `is missing: it ${rule}`)
    if (line.endsWith('\r')) throw new BrokenLine(number, name, 'must end in LF alone, not in CR LF')
    const value = pattern.exec(line)?.[1]
    if (value === undefined) throw new BrokenLine(number, name, rule)
    return value
  }
  const takeBlank = () => take('', /^()$/, 'must be empty')
  const takeField = (name: string) =>
    take(name, new RegExp(`^${name}: (.*)$`, 's'), `must begin with "${name}: "`)
  const takeOptional = (name: string) => (lines[number]?.startsWith(name) ? takeField(name) : undefined)

  const domain = take('domain', /^(.*) wants you to sign in with your Ethereum account:$/, firstLine)
  const address = take('address', /^(.*)$/s, 'must be the wallet address')
  takeBlank()
  if (lines[number] !== '') {
    take('statement', statementPattern, statementRule)
  }
  takeBlank()
  const fields = {
    domain,
    address,
    URI: takeField('URI'),
    Version: takeField('Version'),
    'Chain ID': takeField('Chain ID'),
    Nonce: takeField('Nonce'),
    'Issued At': takeField('Issued At'),
    'Expiration Time': takeField('Expiration Time'),
    'Not Before': takeOptional('Not Before'),
    'Request ID': takeOptional('Request ID'),
  }
  if (lines[number]?.startsWith('Resources')) {
    take('Resources', /^(Resources:)$/, 'must be "Resources:"')
    while (lines[number]?.startsWith('-')) take('Resources', /^- (\S+:\S*)$/, 'must be "- " and a URI')
  }
  if (number < lines.length) throw new BrokenLine(number + 1, '', surplusRule(lines.slice(number)))
  return { ...fields, lineOf: (name: string) => at.get(name) ?? 0 }
}

/** ASSUMED: free text (§5.2) is one line of any script, so that no line can hide in it; EIP-4361 has ASCII alone. */
export const statementPattern = /^([^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\uFFFD\u202A-\u202E\u2066-\u2069]*)$/u

export const statementRule = 'must be plain text of one line, without signs that control or turn it'

const firstLine = 'must be "<domain> wants you to sign in with your Ethereum account:"'

const surplusRule = (rest: string[]) =>
  rest.join('') === ''
    ? 'must not be there: the message ends without a line break'
    : 'must not be there: Not Before, Request ID and Resources may follow, once each and in this order'

function checkFields(fields: ReturnType<typeof readLines>, { publicUrl, now, longestMinutes }: MessageRules) {
  function require(condition: unknown, name: string, rule: string): asserts condition {
    if (!condition) throw new BrokenLine(fields.lineOf(name), name, rule)
  }
  const { host, hostname } = new URL(publicUrl)
  const { domain, address, Nonce: nonce } = fields
  // ASSUMED: with or without the port, as clients of such services send it either way.
  require(domain === host || domain === hostname, 'domain', `must be ${host}`)
  require(/^0x[0-9a-fA-F]{40}$/.test(address), 'address', 'must be 0x and 40 hexadecimal digits')
  // ASSUMED: in the upper and lower case of ERC-55, as EIP-4361 has it.
  require(checksumAddress(`0x${address.slice(2)}`) ===
    address, 'address', 'must be in the upper and lower case of its checksum (ERC-55)')
  require(fields.URI === `${publicUrl}/auth/login`, 'URI', `must be ${publicUrl}/auth/login`)
  require(fields.Version === '1', 'Version', 'must be 1')
  const chainId = fields['Chain ID']
  require(/^[1-9]\d*$/.test(chainId) &&
    Number.isSafeInteger(Number(chainId)), 'Chain ID', 'must be a positive integer')
  // ASSUMED: not more than 128 characters, so that it can be kept as used.
  require(/^[A-Za-z0-9]{8,128}$/.test(
    nonce,
  ), 'Nonce', 'must be 8 to 128 letters and digits, and nothing else')

  const issued = timeOf('Issued At', fields['Issued At'])
  // ASSUMED: a client's clock may run 5 minutes ahead of the service's.
  require(issued <=
    addSeconds(now, 5 * 60), 'Issued At', `must not lie in the future: it is ${now.toISOString()} here`)
  const expires = timeOf('Expiration Time', fields['Expiration Time'])
  require(expires > now, 'Expiration Time', `must lie in the future: it is ${now.toISOString()} here`)
  require(expires > issued, 'Expiration Time', 'must be after Issued At')
  const minutes = (expires.getTime() - issued.getTime()) / 60_000
  require(longestMinutes === 0 ||
    minutes <= longestMinutes, 'Expiration Time', `must be at most ${longestMinutes} minutes after Issued At`)
  const notBefore = fields['Not Before']
  require(notBefore === undefined ||
    timeOf('Not Before', notBefore) <= now, 'Not Before', `must have come: it is ${now.toISOString()} here`)
  require(/^[\w\-.~!$&'()*+,;=:@%]*$/.test(fields['Request ID'] ?? ''), 'Request ID', 'must hold no blank')

  function timeOf(name: string, text: string): Date {
    require(z.iso.datetime({ offset: true }).safeParse(text)
      .success, name, 'must be an ISO 8601 time with its zone')
    return new Date(text)
  }
}

/**
 * A wallet's signature opens a session (§4.1). ASSUMED: a wrong message is a 401 like a wrong signature (§7), and only a
 * successful sign-in uses its nonce up.
 */
export async function signInWithWallet(
  sandbox: Sandbox,
  message: string,
  signature: string,
): Promise<Session> {
  const checked = checkSignInMessage(message, {
    publicUrl: sandbox.publicUrl,
    now: sandbox.clock.now(),
    longestMinutes: sandbox.options.longestMessageMinutes,
  })
  if (checked.kind === 'refused') {
    const { line, rule } = checked
    throw unauthorized(`The message, ${line}: ${rule}`, { where: `body.message, ${line}`, rule })
  }
  const signer = await recoverSigner(message, signature)
  if (signer?.toLowerCase() !== checked.address.toLowerCase())
    throw unauthorized('The signature does not verify', {
      where: 'body.signature',
      rule: signer
        ? `must be by ${checked.address}, whom the message names, over exactly this text; ${signer} made it, or over another`
        : 'must be 65 bytes in lower-case hexadecimal digits after 0x, v 27 or 28, s in the lower half',
    })
  const account = await findAccountByAddress(sandbox.pool, signer)
  if (!account)
    throw unauthorized('The signing address is no user’s target_address', {
      where: 'body.message, line 2 (address)',
      rule: `must be the target_address of a user; ${signer} is none’s`,
    })
  await consumeNonce(sandbox, checked.nonce)
  return openServiceSession(sandbox, account.uuid)
}

/**
 * The contract promises only "the address that signed", so smart accounts are not recovered. ASSUMED: one spelling, since
 * some verifiers take no other: 65 bytes in lower case after 0x, v 27 or 28, and s in the lower half (EIP-2).
 */
async function recoverSigner(message: string, signature: string) {
  if (!/^0x[0-9a-f]{128}1[bc]$/.test(signature) || signature.slice(66, 130) > highestS) return undefined
  return recoverMessageAddress({ message, signature: `0x${signature.slice(2)}` }).catch(nobody)
}

/** The value is half the order of the curve secp256k1. */
const highestS = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'

/** No address can have made this signature. */
const nobody = () => undefined

async function consumeNonce(sandbox: Sandbox, nonce: string) {
  const { rowCount } = await sandbox.pool.query(
    'INSERT INTO used_nonce (nonce, used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [nonce, sandbox.clock.now()],
  )
  if (rowCount !== 1)
    throw unauthorized('Given nonce is already in use', {
      where: 'body.message (Nonce)',
      rule: 'must never have signed in before',
    })
}
