/** Every declared kind by its word, and what follows from the declarations: keys and links. */
import { declaredKinds } from './declared-kinds.ts';
import type { Kind, Subject } from './kernel/subject.ts';

const known = new Map<string, Kind>();

/** Registers a kind. Throws if its word is taken. The kinds in files `….kind.ts` are registered on load. */
export const registerKind = (kind: Kind): void => {
  if (known.has(kind.kind)) throw new Error(`There is a kind ${kind.kind} already`);
  known.set(kind.kind, kind);
};
for (const kind of declaredKinds) registerKind(kind);

export const kindOf = (word: string): Kind | undefined => known.get(word);
export const kinds = (): readonly Kind[] => [...known.values()];

/** Returns the kinds whose lists show this kind, itself first. */
export const lineOf = (kind: Kind | undefined): Kind[] =>
  kind === undefined ? [] : [kind, ...lineOf(kind.under), ...(kind.alsoUnder ?? []).flatMap(lineOf)];

const isNamed = ({ address, names: own }: Kind, names: Subject['names']): boolean =>
  own.length > 0 && address.every((name) => names[name] !== undefined);

const part = encodeURIComponent;
const keyIn = ({ kind, address }: Kind, names: Subject['names']): string =>
  `${kind}:${address.map((name) => part(names[name] ?? '')).join('/')}`;

/** True if the subject's kind is declared and every name of the kind's address is present. */
export const isSubject = ({ kind: word, names }: Pick<Subject, 'kind' | 'names'>): boolean => {
  const kind = kindOf(word);
  return kind !== undefined && isNamed(kind, names);
};

/** `service:berth/development/berth-api`: identifies a subject by name. Throws on an undeclared kind or a missing name. */
export const subjectKey = ({ kind: word, names }: Pick<Subject, 'kind' | 'names'>): string => {
  const kind = kindOf(word);
  if (!kind || !isNamed(kind, names)) throw new Error(`${JSON.stringify(names)} is no address of the kind ${word}`);
  return keyIn(kind, names);
};

/** `service#svc_1`: identifies a subject by its row. A later subject with the same name has another key. */
export const rowKey = (kind: Pick<Kind, 'kind'>, id: string): string => `${kind.kind}#${id}`;

/** Returns the row ids among the keys, by kind. */
export const idsOf = (keys: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(keys.flatMap((key) => (key.includes('#') ? [[key.slice(0, key.indexOf('#')), key.slice(key.indexOf('#') + 1)]] : [])));

/** Returns the keys of every subject whose lists show this subject, by name and by row, the subject itself first. */
export const subjectKeys = (subject: Subject): string[] => {
  subjectKey(subject);
  const keys = lineOf(kindOf(subject.kind)).flatMap((kind) => {
    const id = subject.ids?.[kind.kind];
    return [...(isNamed(kind, subject.names) ? [keyIn(kind, subject.names)] : []), ...(id === undefined ? [] : [rowKey(kind, id)])];
  });
  return [...new Set(keys)];
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** Parses a key from `subjectKey`. Returns undefined for anything else. */
export const subjectOfKey = (key: string): Pick<Subject, 'kind' | 'names'> | undefined => {
  const [, word = '', rest = ''] = /^(\w+):(.*)$/s.exec(key) ?? [];
  const kind = kindOf(word);
  const values = rest.split('/').map(decoded);
  if (!kind || kind.names.length === 0 || values.length !== kind.address.length || values.includes('')) return undefined;
  return { kind: word, names: Object.fromEntries(kind.address.map((name, index) => [name, values[index] ?? ''])) };
};

/** Returns the subject's own name, without the names of its parents. */
export const nameOf = ({ kind, names }: Pick<Subject, 'kind' | 'names'>): string => names[kindOf(kind)?.names.at(-1) ?? ''] ?? '';

/** Fills the names into a kind's path. Returns undefined if a name is missing. */
export const filled = (path: string, names: Readonly<Record<string, string | undefined>>): string | undefined => {
  const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (!wanted.every((name) => names[name])) return undefined;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => part(names[name] ?? ''));
};

/** Returns the console page of the subject, or of the nearest parent with a page. */
export const subjectPath = ({ kind: word, names }: Pick<Subject, 'kind' | 'names'>): string | undefined => {
  for (let kind = kindOf(word); kind; kind = kind.under) {
    const path = kind.path === undefined ? undefined : filled(kind.path, names);
    if (path !== undefined) return path;
  }
  return undefined;
};

/** Returns the nearest kind with its own pipeline pages: the subject's or a parent's. Undefined if the general pipeline page applies. */
export const pipelineHome = ({ kind: word, names }: Pick<Subject, 'kind' | 'names'>): { kind: Kind; path: string } | undefined => {
  for (let kind = kindOf(word); kind; kind = kind.under) {
    const path = kind.pipelinePath;
    // A placeholder for the pipeline id, because only the other names matter here.
    if (path !== undefined && filled(path, { ...names, pipelineId: '-' })) return { kind, path };
  }
  return undefined;
};

/** Returns the page of a pipeline. Every pipeline has one, whatever its subject. */
export const pipelinePathOf = (subject: Pick<Subject, 'kind' | 'names'>, pipelineId: string): string =>
  filled(pipelineHome(subject)?.path ?? kindOf('pipeline')?.path ?? '', { ...subject.names, pipelineId }) ?? '';
