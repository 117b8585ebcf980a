import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'

// Node loads this module into every process of the integration tests. It writes each statement that ran with its place in the
// sources, the columns of its answer, and the columns in which null came. `time-page.ts` reads that. Decision 0142.

const root = path.join(import.meta.dirname, '../..')
const file = path.join(process.env.RECORD_STATEMENTS ?? '.', `${process.pid}.jsonl`)

/** This is the type of bigint, which our pools read as such and plain clients as text. */
const bigintOid = 20
const mostFrames = 30

/** This has a record for each statement at each place, which V8 names by the positions in the code that it runs. */
const known = new Map()

/** Places in the product, by their path in the repository. */
const ownPlaces = (places) =>
  places
    .filter((place) => place.includes(root))
    .map((place) => place.slice(place.indexOf(root) + root.length + 1))
    .filter((place) => !/^(node_modules|test|bin\/check)\/|\.test\.ts/.test(place))

/** Source maps take long, so the places are first read without them. */
function rawPlaces() {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, sites) =>
    sites.map((site) => `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`)
  const { stack } = new Error()
  Error.prepareStackTrace = prepareStackTrace
  return ownPlaces(stack)
}

function findRecord(text) {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = mostFrames
  const key = [text, ...rawPlaces()].join('\n')
  if (!known.has(key)) {
    const places = new Error().stack.match(/\/[^\s()]+:\d+:\d+/g) ?? []
    known.set(key, { text, frames: ownPlaces(places), nulls: new Set(), isNew: true })
  }
  Error.stackTraceLimit = limit
  return known.get(key)
}

function write(record, { fields, rows, _types }) {
  const { text, frames, nulls, isNew } = record
  const before = nulls.size
  for (const { name } of fields)
    if (!nulls.has(name) && rows.some((row) => row[name] === null)) nulls.add(name)
  if (!isNew && nulls.size === before) return
  record.isNew = false
  const columns = fields.map((field) => [field.name, field.tableID, field.columnID, field.dataTypeID])
  const bigints = typeof _types?.getTypeParser(bigintOid)('1') === 'bigint'
  fs.appendFileSync(file, `${JSON.stringify({ text, frames, columns, bigints, nulls: [...nulls] })}\n`)
}

for (const { prototype } of [pg.Client, pg.Pool]) {
  const { query } = prototype
  prototype.query = function (...words) {
    const text = typeof words[0] === 'string' ? words[0] : words[0]?.text
    // The pool gives its client a callback instead of taking a promise, and recorded the call already.
    const isAwaited = typeof text === 'string' && typeof words.at(-1) !== 'function'
    const record = isAwaited ? findRecord(text) : undefined
    const answer = Reflect.apply(query, this, words)
    if (record && record.frames.length > 0 && answer instanceof Promise)
      answer.then(
        (result) => {
          for (const one of [result].flat()) if (Array.isArray(one?.fields)) write(record, one)
        },
        () => undefined,
      )
    return answer
  }
}
