import ts from 'typescript'

/** The list holds the names that a module exports. The function throws at `export *`. */
export function exportedNames(source: string): string[] {
  const { statements } = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest)
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return listed(statement)
    if (!ts.canHaveModifiers(statement)) return []
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name))
    return ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : []
  })
}

function listed({ exportClause, isTypeOnly }: ts.ExportDeclaration): string[] {
  if (isTypeOnly) return []
  if (!exportClause || !ts.isNamedExports(exportClause)) throw new Error('Name each export by itself')
  return exportClause.elements.map(({ name }) => name.text)
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((one) => (ts.isBindingElement(one) ? namesIn(one.name) : []))
}

/**
 * The list holds the names that a module declares and exports, types included. Re-exported names belong to their own module.
 */
export function declaredNames(source: string): string[] {
  const { statements } = ts.createSourceFile('module.tsx', source, ts.ScriptTarget.Latest)
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return statement.moduleSpecifier ? [] : listed(statement)
    const kinds = ts.canHaveModifiers(statement) ? ts.getModifiers(statement)?.map(({ kind }) => kind) : []
    if (!kinds?.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword))
      return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name))
    return isNamed(statement) ? [statement.name.text] : []
  })
}

const isNamed = (statement: ts.Statement): statement is ts.Statement & { readonly name: ts.Identifier } =>
  'name' in statement && statement.name !== undefined && ts.isIdentifier(statement.name as ts.Node)
