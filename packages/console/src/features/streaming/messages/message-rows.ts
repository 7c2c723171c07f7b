/** Messages as rows: columns from fields, search, and cell text. */
import type { MessagePart, TopicMessage } from '@slipway/contract/streaming/message.ts';

export const messageKey = ({ partition, offset }: TopicMessage): string => `${partition}-${offset}`;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that a cell can show: fields of the value and of nested records. */
export const fieldPaths = (value: unknown, prefix = ''): string[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, inner]) => {
        const path = prefix === '' ? name : `${prefix}.${name}`;
        return isRecord(inner) && prefix === '' ? fieldPaths(inner, path) : isRecord(inner) || Array.isArray(inner) ? [] : [path];
      })
    : [];

/** In order of first occurrence. */
export const knownPaths = (messages: readonly TopicMessage[]): string[] => [
  ...new Set(messages.flatMap(({ value }) => (value.state === 'DECODED' ? fieldPaths(value.value) : []))),
];

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

/** `/pilot/name` and `pilot.name` are the same path. */
const dotted = (path: string): string => path.replace(/^\//, '').replaceAll('/', '.');
export const maskOf = ({ masked }: Pick<MessagePart, 'masked'>, path: string): string | undefined =>
  masked.find((mask) => dotted(mask.path) === path)?.classification;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '–' : JSON.stringify(value);
/** Undefined if masked. */
export const cellText = (part: MessagePart, path: string): string | undefined =>
  maskOf(part, path) === undefined ? textOf(at(part.value, path)) : undefined;

export const keyText = ({ state, value }: MessagePart): string =>
  state === 'EMPTY' ? '–' : state === 'MASKED' ? 'masked' : state === 'UNREADABLE' ? 'unreadable' : textOf(value);

/** Matches `kind:MOORED berth:C03`, or words anywhere. Masked values never match, because the response does not contain them. */
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
