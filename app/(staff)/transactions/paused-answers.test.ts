import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nothingFound } from '../../../test/nothing-found.ts'
import { pausedAnswers } from './use-found-subjects.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The search is open under traffic: its question is asked whenever changes arrive. */
function openSearch() {
  const tab = { hidden: false, asked: 0 }
  const ask = async () => {
    tab.asked++
    return nothingFound
  }
  const news = async () => void (await answers.calmly('ana', ask))
  const answers = pausedAnswers(
    () => void news(),
    () => tab.hidden,
  )
  const trafficFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await news()
      await vi.advanceTimersByTimeAsync(1_000)
    }
  }
  return { tab, news, answers, ask, trafficFor }
}

it('asks at most every 4 seconds while changes arrive', async () => {
  const { tab, trafficFor } = openSearch()
  await trafficFor(40)
  expect(tab.asked).toBe(11)
})

it('does not ask while the tab is hidden, and asks as soon as it is visible', async () => {
  const { tab, answers, trafficFor } = openSearch()
  await trafficFor(1)
  tab.hidden = true
  await trafficFor(60)
  expect(tab.asked).toBe(1)
  tab.hidden = false
  answers.onVisible()
  await vi.advanceTimersByTimeAsync(0)
  expect(tab.asked).toBe(2)
})

it('asks a new question at once, also in a hidden tab', async () => {
  const { tab, answers, ask } = openSearch()
  tab.hidden = true
  await answers.calmly('ana', ask)
  await answers.calmly('ben', ask)
  expect(tab.asked).toBe(2)
})

it('does not ask again on coming back when nothing arrived', async () => {
  const { tab, answers, news } = openSearch()
  await news()
  tab.hidden = true
  answers.onVisible()
  tab.hidden = false
  answers.onVisible()
  await vi.advanceTimersByTimeAsync(0)
  expect(tab.asked).toBe(1)
})
