import { startProjector } from '#lib/projector/projector.ts'

await startProjector({ url: process.argv[2] ?? '' })
