import { present } from '@outrigger/core/model/values/present.ts';
import * as z from 'zod';
import type { StatedPrice } from '@outrigger/core/model/price.ts';
import { closed } from './document.ts';

const text = z.string('a string').min(1, 'a string').optional();
const USD = 'USD per hour, such as 0.096';
const COVERED = 'a number of nodes of at least 0';

const price = closed({
  type: text.describe('The instance type, such as `m5.large`; absent: any.'),
  zone: text.describe('The zone, such as `eu-west-1a`; absent: any.'),
  capacityType: text.describe('Purchase option of the nodes, such as `on-demand` or `spot`; absent: any.'),
  price: z.number(USD).min(0, USD).describe('USD per hour of one node.'),
  covered: z
    .int(COVERED)
    .min(0, COVERED)
    .optional()
    .describe('How many nodes cost so, as a savings plan or reserved instances cover them; absent: all.'),
});

const A_LIST = 'a list of prices {type, zone, capacityType, price, covered}';

/** The option `prices`: in documents, and in the core. */
export const prices = z.codec(z.array(price, A_LIST), z.custom<readonly StatedPrice[]>(), {
  decode: (given) =>
    given.map(({ type = null, zone = null, capacityType = null, price: each, covered = null }) => ({
      type,
      zone,
      capacityType,
      price: each,
      covered,
    })),
  encode: (given) =>
    given.map(({ type, zone, capacityType, price: each, covered }) => ({
      ...present({ type, zone, capacityType }),
      price: each,
      ...present({ covered }),
    })),
});
