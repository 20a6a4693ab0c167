import { describe, expect, it } from 'vitest';
import { container, node, pod } from '../../../builders.ts';
import { reason, rooms } from '../fit.ts';

const port = (text: string) => {
  const [address, number, protocol = 'TCP'] = text.split('|');
  return { hostIP: address!, hostPort: Number(number), protocol };
};
const withPorts = (name: string, ports: readonly string[], home?: string) =>
  pod(name, {
    ...(home === undefined ? {} : { node: home }),
    spec: { containers: [container({}, { hostPorts: ports.map(port) })] },
  });
const NO = "node(s) didn't have free ports for the requested pod ports";

describe('a port is free unless a pod of the node has it', () => {
  it.each([
    [['|80'], ['|80'], NO],
    [['|80'], ['|81'], 'ok'],
    [['|80|TCP'], ['|80|UDP'], 'ok'],
    [['127.0.0.1|80'], ['127.0.0.2|80'], 'ok'],
    [['127.0.0.1|80'], ['127.0.0.1|80'], NO],
    [['127.0.0.1|80'], ['0.0.0.0|80'], NO],
    [['0.0.0.0|80'], ['127.0.0.1|80'], NO],
    [['|80'], ['127.0.0.1|80'], NO],
    [['0.0.0.0|80'], ['|80'], NO],
    [['::|80'], ['127.0.0.1|80'], 'ok'],
    [['::|80'], ['::|80'], NO],
    [['::|80'], ['0.0.0.0|80'], NO],
    [['127.0.0.1|0'], ['|0'], 'ok'],
    [['|80', '|443'], ['|8443', '|443'], NO],
    [[], ['|80'], 'ok'],
    [['|80'], [], 'ok'],
  ])('%j is there, %j wanted', (there, wanted, expected) => {
    const pods = [withPorts('there', there, 'n')];
    expect(reason(withPorts('p', wanted), { nodes: [node('n')], pods })).toBe(expected);
  });
});

it.each([
  ['a sidecar', true, NO],
  ['an init container', false, 'ok'],
])('%s on either side', (_, restartable, expected) => {
  const initContainers = [container({}, { restartable, hostPorts: [port('|80')] })];
  const nodes = [node('n')];
  const there = pod('there', { node: 'n', spec: { initContainers } });
  expect(reason(withPorts('p', ['|80']), { nodes, pods: [there] })).toBe(expected);
  expect(reason(pod('p', { spec: { initContainers } }), { nodes, pods: [withPorts('there', ['|80'], 'n')] })).toBe(
    expected,
  );
});

it('ends with the pod that took it, and with a node that is gone', () => {
  const pods = [
    { ...withPorts('done', ['|80'], 'n'), phase: 'Succeeded' as const },
    withPorts('elsewhere', ['|80'], 'm'),
  ];
  expect(reason(withPorts('p', ['|80']), { nodes: [node('n')], pods })).toBe('ok');
});

it('leaves room for one pod of a kind', () => {
  expect(rooms(withPorts('p', ['127.0.0.1|80']), { nodes: [node('n')] })).toEqual({ room: 1, placed: 1 });
});
