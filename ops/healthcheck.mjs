import http from 'node:http'
import { text } from 'node:stream/consumers'

// The image has no curl. This program ends with 0 while Rampart can take requests, and otherwise says why it cannot.
const port = process.env.PORT || '3000'
try {
  const signal = AbortSignal.timeout(4_000)
  // An agent of our own uses no proxy, which knows another machine by this address.
  const place = { host: '127.0.0.1', port, path: '/readyz', agent: new http.Agent(), signal }
  const answer = await new Promise((resolve, reject) => http.get(place, resolve).once('error', reject))
  const ready = answer.statusCode === 200
  if (!ready) console.error(`${answer.statusCode} ${(await text(answer)).slice(0, 500)}`)
  process.exitCode = ready ? 0 : 1
  answer.destroy()
} catch (error) {
  console.error(`Port ${port} does not answer: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
