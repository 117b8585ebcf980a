import { giveWay } from '../../../lib/timeline/projector/batch-limits.ts'
import { startProjector } from '../../../lib/timeline/projector/projector.ts'

// The program starts the projector as `projector.ts` does.
giveWay()
await startProjector({ url: process.argv[2] ?? '' })
