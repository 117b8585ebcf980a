import { startProjector } from '#lib/timeline/projector/projector.ts'

// The process folds deliveries, so that a test can kill or freeze it. It first reports that it began.
await startProjector({ url: process.argv[2] ?? '' })
process.send?.('started')
