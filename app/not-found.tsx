import { StandalonePage } from '#components/standalone-page.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'

export default function NoSuchPage() {
  return (
    <StandalonePage
      title="There is no such page"
      actions={
        <ButtonLink variant="primary" href="/">
          Go to the first page
        </ButtonLink>
      }
    >
      The address may be mistyped, or the page is gone. To open a transaction by any of its ids, put the id
      behind <span className="mono text-text">/go/</span>.
    </StandalonePage>
  )
}
