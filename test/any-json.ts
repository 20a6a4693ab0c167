import * as fc from 'fast-check';

/** Objects that hide what each object inherits: they cannot be made a text, or say that they are lists. */
const OBJECTS_IN_DISGUISE = [
  '{"toString":0}',
  '{"toString":0,"valueOf":0}',
  '{"__proto__":0}',
  '{"constructor":0}',
  '{"length":2}',
];

/** Any JSON value as `JSON.parse` gives it, one in four of them an object with names that mean something to JavaScript. */
export const anyJson = (maxDepth: number): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth }) },
    { weight: 1, arbitrary: fc.constantFrom(...OBJECTS_IN_DISGUISE).map((text): unknown => JSON.parse(text)) },
  );
