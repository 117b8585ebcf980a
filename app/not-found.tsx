import { StandalonePage } from '#components/standalone-page.tsx'
import { buttonClass } from '#components/ui/button-class.ts'

export default function NoSuchPage() {
  return (
    <StandalonePage
      title="There is no such page"
      actions={
        // No link of Next's, whose scripts every page would have for this one.
        <a href="/" className={buttonClass({ variant: 'primary' })}>
          Go to the first page
        </a>
      }
    >
      The address may be mistyped, or the page is gone. To open a transaction by any of its ids, put the id
      behind <span className="mono text-text">/go/</span>.
    </StandalonePage>
  )
}
