// `npm start`, `npm run serve` and `npm run dev` start this program.
import { helpAskedFor } from './help.mjs'
import { launch } from './launch.mjs'

const words = process.argv.slice(2)
const help = helpAskedFor('start', words)
const unknown = words.find((word) => !['--dev', '--serve'].includes(word))
if (help !== undefined) console.log(help)
else if (unknown === undefined)
  await launch('bin/supervise.ts', {
    packages: words.includes('--dev') ? 'all' : 'to-run',
    ahead: !words.includes('--dev'),
  })
else {
  console.error(`There is no ${unknown}.\n\n${helpAskedFor('start', ['--help'])}`)
  process.exitCode = 1
}
