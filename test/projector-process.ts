import { startProjector } from '#lib/timeline/projector/projector.ts'

// A process of its own that folds deliveries, so that a test can kill or freeze it: says that it began, then works.
await startProjector({ url: process.argv[2] ?? '' })
process.send?.('started')
