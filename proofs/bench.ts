import { programIn } from './program-in.ts'

// `npm run bench -- NAME` runs one benchmark of proofs/bench/. The last line of its output is its name with its figures.
const run = await programIn('bench')
await run(process.argv.slice(3))
