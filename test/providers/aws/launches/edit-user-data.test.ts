import { describe, expect, test } from 'vitest';
import { withNodeTaint, withoutNodeTaint } from '../../../../providers/aws/launches/edit-user-data.ts';
import { readUserData } from '../../../../providers/aws/launches/user-data.ts';

const KEY = 'outrigger.dev/awaiting-pods';
const OURS = { key: KEY, value: '', effect: 'NoSchedule' };
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: c1
  kubelet:
    config:
      maxPods: 110
`;
const MIME = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript

#!/bin/bash
echo hello

--//
Content-Type: application/node.eks.aws

${NODE_CONFIG}
--//--
`;
const WITH_CONFIG_TAINTS = NODE_CONFIG.replace(
  '      maxPods: 110\n',
  '      maxPods: 110\n      registerWithTaints:\n        - { key: team, value: web, effect: NoExecute }\n',
);
const WITH_FLAG = `${NODE_CONFIG}    flags:\n      - "--register-with-taints=team=web:NoExecute"\n`;
const SCRIPT = "/etc/eks/bootstrap.sh c1 --kubelet-extra-args '--register-with-taints=a=b:NoSchedule --v=2'\n";
const BOTTLEROCKET = '[settings.kubernetes]\ncluster-name = "c1"\n';
const WITH_TABLE = `${BOTTLEROCKET}\n[settings.kubernetes.node-taints]\n"team" = ["web:NoExecute"]\n\n[settings.ntp]\nmode = "smear"\n`;

const TEAM = { key: 'team', value: 'web', effect: 'NoExecute' };

describe('a taint that all nodes of a launch template get', () => {
  const cases: readonly (readonly [string, string, readonly object[]])[] = [
    ['a NodeConfig alone', NODE_CONFIG, []],
    ['a MIME message', MIME, []],
    ['a MIME message without its end', MIME.replace('--//--\n', ''), []],
    ['taints in the configuration of the kubelet', WITH_CONFIG_TAINTS, [TEAM]],
    ['a flag of taints', WITH_FLAG, [TEAM]],
    ['a script', SCRIPT, [{ key: 'a', value: 'b', effect: 'NoSchedule' }]],
    ['settings of Bottlerocket', BOTTLEROCKET, []],
    ['a table of taints of Bottlerocket', WITH_TABLE, [TEAM]],
  ];
  test.each(cases)('%s: it is added to the others, once, and taken out again', (_, text, others) => {
    const before = readUserData(encoded(text));
    const added = withNodeTaint(encoded(text), KEY);
    if (!added.ok) throw new Error(added.error);
    const read = readUserData(added.value);
    expect(read.taints.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
      [...others, OURS].toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    );
    expect({ ...read, taints: 0, kubelet: 0 }).toEqual({ ...before, taints: 0, kubelet: 0 });
    expect(withNodeTaint(added.value, KEY)).toEqual(added);
    const removed = withoutNodeTaint(added.value, KEY);
    if (!removed.ok) throw new Error(removed.error);
    expect(textOf(removed.value)).not.toContain(KEY);
    expect(readUserData(removed.value).taints).toEqual(before.taints);
    expect(withoutNodeTaint(removed.value, KEY)).toEqual(removed);
  });

  test('a message is the same after it was added and taken out', () => {
    const added = withNodeTaint(encoded(MIME), KEY);
    const removed = added.ok ? withoutNodeTaint(added.value, KEY) : added;
    expect(removed.ok && textOf(removed.value)).toBe(MIME);
  });

  test('a NodeConfig alone becomes the first part of a message', () => {
    const added = withNodeTaint(encoded(NODE_CONFIG), KEY);
    expect(added.ok && textOf(added.value)).toBe(`MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="OUTRIGGER"

--OUTRIGGER
Content-Type: application/node.eks.aws

${NODE_CONFIG}
--OUTRIGGER
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    flags:
      - --register-with-taints=${KEY}=:NoSchedule

--OUTRIGGER--
`);
  });

  test.each([
    ['no user data', '', /^its user data has no NodeConfig/],
    ['a script without the flag', '/etc/eks/bootstrap.sh c1', /^its user data has no NodeConfig/],
    ['a flag that is a comment', '# --register-with-taints=a=b:NoSchedule', /^its user data has no NodeConfig/],
    ['a variable of the shell', 'kubelet --register-with-taints=$TAINTS', /^its user data has no NodeConfig/],
    ['a table in one line', `${BOTTLEROCKET}node-taints = { a = "b:NoSchedule" }\n`, /^its user data has no/],
    ['Windows', '<powershell>\n& Start-EKSBootstrap.ps1\n</powershell>', /^its user data has no NodeConfig/],
    [
      'too much',
      `${NODE_CONFIG}# ${'x'.repeat(16_300)}\n`,
      /^its user data would have \d+ bytes, of which EC2 takes 16384$/,
    ],
  ])('is not added to %s', (_, text, why) => {
    const added = withNodeTaint(encoded(text), KEY);
    expect(added.ok ? '' : added.error).toMatch(why);
  });
});
