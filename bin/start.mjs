// `npm start`, `npm run serve` and `npm run dev`.
import { launch } from './launch.mjs'

await launch('bin/supervise.ts', { packages: process.argv.includes('--dev') ? 'all' : 'to-run' })
