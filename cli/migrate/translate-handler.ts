import { asksFor } from '../../config/options.ts';
import { HANDLER_SETTINGS, type HandlerSetting, handlerSettingOf } from '../../config/termination-handler.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import { didYouMean } from '@outrigger/providers/schema/known-fields.ts';
import { presentItems, itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { GivenFlag } from './arguments.ts';
import { ELSEWHERE, type TerminationHandler } from './termination-handler.ts';
import { type FlagTranslation, plain } from './translate.ts';

/** The translation of a Node Termination Handler. */
export interface HandlerTranslation {
  readonly origin: string;
  /** Options of the cluster, as the configuration has them. */
  readonly options: Readonly<Partial<Record<keyof Options, string>>>;
  readonly region: string | null;
  readonly findings: readonly FlagTranslation[];
  readonly notes: readonly string[];
}

/** A known setting with its given value. */
interface GivenSetting {
  readonly setting: HandlerSetting;
  readonly value: string;
}

type Mode = 'IMDS' | 'queue';

const NAMES = HANDLER_SETTINGS.map(({ name }) => name);
const QUEUE_MODE = 'ENABLE_SQS_TERMINATION_DRAINING';

/** The answers to a recommendation, from the weakest. */
const ANSWERS = ['ignore', 'cordon', 'replace'];

const ONE_OF_THE_TWO =
  'Once Outrigger acts, remove Node Termination Handler from the node groups that it scales: both would drain the same node. To keep it, set spotInterruption and scheduledChange to ignore, and leave rebalanceRecommendation at ignore.';
const OTHER_HOOKS =
  'Lifecycle hooks that the queue mode completes have to be removed with it, or get a name that begins with outrigger: an instance waits for each of the others until its time is over.';
const QUEUE_DRAINS =
  'The queue mode drains on each recommendation that rules of EventBridge send to its queue. Here it is ignore where nothing else is written; replace launches the replacement first.';
const QUEUE_CORDONS =
  'The queue mode cordons on each recommendation that rules of EventBridge send to its queue. Here it is ignore where nothing else is written; cordon does the same.';

/** Says what is done here for each setting of a Node Termination Handler. */
export function translateHandler({ origin, settings }: TerminationHandler): HandlerTranslation {
  const unknown = settings.filter(({ name }) => handlerSettingOf(name) === null);
  const given = effective(settings);
  const mode: Mode = given.get(QUEUE_MODE)?.value === 'true' ? 'queue' : 'IMDS';
  const cordonOnly = given.get('CORDON_ONLY')?.value === 'true';
  const options: Partial<Record<keyof Options, string>> = {};
  const findings = [...given.values()].map((one) => {
    const { finding, chosen } = judge(one, mode, cordonOnly);
    if (chosen !== null) {
      const { option, value } = chosen;
      const before = options[option];
      if (before === undefined || ANSWERS.indexOf(value) > ANSWERS.indexOf(before)) {
        options[option] = value;
      }
    }
    return finding;
  });
  return {
    origin,
    options,
    region: regionOf(given),
    findings: [...findings, ...itemsIf(mode === 'queue', [queueDrains(cordonOnly)]), ...unknown.map(unknownSetting)],
    notes: presentItems([ONE_OF_THE_TWO, mode === 'queue' && OTHER_HOOKS]),
  };
}

/**
 * The settings by name: the last value that is not empty, for the handler ignores empty values. A setting by its
 * present name wins over the same setting by its older name.
 */
function effective(settings: readonly GivenFlag[]): ReadonlyMap<string, GivenSetting> {
  const isOlder = ({ name }: GivenFlag): boolean => handlerSettingOf(name)?.name !== name;
  const olderFirst = settings.toSorted((a, b) => Number(isOlder(b)) - Number(isOlder(a)));
  const given = new Map<string, GivenSetting>();
  for (const { name, value } of olderFirst) {
    const setting = handlerSettingOf(name);
    if (setting !== null && value !== '') {
      given.set(setting.name, { setting, value: plain(value, setting) });
    }
  }
  return given;
}

function regionOf(given: ReadonlyMap<string, GivenSetting>): string | null {
  const value = given.get('AWS_REGION')?.value;
  return value === undefined || value === ELSEWHERE ? null : value;
}

interface SettingVerdict {
  readonly finding: FlagTranslation;
  readonly chosen: { readonly option: keyof Options; readonly value: string } | null;
}

function judge({ setting, value }: GivenSetting, mode: Mode, cordonOnly: boolean): SettingVerdict {
  const { name, counterpart, secret } = setting;
  const found = (verdict: FlagTranslation['verdict'], here: string, why: string): SettingVerdict => ({
    finding: { verdict, flag: name, value: secret ? '(not shown)' : value, here, why },
    chosen: null,
  });
  if (setting.mode !== 'any' && setting.mode !== mode) {
    return found('none', '', `The handler reads it in its ${setting.mode} mode alone.`);
  }
  switch (counterpart.kind) {
    case 'option':
      return judgeOption(value, counterpart, cordonOnly, found);
    case 'setting':
      // A credential is not written into the configuration.
      return found(secret ? 'differs' : 'same', counterpart.setting, counterpart.why);
    case 'built in':
      return found(asksFor({ counterpart }, value) ? 'same' : 'differs', 'built in', counterpart.why);
    case 'meaningless':
      return found('none', '', counterpart.why);
    case 'missing':
      return found(asksFor({ counterpart }, value) ? 'same' : 'none', '', counterpart.why);
  }
}

function judgeOption(
  value: string,
  { option, values, why }: Extract<HandlerSetting['counterpart'], { kind: 'option' }>,
  cordonOnly: boolean,
  found: (verdict: FlagTranslation['verdict'], here: string, why: string) => SettingVerdict,
): SettingVerdict {
  const asked = values[value];
  if (asked === undefined) {
    return found('none', '', `Left out: expected ${Object.keys(values).join(' or ')}, found ${JSON.stringify(value)}.`);
  }
  const chosen = { option, value: asked === 'replace' && cordonOnly ? 'cordon' : asked };
  const here = `options.${option}: ${chosen.value}`;
  if (chosen.value === 'replace') {
    return { ...found('differs', here, why), chosen };
  }
  if (chosen.value === 'drain' && cordonOnly) {
    const whyDrained = 'The node is drained, where CORDON_ONLY has it cordoned alone.';
    return { ...found('differs', here, whyDrained), chosen };
  }
  return { ...found('same', here, ''), chosen };
}

const queueDrains = (cordonOnly: boolean): FlagTranslation => ({
  verdict: 'differs',
  flag: 'rebalance recommendations',
  value: cordonOnly ? '(cordon)' : '(drain)',
  here: 'options.rebalanceRecommendation',
  why: cordonOnly ? QUEUE_CORDONS : QUEUE_DRAINS,
});

const unknownSetting = ({ name }: GivenFlag): FlagTranslation => ({
  verdict: 'none',
  flag: name,
  // The value may be a credential.
  value: '(not shown)',
  here: '',
  why: `Not a known setting of Node Termination Handler${didYouMean(name, NAMES)}.`,
});
