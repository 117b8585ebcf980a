/**
 * A browser that translates a page, and some extensions, replace a text by `<font><font>…</font></font>`. React
 * keeps using its own text: it fails when that is no child any more, and changes it when nobody sees it (decision
 * 0134).
 */
export function keepUpWithTranslation(): void {
  observer.observe(document, { childList: true, subtree: true })
  const { removeChild, insertBefore, appendChild } = Node.prototype
  const place = (parent: Node, node: Node, before: Node | null): Node => {
    clearReplacement(parent, node)
    return before === null
      ? appendChild.call(parent, node)
      : insertBefore.call(parent, node, before.parentNode === parent ? before : childFor(parent, before))
  }
  Object.assign(Node.prototype, {
    removeChild(this: Node, child: Node) {
      const found = child.parentNode === this ? child : childFor(this, child)
      if (found !== null) removeChild.call(this, found)
      return child
    },
    insertBefore(this: Node, node: Node, before: Node | null) {
      return place(this, node, before)
    },
    appendChild(this: Node, node: Node) {
      return place(this, node, null)
    },
  })
}

/** Each text of React that was taken out has this element in its place. */
const replacements = new WeakMap<Node, Element>()

const observer = new MutationObserver((records) => readRecords(records))

function readRecords(records: readonly MutationRecord[]) {
  for (const record of records) {
    if (record.type === 'characterData') putBack(record.target)
    else for (const node of record.removedNodes) if (node instanceof Text) noteReplacement(node, record)
  }
}

function noteReplacement(text: Text, { addedNodes, previousSibling, nextSibling }: MutationRecord) {
  if (text.isConnected) return
  const font = [...addedNodes, previousSibling, nextSibling].find(isFont)
  if (!font) return
  replacements.set(text, font)
  // The text is invisible while it is out. Once React writes into it, it comes back and is translated again.
  observer.observe(text, { characterData: true })
}

function putBack(text: Node) {
  const font = replacements.get(text)
  if (text.isConnected || !font?.isConnected) return
  replacements.delete(text)
  font.replaceWith(text)
}

/** This child of the parent contains a node of React, or replaced it. */
function childFor(parent: Node, node: Node): Node | null {
  readRecords(observer.takeRecords())
  let found: Node | null = parent.contains(node) ? node : (replacements.get(node) ?? null)
  while (found !== null && found.parentNode !== parent) found = found.parentNode
  return found
}

/** A text that React puts elsewhere leaves nothing behind. */
function clearReplacement(parent: Node, node: Node) {
  if (!(node instanceof Text)) return
  let font = replacements.get(node) ?? (isFont(node.parentNode) ? node.parentNode : null)
  // The translator puts the text into the new place itself.
  if (font === null || font.contains(parent)) return
  while (isFont(font.parentNode)) font = font.parentNode
  replacements.delete(node)
  font.remove()
}

/** No page of ours has a `<font>`. */
const isFont = (node: Node | null): node is HTMLElement =>
  node instanceof HTMLElement && node.tagName === 'FONT'
