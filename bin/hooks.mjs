import dns from 'node:dns'
import { registerHooks, syncBuiltinESMExports } from 'node:module'

/**
 * Plain Node does not know Next's marker package, which throws outside its bundler. zod's messages in 60 languages took 9 MB
 * in each process, and nobody reads them.
 */
const isLeftOut = (specifier, { parentURL = '' }) =>
  specifier === 'server-only' || (specifier === '../locales/index.js' && parentURL.includes('/zod/'))

// An empty module replaces what is left out.
registerHooks({
  resolve: (specifier, context, next) =>
    isLeftOut(specifier, context)
      ? { url: 'data:text/javascript,', shortCircuit: true }
      : next(specifier, context),
})

const { lookup } = dns
const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

// `localhost` is this machine (RFC 6761 §6.3), even where the system's file of hosts does not say so.
dns.lookup = (hostname, ...words) => {
  if (!/^(.+\.)?localhost\.?$/i.test(hostname)) return lookup(hostname, ...words)
  const [given] = words
  const { family, all } = typeof given === 'object' && given !== null ? given : { family: Number(given) }
  const wanted = loopback.filter((one) => !family || `IPv${one.family}`.endsWith(family))
  const [first] = wanted
  const answer = all ? [wanted] : [first.address, first.family]
  process.nextTick(() => words.at(-1)(null, ...answer))
  return {}
}
syncBuiltinESMExports()
