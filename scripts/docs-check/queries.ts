import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** Fields that Lambda, CloudWatch Logs Insights and Powertools' logger add to each line. */
const PROVIDED = ['@timestamp', '@message', '@log', 'level', 'message', 'service', 'cluster', 'timestamp'];
/** Written by Lambda itself about an invocation. */
const PLATFORM = ['type', 'record.metrics.durationMs', 'record.metrics.maxMemoryUsedMB', 'record.status'];

/**
 * Finds mistakes in a query of CloudWatch Logs Insights: fields that no log line of the functions has, and words that
 * no message has.
 */
export function wrongQuery(query: string): readonly string[] {
  const source = globSync('{functions,providers,core/words,core/registry}/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .join('\n');
  return [
    ...fieldsOf(query)
      .filter(
        (field) =>
          ![...PROVIDED, ...PLATFORM].includes(field) &&
          !new RegExp(`\\b${RegExp.escape(field.split('.')[0]!)}\\b`).test(source),
      )
      .map((field) => `the log has no field ${field}`),
    ...literalsOf(query)
      .filter((literal) => !source.includes(literal))
      .map((literal) => `no message has the words ${literal}`),
  ];
}

/** The fields that the commands of a query name. */
function fieldsOf(query: string): readonly string[] {
  return query.split(/\||\n/).flatMap((part) => {
    const [command = '', ...rest] = part.trim().split(/\s+/);
    const words = rest.join(' ').replaceAll(/"[^"]*"|\/(?:[^/\\]|\\.)*\//g, '');
    switch (command) {
      case 'fields':
      case 'display':
      case 'dedup':
        // Only the argument of a function: the alias is the query's own.
        return words
          .replaceAll(/\w+\((\S+?)\) as \w+/g, '$1')
          .split(/[\s,]+/)
          .filter((word) => word !== '');
      case 'filter':
        return [...words.matchAll(/([@\w.]+)\s*(?:=|!=|<|>|like\b|in\b)/g)].map(([, field]) => field!);
      case 'sort':
        return words.split(' ').slice(0, 1);
      default:
        return [];
    }
  });
}

/** The texts that messages are compared with. */
const literalsOf = (query: string): readonly string[] =>
  [...query.matchAll(/\bmessage\s+(?:not\s+)?like\s+(?:"([^"]*)"|\/((?:[^/\\]|\\.)*)\/)/g)].map(
    ([, text, pattern]) => text ?? pattern!,
  );
