// `npm start`, `npm run serve` and `npm run dev` start this program.
import { launch } from './launch.mjs'

const words = process.argv.slice(2)
const [unknown] = words.filter((word) => !['--dev', '--serve'].includes(word))
if (unknown === undefined)
  await launch('bin/supervise.ts', { packages: words.includes('--dev') ? 'all' : 'to-run' })
else {
  const asked = ['--help', '-h', 'help'].includes(unknown)
  console[asked ? 'log' : 'error'](
    `${asked ? '' : `There is no ${unknown}. `}Settings are environment variables, which README.md lists under Configuration. Example: PORT=3700 npm start`,
  )
  process.exitCode = asked ? 0 : 1
}
