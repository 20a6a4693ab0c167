import pc from 'picocolors';
import { chart } from '../../cli/demo/show/chart.ts';
import { DEFAULT_LOAD } from '../../simulation/load/default-load.ts';
import { readLoad } from '../../simulation/load/read-load.ts';
import { record } from '../../simulation/recording/record.ts';

const BEGIN = '<!-- Written by `npm run docs`: the end of `npm run demo`. -->\n```text illustration\n';
const END = '\n```\n';

/**
 * The README with the picture in which the demo ends.
 *
 * @throws Error where the README has no place for it.
 */
export async function withDemo(readme: string): Promise<string> {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END, begin + BEGIN.length);
  if (begin < 0 || end < 0) {
    throw new Error(
      `README.md: no block of text after the line ${BEGIN.split('\n')[0]}; put one where the demo is to be`,
    );
  }
  const load = readLoad(DEFAULT_LOAD);
  if (!load.ok) {
    throw new Error(`the load of the demo cannot be read: ${JSON.stringify(load.error)}`);
  }
  const picture = chart(await record(load.value), { colors: pc.createColors(false), width: 100 });
  return `${readme.slice(0, begin + BEGIN.length)}${picture.join('\n')}${readme.slice(end)}`;
}
