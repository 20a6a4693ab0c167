import { expect, test } from 'vitest';
import { minutes } from '../../../../core/model/values/time.ts';
import { record } from '../../../../simulation/recording/record.ts';
import { loadOf } from '../../../bench/trace/loads.ts';
import { measured } from '../../../bench/trace/measure.ts';
import { SETTINGS } from '../../../bench/trace/settings.ts';

test.each([2, 4, 6])(
  'a node of the dearest type that nobody asked for is gone within two hours (seed %i)',
  async (seed) => {
    const load = loadOf(`web-dear-${seed}`, SETTINGS['recommended']!);
    const until = minutes(3 * 60);
    const { dearestGone } = measured(
      await record({ ...load, until, steps: load.steps.filter(({ at }) => at < until) }),
    );
    expect(dearestGone).toBeGreaterThan(0);
    expect(dearestGone).toBeLessThanOrEqual(2);
  },
);
