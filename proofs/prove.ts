import { formatResult, passedResult, ResultSchema } from '../bin/check/result.ts'
import { programIn } from './program-in.ts'

// `npm run prove -- NAME` runs one of the long proofs of proofs/prove/. A proof throws what is wrong, or answers the result
// of its parts, which `npm test` counts.
const run = await programIn('prove')
const result = ResultSchema.optional().parse(await run(process.argv.slice(3))) ?? passedResult
console.log(`${process.argv[2]}: ${formatResult(result)}`)
await new Promise((sent) => (process.send ? process.send(result, sent) : sent(null)))
// A failed part may have left something open, which must not keep this process alive.
process.exit(result.failed.length > 0 ? 1 : 0)
