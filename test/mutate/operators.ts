import { childrenOf, isNode, type SyntaxNode, syntaxTree } from '../../scripts/measure/syntax-tree.ts';

/** A change of some characters of a source, for which a test should fail. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
};
const OTHER_METHODS: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' };
/** Types have no effect, but these have expressions in them. */
const WITH_EXPRESSION = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/**
 * Every mutation of a source: another comparison or sign, an operand of && or || left out, one branch of a conditional, a forced
 * `if`, a number one more or less, `min` for `max`, `some` for `every`, and a statement, an `await`, an element of an array or,
 * on request, a property left out; two arguments in the other order.
 */
export function mutationsOf(source: string, withProperties: boolean): readonly Mutation[] {
  const found: Mutation[] = [];
  visit(syntaxTree(source), (node) => {
    found.push(...mutationsAt(node, source, withProperties));
  });
  return found;
}

function visit(node: SyntaxNode, onNode: (node: SyntaxNode) => void): void {
  onNode(node);
  for (const child of childrenOf(node)) {
    if (!child.type.startsWith('Import') && (!child.type.startsWith('TS') || WITH_EXPRESSION.has(child.type))) {
      visit(child, onNode);
    }
  }
}

function mutationsAt(node: SyntaxNode, source: string, withProperties: boolean): readonly Mutation[] {
  const text = ({ start, end }: SyntaxNode): string => source.slice(start, end);
  const by = (to: string, at: SyntaxNode = node): Mutation => ({ start: at.start, end: at.end, to });
  const child = (field: string): SyntaxNode => node[field] as SyntaxNode;
  const children = (field: string): readonly SyntaxNode[] => (node[field] as readonly unknown[]).filter(isNode);
  switch (node.type) {
    case 'BinaryExpression': {
      const operator = node['operator'] as string;
      const opposite = OPPOSITES[operator];
      const start = source.indexOf(operator, child('left').end);
      return opposite === undefined ? [] : [{ start, end: start + operator.length, to: opposite }];
    }
    case 'LogicalExpression':
      return node['operator'] === '??' ? [] : [by(`(${text(child('left'))})`), by(`(${text(child('right'))})`)];
    case 'ConditionalExpression':
      return [by(`(${text(child('consequent'))})`), by(`(${text(child('alternate'))})`)];
    case 'IfStatement':
      return [by('true', child('test')), by('false', child('test'))];
    case 'Literal': {
      const { value } = node;
      return typeof value === 'number' ? [by(String(value + 1)), by(`(${value - 1})`)] : [];
    }
    case 'MemberExpression': {
      const property = child('property');
      const other = node['computed'] === true ? undefined : OTHER_METHODS[text(property)];
      return other === undefined ? [] : [by(other, property)];
    }
    case 'ExpressionStatement':
      return [by('')];
    case 'AwaitExpression':
      return [by(text(child('argument')))];
    case 'ArrayExpression':
      return withoutEach(children('elements'));
    case 'ObjectExpression':
      return withProperties ? withoutEach(children('properties')) : [];
    case 'CallExpression': {
      const given = children('arguments');
      const isOrdered = !text(child('callee')).startsWith('Math.');
      return (isOrdered ? given : [])
        .slice(1)
        .map((second, i) => ({ first: given[i]!, second }))
        .map(({ first, second }) => ({
          start: first.start,
          end: second.end,
          to: `${text(second)}${source.slice(first.end, second.start)}${text(first)}`,
        }));
    }
    default:
      return [];
  }
}

/** Each element of a list left out, with the comma before or after it. */
const withoutEach = (elements: readonly SyntaxNode[]): readonly Mutation[] =>
  elements.map(({ start, end }, i) =>
    i < elements.length - 1
      ? { start, end: elements[i + 1]!.start, to: '' }
      : { start: elements[i - 1]?.end ?? start, end, to: '' },
  );
