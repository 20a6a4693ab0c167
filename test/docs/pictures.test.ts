import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf, PICTURES, SOURCES } from '../../scripts/docs/pictures/widget.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');
const drawn = JSON.parse(readFileSync(join(folder, SOURCES), 'utf8')) as Record<string, string>;
const page = readFileSync(join(folder, '../dashboard.md'), 'utf8');

describe.each(PICTURES)('$name', (picture) => {
  const { name, width } = picture;
  test('was drawn from the widget as it is now (npm run docs draws it)', () => {
    expect(drawn[name]).toBe(digestOf(picture));
  });

  test('is a PNG in its width, and on the page about the dashboard', () => {
    const file = readFileSync(join(folder, `${name}.png`));
    expect(file.subarray(1, 4).toString()).toBe('PNG');
    expect(file.readUInt32BE(16)).toBe(width);
    expect(page).toContain(`](pictures/${name}.png)`);
  });
});
