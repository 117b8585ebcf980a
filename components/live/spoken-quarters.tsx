'use client'

import { useState } from 'react'
import { Spoken } from './spoken.tsx'

/** Says how far something is: at each quarter of it, and at its end. */
export function SpokenQuarters({
  done,
  total,
  words,
}: {
  readonly done: number
  readonly total: number
  readonly words: string
}) {
  const quarter = Math.floor((4 * done) / Math.max(total, 1))
  const [said, setSaid] = useState({ quarter, words })
  if (quarter !== said.quarter) setSaid({ quarter, words })
  return <Spoken words={said.words} />
}
