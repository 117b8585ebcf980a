// `npm run build`, `bench`, `rampart` and the like each name their program here. Any fresh clone can run them.
import { launch } from './launch.mjs'

const [program = '', ...words] = process.argv.slice(2)
const toRun = ['bin/build-pages.ts', 'bin/rampart/rampart.ts']
await launch(program, { packages: toRun.includes(program) ? 'to-run' : 'all', words })
