'use client'

import { useEffect, useState } from 'react'

/** Milliseconds between two announcements: whoever listens hears what else they do in between. */
const quietFor = 20_000

/** Says the newest words to whoever hears the page, a few times a minute at most however often they change. */
export function Spoken({ words }: { readonly words: string }) {
  const [said, setSaid] = useState({ words, at: Number.NEGATIVE_INFINITY })
  useEffect(() => {
    if (words === said.words) return
    // Nothing is announced by it, and old words must not stay.
    if (words === '') return setSaid({ words, at: said.at })
    const due = said.at + quietFor - performance.now()
    const timer = setTimeout(() => setSaid({ words, at: performance.now() }), Math.max(0, due))
    return () => clearTimeout(timer)
  }, [words, said])
  return (
    <span role="status" className="sr-only">
      {said.words}
    </span>
  )
}

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
