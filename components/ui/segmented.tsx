import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'
import { Link } from './link.tsx'

/** A control has several choices; `count` is behind the label of each, in digits. */
interface Segment {
  readonly key: string
  readonly label: ReactNode
  readonly count?: ReactNode
  readonly chosen: boolean
}

export interface LinkSegment extends Segment {
  readonly href: string
  /** `lang` is the language of the label when it is not the page's. */
  readonly lang?: string
}

/**
 * The control chooses one of a few states of a list. The choices are links, since the address holds the choice.
 * Many choices take several lines.
 */
export function Segmented({
  name,
  segments,
}: {
  readonly name: string
  readonly segments: readonly LinkSegment[]
}) {
  return (
    <nav aria-label={name} className="max-w-full justify-self-start">
      <ul className={frameClass}>
        {segments.map(({ key, label, count, chosen, href, lang }) => (
          <li key={key} className="flex max-w-full">
            <Link
              href={href}
              scroll={false}
              lang={lang}
              aria-current={chosen ? 'true' : undefined}
              className={clsx(segmentClass, chosen ? chosenClass : 'hover:bg-hover')}
            >
              {label} {count !== undefined && <span className="num font-normal">{count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export interface RadioSegment<T extends string> extends Pick<Segment, 'label'> {
  readonly value: T
  /** `title` names a segment whose label is a picture. */
  readonly title?: string
}

/**
 * The choices are radio buttons when a choice takes effect on the page: they are one Tab stop, then the arrow keys
 * move.
 */
export function SegmentedRadios<T extends string>({
  legend,
  value,
  segments,
  onChange,
  className,
}: {
  readonly legend: ReactNode
  readonly value: T
  readonly segments: readonly RadioSegment<T>[]
  readonly onChange: (value: T) => void
  readonly className?: string
}) {
  const name = useId()
  return (
    <fieldset className={className}>
      <legend className="float-left text-muted">{legend}</legend>
      <span className={frameClass}>
        {segments.map(({ value: each, label, title }) => (
          <label key={each} title={title} className={clsx(segmentClass, radioClass)}>
            <input
              type="radio"
              name={name}
              value={each}
              checked={each === value}
              onChange={() => onChange(each)}
              className="sr-only"
            />
            {label}
            {title !== undefined && <span className="sr-only">{title}</span>}
          </label>
        ))}
      </span>
    </fieldset>
  )
}

const frameClass = 'inline-flex max-w-full flex-wrap gap-0.5 rounded-lg border border-line-strong p-0.5'

const segmentClass =
  'relative inline-flex min-h-7 min-w-8 max-w-full items-center justify-center gap-1.5 rounded-md px-2.5 py-0.5 ' +
  'font-label text-muted text-sm transition-colors hover:text-text pointer-coarse:min-h-10 pointer-coarse:min-w-10 ' +
  '[&_svg]:size-4'

/** The ring shows the choice to people who see no colours. The weight stays, so that nothing moves. */
const chosenClass = 'bg-hover text-text shadow-[0_0_0_1px_var(--line-control)]'

const radioClass =
  'hover:bg-hover has-checked:bg-hover has-checked:text-text has-checked:shadow-[0_0_0_1px_var(--line-control)] ' +
  'has-focus-visible:outline-2 has-focus-visible:outline-focus'
