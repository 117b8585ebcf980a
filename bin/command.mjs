// `npm run build`, `bench`, `rampart` and the like each name their program here. Any fresh clone can run them.
import { helpAskedFor, refusalOfWords } from './help.mjs'
import { launch } from './launch.mjs'

const [program = '', ...words] = process.argv.slice(2)
const toRun = ['bin/build-pages.ts', 'bin/rampart/rampart.ts']
const help = helpAskedFor(program, words)
const refusal = refusalOfWords(program, words)
if (help !== undefined) console.log(help)
else if (refusal !== undefined) {
  console.error(refusal)
  process.exitCode = 1
} else await launch(program, { packages: toRun.includes(program) ? 'to-run' : 'all', words })
