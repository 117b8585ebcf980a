import 'server-only'

/** Wakes whoever waits; a call while nobody waits is not forgotten. */
export class WakeUp {
  #called = false
  #wake: (() => void) | undefined

  call() {
    this.#called = true
    this.#wake?.()
  }

  /** @param most milliseconds */
  async wait(most: number) {
    if (!this.#called) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#called = false
    this.#wake = undefined
  }
}
