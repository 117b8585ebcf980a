import { ButtonLink } from '../button-link.tsx'

/**
 * The foot of a list that the server draws leads to its newest rows and to older ones. Nothing is drawn when the
 * page shows all.
 */
export function PageLinks({
  name = 'Pages',
  newest,
  older,
  words: [toNewest, toOlder] = ['Newest', 'Older'],
  scroll = true,
}: {
  readonly name?: string
  /** `newest` is null on the first page, and `older` on the last one. */
  readonly newest: string | null
  readonly older: string | null
  readonly words?: readonly [newest: string, older: string]
  /** `scroll` is false for a list inside a page, which stays where it is. */
  readonly scroll?: boolean
}) {
  if (newest === null && older === null) return null
  return (
    <nav aria-label={name} className="flex flex-wrap justify-end gap-1.5 border-t px-3 py-2 print:hidden">
      {newest !== null && (
        <ButtonLink size="sm" href={newest} scroll={scroll}>
          {toNewest}
        </ButtonLink>
      )}
      {older !== null && (
        <ButtonLink size="sm" href={older} scroll={scroll}>
          {toOlder}
        </ButtonLink>
      )}
    </nav>
  )
}
