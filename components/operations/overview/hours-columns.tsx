'use client'

import type { Tone } from '#lib/words/labels/tone.ts'

interface DrawnStep {
  readonly id: string
  readonly label: string
  readonly tone: Tone
  /** `isFaint` marks one of two steps with the same colour. */
  readonly isFaint: boolean
}

/** The drawing uses these units and is as wide as its place. */
const column = 30
const gap = 6
const height = 100

/**
 * Each hour is a column with its steps from the bottom up. The server sends only the numbers, because elements
 * would be many times longer.
 */
export function HoursColumns({
  label,
  steps,
  hours,
  highest,
}: {
  /** Screen readers read the label. */
  readonly label: string
  readonly steps: readonly DrawnStep[]
  /** Hours come oldest first, as ISO 8601, with a number for each step. */
  readonly hours: readonly { readonly at: string; readonly counts: readonly number[] }[]
  /** `highest` is the number of transactions in the busiest hour. */
  readonly highest: number
}) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${hours.length * column} ${height}`}
      preserveAspectRatio="none"
      className="h-36 w-full border-b"
    >
      {hours.map(({ at, counts }, hour) => {
        let top = height
        return counts.map((count, nth) => {
          const tall = (count / highest) * height
          top -= tall
          const step = steps[nth]
          if (count === 0 || !step) return null
          return (
            <rect
              key={`${at} ${step.id}`}
              data-tone={step.tone}
              x={hour * column + gap / 2}
              y={top}
              width={column - gap}
              height={tall}
              className="fill-tone stroke-surface"
              strokeWidth={1}
              vectorEffect="non-scaling-stroke"
              fillOpacity={step.isFaint ? 0.55 : 1}
            >
              <title>{`${count} ${step.label}`}</title>
            </rect>
          )
        })
      })}
    </svg>
  )
}
