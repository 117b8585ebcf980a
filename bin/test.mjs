// `npm test` checks everything, or the named parts.
import { launch } from './launch.mjs'

await launch('bin/check.ts', { packages: 'all' })
