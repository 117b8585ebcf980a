import http from 'node:http'
import { z } from 'zod'

/** What arrived at the viewers while it was counted. Times in ms since 1970. */
export interface ViewerResult {
  /** Messages that one viewer received, on average. */
  readonly messages: number
  /** For each subject, when its first message arrived at each of the sampled viewers. */
  readonly arrivals: readonly (readonly [subjectId: string, arrivals: readonly number[]])[]
}

// Holds this many open streams and reads the messages of every fiftieth. The message `count` begins a measurement,
// `end` asks for its result.
const [port = '', ...cookies] = process.argv.slice(2)
const sampled = 50
const DataSchema = z.object({ subjects: z.array(z.string()).nullable() })
/** How the data of a message begins that names subjects. */
const changed = 'data: {"kind":"changed"'
let messages = 0
let arrivals = new Map<string, number[]>()

await Promise.all(cookies.map((cookie, index) => open(cookie, index % sampled === 0)))
process.send?.('open')
process.on('message', (word) => {
  if (word === 'end') {
    const result: ViewerResult = { messages: messages / cookies.length, arrivals: [...arrivals] }
    process.send?.(JSON.stringify(result))
  }
  messages = 0
  arrivals = new Map()
})

function open(cookie: string, isSampled: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get({ port, path: '/api/live', agent: false, headers: { cookie } }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`A viewer was answered ${answer.statusCode}`))
      answer.once('data', () => resolve())
      answer.on('data', (chunk: Buffer) => {
        if (chunk.includes(changed)) messages += 1
        if (isSampled) note(chunk.toString())
      })
      answer.once('close', () => reject(new Error('A stream ended')))
    })
    request.once('error', reject)
  })
}

function note(text: string) {
  const now = performance.timeOrigin + performance.now()
  for (const [, data = ''] of text.matchAll(/^data: (\{"kind":"changed".+)$/gm)) {
    for (const subject of DataSchema.parse(JSON.parse(data)).subjects ?? []) {
      const known = arrivals.get(subject)
      if (known) known.push(now)
      else arrivals.set(subject, [now])
    }
  }
}
