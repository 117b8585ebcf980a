// `npm test`: checks everything, or the parts named.
import { launch } from './launch.mjs'

await launch('bin/check.ts', { packages: 'all' })
