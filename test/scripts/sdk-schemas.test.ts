import { expect, it } from 'vitest';
import { withPlainKeys } from '../../scripts/build/sdk-schemas.ts';

it('keys that are constant strings of the module are written out, and nothing else is changed', () => {
  const source = `const _xN = "xmlName";
const _I = "Id";
const other = make();
export var Shape$ = [3, n0, _S, 0, [_I], [[0, { [_xN]: _I, [other]: 1 }], list[_I], [_I]]];
`;
  expect(withPlainKeys(source)).toBe(source.replace('[_xN]:', '"xmlName":'));
});
