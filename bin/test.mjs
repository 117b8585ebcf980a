// `npm test` checks everything, or the named parts.
import { helpAskedFor } from './help.mjs'
import { launch } from './launch.mjs'

const help = helpAskedFor('bin/check.ts', process.argv.slice(2))
if (help !== undefined) console.log(help)
else await launch('bin/check.ts', { packages: 'all' })
