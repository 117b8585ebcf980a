import type { Locator, Page } from '@playwright/test'

/** A state of a page says how to open it and who looks at it. By default nobody is signed in. */
export interface PageState {
  readonly as?: string
  /** The browser asks for this language, and for English by default. */
  readonly locale?: string
  /** The state exists up to this page width, in pixels. */
  readonly upTo?: number
  readonly open: (page: Page) => Promise<unknown>
  /** `panel` is what `open` opened over the page. `opener` has the focus after Escape has closed it. */
  readonly over?: { readonly panel: (page: Page) => Locator; readonly opener: (page: Page) => Locator }
  /** A dialog in the middle of the window is opened once, and seen at all widths as the window changes. */
  readonly isOpenedOnce?: boolean
}
