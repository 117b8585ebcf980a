import fs from 'node:fs'
import { inWords, passed, Result } from './check/result.ts'

// `npm run prove -- NAME`: runs one of the long proofs of prove/. It throws what is wrong, or answers what its parts
// came to; `npm test`, which listens, counts them.
const names = fs
  .readdirSync('prove')
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  .map((file) => file.slice(0, -3))
const name = process.argv[2]
if (!name || !names.includes(name)) {
  console.error(`npm run prove -- NAME, where NAME is one of: ${names.join(', ')}`)
  process.exit(1)
}
const { default: run } = await import(`../prove/${name}.ts`)
const result = Result.optional().parse(await run(process.argv.slice(3))) ?? passed
console.log(`${name}: ${inWords(result)}`)
await new Promise((sent) => (process.send ? process.send(result, sent) : sent(null)))
// What a failed part left open must not keep this from ending.
process.exit(result.failed > 0 ? 1 : 0)
