// `npm run build`, `bench`, `rampart` and the like: each names its program, which any fresh clone can run.
import { launch } from './launch.mjs'

const [program = '', ...words] = process.argv.slice(2)
const toRun = ['bin/build-pages.ts', 'bin/rampart/rampart.ts']
await launch(program, { packages: toRun.includes(program) ? 'to-run' : 'all', words })
