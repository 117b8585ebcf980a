'use client'

import { Inbox } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { endpointStatusLabel } from '#components/endpoints/endpoint-labels.ts'
import { AlertDialog, AlertDialogCancel } from '#components/ui/alert-dialog.tsx'
import { Avatar } from '#components/ui/avatar.tsx'
import { Button, type ButtonVariant } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Dialog, DialogActions, DialogClose } from '#components/ui/dialog.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { EmptyState, NotFound, Skeleton } from '#components/ui/empty-state.tsx'
import { Expandable } from '#components/ui/expandable.tsx'
import { TextField } from '#components/ui/field.tsx'
import { JsonView } from '#components/ui/json-view.tsx'
import { Kbd } from '#components/ui/kbd.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Pagination } from '#components/ui/list/page-links.tsx'
import { Logo } from '#components/ui/logo.tsx'
import { MoreMenu, MoreMenuLink } from '#components/ui/more-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { SkipLink } from '#components/ui/skip-link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time, type TimeStyle, TimesNote } from '#components/ui/time.tsx'
import { endpointStatuses } from '#lib/deliveries/rules/endpoint-states.ts'
import { eventWords, type Tone } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { FieldsPiece, FilterBarPiece, id, PillsOf, SegmentedPiece } from './form-pieces.tsx'
import { staffPieces } from './staff-pieces.tsx'

/** Each piece is shown in all of its states, light or dark as the page is. */
export function Pieces() {
  return (
    <div className="mt-6 grid gap-8">
      <SkipLink />
      {pieces.map(({ name, Shown }) => (
        <section key={name} aria-label={name}>
          <h2 className="mb-2 font-title text-muted text-sm">{name}</h2>
          <div className="flex min-w-0 flex-wrap items-start gap-3 [&>.whole]:w-full">
            <Shown />
          </div>
        </section>
      ))}
    </div>
  )
}

interface Piece {
  readonly name: string
  readonly Shown: () => ReactNode
}

const variants = ['primary', 'secondary', 'ghost', 'danger'] as const satisfies readonly ButtonVariant[]

const sizes = ['sm', 'md', 'lg'] as const

const tones = ['wait', 'move', 'held', 'done', 'fail', 'back'] as const satisfies readonly Tone[]

const kinds = ['info', 'success', 'warning', 'error'] as const

const at = '2026-02-01T10:00:00.123Z'

const timeStyles = [
  'relative',
  'age',
  'elapsed',
  'minute',
  'clock',
  'stacked',
  'dated',
  'exact',
] as const satisfies readonly TimeStyle[]

