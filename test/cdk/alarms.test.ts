import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { templateFor } from './stack-for.ts';

const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');
const alarms = templateFor().findResources('AWS::CloudWatch::Alarm');

it('every alarm says where its section of the documentation is, and there is one', () => {
  const sections = [...page.slice(page.indexOf('## Alarms'), page.indexOf('## Queries')).matchAll(/^### (\w+)$/gm)];
  const described = Object.entries(alarms).map(([id, { Properties }]) => {
    const name = id.replace(/[0-9A-F]{8}$/, '');
    expect((Properties as { AlarmDescription: string }).AlarmDescription).toContain(
      ` What to do: docs/troubleshooting.md#${name.toLowerCase()}`,
    );
    return name;
  });
  expect(sections.map(([, name]) => name!).toSorted()).toEqual(described.toSorted());
});
