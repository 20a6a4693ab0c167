import { unlessEmpty } from '@outrigger/providers/manifest/fields.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { HandlerTranslation } from './translate-handler.ts';
import type { CommandLineSettings, Translation } from './translate.ts';

/**
 * The clusters with the options that come from Node Termination Handler. Without Cluster Autoscaler the cluster is that of the
 * handler alone, and has Outrigger's defaults.
 *
 * @param handlers of the same cluster: several where each runs on nodes of another kind
 */
export function withHandlers(
  translations: readonly Translation[],
  handlers: readonly HandlerTranslation[],
  said: CommandLineSettings,
): readonly Translation[] {
  const [first] = handlers;
  if (first === undefined) {
    return translations;
  }
  if (translations.length > 1) {
    const complaint = `expected the Cluster Autoscaler of one cluster with it, found ${translations.length}; convert each cluster by itself`;
    return translations.map((one, index) =>
      index > 0 ? one : { ...one, complaints: [...one.complaints, `${first.origin}: ${complaint}`] },
    );
  }
  const region = said.region ?? handlers.find((handler) => handler.region !== null)?.region ?? null;
  const base = translations[0] ?? clusterOf(first.origin, said);
  const options = Object.assign({}, ...handlers.map((handler) => handler.options)) as HandlerTranslation['options'];
  const { name, ...settings } = base.cluster;
  return [
    {
      ...base,
      cluster: present({
        name,
        region,
        ...settings,
        options: unlessEmpty({ ...(settings['options'] as object | undefined), ...options }),
      }),
      complaints: [...base.complaints, ...disagreements(handlers)],
    },
  ];
}

const clusterOf = (origin: string, { cluster, region }: CommandLineSettings): Translation => ({
  origin,
  cluster: {
    ...present({ name: cluster, region }),
    mode: 'observe',
  },
  findings: [],
  notes: [],
  complaints: [],
});

/** Options for which the handlers ask differently. */
function disagreements(handlers: readonly HandlerTranslation[]): readonly string[] {
  const names = new Set(handlers.flatMap(({ options }) => Object.keys(options)));
  return [...names]
    .map((name) => ({
      name,
      asked: new Set(handlers.flatMap(({ options }) => (options as Record<string, string>)[name] ?? [])),
    }))
    .filter(({ asked }) => asked.size > 1)
    .map(
      ({ name, asked }) =>
        `options.${name}: expected the same from each Node Termination Handler, found ${[...asked].join(' and ')}; leave out all but one`,
    );
}
