import type { Locator, Page } from '@playwright/test'

/** A page in one of its states, and who looks at it; nobody who is signed in by default. */
export interface PageState {
  readonly as?: string
  /** What the browser asks for; English by default. */
  readonly locale?: string
  /** The widest page that has it, in pixels. */
  readonly upTo?: number
  readonly open: (page: Page) => Promise<unknown>
  /** What `open` opened over the page, and what has the focus once Escape has closed it. */
  readonly over?: { readonly panel: (page: Page) => Locator; readonly opener: (page: Page) => Locator }
  /** A dialog in the middle of the window: it is opened once and seen at all widths, as its window changes. */
  readonly isOpenedOnce?: boolean
}
