// `npm run bench`, `prove`, `rampart` and the like: each names its program, which any fresh clone can run.
import { launch } from './launch.mjs'

await launch('bin/command.ts')
