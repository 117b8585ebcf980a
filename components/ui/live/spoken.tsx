'use client'

import { useEffect, useRef, useState } from 'react'

/** Milliseconds between two announcements: whoever listens hears what else they do in between. */
const quietFor = 20_000

/** Says the newest words to whoever hears the page, a few times a minute at most however often they change. */
export function Spoken({ words }: { readonly words: string }) {
  const [said, say] = useState(words)
  const next = useRef(0)
  useEffect(() => {
    if (words === said) return
    const timer = setTimeout(() => {
      next.current = performance.now() + quietFor
      say(words)
    }, next.current - performance.now())
    return () => clearTimeout(timer)
  }, [words, said])
  return (
    <span role="status" className="sr-only">
      {said}
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
