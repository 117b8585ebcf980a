import { subjectPath } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import { Marked } from '#components/ui/search/marked.tsx'
import type { FoundPerson, NearMiss } from '#lib/search/found.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/**
 * The reader may have meant these ids and e-mail addresses, which differ from the typed text by one character. None
 * opens automatically.
 */
export const NearMisses = ({
  typed,
  near,
}: {
  readonly typed: string
  readonly near: readonly NearMiss[]
}) => (
  <div className="border-b bg-held-bg px-4 py-3 text-held text-sm" role="note" aria-label="Close to it">
    <p className="wrap-anywhere">
      No results for <span className="mono">{shortId(typed.trim().slice(0, 80))}</span>.{' '}
      {near.length === 1 ? howItDiffers(near[0]) : 'Some are close to it:'}
    </p>
    <ul className="mt-1.5 grid gap-1">
      {near.map((one) => (
        <li key={one.value}>
          <Link href={subjectPath(one.subjectId)} data-row className="mono wrap-anywhere underline">
            <Close {...one} />
          </Link>
          {near.length > 1 && <span className="ml-2 text-xs">{shortDifference(one)}</span>}
        </li>
      ))}
    </ul>
  </div>
)

/** The id is whole, and its differing character is marked. */
function Close({ value, slip }: NearMiss) {
  if (!slip) return value
  const length = slip.kind === 'swapped' ? 2 : slip.kind === 'too-many' ? 0 : 1
  const [before, meant, after] = [
    value.slice(0, slip.at),
    value.slice(slip.at, slip.at + length),
    value.slice(slip.at + length),
  ]
  return (
    <>
      {before}
      {meant !== '' && <Marked text={meant} marks={[{ from: 0, to: meant.length }]} />}
      {after}
    </>
  )
}

function howItDiffers(near: NearMiss | undefined): string {
  if (!near?.slip) return 'One matches if its letters are read as digits:'
  return {
    wrong: 'One differs in one character:',
    missing: 'One has a character more:',
    'too-many': 'One has a character less:',
    swapped: 'One has two characters swapped:',
  }[near.slip.kind]
}

/** A few words say the difference, for one of several. */
export function shortDifference({ slip }: Pick<NearMiss, 'slip'>): string {
  if (!slip) return 'digits for letters'
  return {
    wrong: 'one character differs',
    missing: 'one character more',
    'too-many': 'one character less',
    swapped: 'two characters swapped',
  }[slip.kind]
}

/** The person was found by this field, with the part that matches. */
export const FoundBy = ({ why }: Pick<FoundPerson, 'why'>) => (
  <>
    {why.field === 'customer-number' && 'customer '}
    <Marked text={why.text} marks={why.marks} />
  </>
)

/** These are the other names of the person, as far as the role may know them. */
export const otherNames = ({ why, name, email, customerNumber }: FoundPerson): string[] =>
  [
    why.field === 'name' ? null : name,
    why.field === 'email' ? null : email,
    why.field === 'customer-number' || customerNumber === null ? null : `customer ${customerNumber}`,
  ].filter((text) => text !== null)
