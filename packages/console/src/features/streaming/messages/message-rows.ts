/** Messages as rows: which fields of their values are columns, what a search finds, and what one cell says. */
import type { MessagePart, TopicMessage } from '@slipway/contract/streaming/message.ts';

export const messageKey = ({ partition, offset }: TopicMessage): string => `${partition}-${offset}`;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that a cell can show: those of the value, and of records in it. */
export const fieldPaths = (value: unknown, prefix = ''): string[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, inner]) => {
        const path = prefix === '' ? name : `${prefix}.${name}`;
        return isRecord(inner) && prefix === '' ? fieldPaths(inner, path) : isRecord(inner) || Array.isArray(inner) ? [] : [path];
      })
    : [];

/** In the order in which they are met. */
export const knownPaths = (messages: readonly TopicMessage[]): string[] => [
  ...new Set(messages.flatMap(({ value }) => (value.state === 'DECODED' ? fieldPaths(value.value) : []))),
];

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

/** `/pilot/name` and `pilot.name` are the same place. */
const dotted = (path: string): string => path.replace(/^\//, '').replaceAll('/', '.');
export const maskOf = ({ masked }: Pick<MessagePart, 'masked'>, path: string): string | undefined =>
  masked.find((mask) => dotted(mask.path) === path)?.classification;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '–' : JSON.stringify(value);
/** Undefined: masked. */
export const cellText = (part: MessagePart, path: string): string | undefined =>
  maskOf(part, path) === undefined ? textOf(at(part.value, path)) : undefined;

export const keyText = ({ state, value }: MessagePart): string =>
  state === 'EMPTY' ? '–' : state === 'MASKED' ? 'masked' : state === 'UNREADABLE' ? 'unreadable' : textOf(value);

/** `kind:MOORED berth:C03`, or words that stand anywhere. A masked field is never searched: what is masked is not in the answer. */
export const isFound = ({ key, value }: TopicMessage, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '')
    .every((term) => {
      const [path = '', wanted] = term.split(/:(.*)/s);
      if (wanted !== undefined) {
        const paths = fieldPaths(value.value).filter((one) => one.toLowerCase() === path);
        return paths.some((one) => (cellText(value, one) ?? '').toLowerCase().includes(wanted));
      }
      return `${keyText(key)} ${JSON.stringify(value.value)}`.toLowerCase().includes(term);
    });
