import { formatResult, passedResult, ResultSchema } from '../bin/check/result.ts'
import { programIn } from './program-in.ts'

// `npm run prove -- NAME`: runs one of the long proofs of proofs/prove/. It throws what is wrong, or answers what its parts
// came to; `npm test`, which listens, counts them.
const run = await programIn('prove')
const result = ResultSchema.optional().parse(await run(process.argv.slice(3))) ?? passedResult
console.log(`${process.argv[2]}: ${formatResult(result)}`)
await new Promise((sent) => (process.send ? process.send(result, sent) : sent(null)))
// What a failed part left open must not keep this from ending.
process.exit(result.failed.length > 0 ? 1 : 0)