const pieces: readonly Piece[] = [
  {
    name: 'Button',
    Shown: () =>
      sizes.map((size) => (
        <div key={size} className="whole flex flex-wrap gap-2">
          {variants.map((variant) => (
            <Fragment key={variant}>
              <Button size={size} variant={variant}>
                {variant}
              </Button>
              <Button size={size} variant={variant} disabled>
                disabled
              </Button>
              <Button size={size} variant={variant} pending>
                pending
              </Button>
              <Button size={size} variant={variant} square aria-label={`${size} ${variant}`}>
                <Inbox aria-hidden />
              </Button>
            </Fragment>
          ))}
          <ButtonLink size={size} href="#main">
            link
          </ButtonLink>
          <Link href="#main" className="underline">
            link in text
          </Link>
        </div>
      )),
  },
  { name: 'Segmented', Shown: SegmentedPiece },
  { name: 'Filters', Shown: FilterBarPiece },
  {
    name: 'Pill, by tone',
    Shown: () =>
      tones.map((tone) => (
        <Pill key={tone} tone={tone}>
          {tone}
        </Pill>
      )),
  },
  ...Object.entries(eventWords).map(
    ([type, words]): Piece => ({
      name: `States of ${eventTypeLabel(type).label}`,
      Shown: () => <PillsOf words={words} />,
    }),
  ),
  {
    name: 'States of an endpoint',
    Shown: () => (
      <PillsOf words={Object.fromEntries(endpointStatuses.map((one) => [one, endpointStatusLabel(one)]))} />
    ),
  },
  {
    name: 'Tag, avatar, key, mark',
    Shown: () => (
      <>
        <Tag>Sandbox</Tag>
        <Avatar name="Ana Lima" />
        <Kbd>Ctrl</Kbd>
        <Logo />
      </>
    ),
  },
  {
    name: 'Callout',
    Shown: () =>
      kinds.flatMap((kind) => [
        <Callout key={kind} kind={kind} className="whole">
          What happened, in a sentence.
        </Callout>,
        <Callout
          key={`${kind} title`}
          kind={kind}
          title="What happened"
          actions={<Button size="sm">What to do</Button>}
          className="whole"
        >
          Whether anything is lost.
        </Callout>,
      ]),
  },
  {
    name: 'Card and facts',
    Shown: () => (
      <Card title="Facts" aside={<Tag>aside</Tag>} className="whole">
        <Facts>
          <Fact name="Words">Polygon</Fact>
          <Fact name="ID">
            <ShortId id={id} />
          </Fact>
          <Fact name="Whole id">
            <ShortId id={id} whole />
          </Fact>
          <Fact name="Status">
            <Pill tone="done">Finished</Pill>
          </Fact>
          <Fact name="Time">
            <Time at={at} style="exact" className="num" />
          </Fact>
        </Facts>
      </Card>
    ),
  },
  { name: 'Fields', Shown: FieldsPiece },
  {
    name: 'A body, and what is none',
    Shown: () => (
      <div className="whole grid gap-3">
        <JsonView label="A body" text='{"type":"KYC","data":{"amount":1.10,"steps":[]}}' />
        <JsonView label="No body" text="What is no JSON stays as it is." />
      </div>
    ),
  },
  {
    name: 'Copy',
    Shown: () => (
      <>
        <CopyButton text={id} />
        <CopyButton text={id}>Copy the id</CopyButton>
        <ShortId id={id} copy={false} />
      </>
    ),
  },
  {
    name: 'Dialogs and menus',
    Shown: () => (
      <>
        <Dialog
          title="A dialog"
          description="The focus is on what must be filled in."
          trigger={<Button>Open a dialog</Button>}
        >
          <TextField label="Name" />
          <DialogActions>
            <DialogClose variant="primary">Close</DialogClose>
          </DialogActions>
        </Dialog>
        <AlertDialog
          title="Delete “Ledger backend”?"
          description="What follows from it."
          trigger={<Button variant="danger">Open a question</Button>}
        >
          <AlertDialogCancel />
        </AlertDialog>
        <MoreMenu label="More">
          <MoreMenuLink href="#main">A line of the menu</MoreMenuLink>
        </MoreMenu>
      </>
    ),
  },
  {
    name: 'What opens',
    Shown: () => (
      <>
        <Disclosure summary="1 detail">The fact.</Disclosure>
        <div className="whole">
          <Expandable label="Open the line" line={<Pill tone="move">In progress</Pill>}>
            What belongs to it.
          </Expandable>
        </div>
      </>
    ),
  },
  {
    name: 'Table and pages',
    Shown: () => (
      <Card className="whole">
        <Table>
          <thead>
            <tr>
              <Th>ID</Th>
              <Th>Status</Th>
              <Th numeric>Amount</Th>
            </tr>
          </thead>
          <tbody>
            {tones.map((tone) => (
              <Tr key={tone}>
                <Td>
                  <ShortId id={id} />
                </Td>
                <Td>
                  <Pill tone={tone}>{tone}</Pill>
                </Td>
                <Td numeric>255.86</Td>
              </Tr>
            ))}
          </tbody>
        </Table>
        <Pagination onNewer={null} onOlder={() => undefined}>
          About 41,200
        </Pagination>
      </Card>
    ),
  },
  {
    name: 'Page header',
    Shown: () => (
      <div className="whole">
        <PageHeader title="Title of a page" actions={<Button variant="primary">Do it</Button>}>
          What the page is about. <TimesNote />
        </PageHeader>
      </div>
    ),
  },
  {
    name: 'Nothing there, not found, loading',
    Shown: () => (
      <>
        <Card className="whole">
          <EmptyState icon={Inbox} title="Nothing yet" action={<Button>Make it appear</Button>}>
            What will appear here.
          </EmptyState>
        </Card>
        <div className="whole">
          <NotFound title="There is no such thing" action={<Button>The way on</Button>} />
        </div>
        <Skeleton className="h-5 w-48" />
      </>
    ),
  },
  {
    name: 'Time',
    Shown: () => timeStyles.map((style) => <Time key={style} at={at} style={style} />),
  },
  ...staffPieces,
]
