// `npm start` and `npm run dev`.
import { launch } from './launch.mjs'

await launch('bin/supervise.ts')
