import { FUNCTION_OWNERS } from './function-owners.ts';
import { childrenOf, isNode, type SyntaxNode, syntaxTree } from './syntax-tree.ts';

/** Counts over the syntax of a source. */
export interface Syntax {
  readonly conditionals: number;
  /** Conditional expressions within another one. */
  readonly nestedConditionals: number;
  readonly nonNulls: number;
  /** Spreads of an object that is there on a condition. */
  readonly optionalSpreads: number;
  /** Fields and methods of object types that are functions, without those of `FUNCTION_OWNERS`. */
  readonly functionFields: number;
  /** Names of declarations that the source exports. */
  readonly exported: readonly string[];
  /** Names of interfaces and of type aliases among them. */
  readonly exportedTypes: readonly string[];
}

const TYPES = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/** @throws SyntaxError for what is no TypeScript. */
export function syntaxOf(source: string): Syntax {
  const counts = { conditionals: 0, nestedConditionals: 0, nonNulls: 0, optionalSpreads: 0 };
  const exported: string[] = [];
  const exportedTypes: string[] = [];
  const visit = (node: SyntaxNode, inConditional: boolean): void => {
    const isConditional = node.type === 'ConditionalExpression';
    counts.conditionals += Number(isConditional);
    counts.nestedConditionals += Number(isConditional && inConditional);
    counts.nonNulls += Number(node.type === 'TSNonNullExpression');
    counts.optionalSpreads += Number(isOptionalSpread(node));
    if (node.type === 'ExportNamedDeclaration' && isNode(node['declaration'])) {
      const names = namesOf(node['declaration']);
      exported.push(...names);
      exportedTypes.push(...(TYPES.has(node['declaration'].type) ? names : []));
    }
    // The branches of a function in a branch are read by themselves.
    const within = (inConditional || isConditional) && !node.type.includes('Function');
    childrenOf(node).forEach((child) => visit(child, within));
  };
  const tree = syntaxTree(source);
  visit(tree, false);
  return { ...counts, functionFields: functionFieldsIn(tree), exported, exportedTypes };
}

const isOptionalSpread = ({ type, argument }: SyntaxNode): boolean =>
  type === 'SpreadElement' &&
  isNode(argument) &&
  ((argument.type === 'LogicalExpression' && argument['operator'] === '&&') ||
    (argument.type === 'ConditionalExpression' &&
      [argument['consequent'], argument['alternate']].some((one) => isNode(one) && one.type === 'ObjectExpression')));

const functionFieldsIn = (node: SyntaxNode): number =>
  isOwner(node)
    ? 0
    : childrenOf(node).reduce((sum, child) => sum + functionFieldsIn(child), Number(isFunctionField(node)));

const isOwner = ({ type, id }: SyntaxNode): boolean =>
  type === 'TSInterfaceDeclaration' && isNode(id) && Object.hasOwn(FUNCTION_OWNERS, String(id['name']));

function isFunctionField({ type, typeAnnotation }: SyntaxNode): boolean {
  if (type === 'TSMethodSignature') {
    return true;
  }
  const of = isNode(typeAnnotation) ? typeAnnotation['typeAnnotation'] : undefined;
  return type === 'TSPropertySignature' && isNode(of) && of.type === 'TSFunctionType';
}

function namesOf({ id, declarations }: SyntaxNode): readonly string[] {
  const ids = Array.isArray(declarations) ? declarations.map((one: SyntaxNode) => one['id']) : [id];
  return ids.flatMap((one) => (isNode(one) && typeof one['name'] === 'string' ? [one['name']] : []));
}
