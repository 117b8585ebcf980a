import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const root = path.dirname(import.meta.dirname)

/** All names that a file of the repository gives to functions, classes, methods, constants and types. */
export function namesIn(file: string): ReadonlySet<string> {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    const name = isDefinition(node) ? ts.getNameOfDeclaration(node) : undefined
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.add(name.text.replace('#', ''))
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  return names
}

const isDefinition = (node: ts.Node): node is ts.Declaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node)
