import { expect, test } from 'vitest';
import { addressOf } from '../../../cli/terminal/flag-values.ts';

test.each([
  [':8085', '127.0.0.1', 8_085],
  ['0.0.0.0:8085', '0.0.0.0', 8_085],
  ['[::1]:9090', '::1', 9_090],
  ['localhost:0', 'localhost', 0],
])('the address %s is port %s of %s: without a host it is this computer alone', (text, host, port) => {
  expect(addressOf(text)).toEqual({ host, port });
});
