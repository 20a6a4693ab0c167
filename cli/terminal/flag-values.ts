import { InvalidArgumentError, Option } from 'commander';
import { type DurationMs, parseDuration } from '@outrigger/core/model/values/time.ts';
import type { Address } from '../local/listening.ts';
import { isSchedulerUser } from '@outrigger/providers/kubernetes/manifests/webhook.ts';

export function clusterOf(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)) {
    throw new InvalidArgumentError('Expected a cluster name: at most 100 letters, digits, - and _.');
  }
  if (text.toLowerCase() === 'enabled') {
    throw new InvalidArgumentError('The tag k8s.io/cluster-autoscaler/enabled is on the node groups of every cluster.');
  }
  return text;
}

/** The format of an output: JSON for programs, and text for people unless it says otherwise. */
export const outputOption = (about = 'output format; text is for people and may change'): Option =>
  new Option('-o, --output <format>', about).choices(['text', 'json']).default('text');

export const urlFlag = textFlag(
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  'a URL, such as http://localhost:8000',
);

export function listenOf(text: string): Address {
  const match = /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[^:[\]/\s]+)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port']);
  if (match === null || port > 65_535) {
    throw new InvalidArgumentError('Expected HOST:PORT, such as 192.0.2.10:9443, [::1]:9443 or localhost:0.');
  }
  return { host: match.groups?.['v6'] ?? match.groups?.['host'] ?? '', port };
}

/** As `listenOf`, and as Cluster Autoscaler writes it, `:8085`: without a host it is this computer alone. */
export const addressOf = (text: string): Address => listenOf(text.startsWith(':') ? `127.0.0.1${text}` : text);

export function schedulerUsersOf(text: string, before: readonly string[]): readonly string[] {
  if (!isSchedulerUser(text)) {
    throw new InvalidArgumentError('Expected a user, such as system:serviceaccount:kube-system:my-scheduler.');
  }
  return [...before, text];
}

export const scheduleFlag = durationBetween(1_000, 86_400_000, 'a duration between 1s and 24h, such as 60s or 5m');
export const limitFlag = durationBetween(10_000, 86_400_000, 'a duration between 10s and 24h, such as 10m');
/** AWS Lambda's longest timeout is 15 minutes. */
export const timeoutOf = durationBetween(5_000, 900_000, 'a duration between 5s and 15m, such as 60s');

export const groupFlag = textFlag(
  (text) => text.trim() !== '' && text.length <= 255,
  'the name of a node group: at most 255 characters',
);

/** @param what the expected text, in words. */
function textFlag(isValid: (text: string) => boolean, what: string): (text: string) => string {
  return (text) => {
    if (!isValid(text)) {
      throw new InvalidArgumentError(`Expected ${what}.`);
    }
    return text;
  };
}

/** How long something is paused. A month is long enough to notice that it is. */
export const pauseFlag = durationBetween(60_000, 30 * 86_400_000, 'a duration between 1m and 720h, such as 30m or 2h');

/** @param what the expected duration, in words. */
export function durationBetween(lowest: number, highest: number, what: string): (text: string) => DurationMs {
  return (text) => {
    const parsed = parseDuration(text);
    if (!parsed.ok || parsed.value < lowest || parsed.value > highest) {
      throw new InvalidArgumentError(`Expected ${what}.`);
    }
    return parsed.value;
  };
}

export function wholeNumberFlag(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Expected a whole number, such as 7.');
  }
  return value;
}

export const wholeNumberBetween =
  (lowest: number, highest: number) =>
  (text: string): number => {
    const value = wholeNumberFlag(text);
    if (value < lowest || value > highest) {
      throw new InvalidArgumentError(`Expected a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };

/** @param usual its default, as text. */
export const durationOption = (
  flag: string,
  about: string,
  parse: (text: string) => DurationMs,
  usual: string,
): Option => new Option(`${flag} <duration>`, about).argParser(parse).default(parse(usual), usual);
