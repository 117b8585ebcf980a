import 'server-only'
import { z } from 'zod'
import { isLoopbackHost } from '../rules/network-addresses.ts'

/** An address of the web is HTTPS, except on this machine. `fetch` calls none that has a user or a password. */
export const webSchema = z
  .url({ protocol: /^https?$/, error: 'must be a web address', abort: true })
  .refine(
    (text) => text.startsWith('https:') || isLoopbackHost(new URL(text).hostname),
    'must be https, since it is on another machine',
  )
  .refine(
    (text) => new URL(text).username === '' && new URL(text).password === '',
    'must not have a user or a password',
  )

/** Paths are added to the address. Its host is as the header `Host` and wallets take it (`findSiweProblem`). */
export const baseSchema = webSchema
  .refine((text) => !/[?#]/.test(text), 'must not have a ? or # and what follows it')
  .refine(
    (text) => /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(new URL(text).hostname),
    'must have a host of letters, digits, dots and dashes',
  )

/** Cookies and deliveries belong to the whole host. */
export const hostSchema = baseSchema.refine(
  (text) => (URL.parse(text)?.pathname ?? '/') === '/',
  'must not have a path',
)

/** A wallet signs the address (RFC 3986 §3.3). */
export const serviceSchema = baseSchema.refine(
  (text) => /^(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*$/i.test(new URL(text).pathname),
  'must have a path of letters, digits and -._~, with % signs for any other',
)

/** The text has the form `name=value,name=value`, with values as in an address. */
export const headersSchema = z.string().transform((text, { addIssue }) => {
  const headers = readHeaders(text)
  if (headers !== null) return headers
  addIssue('must have the form name=value,name=value, with % signs as in an address')
  return z.NEVER
})

function readHeaders(text: string): Readonly<Record<string, string>> | null {
  try {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '')
    const headers = pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [name.trim(), decodeURIComponent(value.join('=').trim())] as const
    })
    const isValid = headers.every(([name, value]) => headerName.test(name) && headerValue.test(value))
    return isValid ? Object.fromEntries(headers) : null
  } catch {
    return null
  }
}

/** Node's own check (RFC 9110 §5.5, §5.6.2). Each process reads these settings, and few need all of `node:http`. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]+$/
