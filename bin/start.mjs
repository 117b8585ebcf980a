// `npm start`, `npm run serve` and `npm run dev` start this program.
import fs from 'node:fs'
import { helpAskedFor } from './help.mjs'
import { root } from './install.mjs'
import { launch } from './launch.mjs'

const words = process.argv.slice(2)
const help = helpAskedFor('start', words)
const unknown = words.find((word) => !['--dev', '--serve'].includes(word))
if (help !== undefined) console.log(help)
else if (unknown === undefined) {
  warnOfUnread()
  await launch('bin/supervise.ts', {
    packages: words.includes('--dev') ? 'all' : 'to-run',
    ahead: !words.includes('--dev'),
  })
} else {
  console.error(`There is no ${unknown}.\n\n${helpAskedFor('start', ['--help'])}`)
  process.exitCode = 1
}

/** Other programs read such files by themselves, so people expect it. */
function warnOfUnread() {
  const file = fs.readdirSync(root).find((name) => /^\.env(\.(local|production|development))*$/.test(name))
  if (file === undefined || process.execArgv.some((word) => word.startsWith('--env-file'))) return
  const start = [`node --env-file=${file} bin/start.mjs`, ...words].join(' ')
  console.error(`Rampart does not read ${file}. To start with it: ${start}`)
}
