import type { Page } from '@playwright/test'

/**
 * The list holds text that nobody can read: cut off without a title that repeats it, outside the window where nothing
 * scrolls, or on other text. It leaves out what is hidden on purpose and what scrolls into sight.
 */
export const findUnreadable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    interface Box {
      readonly left: number
      readonly top: number
      readonly right: number
      readonly bottom: number
    }
    interface Seen extends Box {
      readonly text: Text
      readonly layer: Element | null
    }
    const styles = new Map<Element, CSSStyleDeclaration>()
    const styleOf = (element: Element) => {
      const style = styles.get(element) ?? getComputedStyle(element)
      styles.set(element, style)
      return style
    }
    const wide = ({ left, right }: Box) => right - left
    const high = ({ top, bottom }: Box) => bottom - top
    const meet = (a: Box, b: Box): Box => ({
      left: Math.max(a.left, b.left),
      top: Math.max(a.top, b.top),
      right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom),
    })
    const isEmpty = (box: Box) => wide(box) < 1 || high(box) < 1
    const ancestorsOf = function* (element: Element | null) {
      for (let one = element; one && one !== document.body; one = one.parentElement) yield one
    }
    /** An element that lies over the page, or stays while it scrolls, has a layer of its own. */
    const layerOf = (element: Element) =>
      [...ancestorsOf(element)].find(
        (one) => one.matches('dialog, [popover]') || /fixed|sticky/.test(styleOf(one).position),
      ) ?? null
    /** The result is the visible part of a box within its ancestors, and the ancestor that cuts it off for good. */
    const visibleIn = (parent: Element, box: Box): { readonly seen: Box; readonly cutBy: Element | null } => {
      let seen = box
      let cutBy: Element | null = null
      let passesStatic = false
      for (const one of ancestorsOf(parent)) {
        const { position, overflowX, overflowY, display } = styleOf(one)
        // Only a positioned ancestor cuts off an absolutely positioned element.
        if (passesStatic && position === 'static') continue
        passesStatic = position === 'absolute'
        if ((overflowX !== 'visible' || overflowY !== 'visible') && !/^(inline|contents)$/.test(display)) {
          const { left, top } = one.getBoundingClientRect()
          const inner = {
            left: left + one.clientLeft,
            top: top + one.clientTop,
            right: left + one.clientLeft + one.clientWidth,
            bottom: top + one.clientTop + one.clientHeight,
          }
          // The element is only for screen readers.
          if (wide(inner) <= 1 || high(inner) <= 1) return { seen: inner, cutBy: null }
          const scrollsX = /auto|scroll/.test(overflowX)
          const scrollsY = /auto|scroll/.test(overflowY)
          const lost = (scrollsX ? 0 : wide(seen) - wide(meet(seen, inner))) > 2
          // Letters reach above and below a line of close set text.
          const halved = !scrollsY && high(meet(seen, inner)) < 0.75 * high(seen)
          const reported = parent.closest('[title]:not([title=""])') !== null
          if ((lost || halved) && !(reported && styleOf(one).textOverflow === 'ellipsis')) cutBy ??= one
          seen = meet(seen, inner)
          // Outer ancestors cut off nothing of what is not scrolled into sight.
          if (isEmpty(seen)) break
        }
        if (position === 'fixed') break
      }
      return { seen, cutBy }
    }
    const name = (element: Element) =>
      `<${element.localName} class="${element.getAttribute('class')?.slice(0, 60) ?? ''}">`
    const quote = (text: Text) => `“${text.data.trim().replaceAll(/\s+/g, ' ').slice(0, 50)}”`
    const faults = new Set<string>()
    const seen: Seen[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!(node instanceof Text) || node.data.trim() === '' || !parent) continue
      if (parent.closest('script, style, noscript, template, option')) continue
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      range.selectNodeContents(node)
      const layer = layerOf(parent)
      const stays = layer !== null && styleOf(layer).position === 'fixed'
      for (const box of range.getClientRects()) {
        if (isEmpty(box)) continue
        const { seen: shown, cutBy } = visibleIn(parent, box)
        if (cutBy) faults.add(`cut off: ${quote(node)} by ${name(cutBy)}`)
        if (isEmpty(shown)) continue
        // The page scrolls down, never sideways.
        const inWindow = meet(shown, {
          left: 0,
          top: stays ? 0 : shown.top,
          right: innerWidth,
          bottom: stays ? innerHeight : shown.bottom,
        })
        const isLost = wide(inWindow) < wide(shown) - 2 || high(inWindow) < high(shown) - 2
        if (isLost && !isEmpty(inWindow)) faults.add(`outside the window: ${quote(node)}`)
        seen.push({ ...shown, text: node, layer })
      }
    }
    const fromTop = seen.toSorted((a, b) => a.top - b.top)
    fromTop.forEach((one, at) => {
      for (let next = at + 1; next < fromTop.length; next++) {
        const other = fromTop[next]
        if (!other || other.top >= one.bottom) break
        if (other.text === one.text || other.layer !== one.layer) continue
        const both = meet(one, other)
        if (wide(both) > 3 && high(both) > 0.4 * Math.min(high(one), high(other)))
          faults.add(`on each other: ${quote(one.text)} and ${quote(other.text)}`)
      }
    })
    return [...faults].slice(0, 12)
  })
