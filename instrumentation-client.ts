import { repeatEarlyUse } from '#components/ui/browser/controls.ts'
import { keepUpWithTranslation } from '#components/ui/browser/translated-page.ts'

// Next runs this on every page before React hydrates it.
keepUpWithTranslation()
repeatEarlyUse()
