'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { readRefusal } from '#components/ui/browser/fetch-json.ts'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/field.tsx'
import { openMade } from '#components/ui/form/leave-guard.ts'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { FileInput } from '#components/ui/input.tsx'

interface Refusal {
  readonly title: string
  readonly next: string
}

/** A file of people is chosen and checked; this imports nothing. */
export function UploadPeople() {
  const router = useRouter()
  const [file, setFile] = useState<File | null>(null)
  const [pending, setPending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function check(chosen: File) {
    setPending(true)
    setRefusal(null)
    const answer = await upload(chosen)
    if ('importId' in answer) {
      const made = `/users/import/${answer.importId}`
      return openMade(made, () => router.push(made))
    }
    setRefusal(answer)
    setPending(false)
  }

  return (
    <Card title="Check a file" className="max-w-[46rem]">
      <form
        method="dialog"
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (file) void check(file)
        }}
      >
        <Field
          label="CSV file"
          hint="Up to 100,000 people and 32 MB. The first line names the columns; each further line is one person."
        >
          {(control) => (
            <FileInput
              {...control}
              accept=".csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values"
              required
              onChange={(event) => setFile(event.target.files?.[0] ?? null)}
            />
          )}
        </Field>
        {refusal && <RefusalCallout refusal={refusal} />}
        <div className="flex justify-end">
          <Button type="submit" variant="primary" pending={pending} disabled={file === null}>
            {pending ? 'Checking…' : 'Check it'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** A missing connection and an ended session have a message like any other outcome. */
async function upload(file: File): Promise<{ readonly importId: string } | Refusal> {
  const path = `/api/users/import?name=${encodeURIComponent(file.name)}`
  const answer = await fetch(path, {
    method: 'POST',
    body: file,
    headers: { 'content-type': 'text/csv' },
  }).catch(noAnswer)
  if (answer?.ok) return answer.json()
  if (answer?.status === 409) return answer.json()
  if (answer?.status === 401)
    return { title: 'Your session has ended.', next: 'Reload the page and sign in again.' }
  if (answer?.status === 413)
    return {
      title: 'A proxy in front refused this file for its size.',
      next: 'Nothing was imported. Divide it, or let the proxy take 33 MB here.',
    }
  if (answer?.status === 403)
    return (
      (await readRefusal(answer)) ?? {
        title: 'Your role does not allow this.',
        next: 'Ask an admin of your team.',
      }
    )
  if (answer === null)
    return { title: 'No answer came.', next: 'Nothing was imported. Check your connection and try again.' }
  return {
    title: 'The server answered with an error.',
    next: `Nothing was imported. Your connection is fine. Try again; if it stays, tell your admin of the ${answer.status}.`,
  }
}

const noAnswer = () => null
