import type { Invariant } from './invariant.ts';

/** No target above its group's maximum or below its minimum: neither in the cloud nor in what is to be done. */
export const sizesInBounds: Invariant = {
  name: 'no target above max or below min',
  watch: ({ world, scenario }, violate) => {
    const bounds = new Map(scenario.groups.map((group) => [group.name, group]));
    return {
      step: () => {
        for (const { group, desired } of world.scaling.groups()) {
          if (desired < group.minSize || desired > group.maxSize) {
            violate(`${group.name} is to have ${desired} machines: ${group.minSize} to ${group.maxSize} are allowed`);
          }
        }
      },
      committed: ({ intents }) => {
        for (const intent of intents) {
          const { minSize, maxSize } = bounds.get(intent.group)!;
          if (intent.kind === 'SetSize' && (intent.to < minSize || intent.to > maxSize)) {
            violate(`intent ${intent.id} sets ${intent.group} to ${intent.to}: ${minSize} to ${maxSize} are allowed`);
          }
        }
      },
    };
  },
};
