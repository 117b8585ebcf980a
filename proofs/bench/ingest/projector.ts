import { giveWay } from '../../../lib/timeline/projector/give-way.ts'
import { startProjector } from '../../../lib/timeline/projector/projector.ts'

// As the program of that name starts it.
giveWay()
await startProjector({ url: process.argv[2] ?? '' })
