'use client'

import { useState } from 'react'
import { failureText, postJson } from '#components/ui/browser/fetch-json.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import type { FoundPerson } from '#lib/search/found.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** A list is filtered by this person: the id is in the address, the name only on this page. */
export interface ChosenPerson {
  readonly userUuid: string
  readonly name: string
}

/** The filter finds a person by name, e-mail address, number, whole id or wallet. The typed text is in no address. */
export function PersonFilter({ onChoose }: { readonly onChoose: (person: ChosenPerson) => void }) {
  const [text, setText] = useState('')
  const [state, setState] = useState<State>({ kind: 'idle' })
  const choose = (person: FoundPerson) => {
    onChoose({ userUuid: person.userUuid, name: nameOf(person) })
    setText('')
    setState({ kind: 'idle' })
  }
  const find = async () => {
    const wanted = text.trim()
    if (wanted === '') return setState({ kind: 'wrong', why: 'Type a name, an e-mail, a number or an ID.' })
    setState({ kind: 'looking' })
    const asked = postJson<LinkedFound>('/api/search', { text: wanted, limit: 1 })
    const found = await asked.catch(failureText)
    if (typeof found === 'string') return setState({ kind: 'wrong', why: found })
    const [only, other] = found.people
    if (only && !other) return choose(only)
    if (!only) return setState({ kind: 'wrong', why: 'No person found. The page People lists everybody.' })
    setState({ kind: 'several', people: found.people })
  }
  return (
    <form
      method="dialog"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void find()
      }}
    >
      <Field label="Person" error={state.kind === 'wrong' ? state.why : null}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder="Name, e-mail, number or ID"
              autoComplete="off"
              spellCheck={false}
              maxLength={200}
            />
            <Button type="submit" pending={state.kind === 'looking'}>
              Find
            </Button>
          </span>
        )}
      </Field>
      {state.kind === 'several' && (
        <ul aria-label="People found" className="mt-2 grid gap-1">
          {state.people.map((person) => (
            <li key={person.userUuid}>
              <Button size="sm" onClick={() => choose(person)} className="w-full justify-start">
                <span className="wrap-anywhere text-left">{nameOf(person)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

type State =
  | { readonly kind: 'idle' | 'looking' }
  | { readonly kind: 'wrong'; readonly why: string }
  | { readonly kind: 'several'; readonly people: readonly FoundPerson[] }

const nameOf = ({ userUuid, email, name }: FoundPerson): string => email ?? name ?? shortId(userUuid)
