import { describe, expect, test } from 'vitest'
import {
  type Clickable,
  type Control,
  findMouseOnly,
  findUnreached,
  hasComeRound,
  needsNoRing,
  pressesBetween,
} from '../e2e/tab-stops.ts'

const control = (name: string, more: Partial<Control> = {}): Control => ({
  name,
  role: null,
  tabIndex: 0,
  group: null,
  box: null,
  row: null,
  isRowLink: false,
  ...more,
})

test.each([
  ['from the top to the first stop', -1, 0, 1],
  ['to a later stop', 2, 5, 3],
  ['to an earlier stop, past the last', 5, 2, 7],
  ['to where the focus is, all the way round', 3, 3, 10],
])('Tab is pressed %s', (_where, from, to, presses) => {
  expect(pressesBetween(from, to, 10)).toBe(presses)
})

describe('Tab must reach', () => {
  const unreached = (controls: readonly Control[], ...reached: number[]) =>
    findUnreached(controls, new Set(reached))

  test('every control', () => {
    expect(unreached([control('Save'), control('Copy'), control('Find')], 0, 2)).toEqual(['Copy'])
  })

  test('one radio button of each name', () => {
    const radios = [
      control('Light', { group: 'theme' }),
      control('Dark', { group: 'theme' }),
      control('UTC', { group: 'times' }),
    ]
    expect(unreached(radios, 1, 2)).toEqual([])
    expect(unreached(radios, 1)).toEqual(['UTC'])
  })

  test('the field of a list box, or one of its options', () => {
    const options = [
      control('Find anything', { role: 'combobox', box: 'found' }),
      control('ana@demo.test', { role: 'option', tabIndex: -1, box: 'found' }),
    ]
    expect(unreached(options, 0)).toEqual([])
    expect(unreached(options, 1)).toEqual([])
    expect(unreached(options)).toEqual(['Find anything', 'ana@demo.test'])
  })

  test('the link of a row, and what stands in the row as a stop of its own', () => {
    const row = [
      control('4f2a', { row: 'first', isRowLink: true }),
      control('Copy 4f2a', { row: 'first', tabIndex: -1 }),
      control('Mute', { row: 'first' }),
      control('Copy 9b1c', { row: 'second', tabIndex: -1 }),
    ]
    expect(unreached(row, 0, 2)).toEqual(['Copy 9b1c'])
    expect(unreached(row, 0)).toEqual(['Mute', 'Copy 9b1c'])
    expect(unreached(row, 2)).toEqual(['4f2a', 'Copy 4f2a', 'Copy 9b1c'])
  })

  test('a control that no row and no group has', () => {
    expect(unreached([control('Copy', { tabIndex: -1 }), control('Save')], 1)).toEqual(['Copy'])
  })
})

test('a field that steers a list box needs no ring, any other control does', () => {
  expect(needsNoRing(control('Find anything', { role: 'combobox', box: 'found' }))).toBe(true)
  expect(needsNoRing(control('Find', { role: 'combobox' }))).toBe(false)
  expect(needsNoRing(control('ana@demo.test', { role: 'option', box: 'found' }))).toBe(false)
})

describe('Tab has come round', () => {
  test.each([
    ['at what had the focus before', [0, 1, 2, 0]],
    ['past the end of the page', [0, 1, null, 0]],
    ['where it cannot leave a part of the page', [0, 1, 2, 1]],
    ['where it stays', [0, ...Array<number>(9).fill(1)]],
    ['where nothing can have the focus', Array<null>(9).fill(null)],
  ])('%s', (_where, presses) => {
    expect(hasComeRound(presses)).toBe(true)
  })

  test.each([
    ['while it goes on', [0, 1, 2, null]],
    ['within a field of several places', [0, 1, 1, 1, 1, 1, 2]],
    ['before anything has the focus', [null, 0]],
    ['after no press', []],
  ])('not %s', (_where, presses) => {
    expect(hasComeRound(presses)).toBe(false)
  })
})

test('what is clicked must be pressed by a key', () => {
  const clickable = (name: string, more: Partial<Clickable>): Clickable => ({
    name,
    tag: 'div',
    role: null,
    tabIndex: -1,
    isNative: false,
    hearsKeys: false,
    ...more,
  })
  expect(
    findMouseOnly([
      clickable('a button', { tag: 'button', isNative: true }),
      clickable('a card', {}),
      clickable('a card with a role alone', { role: 'button' }),
      clickable('a card that hears nothing', { role: 'button', tabIndex: 0 }),
      clickable('a card like a button', { role: 'button', tabIndex: 0, hearsKeys: true }),
      clickable('a line of the palette', { role: 'option' }),
      clickable('a drawer', { tag: 'dialog' }),
    ]),
  ).toEqual(['a card', 'a card with a role alone', 'a card that hears nothing'])
})
