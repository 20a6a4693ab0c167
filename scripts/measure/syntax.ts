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
  /** Fields and methods of `FUNCTION_OWNERS` that are functions. */
  readonly exemptFunctionFields: number;
  /** Parameters of functions that are functions, by a type in place or an alias in the source. */
  readonly functionParameters: number;
  /** Names of declarations that the source exports. */
  readonly exported: readonly string[];
  /** Names of interfaces and of type aliases, exported or not. */
  readonly types: readonly string[];
}

const TYPES = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/** @throws SyntaxError for what is no TypeScript. */
export function syntaxOf(source: string): Syntax {
  const counts = { conditionals: 0, nestedConditionals: 0, nonNulls: 0, optionalSpreads: 0 };
  const exported: string[] = [];
  const types: string[] = [];
  const visit = (node: SyntaxNode, inConditional: boolean): void => {
    const isConditional = node.type === 'ConditionalExpression';
    counts.conditionals += Number(isConditional);
    counts.nestedConditionals += Number(isConditional && inConditional);
    counts.nonNulls += Number(node.type === 'TSNonNullExpression');
    counts.optionalSpreads += Number(isOptionalSpread(node));
    if (node.type === 'ExportNamedDeclaration' && isNode(node['declaration'])) {
      exported.push(...namesOf(node['declaration']));
    }
    types.push(...(TYPES.has(node.type) ? namesOf(node) : []));
    // The branches of a function in a branch are read by themselves.
    const within = (inConditional || isConditional) && !node.type.includes('Function');
    childrenOf(node).forEach((child) => visit(child, within));
  };
  const tree = syntaxTree(source);
  visit(tree, false);
  return {
    ...counts,
    functionFields: functionFieldsIn(tree, false),
    exemptFunctionFields: functionFieldsIn(tree, true),
    functionParameters: functionParametersIn(tree, functionAliasesIn(tree)),
    exported,
    types,
  };
}

const isOptionalSpread = ({ type, argument }: SyntaxNode): boolean =>
  type === 'SpreadElement' &&
  isNode(argument) &&
  ((argument.type === 'LogicalExpression' && argument['operator'] === '&&') ||
    (argument.type === 'ConditionalExpression' &&
      [argument['consequent'], argument['alternate']].some((one) => isNode(one) && one.type === 'ObjectExpression')));

/** @param ofOwners counts the fields of `FUNCTION_OWNERS`, or all others. */
const functionFieldsIn = (node: SyntaxNode, ofOwners: boolean, inOwner = false): number => {
  const isInOwner = inOwner || isOwner(node);
  return childrenOf(node).reduce(
    (sum, child) => sum + functionFieldsIn(child, ofOwners, isInOwner),
    Number(isFunctionField(node) && isInOwner === ofOwners),
  );
};

const isOwner = ({ type, id }: SyntaxNode): boolean =>
  type === 'TSInterfaceDeclaration' && isNode(id) && Object.hasOwn(FUNCTION_OWNERS, String(id['name']));

function isFunctionField({ type, typeAnnotation }: SyntaxNode): boolean {
  if (type === 'TSMethodSignature') {
    return true;
  }
  return type === 'TSPropertySignature' && isFunctionType(typeAnnotation, NO_NAMES);
}

const NO_NAMES: ReadonlySet<unknown> = new Set();

/** Is the annotation a function type, or one of these names of function types? */
function isFunctionType(annotation: unknown, aliases: ReadonlySet<unknown>): boolean {
  const type = isNode(annotation) ? annotation['typeAnnotation'] : undefined;
  if (!isNode(type)) {
    return false;
  }
  const name = isNode(type['typeName']) ? type['typeName']['name'] : undefined;
  return type.type === 'TSFunctionType' || aliases.has(name);
}

/** The names of the aliases that are function types. */
const functionAliasesIn = (tree: SyntaxNode): ReadonlySet<unknown> =>
  new Set(
    childrenOf(tree)
      .map((node) => (isNode(node['declaration']) ? node['declaration'] : node))
      .filter((node) => node.type === 'TSTypeAliasDeclaration' && isFunctionType(node, NO_NAMES))
      .flatMap(namesOf),
  );

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression']);

function functionParametersIn(node: SyntaxNode, aliases: ReadonlySet<unknown>): number {
  const own = FUNCTIONS.has(node.type) && Array.isArray(node['params']) ? node['params'].filter(isNode) : [];
  const annotated = own.map((parameter) => (isNode(parameter['left']) ? parameter['left'] : parameter));
  return childrenOf(node).reduce(
    (sum, child) => sum + functionParametersIn(child, aliases),
    annotated.filter(({ typeAnnotation }) => isFunctionType(typeAnnotation, aliases)).length,
  );
}

function namesOf({ id, declarations }: SyntaxNode): readonly string[] {
  const ids = Array.isArray(declarations) ? declarations.map((one: SyntaxNode) => one['id']) : [id];
  return ids.flatMap((one) => (isNode(one) && typeof one['name'] === 'string' ? [one['name']] : []));
}
